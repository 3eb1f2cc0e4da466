"""Web API methods about the bot, users, the workspace, reactions and pins."""

import re

from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.errors import SlackError, invalid_arguments
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import Channel, Json, Message
from bridge.sandbox.slack.wire import message_json, reactions_json, user_json

EMOJI = re.compile(r"[a-z0-9_+'\-]+(::skin-tone-[2-6])?")
MAX_KINDS_OF_REACTIONS = 23


def auth_test(world: Api, call: Request) -> Json:
    """auth.test with a bot token."""
    call.approve(None)
    return {
        "url": f"https://{world.team.domain}.slack.com/",
        "team": world.team.name,
        "user": world.bot.name,
        "team_id": world.team.id,
        "user_id": world.bot.id,
        "bot_id": world.bot.bot_id,
        "is_enterprise_install": False,
    }


def open_connection(world: Api, call: Request) -> Json:
    """apps.connections.open: a WebSocket address on this server, good once."""
    call.approve(None)
    address = f"{world.origin.replace('http', 'ws', 1)}/link/"
    return {"url": f"{address}?ticket={world.sockets.ticket()}&app_id={world.bot.app_id}"}


def users_info(world: Api, call: Request) -> Json:
    """users.info."""
    user = world.users.get(call.need("user", "user_not_found"))
    if user is None:
        raise SlackError("user_not_found")
    call.approve(None)
    return {"user": user_json(user)}


def users_list(world: Api, call: Request) -> Json:
    """users.list: those of this workspace, in one page."""
    call.approve(None)
    shown = [user_json(user) for user in world.users.values() if not user.is_stranger]
    return {"members": shown, "cache_ts": int(world.clock()), "response_metadata": {"next_cursor": ""}}


def team_info(world: Api, call: Request) -> Json:
    """team.info."""
    call.approve(None)
    return {"team": {"id": world.team.id, "name": world.team.name, "domain": world.team.domain}}


def bots_info(world: Api, call: Request) -> Json:
    """bots.info."""
    wanted = call.get("bot", world.bot.bot_id)
    user = next((user for user in world.users.values() if user.bot_id == wanted), None)
    if user is None:
        raise SlackError("bot_not_found")
    call.approve(None)
    shown: Json = {"id": user.bot_id, "app_id": user.app_id, "user_id": user.id, "name": user.real_name}
    return {"bot": shown | {"deleted": user.deleted}}


def add_reaction(world: Api, call: Request) -> Json:
    """reactions.add."""
    message, name = _reaction(world, call)
    if world.bot.id in message.reactions.get(name, []):
        raise SlackError("already_reacted")
    if name not in message.reactions and len(message.reactions) >= MAX_KINDS_OF_REACTIONS:
        raise SlackError("too_many_emoji")
    call.approve(None)
    world.set_reaction(message, world.bot, name, on=True)
    return {}


def remove_reaction(world: Api, call: Request) -> Json:
    """reactions.remove."""
    message, name = _reaction(world, call)
    if world.bot.id not in message.reactions.get(name, []):
        raise SlackError("no_reaction")
    call.approve(None)
    world.set_reaction(message, world.bot, name, on=False)
    return {}


def get_reactions(world: Api, call: Request) -> Json:
    """reactions.get for a message."""
    channel, message = _message(world, call)
    call.approve(None)
    shown = message_json(message, world.origin) | {"reactions": reactions_json(message)}
    return {"type": "message", "channel": channel.id, "message": shown}


def add_pin(world: Api, call: Request) -> Json:
    """pins.add."""
    channel, message = _message(world, call)
    if message.ts in channel.pinned:
        raise SlackError("already_pinned")
    call.approve(None)
    channel.pinned.append(message.ts)
    world.emit("channel", channel, message)
    return {}


def remove_pin(world: Api, call: Request) -> Json:
    """pins.remove."""
    channel, message = _message(world, call)
    if message.ts not in channel.pinned:
        raise SlackError("no_pin")
    call.approve(None)
    channel.pinned.remove(message.ts)
    world.emit("channel", channel, message)
    return {}


def _message(world: Api, call: Request) -> tuple[Channel, Message]:
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"), member=True, write=True)
    timestamp = call.need("timestamp", "no_item_specified")
    message = channel.message(timestamp)
    if message is None or message.ephemeral_to is not None:
        raise SlackError("message_not_found")
    return channel, message


def _reaction(world: Api, call: Request) -> tuple[Message, str]:
    name: str = call.need("name", "invalid_name")
    if name.startswith(":"):
        raise invalid_arguments("a reaction's name has no colons [json-pointer:/name]")
    if not EMOJI.fullmatch(name):
        raise SlackError("invalid_name")
    return _message(world, call)[1], name

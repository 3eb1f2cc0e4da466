"""Web API methods about channels, DMs and their history."""

import re
from typing import TypeVar

from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.errors import SlackError, invalid_arguments
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import Channel, Json, Message, User
from bridge.sandbox.slack.wire import channel_json, message_json
from bridge.sandbox.slack.world import PREFIXES

T = TypeVar("T")
NAME = re.compile(r"[a-z0-9_\-\u00c0-\uffff]{1,80}")
TYPES = {"im": "im", "mpim": "mpim", "public": "public_channel", "private": "private_channel"}


def open_dm(world: Api, call: Request) -> Json:
    """conversations.open: the DM with one user, or a group DM with several."""
    users = [world.users.get(one) for one in call.get("users") or []]
    if "channel" in call.params:
        channel = world.channel_for_bot(call.params["channel"])
    elif not users:
        raise SlackError("users_list_not_supplied")
    else:
        people = [user for user in users if user is not None and not user.is_bot]
        if len(people) < len(users):
            raise SlackError("user_not_found" if None in users else "cannot_dm_bot")
        call.need_scope("im:write" if len(people) == 1 else "mpim:write")
        call.approve(None)
        channel = world.dm(people[0]) if len(people) == 1 else _group_dm(world, people)
    full = channel_json(channel, world.bot) if call.get("return_im") else {"id": channel.id}
    return {"channel": full, "no_op": True, "already_open": True}


def info(world: Api, call: Request) -> Json:
    """conversations.info."""
    channel = _readable(world, call, "read")
    call.approve(None)
    return {"channel": channel_json(channel, world.bot)}


def list_channels(world: Api, call: Request) -> Json:
    """conversations.list, by types, with cursors."""
    types = _types(call)
    call.approve(None)
    found = [
        channel
        for channel in world.channels.values()
        if TYPES[channel.kind] in types
        and (channel.kind == "public" or world.bot.id in channel.members)
        and not (call.get("exclude_archived") and channel.archived)
    ]
    shown, more = _page([channel_json(one, world.bot) for one in found], call, 100)
    return {"channels": shown, "response_metadata": {"next_cursor": more}}


def history(world: Api, call: Request) -> Json:
    """conversations.history: newest first, replies only where they were broadcast."""
    channel = _readable(world, call, "history", member=True)
    call.approve(None)
    return _messages(world, call, list(reversed(channel.top_level)))


def replies(world: Api, call: Request) -> Json:
    """conversations.replies: the parent, then its replies, oldest first."""
    channel = _readable(world, call, "history", member=True)
    thread = call.need("ts", "thread_not_found")
    if channel.message(thread) is None:
        raise SlackError("thread_not_found")
    call.approve(None)
    return _messages(world, call, channel.thread(thread))


def create(world: Api, call: Request) -> Json:
    """conversations.create."""
    private = call.get("is_private", False)
    call.need_scope("groups:write" if private else "channels:manage")
    name = _free_name(world, call)
    call.approve(None)
    kind = "private" if private else "public"
    channel = Channel(world.new_id("C"), kind, name, world.bot, world.clock(), {world.bot.id: world.bot})
    world.channels[channel.id] = channel
    world.emit("channel", channel)
    return {"channel": channel_json(channel, world.bot)}


def invite(world: Api, call: Request) -> Json:
    """conversations.invite."""
    channel = _managed(world, call, "channels:manage", "channels:write.invites", "groups:write", "groups:write.invites")
    wanted = call.get("users") or []
    if not wanted:
        raise SlackError("no_user")
    for user_id in wanted:
        if user_id not in world.users:
            raise SlackError("user_not_found")
        if user_id in channel.members:
            raise SlackError("cant_invite_self" if user_id == world.bot.id else "already_in_channel")
    call.approve(None)
    for user_id in wanted:
        world.add_member(channel, world.users[user_id], by=world.bot)
    return {"channel": channel_json(channel, world.bot)}


def join(world: Api, call: Request) -> Json:
    """conversations.join: public channels."""
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"), write=True)
    if channel.kind != "public":
        raise SlackError("method_not_supported_for_channel_type")
    call.approve(None)
    already = world.bot.id in channel.members
    if not already:
        world.add_member(channel, world.bot, by=world.bot)
    return {"channel": channel_json(channel, world.bot)} | ({"warning": "already_in_channel"} if already else {})


def archive(world: Api, call: Request) -> Json:
    """conversations.archive."""
    channel = _managed(world, call, "channels:manage", "groups:write", archived="already_archived")
    call.approve(None)
    world.set_archived(channel, world.bot)
    return {}


def members(world: Api, call: Request) -> Json:
    """conversations.members."""
    channel = _readable(world, call, "read")
    call.approve(None)
    shown, more = _page(list(channel.members), call, 100)
    return {"members": shown, "response_metadata": {"next_cursor": more}}


def rename(world: Api, call: Request) -> Json:
    """conversations.rename."""
    channel = _managed(world, call, "channels:manage", "groups:write")
    name = _free_name(world, call, channel)
    call.approve(None)
    world.set_name(channel, name)
    return {"channel": channel_json(channel, world.bot)}


def set_purpose(world: Api, call: Request) -> Json:
    """conversations.setPurpose, up to 250 characters."""
    channel = _managed(world, call, "channels:manage", "channels:write.topic", "groups:write", "groups:write.topic")
    purpose = call.get("purpose", "")
    if len(purpose) > 250:
        raise SlackError("too_long")
    call.approve(None)
    channel.purpose = purpose
    world.emit("channel", channel)
    return {"channel": channel_json(channel, world.bot)}


def own_channels(world: Api, call: Request) -> Json:
    """users.conversations: those the bot is in, by types, with cursors of at most 999."""
    types = _types(call)
    if call.get("limit", 100) > 999:
        raise SlackError("invalid_limit")
    call.approve(None)
    found = [one for one in world.channels.values() if TYPES[one.kind] in types and world.bot.id in one.members]
    found = [one for one in found if not (call.get("exclude_archived") and one.archived)]
    shown, more = _page([channel_json(one, world.bot) for one in found], call, 100)
    return {"channels": shown, "response_metadata": {"next_cursor": more}}


def set_topic(world: Api, call: Request) -> Json:
    """conversations.setTopic, up to 250 characters."""
    channel = _managed(world, call, "channels:manage", "channels:write.topic", "groups:write", "groups:write.topic")
    topic = call.get("topic", "")
    if len(topic) > 250:
        raise SlackError("too_long")
    call.approve(None)
    channel.topic = topic
    world.emit("channel", channel)
    return {"channel": channel_json(channel, world.bot)}


def _group_dm(world: Api, people: list[User]) -> Channel:
    wanted = {user.id for user in people} | {world.bot.id}
    for channel in world.channels.values():
        if channel.kind == "mpim" and channel.members.keys() == wanted:
            return channel
    everybody = {user.id: user for user in [*people, world.bot]}
    name = "mpdm-" + "--".join(user.name for user in people) + "-1"
    channel = Channel(world.new_id("G"), "mpim", name, world.bot, world.clock(), everybody)
    world.channels[channel.id] = channel
    world.emit("channel", channel)
    return channel


def _readable(world: Api, call: Request, right: str, *, member: bool = False) -> Channel:
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"), member=member)
    call.need_scope(f"{PREFIXES[channel.kind]}:{right}")
    return channel


def _managed(world: Api, call: Request, *scopes: str, archived: str = "is_archived") -> Channel:
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"), member=True)
    if channel.kind not in ("public", "private"):
        raise SlackError("method_not_supported_for_channel_type")
    prefix = "groups:" if channel.kind == "private" else "channels:"
    call.need_scope(*(scope for scope in scopes if scope.startswith(prefix)))
    if channel.archived:
        raise SlackError(archived)
    return channel


def _free_name(world: Api, call: Request, channel: Channel | None = None) -> str:
    name: str = call.need("name", "invalid_name_required")
    if len(name) > 80:
        raise SlackError("invalid_name_maxlength")
    if name != name.lower() or not NAME.fullmatch(name):
        raise SlackError("invalid_name_specials")
    if not any(letter.isalnum() for letter in name):
        raise SlackError("invalid_name_punctuation")
    if any(one.name == name and one is not channel and not one.is_im for one in world.channels.values()):
        raise SlackError("name_taken")
    return name


def _messages(world: Api, call: Request, found: list[Message]) -> Json:
    latest, oldest, inclusive = call.get("latest", ""), call.get("oldest", ""), call.get("inclusive", False)
    kept = [
        message
        for message in found
        if (not oldest or float(message.ts) > float(oldest) or (inclusive and message.ts == oldest))
        and (not latest or float(message.ts) < float(latest) or (inclusive and message.ts == latest))
    ]
    metadata = call.get("include_all_metadata", False)
    shown, more = _page([message_json(one, world.origin, metadata=metadata) for one in kept], call, 100)
    page: Json = {"messages": shown, "has_more": bool(more)}
    return page | ({"response_metadata": {"next_cursor": more}} if more else {})


def _page(found: list[T], call: Request, usual: int) -> tuple[list[T], str]:
    """One page by ``cursor`` and ``limit``, and the cursor of the next, empty on the last."""
    cursor, limit = call.get("cursor") or "0", call.get("limit", usual)
    if not cursor.isdigit():
        raise SlackError("invalid_cursor")
    if not 1 <= limit <= 1000:
        raise invalid_arguments("must be between 1 and 1000 [json-pointer:/limit]")
    start = int(cursor)
    more = str(start + limit) if start + limit < len(found) else ""
    return found[start : start + limit], more


def _types(call: Request) -> list[str]:
    """The types of channels that a call asks for, each with the scope it needs."""
    types: list[str] = call.get("types") or ["public_channel"]
    if unknown := set(types) - set(TYPES.values()):
        raise SlackError("invalid_types", detail=sorted(unknown))
    for kind, name in TYPES.items():
        if name in types:
            call.need_scope(f"{PREFIXES[kind]}:read")
    return types

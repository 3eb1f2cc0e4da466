"""Web API methods that post, change and delete messages."""

from typing import Any

from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.errors import SlackError, stricter
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import Channel, Json, Message, User
from bridge.sandbox.slack.wire import message_json


def post_message(world: Api, call: Request) -> Json:
    """chat.postMessage. ``channel`` may be a user's id (their DM) or a ``#name``."""
    channel = _target(world, call)
    thread = thread_for_bot(world, channel, call.get("thread_ts"))
    content = world.content.message(call) | _look(call)
    if call.get("reply_broadcast") and thread is None:
        raise stricter("reply_broadcast without thread_ts")
    call.approve(channel.id)
    message = world.post(
        channel,
        world.bot,
        thread_ts=thread,
        broadcast=call.get("reply_broadcast", False),
        unfurls=call.get("unfurl_links", False) or call.get("unfurl_media", True),
        mrkdwn=call.get("mrkdwn", True),
        link_names=call.get("link_names", False) or call.get("parse") == "full",
        **content,
    )
    shown = message_json(message, world.origin, metadata=True, parent=False)
    return {"channel": channel.id, "ts": message.ts, "message": shown}


def update(world: Api, call: Request) -> Json:
    """chat.update. Blocks and attachments not given stay; empty lists take them away."""
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"))
    message = _own_message(world, channel, call.need("ts", "message_not_found"), "cant_update_message")
    if channel.archived:
        raise SlackError("is_archived")
    if message.stream is not None and world.stream_state(message) == "streaming":
        raise SlackError("streaming_state_conflict")  # measured, not documented
    if world.edit_window_minutes is not None and world.clock() - message.at > world.edit_window_minutes * 60:
        raise SlackError("edit_window_closed")
    content = world.content.message(call, editing=True)
    call.approve(None)
    if message.stream is not None:
        message.stream.replaced = True
    world.change(message, **content)
    shown = message_json(message, world.origin, metadata=True)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shown}


def delete(world: Api, call: Request) -> Json:
    """chat.delete: the bot's own messages."""
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"))
    message = _own_message(world, channel, call.need("ts", "message_not_found"), "cant_delete_message")
    if message.stream is not None and world.stream_state(message) == "streaming":
        raise SlackError("cant_delete_message")  # measured, not documented
    if channel.archived:
        raise SlackError("is_archived")
    call.approve(None)
    world.remove(message)
    return {"channel": channel.id, "ts": message.ts}


def post_ephemeral(world: Api, call: Request) -> Json:
    """chat.postEphemeral: one person of the channel sees it."""
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"), member=True, write=True)
    user = channel.members.get(call.need("user", "no_user"))
    if user is None:
        raise SlackError("user_not_in_channel")
    thread = thread_for_bot(world, channel, call.get("thread_ts"))
    content = world.content.message(call) | _look(call)
    call.approve(None)
    message = world.post(channel, world.bot, thread_ts=thread, ephemeral_to=user, **content)
    return {"message_ts": message.ts}


def get_permalink(world: Api, call: Request) -> Json:
    """chat.getPermalink."""
    channel = world.channel_for_bot(call.need("channel", "channel_not_found"))
    message = channel.message(call.need("message_ts", "message_not_found"))
    if message is None:
        raise SlackError("message_not_found")
    call.approve(None)
    link = f"https://{world.team.domain}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def thread_for_bot(world: Api, channel: Channel, thread: str | None) -> str | None:
    """The thread a post goes to. Raises SlackError ``thread_not_found`` where its parent is gone."""
    if not thread:
        return None
    parent = channel.message(thread)
    if parent is None and not world.ignores_lost_threads:
        raise SlackError("thread_not_found")
    if parent is not None and parent.is_reply:
        raise stricter("thread_ts of a reply; Slack makes an odd thread of it: use the parent's")
    if parent is not None and parent.ephemeral_to is not None:
        raise SlackError("cannot_reply_to_message")
    return thread


def _target(world: Api, call: Request) -> Channel:
    wanted: str = call.need("channel", "channel_not_found")
    if wanted.startswith("#"):
        wanted = next((c.id for c in world.channels.values() if c.name == wanted[1:] and not c.is_im), wanted)
    user = world.users.get(wanted)
    if user is not None and not user.is_bot:
        return world.dm(user)
    channel = world.channel_for_bot(wanted, write=True)
    if world.bot.id not in channel.members and "chat:write.public" not in call.scopes:
        raise SlackError("not_in_channel")
    return channel


def _look(call: Request) -> Json:
    """A name and icon of the post's own make it a ``bot_message``."""
    look: Json = {name: call.get(name) for name in ("username", "icon_emoji", "icon_url") if call.get(name)}
    if not look:
        return {}
    call.need_scope("chat:write.customize")
    icon: dict[str, Any] = {}
    if "icon_emoji" in look:
        icon["emoji"] = look["icon_emoji"]
    if "icon_url" in look:
        icon["image_48"] = look["icon_url"]
    return {"subtype": "bot_message", "username": look.get("username"), "icon": icon or None}


def _own_message(world: Api, channel: Channel, ts: str, error: str) -> Message:
    message = channel.message(ts)
    if message is None or message.ephemeral_to is not None:
        raise SlackError("message_not_found")
    user: User = message.user
    if user is not world.bot or message.subtype == "tombstone":
        raise SlackError(error)
    return message

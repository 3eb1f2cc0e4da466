"""Slack's message events to intents: pure and total (invariant 5).

What no person wrote, and what changed nothing a person reads, is ``None``: posts of bots, ours among them, joins and
renames, previews of links. What a person sent and the bridge can't pass on is :class:`Unsupported`, never ``None``.
"""

from __future__ import annotations

import re
from collections.abc import Set

from bridge.chat.intents import Command, Deleted, Edited, Intent, Say, Unsupported
from bridge.chat.slack.files import files_of
from bridge.chat.slack.payload import Json, Spoken, child, children, milliseconds, own_user, person, string, where
from bridge.chat.slack.plain import addressed, plain
from bridge.language import tr

_COMMAND = re.compile(r"/([A-Za-z0-9_-]{1,64})(?![\w/<>@])")
"""A command typed as text, as Slack leaves it after a blank; not the beginning of a path (``/home/me``)."""
_WRITTEN = frozenset({"", "thread_broadcast", "me_message", "file_share"})
"""Subtypes of messages that somebody wrote."""
TOMBSTONE = "tombstone"


def of_message(body: Json, commands: Spoken, rooms: Set[str] = frozenset()) -> Intent | None:
    """What a ``message`` or ``app_mention`` event asks for. The two that one post causes give the same intent.

    In ``rooms``, channels that are one session's own, whatever is written is for the session, a reply for what it
    replies to.
    """
    event = child(body, "event")
    match string(event, "subtype"):
        case "message_changed":
            return _of_change(body, event, rooms)
        case "message_deleted":
            return _of_deletion(body, event, child(event, "previous_message"), rooms)
        case subtype if subtype in _WRITTEN and not by_bot(event):
            return _of_post(body, event, commands, rooms)
    return None


def post_of(event: Json) -> str | None:
    """Channel and ts of a post that a person wrote; the same for both events that one post causes."""
    if string(event, "subtype") not in _WRITTEN or by_bot(event):
        return None
    channel, ts = string(event, "channel"), string(event, "ts")
    return f"{channel}/{ts}" if channel and ts else None


def author(event: Json) -> str:
    """The user id of who wrote, changed or took back a message; empty for bots."""
    for message in (child(event, "message"), child(event, "previous_message"), event):
        if string(message, "user") and not by_bot(message):
            return string(message, "user")
    return ""


def by_bot(message: Json) -> bool:
    """Whether an app or bot posted this, ours among them: never answered, so that bots don't talk for ever."""
    return any(message.get(field) for field in ("bot_id", "app_id", "bot_profile")) or (
        string(message, "subtype") == "bot_message" or string(message, "user") == "USLACKBOT"
    )


def text_intent(text: str, bot: str, commands: Spoken, *, always: bool) -> tuple[str, tuple[str, str] | None, bool]:
    """The plain text, the command in it (name, arguments), and whether it is meant for the bot.

    After a mention the first word is a command if it is a known one and the rest fits it; behind a slash it always is:
    what the bridge does not know is the agent's own. ``always``: meant for the bot without a mention, too.
    """
    rest, mentioned = addressed(text, bot)
    words = plain(rest, bot).strip()
    at_start = mentioned and rest != text
    if typed := _COMMAND.match(words):
        if always or mentioned:
            return words, (typed[1].lower(), words[typed.end() :].strip()), True
    elif at_start:
        name, _, arguments = words.partition(" ")
        follows = commands.get(name.lower())
        if follows is not None and follows.fullmatch(arguments.strip()):
            return words, (name.lower(), arguments.strip()), True
        if not words:
            return words, ("help" if always else "attach", ""), True
    return words, None, always or mentioned


def _of_post(body: Json, event: Json, commands: Spoken, rooms: Set[str]) -> Intent | None:
    channel, ts, user = string(event, "channel"), string(event, "ts"), string(event, "user")
    private, room = channel.startswith("D"), channel in rooms
    thread = string(event, "thread_ts") or _begun(channel, ts, rooms)
    who, at = person(body, user), where(channel, user, thread)
    if who is None or at is None or not ts:
        return None
    bot = own_user(body)
    text, command, meant = text_intent(string(event, "text"), bot, commands, always=private or room)
    replied = bool(string(event, "thread_ts"))
    if not meant and not replied:
        return None  # what people say in a channel is theirs
    files = files_of(children(event, "files"))
    if files and not text:
        command = None  # nothing but our name was written below them
    if not text and command is None and not files:
        shared = any(event.get(field) for field in ("attachments", "blocks"))
        what = tr("a shared message") if shared else tr("a message without text")
        return Unsupported(who, at, ts, what) if meant else None
    sent = milliseconds(ts)
    if command is not None:
        return Command(who, at, ts, *command, sent_at_ms=sent, files=files)
    reply_to = string(event, "thread_ts") or None if room else None
    called = meant and (not room or addressed(string(event, "text"), bot)[1])
    return Say(who, at, ts, text, reply_to, sent_at_ms=sent, addressed=called, files=files)


def _begun(channel: str, ts: str, rooms: Set[str]) -> str:
    """The thread of a message that is in none: in a channel a mention opens the one in which it is answered."""
    return "" if channel.startswith("D") or channel in rooms else ts


def _of_change(body: Json, event: Json, rooms: Set[str]) -> Intent | None:
    message, before = child(event, "message"), child(event, "previous_message")
    if string(message, "subtype") == TOMBSTONE:
        return _of_deletion(body, event, before, rooms)
    channel, ts, user = string(event, "channel"), string(message, "ts"), string(message, "user")
    if by_bot(message) or string(message, "text") == string(before, "text"):
        return None
    thread = string(message, "thread_ts") or _begun(channel, ts, rooms)
    who, at = person(body, user), where(channel, user, thread)
    text = plain(addressed(string(message, "text"), own_user(body))[0], own_user(body)).strip()
    if who is None or at is None or not ts or not (text or children(message, "files")):
        return None
    return Edited(who, at, ts, text)


def _of_deletion(body: Json, event: Json, before: Json, rooms: Set[str]) -> Intent | None:
    channel, user = string(event, "channel"), string(before, "user")
    ts = string(before, "ts") or string(event, "deleted_ts")
    if by_bot(before) or not ts:
        return None
    thread = string(before, "thread_ts") or _begun(channel, ts, rooms)
    who, at = person(body, user), where(channel, user, thread)
    return Deleted(who, at, ts) if who is not None and at is not None else None

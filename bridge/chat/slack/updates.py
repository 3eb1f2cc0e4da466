"""What Slack delivers to intents: events, button presses, submitted forms, commands, shortcuts. Pure and total.

The payload is Slack's own, stripped of what is secret and with :data:`~bridge.chat.slack.payload.WHO` added.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Set
from dataclasses import dataclass

from bridge.chat.intents import Command, HomeOpened, Intent, Person, PlaceChanged, Press, Say, Unsupported, Where
from bridge.chat.slack.files import files_of
from bridge.chat.slack.messages import author, of_message, post_of, text_intent
from bridge.chat.slack.payload import (
    FORM,
    INERT,
    SEND_SHORTCUT,
    STOP_ANYWHERE,
    STOP_SHORTCUT,
    Json,
    Spoken,
    child,
    children,
    milliseconds,
    own_user,
    person,
    string,
    where,
)
from bridge.chat.slack.plain import plain
from bridge.language import tr

SECRETS = ("token", "response_url", "response_urls", "event_context")
"""Fields that whoever holds them could use to speak as the app, or that mean nothing to us: never stored."""


@dataclass(frozen=True, slots=True)
class PressId:
    """What it takes to answer a press: where, whom, and Slack's permission to open a form (good for 3 s, once)."""

    channel: str
    user: str
    thread: str = ""
    message: str = ""
    trigger: str = ""

    def __str__(self) -> str:
        return "|".join((self.channel, self.user, self.thread, self.message, self.trigger))

    @classmethod
    def read(cls, text: str) -> PressId:
        """Read back what ``str`` made; whatever is missing is empty."""
        parts = [*text.split("|", 4), "", "", "", "", ""]
        return cls(*parts[:5])


def stripped(body: Json) -> Json:
    """The payload without its secrets (invariant 7)."""
    return {name: value for name, value in body.items() if name not in SECRETS}


def update_id(body: Json) -> str:
    """The id by which a delivery is deduplicated: the same for each of Slack's repetitions, and for both events that
    one post with a mention causes."""
    event = child(body, "event")
    if body.get("type") == "event_callback":
        if event.get("type") in ("message", "app_mention") and (post := post_of(event)):
            return f"post/{post}"
        return f"event/{string(body, 'event_id') or _digest(body)}"
    view = child(body, "view")
    if body.get("type") == "view_submission" and string(view, "id"):
        return f"view/{string(view, 'id')}/{string(view, 'hash')}"
    return f"act/{string(body, 'trigger_id') or _digest(body)}"


def actor(body: Json) -> str:
    """The user id of who caused a delivery; empty if nobody did."""
    event = child(body, "event")
    if body.get("type") == "event_callback":
        return author(event)
    return string(child(body, "user"), "id") or string(body, "user_id")


def intent_of(body: Json, commands: Spoken, rooms: Set[str] = frozenset()) -> Intent | None:
    """What the person behind a delivery wants, or ``None`` if it asks nothing of the bridge.

    ``commands``: names (lower case) that are commands when they are the first word after ``/hapi``, and after a
    mention, where the rest fits the pattern.
    ``rooms``: channels that are one session's own.
    """
    match body.get("type"):
        case "event_callback":
            return _of_event(body, commands, rooms)
        case "block_actions":
            return _of_press(body)
        case "view_submission":
            return _of_form(body)
        case "message_action" | "shortcut":
            return _of_shortcut(body)
    return _of_command(body, commands) if string(body, "command") else None


def _of_event(body: Json, commands: Spoken, rooms: Set[str]) -> Intent | None:
    event = child(body, "event")
    kind = string(event, "type")
    if kind in ("message", "app_mention"):
        return of_message(body, commands, rooms)
    user, channel = string(event, "user"), string(event, "channel")
    if kind == "app_home_opened" and string(event, "tab") == "home":
        who = person(body, user)
        return HomeOpened(who, Where(user)) if who is not None else None
    if kind == "agent_session_stopped":
        who, at = person(body, user), where(channel, user, string(event, "thread_ts"))
        ts = string(event, "event_ts")
        return Command(who, at, f"stop.{ts}", "stop", sent_at_ms=milliseconds(ts)) if who and at else None
    return _of_place(body, kind, channel, user)


def _of_place(body: Json, kind: str, channel: str, user: str) -> PlaceChanged | None:
    mine = user != "" and user == own_user(body)
    what = kind.partition("_")[2] if kind.startswith(("channel_", "group_")) else ""
    changes = {
        "archive": ("blocked", "archived"),
        "deleted": ("blocked", "deleted"),
        "left": ("blocked", "removed"),
        "unarchive": ("unblocked", ""),
    }
    if what == "rename":
        renamed = child(child(body, "event"), "channel")
        number, name = string(renamed, "id"), string(renamed, "name")
        return PlaceChanged(Where(number, None, private=False), "renamed", name) if number else None
    if kind in ("member_left_channel", "member_joined_channel") and mine:
        what = "left" if kind == "member_left_channel" else "unarchive"
    if not channel or what not in changes:
        return None
    return PlaceChanged(Where(channel, None, private=False), *changes[what])


def _of_press(body: Json) -> Press | None:
    actions = children(body, "actions")
    user = string(child(body, "user"), "id")
    container, message = child(body, "container"), child(body, "message")
    channel = string(child(body, "channel"), "id") or string(container, "channel_id")
    ts = string(container, "message_ts") or string(message, "ts")
    thread = string(message, "thread_ts") or string(container, "thread_ts")
    if not channel and string(child(body, "view"), "type") == "home":
        channel = "D"  # the bot's own page belongs to the person alone, like their DM
    who, at = _clicker(body), where(channel, user, thread)
    token = string(actions[0], "action_id") if actions else ""
    if who is None or at is None or not token:
        return None
    press = PressId(channel if channel != "D" else "", user, thread, ts, string(body, "trigger_id"))
    made = milliseconds(string(actions[0], "action_ts"))
    return Press(who, at, ts, INERT if token.startswith(INERT) else token, str(press), sent_at_ms=made)


def _of_form(body: Json) -> Press | None:
    """A submitted form is the press that opened it, with the text."""
    view = child(body, "view")
    if string(view, "callback_id") != FORM:
        return None
    kept = _json(string(view, "private_metadata"))
    press = PressId.read(string(kept, "press"))
    token, who = string(kept, "token"), _clicker(body)
    at = where(press.channel or "D", string(child(body, "user"), "id"), press.thread)
    values = child(child(view, "state"), "values")
    text = next((string(field, "value") for block in values for field in children_of(child(values, block))), "")
    if who is None or at is None or not token:
        return None
    return Press(who, at, press.message, token, str(press), text.strip())


def children_of(holder: Json) -> list[Json]:
    """The objects among an object's values."""
    return [value for value in holder.values() if isinstance(value, dict)]


def _of_shortcut(body: Json) -> Say | Command | Unsupported | None:
    user, message = string(child(body, "user"), "id"), child(body, "message")
    channel = string(child(body, "channel"), "id")
    number = f"shortcut.{string(body, 'trigger_id')}"
    who = _clicker(body)
    if who is None:
        return None
    if string(body, "callback_id") in (STOP_SHORTCUT, STOP_ANYWHERE):
        at = where(channel or "D", user, string(message, "thread_ts") or string(message, "ts"))
        return Command(who, at or Where(user), number, "stop")
    if string(body, "callback_id") == SEND_SHORTCUT:
        # The question which session it is for belongs where the person talks with the bot, not below the message.
        text = plain(string(message, "text")).strip()
        at, files = Where(user), files_of(children(message, "files"))
        if not text and not files:
            return Unsupported(who, at, number, tr("a message without text"))
        return Say(who, at, number, text, files=files)
    return None


def _of_command(body: Json, commands: Spoken) -> Command | Say | None:
    """``/hapi words``. It is answered in private, wherever it was typed: channels see what they were attached to."""
    user = string(body, "user_id")
    who = person(body, user, string(body, "user_name"))
    if who is None:
        return None
    number, at = f"command.{string(body, 'trigger_id')}", Where(user)
    words = string(body, "text").strip()
    name, _, arguments = words.partition(" ")
    if not words:
        return Command(who, at, number, "help")
    if name.lower() in commands:
        return Command(who, at, number, name.lower(), arguments.strip())
    text, command, _ = text_intent(words, "", commands, always=True)
    return Command(who, at, number, *command) if command else Say(who, at, number, text)


def _clicker(body: Json) -> Person | None:
    user = child(body, "user")
    return person(body, string(user, "id"), string(user, "name") or string(user, "username"))


def _json(text: str) -> Json:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _digest(body: Json) -> str:
    try:
        text = json.dumps(body, sort_keys=True, default=str)
    except (ValueError, TypeError, RecursionError):
        text = repr(sorted(map(str, body)))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]

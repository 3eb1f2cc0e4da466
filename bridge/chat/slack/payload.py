"""Reading Slack's JSON without trust: whatever stands where something is expected, nothing raises (invariant 5).

Names of our own that travel through Slack and come back stand here, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bridge.cards.text import clean
from bridge.chat.intents import Person, Where

Spoken = Mapping[str, re.Pattern[str]]
"""Commands by name (lower case), with what may follow each where it is said without a slash."""
Json = dict[str, Any]

PATH = "/slack/events"
"""Where Slack's requests go in HTTP mode: events, interactivity and commands alike."""
WHO = "hapi_bridge_who"
"""Field we add to what Slack delivers, before it is stored: name and standing of the person behind it."""
INERT = "-"
"""Action ids that begin so belong to buttons that only say something."""
FORM = "hapi_form"
"""Callback id of the modal that asks for a text."""
SEND_SHORTCUT = "hapi_send"
STOP_SHORTCUT = "hapi_stop"
STOP_ANYWHERE = "hapi_stop_any"
"""The same without a message: found in the search and the composer."""


def child(holder: Any, field: str) -> Json:
    """An object, empty where there is none."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return value if isinstance(value, dict) else {}


def children(holder: Any, field: str) -> list[Json]:
    """The objects of a list."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def string(holder: Any, field: str) -> str:
    """A text without what no store or hub takes; empty where there is none."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return str(clean(value)) if isinstance(value, str) else ""


def own_user(body: Json) -> str:
    """The bot's user id, which events carry with their authorization."""
    return next((string(one, "user_id") for one in children(body, "authorizations") if one.get("is_bot") is True), "")


def person(body: Json, user: str, name: str = "") -> Person | None:
    """The person with this id, as far as :data:`WHO` tells; without it a stranger."""
    if not user:
        return None
    who = child(body, WHO)
    standing = string(who, "standing")
    known = string(who, "name") or name or user
    return Person(user, known, "member" if standing == "member" else "guest" if standing == "guest" else "stranger")


def where(channel: str, user: str, thread: str | None = None) -> Where | None:
    """The place. A DM goes by its person's id, which is known before Slack told the DM's own."""
    if not channel:
        return None
    private = channel.startswith("D")
    if private and not user:
        return None
    return Where(user if private else channel, thread or None, private=private)


def milliseconds(ts: str) -> int:
    """A message's ts (seconds with six decimals) in epoch ms; 0 for what is none."""
    seconds, dot, rest = ts.partition(".")
    return int(seconds) * 1000 + int(rest[:3] or 0) if seconds.isdecimal() and (not dot or rest.isdecimal()) else 0

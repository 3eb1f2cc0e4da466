"""Names for channels that the bridge makes: what Slack takes, and what a person recognizes. Pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterator

PREFIX = "hapi-"
"""All of them begin so: they stand together in the sidebar, and one that a person renamed otherwise is left alone."""
MOST = 80
"""Slack's limit (docs.slack.dev, conversations.create)."""
_ROOM = 60
"""Characters of a title that a name keeps; behind them a number or a hash has room."""
_NUMBERED = 3
"""So many sessions of one name are told apart by a number; a try for each further one would cost a call."""


def names(title: str, mark: str, taken: Collection[str] = ()) -> Iterator[str]:
    """Names to try for a session's channel, best first, all valid, none of them ``taken``. The last one is nobody
    else's, and plain ASCII. ``mark``: what stays the same for the session."""
    wanted = slug(title)
    number = hashlib.sha256(mark.encode("utf-8", "replace")).hexdigest()
    for name in (wanted, *(f"{wanted}-{count}" for count in range(2, _NUMBERED + 1)), f"{wanted}-{number[:6]}"):
        if name not in taken:
            yield name
    yield f"{PREFIX}{number[:16]}"


def slug(title: str) -> str:
    """A title as a channel's name: lower case, letters, digits, ``-`` and ``_`` alone."""
    kept = "".join(map(_kept, unicodedata.normalize("NFKC", title).lower()))
    words = [word for word in kept.split("-") if word.strip("_")]
    text = "-".join(words)[:_ROOM].strip("-_") or "session"
    return text if text.startswith(PREFIX) else PREFIX + text


def is_named(name: str, title: str) -> bool:
    """Whether a channel is called after a title already, perhaps with a number or a hash behind it."""
    wanted = slug(title)
    return name == wanted or (name.startswith(wanted) and _BEHIND.fullmatch(name, len(wanted)) is not None)


_BEHIND = re.compile(r"-(\d|[0-9a-f]{6})")


def _kept(letter: str) -> str:
    base = unicodedata.normalize("NFKD", letter)[0]  # an accent goes, where a plain letter stays
    letter = base if base.isascii() else letter
    return letter if letter == "_" or letter.isdecimal() or (letter.isalpha() and not letter.isupper()) else "-"

"""Text hygiene: what every string passes before it is stored, parsed or drawn."""

from __future__ import annotations

import re
from typing import Any

from wcwidth import grapheme_boundary_before

_BAD = re.compile("[\ud800-\udfff\x00]")

BIDI_AND_INVISIBLE = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u08e2\u2028\u2029\U000110bd\U000110cd\U00013430-\U0001343f\U0001d173-\U0001d17a"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that change how text reads without being seen: bidi controls, zero-width and tag characters."""

_EMPTY = re.compile(
    "[\\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufffc\U000e0000-\U000e0fff]*"
)


def has_visible(text: str) -> bool:
    """Whether a reader sees anything of it: platforms refuse a message of blanks alone."""
    return _EMPTY.fullmatch(text) is None


def clean(text: Any) -> Any:
    """Replace what no store or platform can hold: lone surrogates by U+FFFD, NUL by its picture U+2400.

    Surrogate halves that belong together (from JSON escapes decoded one by one) are joined first.
    Anything but ``str`` passes unchanged, so that a validator can refuse it.
    """
    if not isinstance(text, str) or not _BAD.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\x00", "\u2400")


def clean_deep(value: Any) -> Any:
    """The same for every string in a (shallow, our own) JSON value."""
    if isinstance(value, dict):
        return {clean(key): clean_deep(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [clean_deep(one) for one in value]
    return clean(value)


def reveal(text: str) -> str:
    """Make bidirectional and invisible characters visible as ``⟨U+202E⟩``.

    Used wherever a person decides on what they read, so that a command can't look like another one (invariant 4).
    Emoji joiners inside a command are shown too: in an argument nothing may hide.
    """
    return BIDI_AND_INVISIBLE.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text)


def utf16_len(text: str) -> int:
    """Length in UTF-16 code units, the measure of Telegram's limits and of JavaScript's ``length``."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def reach(text: str, at: int, room: int, *, force: bool) -> int:
    """How far from ``at`` a piece of at most ``room`` UTF-16 units goes: after a blank near its end, else between
    grapheme clusters, never in a surrogate pair.

    Where not even one cluster fits: ``at`` itself, or with ``force`` between two code points of the cluster
    (``room`` must then be at least 2).
    """
    end = min(len(text), at + room)
    if end == len(text) and utf16_len(text[at:end]) <= room:
        return end
    units = 0
    for offset, char in enumerate(text[at:end]):
        units += 2 if char > "\uffff" else 1
        if units > room:
            end = at + offset
            break
    if end <= at:
        return at
    window = text[at : end + 64]
    whole = end - at if end == len(text) else grapheme_boundary_before(window, end - at + 1)
    if whole <= 0:
        return end if force else at
    blank = window.rfind(" ", whole * 3 // 4, whole)
    return at + (blank + 1 if blank >= 0 else whole)

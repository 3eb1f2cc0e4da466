"""Text hygiene: what every string passes before it is stored, parsed or drawn."""

from __future__ import annotations

import re
from typing import Any

_BAD = re.compile("[\ud800-\udfff\x00]")

BIDI_AND_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that change how text reads without being seen: bidi controls, zero-width and tag characters."""


def clean(text: Any) -> Any:
    """Replace what no store or platform can hold: lone surrogates by U+FFFD, NUL by its picture U+2400.

    Surrogate halves that belong together (from JSON escapes decoded one by one) are joined first.
    Anything but ``str`` passes unchanged, so that a validator can refuse it.
    """
    if not isinstance(text, str) or not _BAD.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\x00", "\u2400")


def reveal(text: str) -> str:
    """Make bidirectional and invisible characters visible as ``⟨U+202E⟩``.

    Used wherever a person decides on what they read, so that a command can't look like another one (invariant 4).
    Emoji joiners inside a command are shown too: in an argument nothing may hide.
    """
    return BIDI_AND_INVISIBLE.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text)


def utf16_len(text: str) -> int:
    """Length in UTF-16 code units, the measure of Telegram's limits and of JavaScript's ``length``."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2

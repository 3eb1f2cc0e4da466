"""Names and kinds of people's files: what anybody may have called theirs becomes fit to be shown, and no path."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from typing import Final

MOST_BYTES: Final = 180
"""In UTF-8. HAPI stores a file under its name behind 51 characters of its own, and file systems take 255 bytes."""
UNKNOWN_KIND: Final = "application/octet-stream"
_KIND: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,60}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,60}")
_KINDS: Final = mimetypes.MimeTypes()
"""Python's own table, the same on every computer."""
_SEPARATORS: Final = re.compile(r"[/\\]+")


def file_name(given: str, otherwise: str) -> str:
    """A name without path, control, bidirectional and invisible characters, of at most 180 bytes, its ending kept.

    ``otherwise``: for one of which nothing is left.
    """
    shown = "".join(" " if one.isspace() else one for one in given if one.isspace() or _is_seen(one))
    name = " ".join(_SEPARATORS.sub("_", shown).split())
    if not name.strip("._ "):
        return otherwise
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending.encode()) > 20:
        stem, dot, ending = name, "", ""
    room = MOST_BYTES - len(f"{dot}{ending}".encode())
    return stem.encode()[:room].decode("utf-8", "ignore") + dot + ending


def media_type(given: str, name: str) -> str:
    """A MIME type without parameters: the one that was told, else the one that the name says, else "any bytes"."""
    told = given.partition(";")[0].strip()
    if _KIND.fullmatch(told):
        return told
    return _KINDS.guess_type(name)[0] or UNKNOWN_KIND


def _is_seen(one: str) -> bool:
    """Whether a character is one that a reader sees: none of control, format, surrogates, private use."""
    return unicodedata.category(one)[0] != "C"

"""Files of people's messages in Slack, as events tell of them: pure and total (invariant 5)."""

from __future__ import annotations

from typing import Final

from bridge.chat.file_names import file_name, media_type
from bridge.chat.intents import SentFile
from bridge.chat.slack.payload import Json, string
from bridge.language import N_, tr

_UNFIT: Final = {
    "external": N_("it lies outside of Slack, so send its address as text"),
    "tombstone": N_("it was deleted"),
    "hidden_by_limit": N_("Slack hides it, since the workspace has reached its limit"),
}
"""Modes of files that have no bytes for us."""


def files_of(files: list[Json]) -> tuple[SentFile, ...]:
    """A message's files, in order. One without any id or address is none."""
    return tuple(_file(one) for one in files if _source(one))


def _file(one: Json) -> SentFile:
    mode = "external" if one.get("is_external") is True else string(one, "mode")
    ending = string(one, "filetype")
    otherwise = file_name(f"{string(one, 'id')}.{ending}" if ending else string(one, "id"), "file.bin")
    name = file_name(string(one, "name") or string(one, "title"), otherwise)
    bytes_ = one.get("size")
    size = bytes_ if isinstance(bytes_, int) and not isinstance(bytes_, bool) and bytes_ >= 0 else None
    unfit = tr(_UNFIT[mode]) if mode in _UNFIT else ""
    return SentFile(_source(one), name, media_type(string(one, "mimetype"), name), size, unfit)


def _source(one: Json) -> str:
    """Where its bytes are; for files of other workspaces, of which an event tells no more, the id."""
    return string(one, "url_private_download") or string(one, "url_private") or string(one, "id")

"""Files of people's messages as a kept message's row has them: references and names, never bytes.

In the row's ``data["files"]``, one object each: ``source``, ``name``, ``type``, ``size``, ``unfit`` as in
:class:`~bridge.chat.intents.SentFile`; ``path`` and ``at`` once it is on a session's computer: where, and of which
session; ``lost`` for one of which the person was told that it did not arrive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bridge.chat.intents import SentFile
from bridge.store import says
from bridge.store.engine import Tx
from bridge.store.records import SayRecord

FILES: Final = "files"
ALBUM: Final = "album"
Stored = dict[str, Any]


def stored(files: Sequence[SentFile], album: str = "") -> dict[str, Any]:
    """What a row's data holds of them, and of the ``album`` they are part of; nothing where there are none."""
    kept: list[Stored] = [
        {"source": one.source, "name": one.name, "type": one.media_type, "size": one.size, "unfit": one.unfit}
        for one in files
    ]
    return ({FILES: kept} if kept else {}) | ({ALBUM: album} if album else {})


def files_of(say: SayRecord) -> list[Stored]:
    """The files of one message, without those of the messages joined to it."""
    found = say.data.get(FILES)
    return [dict(one) for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def shown(say: SayRecord, *more: SayRecord) -> str:
    """A message, and those that go with it, for a reader: the texts, and the names of the files under them."""
    pieces = in_order((say, *more))
    names = [str(one["name"]) for piece in pieces for one in files_of(piece)]
    texts = [piece.text for piece in pieces if piece.text]
    return "\n".join([*texts, *([f"📎 {', '.join(names)}"] if names else [])])


def in_order(pieces: Sequence[SayRecord]) -> list[SayRecord]:
    """Messages that go as one, those of an album in the order in which they were sent: they may arrive in another."""
    ordered = list(pieces)
    for album in {str(piece.data[ALBUM]) for piece in pieces if ALBUM in piece.data}:
        at = [place for place, piece in enumerate(pieces) if piece.data.get(ALBUM) == album]
        members = sorted((pieces[place] for place in at), key=lambda piece: (len(piece.message), piece.message))
        for place, piece in zip(at, members, strict=True):
            ordered[place] = piece
    return ordered


async def whole_shown(tx: Tx, head: SayRecord) -> str:
    """A message with those that were joined to it, for a reader (see :func:`shown`)."""
    return shown(head, *await says.joined_to(tx, head))


def with_files(say: SayRecord, files: Sequence[Stored]) -> dict[str, Any]:
    """A row's data with other files."""
    data = {name: value for name, value in say.data.items() if name != FILES}
    return {**data, FILES: list(files)} if files else data


def as_new(files: Sequence[Stored]) -> list[Stored]:
    """The files as they were before anything was done with them: an upload is gone with the agent's process."""
    return [{name: value for name, value in one.items() if name not in ("path", "at", "lost")} for one in files]

"""What does not fit: which pieces may be shortened, the words that say so, and the files that carry the wholes.

How much fits, and how a piece is cut, is each surface's own; this is what all of them agree on (invariant 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from bridge.cards.model import Code, File, Markdown, Text
from bridge.language import tr

Leaf = Text | Markdown | Code
"""A piece that shows text itself, and that may have a ``spill``."""

FALLBACK_NAME = "whole.txt"
"""The file of a card that is too large although everything that may be shortened was."""

_MEDIA_TYPES = {".md": "text/markdown", ".json": "application/json", ".csv": "text/csv"}


def whole_text(leaf: Leaf) -> str:
    """A piece's text for a file: what was written, whole."""
    if isinstance(leaf, Text):
        return "\n".join("".join(span.text for span in spans) for spans in leaf.lines)
    return leaf.source


def whole_file(leaf: Leaf, name: str) -> File:
    """The file that carries a piece's whole."""
    return File(name=name, text=whole_text(leaf), media_type=media_type(name))


def media_type(name: str) -> str:
    """A text file's media type, from its name."""
    return _MEDIA_TYPES.get(PurePosixPath(name).suffix, "text/plain")


def merged(files: Iterable[File]) -> list[File]:
    """Files with one name are one file: pieces that spill into it follow each other."""
    by_name: dict[str, File] = {}
    for file in files:
        earlier = by_name.get(file.name)
        if earlier is None:
            by_name[file.name] = file
        elif file.text not in earlier.text:
            by_name[file.name] = earlier.model_copy(update={"text": f"{earlier.text}\n\n{file.text}"})
    return list(by_name.values())


def shortened_words(name: str, *, now: bool) -> str:
    """What stands where a piece was shortened; ``now`` is whether its file is sent along."""
    return tr("⋯ the whole is in {name}", name=name) if now else tr("⋯ shortened; the whole comes as {name}", name=name)


def share(wanted: Sequence[int], room: int, least: int) -> list[int]:
    """Divide room fairly: who wants less than an equal part gets all of it, the rest divide what remains.

    Nobody gets less than ``least`` (or than what they want), so the sum may be more than the room.
    """
    given = [0] * len(wanted)
    left = len(wanted)
    for index in sorted(range(len(wanted)), key=lambda i: wanted[i]):
        given[index] = min(wanted[index], max(least, room // left))
        room -= given[index]
        left -= 1
    return given

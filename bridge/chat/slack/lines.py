"""What every piece becomes before it is Slack's: styled lines in frames, gathered in blocks, measured once.

The same lines can be written as Markdown (:mod:`native`) or as rich text (:mod:`rich`); splitting and shortening work
on lines and need not know which. Weights estimate what Slack counts for ``msg_blocks_too_long``: text in UTF-16 units
plus the elements around it. The limit lies near 13,200 and is not documented (slackapi/bolt-js#2509, #2867: rich text
was refused at 11,341 characters of text), so a message is filled up to 12,000, which is also the limit of all its
``markdown`` blocks together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from bridge.cards.model import File
from bridge.cards.spill import Leaf
from bridge.cards.text import reach, utf16_len

Json = dict[str, Any]

MAX_WEIGHT = 12_000
MAX_BLOCKS = 50
BLOCK_WEIGHT = 100
RUN_WEIGHT = 40

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: "\u2421"}
_TABLE: dict[int, str] = {**_CONTROLS, 0x0D: "\n", 0x2028: "\n", 0x2029: "\n"}
_UNCLEAN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u2028\u2029]")


class Style(NamedTuple):
    """How a run looks. ``unix_s`` excludes ``link``."""

    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str | None = None
    unix_s: int | None = None


PLAIN = Style()
CODE = Style(code=True)
Run = tuple[str, Style]


class Frame(NamedTuple):
    """What a line stands in. ``level``: of a heading (1–6), or a list's depth (from 0)."""

    kind: Literal["text", "heading", "item", "quote", "pre", "rule"] = "text"
    level: int = 0
    language: str = ""


TEXT = Frame()


@dataclass(slots=True, eq=False)
class Line:
    """One line. ``lead`` is a list's marker (``-``, ``3.``), empty where an item goes on; ``gap``: a paragraph, a
    code block or a loose item starts here."""

    runs: Sequence[Run]
    frame: Frame
    gap: bool
    lead: str
    text: str
    weight: int
    """As Markdown."""
    extra: int
    """What rich text takes more: an element for every run."""


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """An attachment: what stands in it has a bar at its side and is folded by Slack where it is long."""

    color: str | None = None


@dataclass(slots=True, eq=False)
class Block:
    """Lines that belong together; ``glue`` blocks (headings, titles) never end a message if something follows.

    ``mode`` is how they are drawn: in a ``markdown`` block, in a ``rich_text`` block, as the ``table`` given, or as
    a divider. Neighbours of one box, mode and group share a Slack block.
    """

    lines: list[Line]
    mode: Literal["markdown", "rich", "table", "rule"] = "rich"
    box: Box | None = None
    group: int = 0
    glue: bool = False
    heading: bool = False
    """Listed in the outline of an answer that is too long to show."""
    table: Json | None = None
    table_weight: int = 0

    @property
    def weight(self) -> int:
        return self.table_weight if self.table is not None else sum(map(self.cost, self.lines))

    def cost(self, item: Line) -> int:
        """What a line takes in this block."""
        return item.weight if self.mode == "markdown" else item.weight + item.extra

    def part(self, lines: list[Line]) -> Block:
        """A block of the same kind with some of the lines."""
        return replace(self, lines=lines)

    def joins(self, before: Block | None) -> bool:
        """Whether this block goes into the same Slack block as the one before."""
        return (
            before is not None
            and self.mode in ("markdown", "rich")
            and (self.box, self.mode, self.group) == (before.box, before.mode, before.group)
        )


@dataclass(slots=True, eq=False)
class Flow:
    """What one piece became. Only a flow whose ``leaf`` has a ``spill`` may be shortened."""

    blocks: list[Block]
    leaf: Leaf | None = None
    files: list[File] = field(default_factory=list)
    """Files that stand for a part of the piece (a table too large to read in a chat)."""

    @property
    def lines(self) -> list[Line]:
        return [item for block in self.blocks for item in block.lines]


def sanitize(text: str) -> str:
    """Text with one kind of line end, and control characters as their pictures (JSON could carry them, no reader
    would see them)."""
    return text.replace("\r\n", "\n").translate(_TABLE) if _UNCLEAN.search(text) else text


def line(runs: Iterable[Run], frame: Frame = TEXT, *, gap: bool = False, lead: str = "") -> Line:
    """Measure runs (line ends in them become blanks) as a line. In code there are no styles."""
    kept = [(sanitize(text).replace("\n", " "), style) for text, style in runs if text]
    text = "".join(text for text, _ in kept)
    if frame.kind == "pre":
        kept = [(text, PLAIN)] if text else []
        return Line(kept, frame, gap, lead, text, _units(text) + (RUN_WEIGHT if gap else 2), 0)
    weight = _units(text) + len(lead) + 4 + sum(_marks(style) for _, style in kept)
    return Line(kept, frame, gap, lead, text, weight, RUN_WEIGHT * len(kept) + 4)


def split_lines(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Runs cut at their line ends; at least one line."""
    current: list[Run] = []
    for text, style in runs:
        first, *rest = sanitize(text).split("\n")
        current.append((first, style))
        for part in rest:
            yield current
            current = [(part, style)]
    yield current


def cut(item: Line, most: int, first: int | None = None) -> Iterator[Line]:
    """A line in pieces of at most ``most`` weight as rich text (the first may have less room).

    Cut after a blank or between grapheme clusters; a cluster larger than a message is cut between code points. Linear
    in the line's length.
    """
    room = most if first is None else min(most, first)
    held: list[Run] = []
    used, fresh = 0, True
    lead, gap = item.lead, item.gap
    for text, style in item.runs:
        cost = RUN_WEIGHT + _marks(style) + 8
        at = 0
        while at < len(text):
            space = (room - used - cost - len(lead)) // 2 if _doubles(text) else room - used - cost - len(lead)
            end = reach(text, at, max(2 if fresh and not held else 0, space), force=fresh and not held)
            if end > at:
                held.append((text[at:end], style))
                used += _units(text[at:end]) + cost
                at = end
            if at < len(text):
                if held:
                    yield line(held, item.frame, gap=gap, lead=lead)
                    lead, gap = "", False
                held, used, room, fresh = [], 0, most, True
            else:
                fresh = False
    if held or not item.runs:
        yield line(held, item.frame, gap=gap, lead=lead)


def _units(text: str) -> int:
    """UTF-16 units, what JSON escapes counted twice."""
    return utf16_len(text) + text.count('"') + text.count("\\")


def _marks(style: Style) -> int:
    return 4 * sum(style[:4]) + (len(style.link) + 8 if style.link else 0)


def _doubles(text: str) -> bool:
    return '"' in text or "\\" in text

"""Blocks into messages: every message within Telegram's limits, cut where a reader would cut.

Blocks are kept whole where they fit into one message, a heading stays with what follows it, a larger block is cut at
lines, and only a line that is too large by itself is cut inside: after a blank, between grapheme clusters, never in
a surrogate pair. Counting uses what was measured when the lines were drawn (UTF-16 units, entities).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bridge.cards.text import has_visible, reach, utf16_len
from bridge.chat.telegram.entities import Box, Line, Run, line, styles_of

MAX_UNITS = 4096
MAX_ENTITIES = 100
_SPARE_ENTITIES = 4
"""A cut line may need a few entities more than its whole: a mention at the cut that was a part of a word before."""


@dataclass(slots=True, eq=False)
class Block:
    """Lines that belong together; ``glue`` blocks (headings) never end a message if something follows."""

    lines: list[Line]
    glue: bool = False
    heading: bool = False
    """Listed in the outline of an answer that is too long to show."""


@dataclass(slots=True)
class Packer:
    """Fills messages one after the other."""

    max_units: int = MAX_UNITS
    max_entities: int = MAX_ENTITIES
    messages: list[list[Line]] = field(default_factory=list)
    current: list[Line] = field(default_factory=list)
    units: int = 0
    entities: int = 0

    def room(self, lines: Iterable[Line]) -> bool:
        """Whether these lines still go into the current message."""
        units, entities = measure(lines, self.current[-1] if self.current else None)
        return self.units + units <= self.max_units and self.entities + entities <= self.max_entities

    def add(self, item: Line) -> None:
        """Append a line to the current message, which must have room. A message starts with no blank line."""
        if not self.current and not item.text.strip():
            return
        units, entities = measure([item], self.current[-1] if self.current else None)
        self.units += units
        self.entities += entities
        self.current.append(item)

    def flush(self) -> None:
        """End the current message; one without anything visible is none."""
        if any(has_visible(item.text) for item in self.current):
            self.messages.append(self.current)
        self.current, self.units, self.entities = [], 0, 0

    def nearly_full(self) -> bool:
        return self.units > self.max_units * 3 // 4 or self.entities > self.max_entities * 3 // 4

    def fill(self, item: Line) -> None:
        """Add a line, in as many pieces and messages as it takes."""
        if self.room([item]):
            self.add(item)
        elif fits([item], self.max_units, self.max_entities):
            self.flush()
            self.add(item)
        else:
            if self.nearly_full():
                self.flush()
            first = self.max_units - self.units - item.gap
            first_entities = self.max_entities - self.entities - len(item.boxes)
            for index, piece in enumerate(
                cut(item, self.max_units, self.max_entities - len(item.boxes), first, first_entities)
            ):
                if index:
                    self.flush()
                self.add(piece)


def measure(lines: Iterable[Line], before: Line | None = None) -> tuple[int, int]:
    """UTF-16 units and entities that lines take after ``before`` (``None``: at the start of a message)."""
    units = entities = 0
    for item in lines:
        units += item.units + (item.gap if before else 0)
        entities += len(item.entities) + len(new_boxes(item, before))
        before = item
    return units, entities


def new_boxes(item: Line, before: Line | None) -> tuple[Box, ...]:
    """The boxes that open with this line."""
    if not item.boxes or (before is not None and before.boxes == item.boxes):
        return ()
    same = 0
    if before:
        while same < min(len(before.boxes), len(item.boxes)) and before.boxes[same] is item.boxes[same]:
            same += 1
    return item.boxes[same:]


def fits(lines: Iterable[Line], max_units: int = MAX_UNITS, max_entities: int = MAX_ENTITIES) -> bool:
    """Whether lines make one message."""
    units, entities = measure(lines)
    return units <= max_units and entities <= max_entities


def pack(blocks: Iterable[Block], max_units: int = MAX_UNITS, max_entities: int = MAX_ENTITIES) -> list[list[Line]]:
    """Messages, as lists of lines. Nothing visible is lost; messages with nothing visible are left out."""
    packer = Packer(max_units, max_entities)
    for headings, lines in _glued(blocks):
        group = [*headings, *lines]
        if not packer.room(group):
            whole = fits(group, max_units, max_entities)
            # A group too large for any message starts here, unless its first line would leave its heading behind.
            begins = packer.room([*headings, *lines[:1]]) or not fits(lines[:1], max_units, max_entities)
            if whole or packer.nearly_full() or not begins:
                packer.flush()
        for item in group:
            packer.fill(item)
    packer.flush()
    return packer.messages


def _glued(blocks: Iterable[Block]) -> Iterator[tuple[list[Line], list[Line]]]:
    """Headings with the block that follows them."""
    headings: list[Line] = []
    for block in blocks:
        if block.glue and len(headings) < 8:
            headings += block.lines
        elif block.lines:
            yield headings, block.lines
            headings = []
    if headings:
        yield [], headings


def cut(
    item: Line, max_units: int, max_entities: int, first_units: int | None = None, first_entities: int | None = None
) -> Iterator[Line]:
    """A line in pieces of at most ``max_units`` and ``max_entities`` (the first piece may have less room).

    Without its boxes' entities. A cluster larger than a message (hundreds of combining marks) is cut between code
    points. Linear in the line's length.
    """
    verbatim = bool(item.boxes) and item.boxes[-1].verbatim
    room = max(2, max_units if first_units is None else first_units)
    allowed = max_entities if first_entities is None else first_entities
    gap = item.gap
    held: list[Run] = []
    used = count = 0
    for text, style in item.runs:
        cost = 0 if verbatim else len(styles_of(style))
        at = 0
        while at < len(text):
            if held and count + cost > allowed - _SPARE_ENTITIES:
                at_end = len(text) + 1
            else:
                at_end = reach(text, at, room - used, force=not held)
            if at < at_end <= len(text):
                held.append((text[at:at_end], style))
                used += utf16_len(text[at:at_end])
                count += cost
                at = at_end
            if at < len(text):
                yield line(held, item.boxes, gap)
                held, used, count, gap = [], 0, 0, 1
                room, allowed = max_units, max_entities
    if held:
        yield line(held, item.boxes, gap)

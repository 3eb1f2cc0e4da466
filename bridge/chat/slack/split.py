"""Blocks into messages: every message within Slack's limits, cut where a reader would cut.

Blocks are kept whole where they fit into one message, a heading stays with what follows it, a larger block is cut at
lines, and only a line that is too large by itself is cut inside. Since cutting comes before drawing, every message
has fences, lists and quotes of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge.cards.text import has_visible
from bridge.chat.slack.lines import BLOCK_WEIGHT, MAX_BLOCKS, MAX_WEIGHT, Block, Line, cut

SPARE_BLOCKS = 6
"""Kept free: where a cut makes Markdown inexact, a block of it becomes several."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a message has room for beside its buttons."""

    weight: int = MAX_WEIGHT
    blocks: int = MAX_BLOCKS - SPARE_BLOCKS


@dataclass(frozen=True, slots=True)
class Size:
    """What blocks take of a message."""

    weight: int = 0
    blocks: int = 0
    tables: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.weight + other.weight, self.blocks + other.blocks, self.tables + other.tables)

    def fits(self, room: Room) -> bool:
        return self.weight <= room.weight and self.blocks <= room.blocks and self.tables <= 1


def measure(blocks: Iterable[Block], before: Block | None = None) -> Size:
    """What blocks take after ``before`` (``None``: at the start of a message)."""
    weight = count = tables = 0
    for block in blocks:
        weight += block.weight
        if not block.joins(before):
            weight += BLOCK_WEIGHT * (2 if before is None or block.box is not before.box else 1)
            count += 1
        tables += block.table is not None
        before = block
    return Size(weight, count, tables)


@dataclass(slots=True)
class Packer:
    """Fills messages one after the other."""

    limit: Room
    messages: list[list[Block]] = field(default_factory=list)
    current: list[Block] = field(default_factory=list)
    size: Size = field(default_factory=Size)

    def room(self, blocks: Sequence[Block]) -> bool:
        """Whether these blocks still go into the current message."""
        return (self.size + measure(blocks, self.current[-1] if self.current else None)).fits(self.limit)

    def add(self, block: Block) -> None:
        """Append a block to the current message, which must have room."""
        self.size += measure([block], self.current[-1] if self.current else None)
        self.current.append(block)

    def flush(self) -> None:
        """End the current message; one without anything visible is none."""
        if any(block.table or block.mode == "rule" or _shows(block.lines) for block in self.current):
            self.messages.append(self.current)
        self.current, self.size = [], Size()

    def nearly_full(self) -> bool:
        return self.size.weight > self.limit.weight * 3 // 4 or self.size.blocks > self.limit.blocks * 3 // 4

    def fill(self, block: Block) -> None:
        """Add a block, in as many pieces and messages as it takes."""
        if self.room([block]):
            self.add(block)
        elif measure([block]).fits(self.limit):
            self.flush()
            self.add(block)
        else:
            self._fill_by_lines(block)

    def _fill_by_lines(self, block: Block) -> None:
        if self.nearly_full() or not self.room([block.part([])]):
            self.flush()
        most = self.limit.weight - 2 * BLOCK_WEIGHT
        part = block.part([])
        left = self._open(part)
        for item in block.lines:
            cost = block.cost(item)
            if left < cost <= most:
                self.flush()
                part = block.part([])
                left = self._open(part)
            pieces = [item] if cost <= left else cut(item, most, left)
            for index, piece in enumerate(pieces):
                if index:
                    self.flush()
                    part = block.part([])
                    left = self._open(part)
                part.lines.append(piece)
                left -= block.cost(piece)
                self.size += Size(block.cost(piece))

    def _open(self, part: Block) -> int:
        self.add(part)
        return self.limit.weight - self.size.weight


def pack(blocks: Iterable[Block], limit: Room) -> list[list[Block]]:
    """Messages, as lists of blocks. Nothing visible is lost; messages with nothing visible are left out."""
    packer = Packer(limit)
    for group in _glued(blocks):
        if not packer.room(group):
            whole = measure(group).fits(limit)
            begins = packer.room([*group[:-1], group[-1].part(group[-1].lines[:1])])
            if whole or packer.nearly_full() or not begins:
                packer.flush()
        for block in group:
            packer.fill(block)
    packer.flush()
    return packer.messages


def _glued(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Headings and titles with the block that follows them."""
    held: list[Block] = []
    for block in blocks:
        held.append(block)
        if not block.glue or len(held) > 8:
            yield held
            held = []
    if held:
        yield held


def _shows(lines: Iterable[Line]) -> bool:
    return any(item.lead or has_visible(item.text) for item in lines)

"""What one step of the fold did, as the relay wants it told."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.transcript.blocks import Block, Signal


@dataclass(slots=True, frozen=True)
class Changes:
    """What one step did to the root blocks. A change inside a child is a change of its root.

    `added` and `changed` are in order and share no block; `removed` has the ids of blocks that are gone.
    `signals` are the events that no block shows, in order.
    """

    added: tuple[Block, ...] = ()
    changed: tuple[Block, ...] = ()
    removed: tuple[str, ...] = ()
    signals: tuple[Signal, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.signals)


class Recorder:
    """Collects, during one step, which blocks of which lane were touched.

    Blocks are told apart by identity: odd input may give two of them the same id.
    """

    def __init__(self) -> None:
        self.root_added: dict[int, Block] = {}
        self.root_changed: dict[int, Block] = {}
        self.root_removed: dict[str, None] = {}
        self.lanes: dict[str, None] = {}
        self.signals: list[Signal] = []

    def added(self, lane: str, block: Block) -> None:
        """A block was put at the end of a lane."""
        if lane:
            self.lanes[lane] = None
        elif block.id in self.root_removed:
            del self.root_removed[block.id]
            self.root_changed[id(block)] = block
        else:
            self.root_added[id(block)] = block

    def changed(self, lane: str, block: Block) -> None:
        """A block of a lane says something else now."""
        if lane:
            self.lanes[lane] = None
        elif id(block) not in self.root_added:
            self.root_changed[id(block)] = block

    def removed(self, lane: str, block: Block) -> None:
        """A block of a lane is gone."""
        if lane:
            self.lanes[lane] = None
            return
        self.root_changed.pop(id(block), None)
        if self.root_added.pop(id(block), None) is None:
            self.root_removed[block.id] = None

    def take(self) -> Changes:
        """The step's changes; the recorder is empty afterwards."""
        if not (self.root_added or self.root_changed or self.root_removed or self.signals):
            return _NOTHING
        changes = Changes(
            tuple(self.root_added.values()),
            tuple(self.root_changed.values()),
            tuple(self.root_removed),
            tuple(self.signals),
        )
        for kept in (self.root_added, self.root_changed, self.root_removed, self.signals):
            kept.clear()
        return changes


_NOTHING = Changes()

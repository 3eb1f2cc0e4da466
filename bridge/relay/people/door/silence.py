"""How long a platform that is polled was not heard, across restarts: what the first batch brings may be as old."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.chat.capabilities import Capability
from bridge.relay.desk import Desk, Link
from bridge.store import cursors
from bridge.store.engine import Tx

LONG_MS = 120_000
"""A silence this long is a gap: more than two polls without news."""
KEEP_MS: Final = 10_000
"""How often it is stored that the platform was heard: often enough for ``LONG_MS`` to mean something."""
FULL_BATCH: Final = 100
"""A batch of so many may not be all there is: the next one is as late."""


@dataclass(slots=True)
class Silence:
    """One surface's hearing. A platform that is not polled tells the time of what people did itself."""

    cursor: str
    polls: bool
    heard_ms: int
    kept_ms: int = 0
    late_ms: int | None = None
    """While batches of a gap come: when it began."""

    @classmethod
    async def of(cls, desk: Desk, link: Link) -> Silence:
        """As it was kept before the start. At the very first one the platform counts as heard."""
        made = cls(f"{link.surface.name}/heard", Capability.POLLS in link.surface.capabilities, desk.clock())
        async with desk.store.begin() as tx:
            kept = await cursors.get(tx, made.cursor)
            if kept is None:
                await made.keep(tx)
            else:
                made.heard_ms = int(kept)
        return made

    def heard(self, count: int, now_ms: int) -> int | None:
        """The platform was heard, with ``count`` updates; since when they may be on their way, if they are late."""
        before, self.heard_ms = self.heard_ms, now_ms
        if not self.polls:
            return None
        if now_ms - before >= LONG_MS:
            self.late_ms = before
        late = self.late_ms
        if count < FULL_BATCH:
            self.late_ms = None
        return late

    def due(self, now_ms: int) -> bool:
        """Whether it is time to store that the platform was heard."""
        return self.polls and abs(now_ms - self.kept_ms) >= KEEP_MS

    async def keep(self, tx: Tx) -> None:
        """Store when the platform was heard last."""
        if self.polls:
            self.kept_ms = self.heard_ms
            await cursors.put(tx, self.cursor, str(self.heard_ms))

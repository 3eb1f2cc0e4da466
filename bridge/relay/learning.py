"""What surfaces find out about their workspaces is kept, so that a start need not find it out again."""

from __future__ import annotations

import asyncio

from bridge.chat.capabilities import Capability, Learning
from bridge.relay.desk import Desk
from bridge.store import learnt

EVERY_S = 5.0


class Keeper:
    """Keeps what is learnt, and hands it back: also what ``doctor`` made forget, in another process."""

    def __init__(self, desk: Desk, *, every_s: float = EVERY_S) -> None:
        self._desk = desk
        self._every_s = every_s

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self.sync()
            await asyncio.sleep(self._every_s)

    async def sync(self) -> None:
        """Store the news of every surface, then tell it all that is known."""
        for link in self._desk.links:
            surface = link.surface
            if Capability.LEARNS not in surface.capabilities or not isinstance(surface, Learning):
                continue
            if news := surface.news():
                async with self._desk.store.begin() as tx:
                    for one in news:
                        await learnt.learn(tx, surface.name, one)
            async with self._desk.store.read() as tx:
                known = await learnt.known(tx, surface.name)
            surface.recall(known)

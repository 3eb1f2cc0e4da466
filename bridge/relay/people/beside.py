"""What runs beside the inbox: the part of an intent that takes its time, bounded by what it is about and not in total.

So a session whose computer hangs holds up what is asked of it in the same way, and nothing else: no other session,
nobody's words, and it can still be stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from bridge.cards.own.bridge_notes import busy

AT_ONCE: Final = 10
"""Things about the same that are under way at once; the others begin in the order they came."""
MOST: Final = 100
"""Things about the same that are under way or wait for that. Whatever more is asked is refused, in words."""

Run = Callable[[], Awaitable[None]]
Refuse = Callable[[str], Awaitable[None]]
"""Tells whoever asked why it is not done, in these words."""


@dataclass(frozen=True, slots=True)
class Later:
    """The part of an intent that takes its time."""

    run: Run
    about: str | None = None
    """What it waits for its turn with: a session, else a place, and what is asked of it; ``None``: it asks no hub."""
    refuse: Refuse | None = None
    """Runs instead if too much of that waits already, or whoever asked may not do it any more when it is its turn;
    ``None``: it waits in any case."""


@dataclass(slots=True)
class Beside:
    """Who may run when."""

    at_once: int = AT_ONCE
    most: int = MOST
    _queues: dict[str, _Queue] = field(default_factory=dict)

    def turn(self, later: Later) -> tuple[Run, AbstractAsyncContextManager[None]]:
        """What to run for a :class:`Later`, and what to run it in: that waits for its turn, which is taken now."""
        if later.about is None:
            return later.run, _nothing()
        queue = self._queues.setdefault(later.about, _Queue(asyncio.Semaphore(self.at_once)))
        if later.refuse is not None and queue.count >= self.most:
            return partial(later.refuse, busy()), _nothing()
        queue.count += 1
        return later.run, self._within(later.about, queue)

    @asynccontextmanager
    async def _within(self, about: str, queue: _Queue) -> AsyncIterator[None]:
        try:
            async with queue.places:
                yield
        finally:
            queue.count -= 1
            if not queue.count:
                del self._queues[about]


@dataclass(slots=True)
class _Queue:
    places: asyncio.Semaphore
    count: int = 0


@asynccontextmanager
async def _nothing() -> AsyncIterator[None]:
    yield

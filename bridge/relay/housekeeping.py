"""Housekeeping: at the start and every night, what nobody decided on is given up, and what was settled long ago leaves
the store."""

from __future__ import annotations

import asyncio

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]

from bridge.relay.desk import Desk
from bridge.relay.people.words.lapsing import Lapsing
from bridge.store.prune import AT_ONCE, prune

NIGHT = 4
"""Hour of the day, local time."""

log = structlog.get_logger(__name__)


class Housekeeping:
    """Runs the nightly jobs."""

    def __init__(self, desk: Desk, lapsing: Lapsing, *, audit_kept_ms: int) -> None:
        self._desk = desk
        self._lapsing = lapsing
        self._audit_kept_ms = audit_kept_ms

    async def run(self) -> None:
        """Work until cancelled."""
        scheduler = AsyncIOScheduler()
        scheduler.add_job(self.tidy, "cron", hour=NIGHT, jitter=1800, coalesce=True, misfire_grace_time=None)
        scheduler.start()
        try:
            await self.tidy()
            await asyncio.Event().wait()
        finally:
            scheduler.shutdown(wait=False)

    async def tidy(self) -> None:
        """Give up what waited too long for a word; forget what is old, a little at a time."""
        await self._lapsing.look()
        while True:
            async with self._desk.store.begin() as tx:
                gone = await prune(tx, self._desk.clock(), audit_kept_ms=self._audit_kept_ms)
            if gone:
                log.info("store.pruned", posts=gone)
            if gone < AT_ONCE:
                return

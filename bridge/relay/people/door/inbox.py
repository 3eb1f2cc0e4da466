"""The inbox: what people did, stored before it is confirmed to the platform, then carried out in order.

Carrying out one update may take a while (a call to the hub); that part runs beside the rest (see ``beside``), so that a
press is answered at once, and nobody waits for somebody else's session. An update counts as done when it was carried
out, so a crash in between means that it is carried out again; everything it leads to is keyed by it: it happens once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bridge.chat.errors import AnotherPoller, LoginRefused, SurfaceError
from bridge.chat.intents import Intent
from bridge.chat.surface import RawUpdate
from bridge.relay.desk import Desk, Link
from bridge.relay.people.beside import Beside, Later, Run
from bridge.relay.people.door.silence import Silence
from bridge.relay.people.received import Received
from bridge.store import inbox
from bridge.store.records import InboxRow

MOST_TRIES = 3
"""How often an update is taken up that brings the process down; then it is set aside, with the reason."""
BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
LOOK_S = 5.0

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Lane:
    """One surface's inbox."""

    link: Link
    read: Callable[[RawUpdate], Intent | None]
    """Decodes a stored update; ``None`` for what means nothing to us."""
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: set[int] = field(default_factory=set)


class Inbox:
    """Receives and works through all surfaces' updates."""

    def __init__(
        self,
        desk: Desk,
        lanes: list[Lane],
        handle: Callable[[Received], Awaitable[Later | None]],
        trouble: Callable[[Link, SurfaceError | None], Awaitable[None]],
        mishap: Callable[[Received], Awaitable[None]],
    ) -> None:
        """``handle``: carries out; ``trouble``: hears of a surface that can't be heard; ``mishap``: tells whoever did
        what could not be carried out."""
        self._desk = desk
        self._lanes = lanes
        self._handle = handle
        self._trouble = trouble
        self._mishap = mishap
        self._beside = Beside()

    @property
    def under_way(self) -> int:
        """Updates being carried out beside the others."""
        return sum(len(lane.under_way) for lane in self._lanes)

    async def run(self) -> None:
        """Work until cancelled. Raises ``LoginRefused``: without a valid token nothing will ever work."""
        async with asyncio.TaskGroup() as tasks:
            for lane in self._lanes:
                name = lane.link.surface.name
                tasks.create_task(self._receive(lane), name=f"{name}-updates")
                tasks.create_task(self._work(lane, tasks), name=f"{name}-inbox")

    async def _receive(self, lane: Lane) -> None:
        failures, heard = 0, False
        surface = lane.link.surface
        silence = await Silence.of(self._desk, lane.link)
        while True:
            try:
                async for batch in surface.updates():
                    if failures or not heard:
                        failures, heard = 0, True
                        await self._trouble(lane.link, None)
                    now = self._desk.clock()
                    late = silence.heard(len(batch), now)
                    if not batch and not silence.due(now):
                        continue
                    async with self._desk.store.begin() as tx:
                        await silence.keep(tx)
                        await inbox.put(tx, surface.name, batch, now, late_since_ms=late)
                    if not batch:
                        continue
                    lane.bell.set()
            except LoginRefused:
                raise
            except SurfaceError as error:
                failures += 1
                if failures == 1 or isinstance(error, AnotherPoller):
                    await self._trouble(lane.link, error)
                await asyncio.sleep(BACKOFF_S[min(failures, len(BACKOFF_S)) - 1])

    async def _work(self, lane: Lane, tasks: asyncio.TaskGroup) -> None:
        while True:
            lane.bell.clear()
            # Rows are taken up in order, so those behind the last one under way are all that is new. As of before the
            # read: what comes to its end meanwhile still looks new in the rows.
            last = max(lane.under_way, default=0)
            async with self._desk.store.read() as tx:
                rows = await inbox.next(tx, lane.link.surface.name, after=last)
            for row in rows:
                await self._one(lane, row, tasks)
            if not rows:
                try:
                    async with asyncio.timeout(LOOK_S):
                        await lane.bell.wait()
                except TimeoutError:
                    continue

    async def _one(self, lane: Lane, row: InboxRow, tasks: asyncio.TaskGroup) -> None:
        async with self._desk.store.begin() as tx:
            tries = await inbox.tried(tx, row.id)
            if tries > MOST_TRIES:
                await inbox.failed(tx, row.id, "given up: it was taken up before and never came to an end")
        received, later = None, None
        try:
            intent = lane.read(RawUpdate(row.update_id, row.payload))
            if intent is not None:
                received = Received(lane.link, intent, row.update_id, row.received_ms, row.id, row.late_since_ms)
            if tries > MOST_TRIES:
                self._desk.counts.given_up_updates += 1
                log.error("inbox.given_up", surface=row.surface, update=row.update_id)
                await self._tell(received)
                return
            if received is not None:
                later = await self._handle(received)
        except SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001 - one odd update must not end the bridge, nor come again for ever
            await self._set_aside(row, received, error)
            return
        if later is None or received is None:
            await self._done(row)
        else:
            run, turn = self._beside.turn(later)
            lane.under_way.add(row.id)
            tasks.create_task(self._finish(lane, row, received, run, turn), name=f"intent-{row.id}")

    async def _finish(
        self, lane: Lane, row: InboxRow, received: Received, run: Run, turn: AbstractAsyncContextManager[None]
    ) -> None:
        try:
            async with turn:
                await run()
        except SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            await self._set_aside(row, received, error)
        else:
            await self._done(row)
        lane.under_way.discard(row.id)

    async def _set_aside(self, row: InboxRow, received: Received | None, error: Exception) -> None:
        self._desk.counts.given_up_updates += 1
        log.error("inbox.set_aside", surface=row.surface, update=row.update_id, exc_info=error)
        async with self._desk.store.begin() as tx:
            await inbox.failed(tx, row.id, type(error).__name__)
        await self._tell(received)

    async def _tell(self, received: Received | None) -> None:
        """Tell whoever did it that it was not carried out."""
        if received is None:
            return
        try:
            await self._mishap(received)
        except SQLAlchemyError:
            raise
        except Exception as error:  # it may well be what went wrong before
            log.error("inbox.mishap_not_told", exc_info=error)

    async def _done(self, row: InboxRow) -> None:
        async with self._desk.store.begin() as tx:
            await inbox.done(tx, row.id)

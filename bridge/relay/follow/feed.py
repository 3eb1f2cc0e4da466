"""The feed: what the hub tells, in order, to the followers; the cursor moves when the store has it.

Three tasks: one reads the event stream, one works through what was read (asking the hub again where an event says too
little), one lets time pass. Only the worker and the ticker touch followers, each with the desk's lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import structlog

from bridge.cards.turn.notices import present_history_changed
from bridge.hub.errors import AccessTokenRejected, HubError, HubTooNew, HubUnreachable
from bridge.hub.events import Connected, Disconnected, EventStream, Garbled, HubEvent, StreamItem
from bridge.hub.rest import HubApi
from bridge.hub.wire import Position, is_message
from bridge.relay.desk import Desk
from bridge.relay.follow.census import Census, strings
from bridge.relay.follow.computers import Computers
from bridge.relay.follow.queue import is_queued
from bridge.store import cursors, says
from bridge.store.engine import Tx
from bridge.store.records import SayState

CURSOR = "hub/events"
ALIVE = "hub/alive"
"""When we last stored something of the hub's, by our own clock (ms): what a new session said since was said to us."""
CLOCKS_DIFFER_MS = 5_000
QUEUE = 5_000
"""Events read but not worked through; beyond it the hub is read more slowly."""
BATCH = 200
TICK_S = 1.0
LOOK_AGAIN_S = 15.0
ALIVE_EVERY_MS = 30_000

log = structlog.get_logger(__name__)

SaysChanged = Callable[[list[str], SayState], None]
"""Told after messages came into a state; may be missed in a crash."""
SaysStored = Callable[[Tx, list[str], SayState, int], Awaitable[None]]
"""Told in the transaction that stores it, with the time (epoch ms)."""
Trouble = Callable[[HubError, int], Awaitable[None]]
Back = Callable[[], Awaitable[None]]


class Feed:
    """Keeps the followers up to date with the hub for as long as :meth:`run` runs."""

    def __init__(
        self,
        desk: Desk,
        api: HubApi,
        stream: EventStream,
        *,
        check: Callable[[], Awaitable[None]],
        says_stored: SaysStored,
        says_changed: SaysChanged,
        trouble: Trouble,
        back: Back,
    ) -> None:
        self._desk = desk
        self._stream = stream
        self._census = Census(desk, api)
        self._check = check
        self._says_stored = says_stored
        self._says_changed = says_changed
        self._trouble = trouble
        self._back = back
        self._queue: asyncio.Queue[StreamItem] = asyncio.Queue(QUEUE)
        self._started = False
        self._heard = False
        self._alive_ms = 0
        self._computers = Computers(desk)
        self._said_state: list[tuple[list[str], SayState]] = []

    @property
    def waiting(self) -> int:
        """Events read but not worked through."""
        return self._queue.qsize()

    async def run(self) -> None:
        """Follow the hub until cancelled. Raises what is final: ``AccessTokenRejected``, ``HubTooNew``."""
        async with self._desk.store.read() as tx:
            cursor = await cursors.get(tx, CURSOR)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._read(cursor), name="hub-stream")
            tasks.create_task(self._work(), name="hub-worker")
            tasks.create_task(self._tick(), name="hub-ticker")
            tasks.create_task(self._look_again(), name="hub-second-look")

    async def _read(self, cursor: str | None) -> None:
        async with aclosing(self._stream.listen(cursor)) as items:
            async for item in items:
                if isinstance(item, Disconnected):
                    self._heard = False
                    await self._trouble(item.error, item.failures)
                else:
                    await self._queue.put(item)

    async def _work(self) -> None:
        while True:
            items = [await self._queue.get()]
            while len(items) < BATCH and not self._queue.empty():
                items.append(self._queue.get_nowait())
            newest: str | None = None
            for item in items:
                match item:
                    case Connected():
                        await self._connected(item)
                    case Garbled():
                        await self._insist(self._resync)
                        newest = item.id or newest
                    case HubEvent():
                        await self._event(item)
                        newest = item.id or newest
            await self._commit(newest)

    async def _commit(self, event_id: str | None) -> None:
        now = self._desk.clock()

        async def also(tx: Tx) -> None:
            if event_id is not None:
                await cursors.put(tx, CURSOR, event_id)
            if self._heard:
                await cursors.put(tx, ALIVE, str(now))
            for local_ids, state in said:
                await says.set_state(tx, local_ids, state, now)
                await self._says_stored(tx, local_ids, state, now)

        # Taken before anything is waited for: the second look adds to the list meanwhile, and that is for next time.
        said, self._said_state = self._said_state, []
        async with self._desk.lock:
            await self._desk.commit(also)
        self._stream.acknowledge(event_id)
        if self._heard:
            self._alive_ms = now
            self._census.heard_since = Position(now - CLOCKS_DIFFER_MS, 0)
        for local_ids, state in said:
            self._says_changed(local_ids, state)

    async def _resync(self) -> None:
        """After a gap, and at the start: look at everything again, storing as we go.

        In the end the hub counts as heard since the look began, though its stream may have broken meanwhile: who comes
        new after it says nothing that was said before.
        """
        began = self._desk.clock()
        async with self._desk.store.read() as tx:
            alive_ms = int(await cursors.get(tx, ALIVE) or 0)
        since = Position(alive_ms - CLOCKS_DIFFER_MS, 0) if alive_ms else None
        self._census.heard_since = since
        async for changed in self._census.take(since):
            self._said_state += changed
            await self._commit(None)
        await self._note_heard(began)

    async def _connected(self, item: Connected) -> None:
        if item.resume == "gap" or not self._started:
            await self._insist(self._check)
            await self._insist(self._resync)
            self._started = True
            self._desk.heard.set()
        self._heard = True
        await self._back()

    async def _insist(self, work: Callable[[], Awaitable[None]], *, only_unreachable: bool = False) -> None:
        """Do what must be done before the next event, however long the hub takes to answer again."""
        wait_s = 1.0
        while True:
            try:
                return await work()
            except (AccessTokenRejected, HubTooNew):
                raise
            except HubError as error:
                if only_unreachable and not isinstance(error, HubUnreachable):
                    raise
                log.debug("hub.asked_again", error=str(error), retry_in_s=wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(30.0, wait_s * 2)

    async def _event(self, event: HubEvent) -> None:
        try:
            await self._insist(lambda: self._handle(event), only_unreachable=True)
        except AccessTokenRejected:
            raise
        except (HubError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            self._desk.counts.failed_events += 1
            log.exception("hub.event_failed", type=event.type, session=event.session_id)
            if event.session_id is not None:
                self._census.look_again(event.session_id)

    async def _handle(self, event: HubEvent) -> None:
        session_id = event.session_id
        if event.type == "machine-updated":
            await self._computers.changed(event)
        if session_id is None:
            return
        data = event.data
        match event.type:
            case "session-added" | "session-updated":
                await self._census.session(session_id, data.get("data"))
            case "session-removed":
                await self._census.over(session_id, "removed")
            case "session-ended":
                reason = data.get("reason")
                await self._census.over(session_id, reason if isinstance(reason, str) else "completed")
            case "message-received":
                await self._message(session_id, data.get("message"))
            case "messages-consumed":
                await self._consumed(session_id, strings(data.get("localIds")), data.get("invokedAt"))
            case "messages-indeterminate":
                self._said_state.append((strings(data.get("localIds")), "indeterminate"))
            case "messages-requeued":
                self._said_state.append((strings(data.get("localIds")), "queued"))
            case "message-cancelled":
                await self._cancelled(session_id, strings([data.get("localId"), data.get("messageId")]))
            case "messages-invalidated" | "scheduled-matured":
                follower = self._desk.of_session(session_id)
                if follower is not None:
                    if event.type == "messages-invalidated":
                        async with self._desk.lock:
                            follower.say(f"rewound/{event.id}", present_history_changed())
                    await self._census.catch_up(follower)
            case _:
                pass

    async def _message(self, session_id: str, message: Any) -> None:
        if not is_message(message):
            return
        follower = self._desk.of_session(session_id)
        if follower is None:
            speaks = not is_queued(message)
            session = self._desk.sessions.get(session_id)
            if session is not None and not (self._desk.wanted(session) and (speaks or session.active)):
                return
            await self._census.session(session_id, None, speaks=speaks)
            follower = self._desk.of_session(session_id)
        if follower is not None:
            async with self._desk.lock:
                follower.messages([message], self._desk.clock())

    async def _consumed(self, session_id: str, local_ids: list[str], invoked_at: Any) -> None:
        self._said_state.append((local_ids, "taken"))
        follower = self._desk.of_session(session_id)
        if follower is None:
            return
        async with self._desk.lock:
            missing = follower.consumed(local_ids, invoked_at, self._desk.clock())
        if missing:
            await self._census.catch_up(follower)

    async def _cancelled(self, session_id: str, ids: list[str]) -> None:
        """A queued message was withdrawn. The hub names it by either of its ids, as it was asked (observed)."""
        self._said_state.append((ids, "cancelled"))
        follower = self._desk.of_session(session_id)
        if follower is not None:
            async with self._desk.lock:
                follower.cancelled(ids)

    async def _look_again(self) -> None:
        """Sessions that could not be looked at are looked at again."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            try:
                async for changed in self._census.overlooked():
                    self._said_state += changed
            except HubUnreachable as error:
                log.debug("hub.asked_again", error=str(error))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            now = self._desk.clock()
            async with self._desk.lock:
                for follower in self._desk.followers.values():
                    follower.tick(now, heard=self._heard)
                also = self._note_alive if self._heard and now - self._alive_ms > ALIVE_EVERY_MS else None
                await self._desk.commit(also)

    async def _note_heard(self, at_ms: int) -> None:
        async with self._desk.lock:
            await self._desk.commit(lambda tx: cursors.put(tx, ALIVE, str(at_ms)))
        self._alive_ms = at_ms
        self._census.heard_since = Position(at_ms - CLOCKS_DIFFER_MS, 0)

    async def _note_alive(self, tx: Tx) -> None:
        self._alive_ms = self._desk.clock()
        await cursors.put(tx, ALIVE, str(self._alive_ms))

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

from bridge.hub.errors import HubError, HubUnreachable, NotFound
from bridge.hub.events import Connected, Disconnected, EventStream, Garbled, HubEvent, StreamItem
from bridge.hub.rest import HubApi
from bridge.hub.sync import MessageSync
from bridge.hub.wire import PageRequest, Position, is_message
from bridge.relay.desk import Desk
from bridge.relay.follower import Follower, is_queued
from bridge.relay.sessions import SessionView
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
MOST_ASKED = 1_000
"""Local ids the hub takes in one question for their state; older ones are told by their events."""
TICK_S = 1.0
ALIVE_EVERY_MS = 30_000

log = structlog.get_logger(__name__)

SaysChanged = Callable[[list[str], SayState], Awaitable[None]]
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
        says_changed: SaysChanged,
        trouble: Trouble,
        back: Back,
    ) -> None:
        self._desk = desk
        self._api = api
        self._stream = stream
        self._sync = MessageSync(api)
        self._check = check
        self._says_changed = says_changed
        self._trouble = trouble
        self._back = back
        self._queue: asyncio.Queue[StreamItem] = asyncio.Queue(QUEUE)
        self._started = False
        self._alive_ms = 0
        self._said_state: list[tuple[list[str], SayState]] = []

    async def run(self) -> None:
        """Follow the hub until cancelled. Raises what is final: ``AccessTokenRejected``, ``HubTooNew``."""
        async with self._desk.store.read() as tx:
            cursor = await cursors.get(tx, CURSOR)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._read(cursor), name="hub-stream")
            tasks.create_task(self._work(), name="hub-worker")
            tasks.create_task(self._tick(), name="hub-ticker")

    async def _read(self, cursor: str | None) -> None:
        async with aclosing(self._stream.listen(cursor)) as items:
            async for item in items:
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
                    case Disconnected():
                        await self._trouble(item.error, item.failures)
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
            await cursors.put(tx, ALIVE, str(now))
            for local_ids, state in self._said_state:
                await says.set_state(tx, local_ids, state, now)

        said = list(self._said_state)
        async with self._desk.lock:
            await self._desk.commit(also)
        self._stream.acknowledge(event_id)
        self._alive_ms = now
        self._said_state.clear()
        for local_ids, state in said:
            await self._says_changed(local_ids, state)

    async def _connected(self, item: Connected) -> None:
        if item.resume == "gap" or not self._started:
            await self._insist(self._check)
            await self._insist(self._resync)
            self._started = True
        await self._back()

    async def _insist(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do what must be done before the next event, however long the hub takes to answer again."""
        wait_s = 1.0
        while True:
            try:
                return await work()
            except HubUnreachable as error:
                log.warning("hub.unreachable", error=str(error), retry_in_s=wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(30.0, wait_s * 2)

    async def _event(self, event: HubEvent) -> None:
        try:
            await self._insist(lambda: self._handle(event))
        except (HubError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            self._desk.counts.failed_events += 1
            log.exception("hub.event_failed", type=event.type, session=event.session_id)

    async def _handle(self, event: HubEvent) -> None:
        session_id = event.session_id
        if session_id is None:
            return
        data = event.data
        match event.type:
            case "session-added" | "session-updated":
                await self._session(session_id, data.get("data"))
            case "session-removed":
                await self._over(session_id, "removed")
            case "session-ended":
                reason = data.get("reason")
                await self._over(session_id, reason if isinstance(reason, str) else "completed")
            case "message-received":
                await self._message(session_id, data.get("message"))
            case "messages-consumed":
                await self._consumed(session_id, _strings(data.get("localIds")), data.get("invokedAt"))
            case "messages-indeterminate":
                self._said_state.append((_strings(data.get("localIds")), "indeterminate"))
            case "messages-requeued":
                self._said_state.append((_strings(data.get("localIds")), "queued"))
            case "message-cancelled":
                await self._cancelled(session_id, data.get("localId"))
            case "messages-invalidated" | "scheduled-matured":
                follower = self._desk.of_session(session_id)
                if follower is not None:
                    await self._catch_up(follower)
            case _:
                pass

    async def _session(self, session_id: str, data: Any, *, speaks: bool = False) -> None:
        if not self._desk.sessions.patch(session_id, data):
            await self._fetch(session_id)
        session = self._desk.sessions.get(session_id)
        if session is not None:
            await self._seen(session, speaks=speaks)

    async def _fetch(self, session_id: str) -> None:
        try:
            self._desk.sessions.replace(await self._api.session(session_id))
        except NotFound:
            await self._over(session_id, "removed")

    async def _seen(self, session: SessionView, *, speaks: bool = False) -> None:
        """A session as it is now: follow it if it is active (or speaks, which may be told first), tell its follower."""
        follower = self._desk.of_session(session.id)
        if follower is None:
            if not (session.active or speaks) or not self._desk.wanted(session):
                return
            head = await self._head(session.id)
            async with self._desk.lock:
                follower = await self._desk.start_following(session, head)
        async with self._desk.lock:
            if session.id == follower.session.id or session.active:
                follower.session_changed(session, self._desk.clock())
        successor = session.superseded_by
        if successor and self._desk.of_session(successor) is None:
            async with self._desk.lock:
                self._desk.succeed(follower, successor)
            await self._session(successor, None)

    async def _head(self, session_id: str) -> Position:
        page = await self._api.messages(session_id, PageRequest(limit=1))
        return page.snapshot_head or Position(0, 0)

    async def _message(self, session_id: str, message: Any) -> None:
        if not is_message(message):
            return
        follower = self._desk.of_session(session_id)
        if follower is None:
            await self._session(session_id, None, speaks=not is_queued(message))
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
            await self._catch_up(follower)

    async def _cancelled(self, session_id: str, local_id: Any) -> None:
        if not isinstance(local_id, str):
            return
        self._said_state.append(([local_id], "cancelled"))
        follower = self._desk.of_session(session_id)
        if follower is not None:
            async with self._desk.lock:
                follower.cancelled(local_id)

    async def _over(self, session_id: str, reason: str) -> None:
        follower = self._desk.of_session(session_id)
        if reason == "removed":
            self._desk.sessions.remove(session_id)
        if follower is None or follower.session.id != session_id:
            return
        async with self._desk.lock:
            follower.session_over(reason, self._desk.clock(), say=True)

    async def _resync(self) -> None:
        """After a gap, and at the start: every session as it is now, and what followed ones have said since."""
        first = not self._started and not await self._alive()
        known = {str(record.get("id")): record for record in await self._api.sessions()}
        for session_id, record in known.items():
            follower = self._desk.of_session(session_id)
            if follower is None and record.get("active") is not True:
                continue
            fresh = follower is None
            try:
                self._desk.sessions.replace(await self._api.session(session_id))
            except NotFound:
                continue
            session = self._desk.sessions.get(session_id)
            if session is None:
                continue
            if fresh:
                since = await self._head(session_id) if first else Position(await self._alive() - CLOCKS_DIFFER_MS, 0)
                async with self._desk.lock:
                    follower = await self._desk.start_following(session, since)
            await self._seen(session)
            if follower is not None:
                await self._catch_up(follower)
                await self._ask_for_says(follower)
        for follower in list(self._desk.followers.values()):
            if follower.session.id not in known:
                await self._over(follower.session.id, "removed")
            elif not follower.session.active:
                async with self._desk.lock:
                    follower.session_over("", self._desk.clock(), say=False)
            await self._commit(None)

    async def _alive(self) -> int:
        if not self._alive_ms:
            async with self._desk.store.read() as tx:
                self._alive_ms = int(await cursors.get(tx, ALIVE) or 0)
        return self._alive_ms

    async def _catch_up(self, follower: Follower) -> None:
        """Everything the session said after the follower's anchor, seen before or not."""
        try:
            found = await self._sync.collect_after(follower.session.id, follower.anchor, follower.epoch)
        except NotFound:
            return
        async with self._desk.lock:
            follower.epoch = found.epoch
            follower.messages(found.messages, self._desk.clock())
            follower.condense(self._desk.clock())

    async def _ask_for_says(self, follower: Follower) -> None:
        """What became of our own queued messages while we could not hear."""
        async with self._desk.store.read() as tx:
            waiting = await says.by_lineage(tx, follower.lineage, ["queued", "indeterminate"])
        if not waiting:
            return
        ids = [say.local_id for say in waiting][-MOST_ASKED:]
        answer = await self._api.queued_state(follower.session.id, ids)
        queued, unsure = _strings(answer.get("queuedLocalIds")), _strings(answer.get("indeterminateLocalIds"))
        invoked = [row.get("localId") for row in answer.get("invokedLocalMessages") or [] if isinstance(row, dict)]
        states: list[tuple[SayState, list[str]]] = [
            ("queued", queued),
            ("indeterminate", unsure),
            ("taken", [one for one in ids if one in invoked]),
            ("cancelled", [one for one in ids if one not in queued and one not in unsure and one not in invoked]),
        ]
        self._said_state += [(found, state) for state, found in states if found]

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            now = self._desk.clock()
            async with self._desk.lock:
                for follower in self._desk.followers.values():
                    follower.tick(now)
                also = self._note_alive if self._started and now - self._alive_ms > ALIVE_EVERY_MS else None
                await self._desk.commit(also)

    async def _note_alive(self, tx: Tx) -> None:
        self._alive_ms = self._desk.clock()
        await cursors.put(tx, ALIVE, str(self._alive_ms))


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

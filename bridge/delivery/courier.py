"""The courier: compares what posts should look like with what was delivered, and makes the fewest calls to close it.

Wishes and deliveries are rows in the store, so a start is nothing special: the difference is read and closed. One call
is under way per conversation at most; conversations take turns, the urgent first, within the platform's rates.
"""

from __future__ import annotations

import asyncio
import random

import structlog

from bridge.chat.capabilities import Grouping
from bridge.chat.errors import ChatGone, ChatMoved, OutcomeUnknown, PlaceGone, RetryAfter, SurfaceError
from bridge.chat.surface import Surface
from bridge.delivery import lanes
from bridge.delivery.budget import Budget
from bridge.delivery.calls import Calls, Turn
from bridge.delivery.clock import Clock
from bridge.delivery.figures import Figures, NoFigures
from bridge.delivery.lanes import Lane
from bridge.delivery.listener import Listener, NoListener
from bridge.delivery.places import Places, place_of
from bridge.delivery.steps import Steps
from bridge.store import conversations, work
from bridge.store.engine import Store, Tx

log = structlog.get_logger(__name__)

PER_LANE = 8
"""Posts looked at per conversation and pass."""
CALLS_AT_ONCE = 16
CALL_TIMEOUT_S = 30.0
LAST_WORDS_S = 5.0
LONGEST_WAIT_MS = 60_000
HOLD_MS = 5_000
"""After this a post that waits for its picture is looked at again, though nobody said that it is there."""
POLL_S = 5.0
"""How long a wish made by another process may go unseen."""
QUEUE_FIGURE_S = 1.0
"""Counting all that waits costs a query: not after every call."""
LONGEST_BACKOFF_S = 30.0
SAY_WAITS_OVER_S = 30.0


class Courier:
    """Delivers the posts of one surface.

    :meth:`run` ends only by cancellation, or by an error of the store. It may be cancelled at any moment: what was
    under way is then in the store as of unknown outcome, and the next courier takes it up.
    """

    def __init__(
        self,
        store: Store,
        surface: Surface,
        *,
        listener: Listener | None = None,
        figures: Figures | None = None,
        clock: Clock | None = None,
        call_timeout_s: float = CALL_TIMEOUT_S,
        last_words_s: float = LAST_WORDS_S,
        jitter: random.Random | None = None,
    ) -> None:
        self._last_words_s = last_words_s
        self._store = store
        self._surface = surface
        self._listener = listener or NoListener()
        self._figures = figures or NoFigures()
        self._clock = clock or Clock()
        self._jitter = jitter or random.Random()
        groups = surface.is_group if isinstance(surface, Grouping) else lambda chat: False
        self._budget = Budget(surface.rates, self._clock.monotonic(), groups)
        self._calls = Calls(surface.name, self._figures, call_timeout_s)
        self._places = Places(store, surface, self._calls)
        interval_ms = int(surface.rates.edit_interval_s * 1000)
        self._steps = Steps(store, surface, self._calls, self._clock, self._figures, interval_ms)
        self._wake = asyncio.Event()
        self._busy: set[int] = set()
        self._waits: dict[tuple[str, int], int] = {}
        self._held: dict[tuple[str, int], int] = {}
        self._served: dict[int, int] = {}
        self._turns = 0
        self._failures = 0
        self._last_failure = float("-inf")
        self._told_queue = float("-inf")

    @property
    def in_flight(self) -> int:
        """Conversations being worked on at this moment."""
        return len(self._busy)

    def nudge(self) -> None:
        """Look at the store again now: wishes have changed."""
        self._held.clear()
        self._wake.set()

    async def resume(self, chat: str) -> None:
        """A chat that had blocked the bot takes messages again: deliver what was kept for it."""
        async with self._store.begin() as tx:
            await conversations.unblock(tx, self._surface.name, chat)
        self.nudge()

    async def run(self) -> None:
        """Deliver until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._wake.clear()
                async with self._store.read() as tx:
                    heads = await work.heads(tx, self._surface.name, PER_LANE)
                    await self._tell_queue(tx, idle=not heads)
                pause = self._start(heads, tasks)
                await self._clock.pause(self._wake, pause)

    async def _tell_queue(self, tx: Tx, *, idle: bool) -> None:
        now = self._clock.monotonic()
        if idle or now - self._told_queue >= QUEUE_FIGURE_S:
            self._told_queue = now
            self._figures.queued(self._surface.name, await work.waiting(tx, self._surface.name))

    def _start(self, heads: list[work.Head], tasks: asyncio.TaskGroup) -> float:
        """Give turns to the lanes that may speak now; seconds until it is worth looking again."""
        now, now_ms = self._clock.monotonic(), self._clock.now_ms()
        # A wait longer than any is from before the clock was set back.
        self._waits = {name: due for name, due in self._waits.items() if now_ms < due <= now_ms + LONGEST_WAIT_MS}
        self._held = {name: until for name, until in self._held.items() if now_ms < until <= now_ms + HOLD_MS}
        edits_closed_s = self._steps.edits_from - now
        found = lanes.lanes(heads, self._waits, now_ms, edits_closed=edits_closed_s > 0, held=frozenset(self._held))
        self._served = {lane.conversation_id: self._served.get(lane.conversation_id, 0) for lane in found}
        found.sort(key=lambda lane: (lanes.ORDER[lane.urgency], self._served[lane.conversation_id]))
        again = min([POLL_S, *((due - now_ms) / 1000 for due in self._waits.values())])
        again = min(again, edits_closed_s) if edits_closed_s > 0 else again
        at_once = 1 if self._failures else CALLS_AT_ONCE
        for lane in found:
            if lane.conversation_id in self._busy:
                continue
            if len(self._busy) >= at_once:
                break  # the end of a call wakes the courier
            ready = self._budget.ready_at(lane.chat, now)
            if ready > now:
                again = min(again, ready - now)
                continue
            self._turns += 1
            self._served[lane.conversation_id] = self._turns
            self._busy.add(lane.conversation_id)
            tasks.create_task(self._serve(lane, Turn(self._budget, lane.chat, self._clock)))
        return max(again, 0.001)

    async def _serve(self, lane: Lane, turn: Turn) -> None:
        """A lane's turn. Told to stop in its middle, it gets ``last_words_s`` to come to its end, so that a call
        under way is not of unknown outcome for the next start, which would make it again."""
        work_ = asyncio.ensure_future(self._serve_to_the_end(lane, turn))
        try:
            await asyncio.shield(work_)
        except asyncio.CancelledError:
            await asyncio.wait([work_], timeout=self._last_words_s)
            work_.cancel()
            await asyncio.wait([work_])
            raise

    async def _serve_to_the_end(self, lane: Lane, turn: Turn) -> None:
        try:
            for head in lane.heads:
                if await self._try(head, turn):
                    break
        finally:
            turn.end()
            self._busy.discard(lane.conversation_id)
            self._wake.set()

    async def _try(self, head: work.Head, turn: Turn) -> bool:
        """Take a post one step further. True if that was the lane's turn; False: try the next post."""
        async with self._store.read() as tx:
            job = await work.job(tx, head.post_key, head.conversation_id)
        if job is None:
            return False
        try:
            if job.early:
                return False  # what it hangs under comes first
            if job.conversation.state == "wanted":
                await self._places.open(job.conversation, turn, self._clock.now_ms())
            else:
                wait = await self._steps.take(job, turn)
                if isinstance(wait, lanes.Hold):
                    self._held[head.post_key, head.conversation_id] = self._clock.now_ms() + HOLD_MS
                elif wait is not None:
                    self._waits[head.post_key, head.conversation_id] = wait.until_ms
        except SurfaceError as error:
            await self._trouble(error, job, turn)
            return True
        if turn.spent:
            await self._reached()
        return turn.spent

    async def _trouble(self, error: SurfaceError, job: work.Job, turn: Turn) -> None:
        now = self._clock.monotonic()
        conversation, name = job.conversation, self._surface.name
        match error:
            case RetryAfter():
                if error.whole_bot:
                    self._budget.close_all(now + error.seconds)
                elif error.edits_only:
                    self._steps.edits_from = max(self._steps.edits_from, now + error.seconds)
                else:
                    self._budget.close(work.budget_chat(conversation), now + error.seconds)
                self._figures.closed(name, error.whole_bot, error.seconds)
                log.debug("courier.asked_to_wait", surface=name, chat=conversation.chat, seconds=error.seconds)
                await self._reached()
                if error.seconds > SAY_WAITS_OVER_S:
                    await self._listener.on_wait(place_of(conversation, job.title), error.seconds)
            case PlaceGone():
                await self._places.gone(conversation, self._clock.now_ms())
                await self._reached()
            case ChatGone() if conversation.kind == "room" and conversation.state == "open":
                log.warning("courier.room_gone", surface=name, chat=conversation.chat, reason=str(error))
                await self._places.gone(conversation, self._clock.now_ms())
                await self._reached()
            case ChatGone():
                async with self._store.begin() as tx:
                    await conversations.block(tx, name, conversation.chat)
                log.warning("courier.chat_paused", surface=name, chat=conversation.chat, reason=str(error))
                await self._reached()
            case ChatMoved():
                async with self._store.begin() as tx:
                    await conversations.moved(tx, name, conversation.chat, error.chat)
                log.info("courier.chat_moved", surface=name, chat=conversation.chat, to=error.chat)
                await self._reached()
            case _:
                await self._not_reached(error, turn.began)

    async def _not_reached(self, error: SurfaceError, began: float) -> None:
        """Pause the whole bot, longer each time. Calls that began before the last pause tell nothing new."""
        if began <= self._last_failure:
            return
        now = self._clock.monotonic()
        self._failures += 1
        self._last_failure = now
        longest = min(LONGEST_BACKOFF_S, 2.0 ** min(self._failures - 1, 10))
        seconds = longest * self._jitter.uniform(0.75, 1.0)
        self._budget.close_all(now + seconds)
        self._figures.closed(self._surface.name, True, seconds)
        if self._failures == 1:
            unknown = isinstance(error, OutcomeUnknown)
            log.debug("courier.unreachable", surface=self._surface.name, reason=str(error), unknown=unknown)
            await self._listener.on_trouble(str(error))

    async def _reached(self) -> None:
        if self._failures:
            self._failures = 0
            log.debug("courier.reached", surface=self._surface.name)
            await self._listener.on_recovered()

"""Message windows kept true over REST, and messages collected from an anchor on. One sync at a time per session."""

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar
from weakref import WeakValueDictionary

from bridge.hub.errors import CursorStuck
from bridge.hub.rest import HubApi
from bridge.hub.rows import is_waiting
from bridge.hub.tail import PAGE_SIZE, Older, fetch_older, tail_sync
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Json, Page, PageRequest, Position, position_of
from bridge.language import N_

#: What the hub takes in one ``queued-state`` call.
_MOST_LOCAL_IDS = 1000

_Outcome = TypeVar("_Outcome")


@dataclass(frozen=True, slots=True)
class Collected:
    """Messages after an anchor, in order ``(invokedAt ?? createdAt, seq)``, each once."""

    messages: tuple[Json, ...]
    epoch: int | None
    """With ``head``, the anchor to go on from next time."""
    head: Position | None
    reset: bool
    """The history changed since the anchor's epoch: earlier rows may have gone or moved, too."""
    complete: bool
    """``False`` if there were more than asked for: the oldest are missing."""


class MessageSync:
    """Runs the page loops of ``tail`` against the hub. All methods raise what ``HubApi.messages`` raises, and
    ``CursorStuck``; the window then holds what had come so far, and the next sync goes on from there."""

    def __init__(self, api: HubApi) -> None:
        self._api = api
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def tail(self, session_id: str, window: MessageWindow) -> bool:
        """Bring the window up to the hub's newest message. ``True``: it was replaced by a latest page, so rows between
        what it held before and now may be missing from it (``collect_after`` finds them).

        A call while another sync of this session runs waits for it and then looks again.
        """
        async with self._lock(session_id):
            return await self._drive(session_id, tail_sync(window))

    async def older(self, session_id: str, window: MessageWindow) -> Older:
        """Add the page before the window's oldest row."""
        async with self._lock(session_id):
            return await self._drive(session_id, fetch_older(window))

    async def queued_state(self, session_id: str, window: MessageWindow) -> bool:
        """Settle what became of the window's queued rows, after a gap and a tail sync. ``True`` if rows changed."""
        async with self._lock(session_id):
            asked = window.queued_local_ids()
            changed = False
            for start in range(0, len(asked), _MOST_LOCAL_IDS):
                some = asked[start : start + _MOST_LOCAL_IDS]
                changed |= window.apply_queued_state(some, await self._api.queued_state(session_id, some))
            return changed

    async def collect_after(
        self, session_id: str, anchor: Position | None, epoch: int | None, *, most: int = 20_000
    ) -> Collected:
        """Every message after ``anchor``, plus rows that still wait in the queue; without an anchor the latest page.

        ``epoch`` is what the hub said when the anchor was taken. If it has changed since, positions are followed back
        from the newest page instead, as far as the anchor. ``most`` bounds the number of messages; the newest are kept.
        """
        async with self._lock(session_id):
            latest = await self._api.messages(session_id)
            if anchor is None:
                return _collected([latest], latest, None, reset=False, complete=True, most=most)
            reset = epoch != latest.epoch
            pages = [latest]
            while _begins_after(pages[-1], anchor) and pages[-1].has_more:
                if sum(len(page.messages) for page in pages) >= most:
                    return _collected(pages, latest, anchor, reset=reset, complete=False, most=most)
                before = pages[-1].next_before
                page = await self._api.messages(session_id, PageRequest(PAGE_SIZE, before=before))
                if page.epoch != latest.epoch:
                    # Changed under our feet: the rows we have stay good, their order is by position anyway.
                    reset = True
                if before is None or (page.has_more and (page.next_before is None or page.next_before >= before)):
                    raise CursorStuck(N_("The hub's message pages do not move on."))
                pages.append(page)
            return _collected(pages, latest, anchor, reset=reset, complete=True, most=most)

    async def _drive(self, session_id: str, loop: Generator[PageRequest, Page, _Outcome]) -> _Outcome:
        try:
            request = next(loop)
            while True:
                request = loop.send(await self._api.messages(session_id, request))
        except StopIteration as end:
            outcome: _Outcome = end.value
            return outcome
        finally:
            loop.close()

    def _lock(self, session_id: str) -> asyncio.Lock:
        lock = self._locks.get(session_id)
        if lock is None:
            lock = self._locks[session_id] = asyncio.Lock()
        return lock


def _begins_after(page: Page, anchor: Position) -> bool:
    """Whether older pages may still hold rows after the anchor."""
    return page.next_before is not None and page.next_before > anchor


def _collected(
    pages: list[Page], latest: Page, anchor: Position | None, *, reset: bool, complete: bool, most: int
) -> Collected:
    unique: dict[str, Json] = {}
    for page in reversed(pages):
        for message in page.messages:
            if anchor is None or is_waiting(message) or position_of(message) > anchor:
                unique[message["id"]] = message
    ordered = sorted(unique.values(), key=position_of)
    return Collected(
        messages=tuple(ordered[-most:]),
        epoch=latest.epoch,
        head=latest.snapshot_head,
        reset=reset,
        complete=complete and len(ordered) <= most,
    )

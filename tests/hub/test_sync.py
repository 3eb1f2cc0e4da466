"""Page loops against a small hub in memory that follows the contract."""

import asyncio
from typing import Any

import pytest

from bridge.hub.errors import CursorStuck, HubUnreachable
from bridge.hub.rest import HubApi
from bridge.hub.rows import is_waiting
from bridge.hub.sync import MessageSync
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Json, Page, PageRequest, Position, position_of


class Memory(HubApi):
    """A session's messages, paged as the hub pages them."""

    def __init__(self) -> None:
        self.rows: list[Json] = []
        self.epoch = 0
        self.asked: list[PageRequest] = []
        self.running = self.most_running = 0
        self.page_size = 200
        self.stuck = False
        self.on_request: Any = None

    def add(self, count: int, *, role: str = "agent", queued: bool = False) -> None:
        for _ in range(count):
            number = len(self.rows) + 1
            content = {"role": role, "content": {"type": "codex", "data": {"type": "message", "message": str(number)}}}
            row = {"id": f"m{number}", "seq": number, "createdAt": number * 10, "content": content}
            local = (
                {"localId": f"l{number}", "invokedAt": None} if queued else {"localId": None, "invokedAt": number * 10}
            )
            self.rows.append(row | local)

    def ordered(self) -> list[Json]:
        return sorted(self.rows, key=position_of)

    async def messages(self, session_id: str, request: PageRequest | None = None) -> Page:
        request = request or PageRequest()
        self.asked.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(0)
        try:
            return self._page(request)
        finally:
            self.running -= 1
            if self.on_request is not None:
                self.on_request()

    def _page(self, request: PageRequest) -> Page:
        limit = min(request.limit, self.page_size)
        rows = self.ordered()
        head = position_of(rows[-1]) if rows else None
        if request.before is not None:
            older = [row for row in rows if position_of(row) < request.before]
            page = older[-limit:]
            return Page(tuple(page), "before", self.epoch, False, len(older) > limit, self._first(page), None, None)
        if request.after is not None and request.epoch == self.epoch:
            until = min(request.until or head, head) if head else None
            newer = [
                row for row in rows if request.after < position_of(row) and (until is None or position_of(row) <= until)
            ]
            page = newer[:limit]
            last = position_of(page[-1]) if page and not self.stuck else request.after
            return Page(tuple(page), "after", self.epoch, False, len(newer) > limit, None, last, until)
        page = rows[-limit:]
        pinned = [row for row in rows[:-limit] if is_waiting(row)]
        return Page(
            tuple(pinned + page),
            "latest",
            self.epoch,
            request.after is not None,
            len(rows) > limit,
            self._first(page),
            None,
            head,
        )

    @staticmethod
    def _first(page: list[Json]) -> Position | None:
        return position_of(page[0]) if page else None

    async def queued_state(self, session_id: str, local_ids: Any) -> Json:
        assert len(local_ids) <= 1000
        waiting = {row["localId"] for row in self.rows if row["invokedAt"] is None}
        taken = {
            row["localId"]: row["invokedAt"] for row in self.rows if row["localId"] and row["invokedAt"] is not None
        }
        return {
            "queuedLocalIds": [name for name in local_ids if name in waiting],
            "indeterminateLocalIds": [],
            "invokedLocalMessages": [{"localId": n, "invokedAt": taken[n]} for n in local_ids if n in taken],
        }


@pytest.fixture
def memory() -> Memory:
    return Memory()


def ids(window: MessageWindow) -> list[str]:
    return [row["id"] for row in window.messages]


async def test_a_cold_window_takes_the_latest_page(memory: Memory) -> None:
    memory.add(1, role="user", queued=True)
    memory.add(300)
    window = MessageWindow()
    assert await MessageSync(memory).tail("s", window)
    assert ids(window) == ["m1", *(f"m{number}" for number in range(102, 302))]
    assert window.newest == Position(3010, 301)
    assert window.has_more


async def test_a_warm_window_catches_up_page_by_page_to_the_first_head(memory: Memory) -> None:
    """The hub never rests: what comes during the loop is left to events."""
    memory.add(10)
    window = MessageWindow(limit=None)
    sync = MessageSync(memory)
    await sync.tail("s", window)
    memory.add(450)
    memory.asked.clear()
    memory.on_request = lambda: memory.add(1)
    assert not await sync.tail("s", window)
    assert len(window) == 460
    assert [request.until for request in memory.asked] == [None, Position(4600, 460), Position(4600, 460)]


async def test_a_reset_replaces_the_window(memory: Memory) -> None:
    memory.add(10)
    window = MessageWindow()
    sync = MessageSync(memory)
    await sync.tail("s", window)
    memory.rows = memory.rows[:3]
    memory.epoch += 1
    assert await sync.tail("s", window)
    assert ids(window) == ["m1", "m2", "m3"]
    assert window.epoch == 1


async def test_an_invalidation_during_a_sync_makes_it_look_again(memory: Memory) -> None:
    memory.add(10)
    window = MessageWindow()
    sync = MessageSync(memory)
    await sync.tail("s", window)
    memory.add(5)

    def rewound() -> None:
        memory.on_request = None
        memory.rows = memory.rows[:3]
        window.invalidate()

    memory.on_request = rewound
    assert await sync.tail("s", window)
    assert ids(window) == ["m1", "m2", "m3"]
    assert not window.needs_latest


async def test_an_invalidation_survives_a_failed_sync(memory: Memory) -> None:
    memory.add(3)
    window = MessageWindow()
    sync = MessageSync(memory)
    await sync.tail("s", window)
    window.invalidate()

    def down() -> None:
        raise HubUnreachable("gone")

    memory.on_request = down
    with pytest.raises(HubUnreachable):
        await sync.tail("s", window)
    assert window.needs_latest
    assert ids(window) == ["m1", "m2", "m3"]


async def test_a_cursor_that_does_not_move_is_an_error_and_no_endless_loop(memory: Memory) -> None:
    memory.add(1)
    window = MessageWindow()
    sync = MessageSync(memory)
    await sync.tail("s", window)
    memory.add(400)
    memory.stuck = True
    with pytest.raises(CursorStuck):
        await sync.tail("s", window)


async def test_one_sync_at_a_time_per_session_and_others_meanwhile(memory: Memory) -> None:
    memory.add(500)
    sync = MessageSync(memory)
    window = MessageWindow()
    await asyncio.gather(*(sync.tail("s", window) for _ in range(5)))
    assert memory.most_running == 1
    await asyncio.gather(sync.tail("s", window), sync.tail("t", MessageWindow()))
    assert memory.most_running == 2


async def test_older_pages_reach_the_beginning(memory: Memory) -> None:
    memory.add(450)
    window = MessageWindow()
    sync = MessageSync(memory)
    await sync.tail("s", window)
    assert (await sync.older("s", window)).added == 200
    last = await sync.older("s", window)
    assert (last.added, last.has_more) == (50, False)
    assert ids(window) == [f"m{number}" for number in range(1, 451)]
    assert (await sync.older("s", window)).reason == "exhausted"


async def test_an_older_page_of_another_epoch_starts_anew(memory: Memory) -> None:
    memory.add(450)
    window = MessageWindow()
    sync = MessageSync(memory)
    await sync.tail("s", window)
    memory.epoch += 1
    assert (await sync.older("s", window)).reason == "epoch-reset"
    assert window.epoch == 1
    assert len(window) == 200


async def test_queued_rows_are_settled_after_a_gap(memory: Memory) -> None:
    memory.add(3, role="user", queued=True)
    window = MessageWindow()
    sync = MessageSync(memory)
    await sync.tail("s", window)
    memory.rows[0]["invokedAt"] = 5000
    del memory.rows[1]
    assert await sync.queued_state("s", window)
    assert ids(window) == ["m3", "m1"]


async def test_everything_after_an_anchor_is_found_in_order(memory: Memory) -> None:
    memory.add(1, role="user", queued=True)
    memory.add(700)
    sync = MessageSync(memory)
    found = await sync.collect_after("s", Position(1000, 100), 0)
    assert [row["id"] for row in found.messages] == ["m1", *(f"m{number}" for number in range(101, 702))]
    assert found.complete
    assert not found.reset
    assert (found.head, found.epoch) == (Position(7010, 701), 0)
    assert (await sync.collect_after("s", found.head, found.epoch)).messages[0]["id"] == "m1"


async def test_a_message_taken_after_the_anchor_is_found_though_it_is_older(memory: Memory) -> None:
    """A row queued before the anchor moves behind it when the agent takes it."""
    memory.add(1, role="user", queued=True)
    memory.add(5)
    memory.rows[0]["invokedAt"] = 55
    found = await MessageSync(memory).collect_after("s", Position(50, 5), 0)
    assert [row["id"] for row in found.messages] == ["m1", "m6"]


async def test_a_changed_history_is_told_and_still_collected(memory: Memory) -> None:
    memory.add(300)
    memory.epoch = 4
    found = await MessageSync(memory).collect_after("s", Position(500, 50), 3)
    assert found.reset
    assert len(found.messages) == 250


async def test_collecting_is_bounded_and_says_so(memory: Memory) -> None:
    """Invariant 8."""
    memory.add(1000)
    found = await MessageSync(memory).collect_after("s", Position(10, 1), 0, most=250)
    assert len(found.messages) == 250
    assert not found.complete
    assert found.messages[-1]["id"] == "m1000"


async def test_without_an_anchor_only_the_latest_page_is_taken(memory: Memory) -> None:
    memory.add(500)
    found = await MessageSync(memory).collect_after("s", None, None)
    assert len(found.messages) == 200
    assert len(memory.asked) == 1


async def test_an_empty_session_has_nothing_to_collect(memory: Memory) -> None:
    found = await MessageSync(memory).collect_after("s", Position(5, 5), 0)
    assert found.messages == ()
    assert found.head is None
    window = MessageWindow()
    await MessageSync(memory).tail("s", window)
    assert window.newest is None

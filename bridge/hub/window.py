"""The newest messages of one session in order, kept up to date from pages and events. Pure and incremental.

Rules (hub contract, Messages): order is ``(invokedAt ?? createdAt, seq)``; only the newest snapshot of a reasoning
stream stays; hidden rows only move the cursor; queued rows are never trimmed; an echo replaces our own row by its
``localId``. How pages are asked for is in ``tail``.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bridge.hub.rows import (
    Key,
    Kind,
    is_hidden,
    is_optimistic,
    is_user,
    is_waiting,
    key_of,
    kind_of,
    local_id_of,
    numbered_position,
    reasoning_stream,
)
from bridge.hub.wire import Json, Page, Position, is_message, whole

_SAME_SEND = 10_000  # ms between a sent row of ours and an echo that lost its local id


class MessageWindow:
    """Holds at most ``limit`` messages (``None``: all); background-agent traces have twice that for themselves.

    Methods that return ``bool`` say whether ``messages`` changed. Messages are never changed in place: a row that
    changes is a new dict.
    """

    def __init__(self, *, limit: int | None = 400) -> None:
        self.limit = limit
        self.epoch: int | None = None
        self.newest: Position | None = None
        """Everything up to here is known; a tail sync goes on after it."""
        self.older: Position | None = None
        """Where the next older page begins."""
        self.has_more = False
        self.needs_latest = False
        """The history changed, so the next tail sync starts from scratch."""
        self._rows: dict[str, Json] = {}
        self._keys: dict[str, Key] = {}
        self._order: list[Key] = []
        self._kinds: dict[str, Kind] = {}
        self._held: Counter[Kind] = Counter()
        self._by_local_id: dict[str, str] = {}
        self._by_stream: dict[str, str] = {}
        self._arrivals = 0

    @property
    def messages(self) -> list[Json]:
        """In display order."""
        return [self._rows[key[3]] for key in self._order]

    def __len__(self) -> int:
        return len(self._order)

    def ids(self) -> frozenset[str]:
        """The ids of all rows."""
        return frozenset(self._rows)

    def get(self, message_or_local_id: str) -> Json | None:
        """The row with this id or local id."""
        return self._rows.get(message_or_local_id) or self._rows.get(self._by_local_id.get(message_or_local_id, ""))

    # Events

    def ingest(self, messages: Iterable[Any]) -> bool:
        """``message-received``: rows as they come. Moves ``newest``, once a first page has set it."""
        changed = False
        for message in messages:
            if not is_message(message):
                continue
            position = numbered_position(message)
            if self.newest is not None and position is not None and position > self.newest:
                self.newest = position
            changed |= self._put(message)
        return self._trim() or changed

    def consumed(self, local_ids: Iterable[Any], invoked_at: Any) -> bool:
        """``messages-consumed``: the agent took these messages; they move to where it did. ``newest`` stays."""
        at = whole(invoked_at)
        return at is not None and self._update(
            local_ids, {"invokedAt": at, "status": "sent"}, drop="deliveryState", skip_failed=True
        )

    def indeterminate(self, local_ids: Iterable[Any]) -> bool:
        """``messages-indeterminate``: whether these were delivered is unknown; only a person may retry or cancel."""
        return self._update(local_ids, {"deliveryState": "indeterminate"})

    def requeued(self, local_ids: Iterable[Any]) -> bool:
        """``messages-requeued``: back in the ordinary queue."""
        return self._update(local_ids, {}, drop="deliveryState")

    def cancelled(self, message_id: Any, local_id: Any = None) -> bool:
        """``message-cancelled``: the row with either id goes. Again: nothing happens."""
        rows = [self.get(name) for name in _strings([message_id, local_id])]
        gone = [self._drop(str(row["id"])) for row in rows if row is not None]
        return any(gone)

    def invalidate(self) -> None:
        """``messages-invalidated``: what we hold may be wrong; the next tail sync replaces it."""
        self.needs_latest = True

    # Our own sends

    def append_optimistic(self, message: Any) -> bool:
        """Show a message before the hub has it: ``id`` and ``localId`` equal, ``seq`` and ``invokedAt`` null."""
        return is_message(message) and self._put(message)

    def set_status(self, local_id: str, status: str) -> bool:
        """``sending``, ``queued``, ``sent`` or ``failed`` for a row of ours."""
        return self._update([local_id], {"status": status})

    def cancel_came_late(self, message: Any) -> bool:
        """A cancel was answered with ``invoked``: the message in the answer is what counts. ``newest`` stays."""
        return is_message(message) and self._put({**message, "status": "sent"})

    # Queued rows after a gap

    def queued_local_ids(self) -> list[str]:
        """The local ids to ask the hub about: waiting rows that the hub has or should have."""
        found = []
        for row in self.messages:
            local_id = local_id_of(row)
            unsent = is_optimistic(row) and row.get("status") in ("sending", "failed")
            if local_id is not None and is_waiting(row) and not unsent:
                found.append(local_id)
        return found

    def apply_queued_state(self, asked: Sequence[str], answer: Mapping[str, Any]) -> bool:
        """The hub's answer to ``queued-state``; rows that were asked about and are in none of its lists go."""
        queued = set(_strings(answer.get("queuedLocalIds")))
        unknown = set(_strings(answer.get("indeterminateLocalIds")))
        changed = self.indeterminate([local_id for local_id in asked if local_id in unknown])
        invoked: set[str] = set()
        records = answer.get("invokedLocalMessages")
        for record in records if isinstance(records, list) else ():
            local_id = local_id_of(record) if isinstance(record, dict) else None
            if local_id is not None:
                invoked.add(local_id)
                changed |= self.consumed([local_id], record.get("invokedAt"))
        for local_id in asked:
            row = self.get(local_id)
            if row is not None and is_waiting(row) and local_id not in queued | unknown | invoked:
                changed |= self._drop(str(row["id"]))
        return changed

    # Pages

    def take_latest(self, page: Page, replacing: frozenset[str] = frozenset()) -> None:
        """The latest page. ``replacing``: the ids held when it was asked for, which go unless they are in it; our own
        unechoed rows and what came by event meanwhile stay."""
        fresh = {str(message["id"]) for message in page.messages}
        for name in replacing - fresh:
            row = self._rows.get(name)
            if row is not None and not is_optimistic(row):
                self._drop(name)
        meanwhile = [numbered_position(row) for name, row in self._rows.items() if name not in replacing | fresh]
        for message in page.messages:
            self._put(message)
        self.epoch, self.older, self.has_more = page.epoch, page.next_before, page.has_more
        known = [page.snapshot_head, *meanwhile]
        self.newest = max((position for position in known if position is not None), default=None)
        self._trim()

    def take_after(self, page: Page) -> None:
        """A newer page of a tail sync."""
        for message in page.messages:
            self._put(message)
        if page.next_after is not None and (self.newest is None or page.next_after > self.newest):
            self.newest = page.next_after
        self._trim()

    def take_before(self, page: Page) -> int:
        """An older page; returns how many rows it added. Trimming waits for the next event, so that it can be seen."""
        held = self.ids()
        for message in page.messages:
            self._put(message)
        self.older, self.has_more = page.next_before or self.older, page.has_more
        return len(self.ids() - held)

    # Rows

    def _put(self, message: Json) -> bool:
        if is_hidden(message):
            return False
        local_id = local_id_of(message)
        old = self._rows.get(message["id"]) or self._rows.get(self._by_local_id.get(local_id or "", ""))
        if old is not None and is_optimistic(message) and not is_optimistic(old):
            return False
        row = dict(message)
        if old is not None:
            if "status" in old:
                row.setdefault("status", old["status"])
            if row.get("invokedAt") is None and old.get("invokedAt") is not None:
                row["invokedAt"] = old["invokedAt"]
            if row == old:
                return False
        elif local_id is None and is_user(row):
            self._drop_unechoed(row)
        stream = reasoning_stream(row)
        rival = self._by_stream.get(stream) if stream is not None else None
        if rival is not None and rival != row["id"]:
            if self._keys[rival] > key_of(row, self._arrivals + 1):
                return False
            self._drop(rival)
        self._place(row, old)
        return True

    def _place(self, row: Json, old: Json | None) -> None:
        if old is None:
            self._arrivals += 1
            arrival = self._arrivals
        else:
            arrival = self._keys[old["id"]][2]
            self._drop(old["id"])
        name = row["id"]
        self._rows[name] = row
        self._keys[name] = key_of(row, arrival)
        insort(self._order, self._keys[name])
        self._kinds[name] = kind_of(row)
        self._held[self._kinds[name]] += 1
        local_id, stream = local_id_of(row), reasoning_stream(row)
        if local_id is not None:
            self._by_local_id[local_id] = name
        if stream is not None:
            self._by_stream[stream] = name

    def _drop(self, name: str) -> bool:
        row = self._rows.pop(name, None)
        if row is None:
            return False
        del self._order[bisect_left(self._order, self._keys.pop(name))]
        self._held[self._kinds.pop(name)] -= 1
        for index, value in ((self._by_local_id, local_id_of(row)), (self._by_stream, reasoning_stream(row))):
            if value is not None and index.get(value) == name:
                del index[value]
        return True

    def _drop_unechoed(self, echo: Json) -> None:
        """An echo that lost its local id takes the place of the sent row of ours that stands next to it in time."""
        at = key_of(echo, 0)[0]
        for row in self.messages:
            sent = is_optimistic(row) and row.get("status") == "sent"
            if sent and abs(self._keys[row["id"]][0] - at) < _SAME_SEND:
                self._drop(row["id"])
                return

    def _update(
        self, local_ids: Iterable[Any], values: Json, *, drop: str | None = None, skip_failed: bool = False
    ) -> bool:
        changed = False
        for local_id in _strings(local_ids):
            old = self._rows.get(self._by_local_id.get(local_id, ""))
            if old is None or not is_user(old) or (skip_failed and old.get("status") == "failed"):
                continue
            row = {key: value for key, value in old.items() if key != drop} | values
            if row != old:
                self._place(row, old)
                changed = True
        return changed

    def _trim(self) -> bool:
        """Let the oldest go; whether any did. Waiting rows never go; they and the rest share ``limit``."""
        if self.limit is None:
            return False
        surplus: dict[Kind, int] = {
            "trace": self._held["trace"] - 2 * self.limit,
            "regular": self._held["regular"] - max(self.limit - self._held["waiting"], 0),
            "waiting": 0,
        }
        gone: list[str] = []
        for key in self._order:
            if surplus["trace"] <= 0 and surplus["regular"] <= 0:
                break
            kind = self._kinds[key[3]]
            if surplus[kind] > 0:
                surplus[kind] -= 1
                gone.append(key[3])
        for name in gone:
            self._drop(name)
        if gone:
            self.has_more = True
            kept = (numbered_position(self._rows[key[3]]) for key in self._order if self._kinds[key[3]] != "waiting")
            self.older = next((position for position in kept if position is not None), self.older)
        return bool(gone)


def _strings(values: Any) -> list[str]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        return []
    return [value for value in values if isinstance(value, str)]

"""The page's news: events with numbers, kept for a while, so that a page that was away can go on where it was."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

KEPT = 3_000
"""Events that are kept for pages that come back."""
BEHIND = 5_000
"""A page this many events behind is sent away; it comes back and gets the state anew."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it goes out: ``text`` is its JSON."""

    seq: int
    text: str


class Feed:
    """Everything that happened, in order. ``seq`` is the number of the last event."""

    def __init__(self) -> None:
        self.seq = 0
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self._readers: list[asyncio.Queue[Event | None]] = []

    def tell(self, kind: str, **fields: Any) -> None:
        """Number an event and hand it to everybody who listens."""
        self.seq += 1
        body = {"kind": kind, "seq": self.seq, **fields}
        event = Event(self.seq, json.dumps(body, separators=(",", ":")))
        self._kept.append(event)
        for queue in self._readers:
            if queue.qsize() >= BEHIND:
                _empty(queue)
                queue.put_nowait(None)
            else:
                queue.put_nowait(event)

    def after(self, seq: int) -> list[Event] | None:
        """The events after number ``seq``, oldest first; None where some of them are gone, or there never was one."""
        oldest = self._kept[0].seq if self._kept else self.seq + 1
        if not oldest - 1 <= seq <= self.seq:
            return None
        return [event for event in self._kept if event.seq > seq]

    @contextmanager
    def listen(self) -> Iterator[asyncio.Queue[Event | None]]:
        """A queue that gets every event from now on; None in it means: too far behind, start anew."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._readers.append(queue)
        try:
            yield queue
        finally:
            self._readers.remove(queue)

    def close(self) -> None:
        """Nothing more will come: every listener is told so with None."""
        for queue in self._readers:
            queue.put_nowait(None)


def _empty(queue: asyncio.Queue[Event | None]) -> None:
    while not queue.empty():
        queue.get_nowait()

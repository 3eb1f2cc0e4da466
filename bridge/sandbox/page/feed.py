"""The page's news: events with numbers, kept for a while, so that a page that was away can go on where it was."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

KEPT = 3_000
"""Events that are kept for pages that come back, or read slowly."""
KEPT_BYTES = 16 * 1024 * 1024
AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it goes out: ``text`` is its JSON."""

    seq: int
    text: str


class Feed:
    """Everything that happened, in order. ``seq`` is the number of the last event, ``readers`` how many follow.

    Nobody has a queue of their own: who reads too slowly to find what comes next among what is kept starts anew.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.readers = 0
        self.closed = False
        self._kept: deque[Event] = deque()
        self._bytes = 0
        self._bell = asyncio.Event()

    def tell(self, kind: str, **fields: Any) -> None:
        """Number an event and let everybody who waits have it."""
        self.seq += 1
        body = {"kind": kind, "seq": self.seq, **fields}
        event = Event(self.seq, json.dumps(body, separators=(",", ":")))
        self._kept.append(event)
        self._bytes += len(event.text)
        while len(self._kept) > KEPT or (self._bytes > KEPT_BYTES and len(self._kept) > 1):
            self._bytes -= len(self._kept.popleft().text)
        self._ring()

    def after(self, seq: int) -> list[Event] | None:
        """The next events after number ``seq``, oldest first, at most 50; None where they are gone, or there never was
        such a number.
        """
        oldest = self._kept[0].seq if self._kept else self.seq + 1
        if not oldest - 1 <= seq <= self.seq:
            return None
        begin = seq + 1 - oldest
        return list(islice(self._kept, begin, begin + AT_ONCE))

    async def news(self, seq: int) -> None:
        """Wait until there is more than number ``seq``, or nothing more will come."""
        while self.seq <= seq and not self.closed:
            await self._bell.wait()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Count a reader."""
        self.readers += 1
        try:
            yield
        finally:
            self.readers -= 1

    def close(self) -> None:
        """Nothing more will come."""
        self.closed = True
        self._ring()

    def _ring(self) -> None:
        self._bell.set()
        self._bell = asyncio.Event()

"""The sandbox hub's event log: ids, resume verdicts and the streams that read it. No HTTP here."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

MOST_EVENTS = 256
MOST_BYTES = 2 * 1024 * 1024
STREAM_BOUND = 10_000


@dataclass(slots=True, frozen=True)
class Logged:
    """One broadcast event as it goes over the wire: its id, the session it is about (if any), its JSON."""

    number: int
    id: str
    session: str | None
    text: str


@dataclass(slots=True, eq=False)
class Stream:
    """An open event stream: what it asked for, and what waits to be written. None in the queue ends it."""

    everything: bool
    session: str | None
    queue: asyncio.Queue[Logged | None] = field(default_factory=lambda: asyncio.Queue(STREAM_BOUND))

    def wants(self, event: Logged) -> bool:
        """Whether the event passes this stream's filter."""
        return self.everything or (self.session is not None and event.session == self.session)

    def end(self) -> None:
        """Tell the reader that nothing more comes, whatever still waits."""
        while not self.queue.empty():
            self.queue.get_nowait()
        self.queue.put_nowait(None)


class EventLog:
    """The events of one life of the hub. A restart is a new log: its ids are unknown to it, so resuming is a gap."""

    def __init__(self) -> None:
        self.life = secrets.token_hex(4)
        self.streams: set[Stream] = set()
        self._number = 0
        self._kept: deque[Logged] = deque()
        self._bytes = 0
        self._lost_until = 0

    def emit(self, event: Json) -> None:
        """Number an event and hand it to every stream that wants it. A stream 10,000 behind is ended."""
        self._number += 1
        text = json.dumps(event, separators=(",", ":"))
        identity = f"{self.life}:{self._number}:{secrets.token_hex(4)}"
        logged = Logged(self._number, identity, event.get("sessionId"), text)
        self._kept.append(logged)
        self._bytes += len(text)
        while len(self._kept) > MOST_EVENTS or self._bytes > MOST_BYTES:
            old = self._kept.popleft()
            self._bytes -= len(old.text)
            self._lost_until = old.number
        for stream in self.streams:
            if not stream.wants(logged):
                continue
            if stream.queue.full():
                stream.end()
            else:
                stream.queue.put_nowait(logged)

    def open(self, *, everything: bool, session: str | None, last_id: str | None) -> tuple[Stream, str]:
        """A stream and the verdict on its cursor, ``ok`` or ``gap``. Missed events are already in its queue."""
        stream = Stream(everything, session)
        after = self._resumable(last_id)
        if after is not None:
            for logged in self._kept:
                if logged.number > after and stream.wants(logged):
                    stream.queue.put_nowait(logged)
        self.streams.add(stream)
        return stream, "gap" if after is None else "ok"

    def close(self, stream: Stream) -> None:
        """Forget a stream whose reader is gone."""
        self.streams.discard(stream)

    def _resumable(self, last_id: str | None) -> int | None:
        """The number after which to go on, or None where the cursor says nothing or too little."""
        life, _, rest = (last_id or "").partition(":")
        number = rest.partition(":")[0]
        if life != self.life or not number.isdigit():
            return None
        after = int(number)
        return after if self._lost_until <= after <= self._number else None

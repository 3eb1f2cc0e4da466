"""The hub's event stream: connected again by itself, with a cursor that moves only when the caller says so.

Rules (hub contract, Events): any frame is a sign of life, 90 s of silence means reconnect; the first retry is
immediate, then 1, 2, 4 … 30 s, each with up to 500 ms more, after 8 failures 300 s; a frame without an id leaves the
cursor alone. Holds invariant 1 together with its caller: call ``acknowledge`` once the store has what an event led to.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

import httpx

from bridge.hub.auth import TokenSource
from bridge.hub.counts import HubCounts
from bridge.hub.errors import HubError
from bridge.hub.wire import Json


@dataclass(frozen=True, slots=True)
class StreamTiming:
    """All in seconds, except ``slow_after`` (failures in a row)."""

    connect_s: float = 10.0
    silence_s: float = 90.0
    backoff_first_s: float = 1.0
    backoff_most_s: float = 30.0
    jitter_s: float = 0.5
    slow_after: int = 8
    slow_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Connected:
    """The stream is open. ``gap``: events may have been missed, so fetch the sessions again, tail-sync every followed
    session and ask for the state of queued messages. ``ok``: every missed event follows."""

    resume: Literal["ok", "gap"]
    failures: int
    """Failed tries in a row before this one; 0 on the first connect."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The stream broke, or could not be opened. Comes once per failed try; ``failures`` is 1 on the first one."""

    error: HubError
    failures: int
    retry_in_s: float


@dataclass(frozen=True, slots=True)
class HubEvent:
    """One event. ``data`` is the whole event object (``data["data"]``, ``data["message"]``, … as the contract says)."""

    id: str | None
    type: str
    session_id: str | None
    data: Json


@dataclass(frozen=True, slots=True)
class Garbled:
    """A frame that could not be read (counted). What it said is lost: treat it like a gap, then acknowledge its id."""

    id: str | None


StreamItem = Connected | Disconnected | HubEvent | Garbled


class EventStream:
    """Listens to ``GET /api/events`` for all sessions, or for one."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        base_url: str,
        tokens: TokenSource,
        *,
        session_id: str | None = None,
        timing: StreamTiming | None = None,
        counts: HubCounts | None = None,
    ) -> None:
        raise NotImplementedError

    @property
    def cursor(self) -> str | None:
        """The id of the last acknowledged event: what the next reconnect resumes from."""
        raise NotImplementedError

    def acknowledge(self, event_id: str | None) -> None:
        """The event with this id is stored (``None``: nothing to move). Call in order."""
        raise NotImplementedError

    def hurry(self) -> None:
        """The hub was just seen alive elsewhere: end a waiting backoff now."""
        raise NotImplementedError

    def listen(self, cursor: str | None) -> AsyncIterator[StreamItem]:
        """Everything from the stored ``cursor`` on, for ever. Use with ``contextlib.aclosing``.

        Raises ``AccessTokenRejected`` and ``NotAHub`` (final); any other failure is a ``Disconnected`` item.
        """
        raise NotImplementedError

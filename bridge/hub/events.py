"""The hub's event stream: connected again by itself, with a cursor that moves only when the caller says so.

Rules (hub contract, Events): any frame is a sign of life, 90 s of silence means reconnect; the first retry is
immediate, then 1, 2, 4 … 30 s, each with up to 500 ms more, after 8 failures 300 s; a frame without an id leaves the
cursor alone. Holds invariant 1 together with its caller: call ``acknowledge`` once the store has what an event led to.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import Literal

import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError

from bridge.hub.auth import TokenSource
from bridge.hub.counts import HubCounts
from bridge.hub.errors import AccessTokenRejected, HubError, HubUnreachable, NotAHub, SignInRefused
from bridge.hub.wire import Json, Undecodable, decode
from bridge.language import N_

#: Event types of the contract. Others are counted and passed on; a listener does nothing but acknowledge them.
KNOWN_EVENTS = frozenset(
    {
        "session-added",
        "session-updated",
        "session-removed",
        "session-ended",
        "message-received",
        "messages-consumed",
        "messages-indeterminate",
        "messages-requeued",
        "message-cancelled",
        "messages-invalidated",
        "scheduled-matured",
        "machine-updated",
        "machine-agy-models-updated",
    }
)
_KEPT_HERE = frozenset({"heartbeat", "toast"})  # signs of life without an id; toasts go to visible clients only


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

    def backoff_s(self, failures: int) -> float:
        """How long to wait after that many failures in a row (≥ 1), before jitter."""
        if failures > self.slow_after:
            return self.slow_s
        return 0.0 if failures <= 1 else min(self.backoff_most_s, self.backoff_first_s * 2.0 ** (failures - 2))


@dataclass(frozen=True, slots=True)
class Connected:
    """The stream is open. ``gap``: events may have been missed, so fetch the sessions again, tail-sync every followed
    session and ask for the state of queued messages. ``ok``: every missed event follows."""

    resume: Literal["ok", "gap"]
    failures: int
    """Failed tries in a row before this one; 0 on the first connect."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The stream broke, or could not be opened. Comes once per failed try; ``failures`` is 1 on the first one.

    The first one alone need not be told: an immediate retry follows, which hides a restart of something in between.
    """

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
    """Listens to ``GET /api/events?all=true``, every event of the access token's namespace. One listener at a time.

    ``jitter`` gives a number from 0 to 1 (tests replace it).
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        base_url: str,
        tokens: TokenSource,
        *,
        timing: StreamTiming | None = None,
        counts: HubCounts | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._http = http
        self._url = f"{base_url.rstrip('/')}/api/events"
        self._tokens = tokens
        self._timing = timing or StreamTiming()
        self._counts = counts or HubCounts()
        self._jitter = jitter
        self._cursor: str | None = None
        self._hurry = asyncio.Event()

    @property
    def cursor(self) -> str | None:
        """The id of the last acknowledged event: what the next reconnect resumes from."""
        return self._cursor

    def acknowledge(self, event_id: str | None) -> None:
        """The event with this id is stored (``None``: nothing to move). Call in the order of the events."""
        if event_id is not None:
            self._cursor = event_id

    def hurry(self) -> None:
        """The hub was just seen alive elsewhere: end a waiting backoff now (but not before the first step of it)."""
        self._hurry.set()

    async def listen(self, cursor: str | None) -> AsyncGenerator[StreamItem, None]:
        """Everything from the stored ``cursor`` on, for ever. Use with ``contextlib.aclosing``.

        Raises ``AccessTokenRejected`` (final); any other failure is a ``Disconnected`` item and is tried again.
        """
        self._cursor = cursor
        failures = 0
        while True:
            try:
                async with AsyncExitStack() as stack:
                    async with asyncio.timeout(self._timing.connect_s):
                        frames = await self._open(stack)
                    greeted, last_id = False, None
                    while True:
                        frame = await self._next(frames)
                        item = self._read(frame, frame.id if frame.id != last_id else None, failures)
                        last_id = frame.id
                        if not greeted and not isinstance(item, Connected):
                            # Older hubs give no verdict, which counts as a gap.
                            yield self._connected("gap", failures)
                        greeted, failures = True, 0
                        if item is not None:
                            yield item
            except AccessTokenRejected:
                raise
            except (HubError, httpx.HTTPError, TimeoutError, OSError) as error:
                failures += 1
                self._counts.disconnects += 1
                wait_s = self._timing.backoff_s(failures) + self._jitter() * self._timing.jitter_s
                yield Disconnected(_in_words(error), failures, wait_s)
            await self._pause(wait_s)

    async def _open(self, stack: AsyncExitStack) -> AsyncGenerator[ServerSentEvent, None]:
        jwt = await self._tokens.token()
        response = await self._request(stack, jwt)
        if response.status_code == 401:
            # An open stream outlives its JWT, but can't be opened again with it.
            response = await self._request(stack, await self._tokens.renew(jwt))
        if response.status_code == 401:
            raise SignInRefused(N_("The hub refuses the sign-in it has just given out."), status=401)
        if response.status_code != 200:
            raise HubUnreachable(N_("The hub does not open its event stream."), status=response.status_code)
        return await stack.enter_async_context(aclosing(EventSource(response).aiter_sse()))

    async def _request(self, stack: AsyncExitStack, jwt: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {jwt}", "Accept": "text/event-stream", "Cache-Control": "no-store"}
        if self._cursor is not None and self._cursor.isascii() and self._cursor.isprintable():
            headers["Last-Event-ID"] = self._cursor
        # Reading has no limit here: the watchdog is the limit. ``visibility`` stays hidden, else the hub would keep
        # its own push notifications back.
        timeout = httpx.Timeout(self._timing.connect_s, read=None)
        return await stack.enter_async_context(
            self._http.stream("GET", self._url, params={"all": "true"}, headers=headers, timeout=timeout)
        )

    async def _next(self, frames: AsyncIterator[ServerSentEvent]) -> ServerSentEvent:
        """The next frame; ``HubUnreachable`` after too long a silence, or at the end (there is no proper one)."""
        try:
            async with asyncio.timeout(self._timing.silence_s):
                return await anext(frames)
        except TimeoutError as error:
            raise HubUnreachable(
                N_("The hub said nothing for {seconds} s."), seconds=f"{self._timing.silence_s:g}"
            ) from error
        except StopAsyncIteration as error:
            raise HubUnreachable(N_("The hub closed the event stream.")) from error

    def _read(self, frame: ServerSentEvent, event_id: str | None, failures: int) -> StreamItem | None:
        """What a frame says, ``None`` if nothing. ``event_id``: ``None`` if the frame brought no id of its own."""
        event_id = event_id or None
        if not frame.data:
            return None
        try:
            event = decode(frame.data, self._counts)
        except Undecodable:
            event = None
        kind = event.get("type") if isinstance(event, dict) else None
        if not isinstance(event, dict) or not isinstance(kind, str):
            self._counts.undecodable_frames += 1
            return Garbled(event_id)
        if kind in _KEPT_HERE:
            return None
        if kind == "connection-changed":
            said = event.get("data")
            return self._connected("ok" if isinstance(said, dict) and said.get("resume") == "ok" else "gap", failures)
        self._counts.events += 1
        if kind not in KNOWN_EVENTS:
            self._counts.unknown_event(kind)
        session_id = event.get("sessionId")
        return HubEvent(event_id, kind, session_id if isinstance(session_id, str) else None, event)

    def _connected(self, resume: Literal["ok", "gap"], failures: int) -> Connected:
        self._counts.connects += 1
        if resume == "ok":
            self._counts.resumed += 1
        else:
            self._counts.gaps += 1
        return Connected(resume, failures)

    async def _pause(self, wait_s: float) -> None:
        first = min(wait_s, self._timing.backoff_first_s)
        await asyncio.sleep(first)
        self._hurry.clear()
        try:
            async with asyncio.timeout(wait_s - first):
                await self._hurry.wait()
        except TimeoutError:
            return


def _in_words(error: Exception) -> HubError:
    if isinstance(error, HubError):
        return error
    if isinstance(error, SSEError):
        return NotAHub(
            N_("Something answers in place of the hub, without an event stream."), detail=type(error).__name__
        )
    return HubUnreachable(N_("The hub can't be reached."), detail=type(error).__name__)

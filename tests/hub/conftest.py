"""A small hub that misbehaves to order, on loopback, and the bridge's hub side connected to it."""

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web
from hypothesis import settings

from bridge.hub.auth import TokenSource
from bridge.hub.caller import HubCaller, RestTiming
from bridge.hub.counts import HubCounts
from bridge.hub.events import EventStream, StreamTiming
from bridge.hub.rest import HubApi

# Loaded machines are slow; what a test may take is the business of pytest-timeout.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

ACCESS_TOKEN = "an-access-token-of-the-tests"
CONFORMANCE = Path(__file__).resolve().parents[3] / "shared" / "conformance"

OVER = web.AppKey("over", asyncio.Event)
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def jwt(number: int, life_s: float = 14_400, begin: float | None = None) -> str:
    """A token shaped like the hub's, ``number`` telling it apart."""
    begin = time.time() if begin is None else begin
    claims = json.dumps({"uid": number, "ns": "default", "iat": begin, "exp": begin + life_s}).encode()
    return f"head.{base64.urlsafe_b64encode(claims).decode().rstrip('=')}.sign{number}"


class FaultyHub:
    """Answers ``/api/auth`` itself; all else as the test says in ``answers`` (in turn, the last one for ever)."""

    def __init__(self) -> None:
        self.url = ""
        self.exchanges = 0
        self.good: set[str] = set()
        self.jwt_life_s = 14_400.0
        self.auth: Answer | None = None
        self.answers: dict[str, list[Answer]] = {}
        self.seen: list[web.Request] = []
        self.bodies: list[Any] = []

    def on(self, path: str, *answers: Answer) -> None:
        """What requests to this path get, one after the other."""
        self.answers[path] = list(answers)

    def seen_at(self, path: str) -> list[web.Request]:
        """The requests to a path so far."""
        return [request for request in self.seen if request.path == path]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Every request comes here."""
        self.seen.append(request)
        body = await request.read()
        self.bodies.append(json.loads(body) if body else None)
        if request.path == "/api/auth":
            self.exchanges += 1
            if self.auth is not None:
                return await self.auth(request)
            token = jwt(self.exchanges, self.jwt_life_s)
            self.good.add(token)
            return web.json_response({"token": token, "user": {"id": 1}})
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if request.path.startswith("/api/") and bearer not in self.good:
            return web.json_response({"error": "Invalid token"}, status=401)
        queue = self.answers.get(request.path) or [reply({"error": "no such thing"}, 404)]
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        return await answer(request)


def reply(body: Any, status: int = 200, **headers: str) -> Answer:
    """Answer with JSON."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response(body, status=status, headers=headers)

    return answer


def plain(text: str, status: int) -> Answer:
    """Answer with plain text."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status)

    return answer


async def hang_up(request: web.Request) -> web.StreamResponse:
    """Break the connection instead of answering."""
    if request.transport is not None:
        request.transport.abort()
    return await mute(request)


async def mute(request: web.Request) -> web.StreamResponse:
    """Never answer (until the test is over)."""
    await request.app[OVER].wait()
    return web.Response()


def frame(event: Any, event_id: str | None = None) -> bytes:
    """One server-sent event; a string goes out raw."""
    data = event if isinstance(event, str) else json.dumps(event)
    return (f"id: {event_id}\n" if event_id else "").encode() + f"data: {data}\n\n".encode()


def greeting(resume: str | None = "ok") -> bytes:
    """The hub's first frame."""
    data = {"status": "connected", "subscriptionId": "s"} | ({"resume": resume} if resume else {})
    return frame({"type": "connection-changed", "data": data})


def stream(*frames: bytes, then: str = "stay") -> Answer:
    """An event stream with these frames, after which it stays open (``stay``), ends (``end``) or breaks (``break``)."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for each in frames:
            await response.write(each)
        if then == "stay":
            await request.app[OVER].wait()
        elif then == "break" and request.transport is not None:
            await asyncio.sleep(0.02)  # let the frames out first
            request.transport.abort()
        return response

    return answer


@pytest.fixture
async def faulty() -> AsyncIterator[FaultyHub]:
    """The misbehaving hub."""
    hub = FaultyHub()
    app = web.Application(client_max_size=2**26)
    app[OVER] = asyncio.Event()
    app.router.add_route("*", "/{tail:.*}", hub.handle)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    hub.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield hub
    app[OVER].set()
    await runner.cleanup()


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """The shared HTTP client."""
    async with httpx.AsyncClient() as client:
        yield client


@pytest.fixture
def counts() -> HubCounts:
    """What the parts under test count."""
    return HubCounts()


@pytest.fixture
def tokens(faulty: FaultyHub, http: httpx.AsyncClient, counts: HubCounts) -> TokenSource:
    """Signs in to the misbehaving hub."""
    return TokenSource(http, faulty.url, ACCESS_TOKEN, counts=counts)


@pytest.fixture
def api(faulty: FaultyHub, http: httpx.AsyncClient, tokens: TokenSource, counts: HubCounts) -> HubApi:
    """Calls the misbehaving hub, with quick retries."""
    timing = RestTiming(wait_initial_s=0.01, wait_max_s=0.02, wait_jitter_s=0)
    return HubApi(HubCaller(http, faulty.url, tokens, timing=timing, counts=counts))


@pytest.fixture
def hasty(faulty: FaultyHub, http: httpx.AsyncClient, tokens: TokenSource) -> HubApi:
    """As ``api``, but gives up on an answer after 0.3 s."""
    return HubApi(HubCaller(http, faulty.url, tokens, timing=RestTiming(timeout_s=0.3, attempts=1)))


@pytest.fixture
def quick(faulty: FaultyHub, http: httpx.AsyncClient, tokens: TokenSource, counts: HubCounts) -> EventStream:
    """Listens to the misbehaving hub, with short waits."""
    timing = StreamTiming(
        connect_s=2, silence_s=1.5, backoff_first_s=0.02, backoff_most_s=0.05, jitter_s=0.0, slow_s=0.1
    )
    return EventStream(http, faulty.url, tokens, timing=timing, counts=counts)


def deep_page(levels: int) -> str:
    """A page of three messages, the middle one nested that deep."""
    nested = '{"a":' * levels + "1" + "}" * levels
    messages = '{"id":"before","seq":1},{"id":"deep","seq":2,"content":' + nested + '},{"id":"after","seq":3}'
    return '{"messages":[' + messages + '],"page":{"direction":"latest","epoch":0}}'

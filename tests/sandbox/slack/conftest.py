"""The strict Slack server with slack_sdk and slack-bolt pointed at it, and one person with a DM and a channel."""

import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, SlackServer, User

SCHEMA = Path(__file__).resolve().parents[3] / "fixtures" / "schemas" / "slack-blocks.json"


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 1_796_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class Recorder:
    """slack-bolt with one middleware, which keeps whatever comes and acknowledges it with what was ordered."""

    def __init__(self, client: AsyncWebClient, signing_secret: str) -> None:
        logger = logging.getLogger("recorder")
        logger.setLevel(logging.CRITICAL)
        self.bolt = AsyncApp(
            client=client, signing_secret=signing_secret, ignoring_self_events_enabled=False, logger=logger
        )
        self.bolt.use(self._keep)
        self.bodies: list[dict[str, Any]] = []
        self.retries: list[tuple[str, str]] = []
        self.answer: Any = ""
        self.status = 200

    @property
    def events(self) -> list[dict[str, Any]]:
        """The inner events that came, in order."""
        return [body["event"] for body in self.bodies if "event" in body]

    def event(self, kind: str, subtype: str | None = None) -> dict[str, Any] | None:
        """The newest event of this type and subtype."""
        found = [e for e in self.events if e["type"] == kind and e.get("subtype") == subtype]
        return found[-1] if found else None

    async def _keep(self, req: AsyncBoltRequest) -> BoltResponse:
        self.bodies.append(dict(req.body))
        num, reason = (req.headers.get(f"x-slack-retry-{name}", [""])[0] for name in ("num", "reason"))
        self.retries.append((num, reason))
        return BoltResponse(status=self.status, body=self.answer)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[SlackServer]:
    async with SlackServer(schema=SCHEMA, clock=clock, ack_seconds=3.0, retry_delays=(0.0, 0.05, 0.05)) as running:
        yield running


@pytest.fixture
def make_client() -> Callable[..., AsyncWebClient]:
    """slack_sdk as the bridge uses it, without its own retries; ``timeout`` in seconds."""

    def make(server: SlackServer, token: str | None = None, timeout: int = 5) -> AsyncWebClient:
        return AsyncWebClient(token or server.bot_token, base_url=server.base_url, timeout=timeout, retry_handlers=[])

    return make


@pytest.fixture
def client(server: SlackServer, make_client: Callable[..., AsyncWebClient]) -> AsyncWebClient:
    return make_client(server)


@pytest.fixture
def recorder(client: AsyncWebClient, server: SlackServer) -> Recorder:
    """An app that is not connected yet."""
    return Recorder(client, server.signing_secret)


@pytest.fixture
async def app(recorder: Recorder, server: SlackServer) -> AsyncIterator[Recorder]:
    """The app in Socket Mode."""
    handler = AsyncSocketModeHandler(recorder.bolt, server.app_token, ping_interval=0.1)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    await server.wait_for(lambda: server.sockets.open, what="the socket")
    yield recorder
    await handler.close_async()  # type: ignore[no-untyped-call]


@pytest.fixture
async def web_app(recorder: Recorder, server: SlackServer) -> AsyncIterator[Recorder]:
    """The app in HTTP mode."""
    async with TestServer(recorder.bolt.web_app(path="/slack/events")) as running:
        await server.use_http(str(running.make_url("/slack/events")))
        yield recorder


@pytest.fixture
def ada(server: SlackServer) -> User:
    return server.add_user("ada", owner=True)


@pytest.fixture
def dm(server: SlackServer, ada: User) -> Channel:
    return server.dm(ada)


@pytest.fixture
def channel(server: SlackServer, ada: User) -> Channel:
    """A public channel with Ada and the bot."""
    return server.add_channel("work", ada)

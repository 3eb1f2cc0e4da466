"""A strict Slack server that checks every call against the schema, and the surface talking to it through slack-bolt."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bridge.cards.model import File
from bridge.chat.intents import Intent
from bridge.chat.slack.client import Timeouts
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import Part, Place, RawUpdate
from bridge.sandbox.slack import Channel, SlackServer, User

BOT_TOKEN = "xoxb-1234567890-S3cretPartOfTheBotToken"
APP_TOKEN = "xapp-1-A0SANDBOX-S3cretPartOfTheAppToken"
SIGNING_SECRET = "s3cretsigningsecret0123456789abcdef"
COMMANDS = ("stop", "status", "sessions", "help")
SCHEMA = Path(__file__).resolve().parents[3] / "fixtures" / "schemas" / "slack-blocks.json"
QUICK = Timeouts(connect_s=2.0, call_s=2.0, upload_s=5.0, hello_s=2.0, seek_s=3.0)


class Store:
    """What the core does with batches, without a database: keeps them, each id once, and counts repetitions."""

    def __init__(self, surface: SlackSurface) -> None:
        self.surface = surface
        self.rows: dict[str, RawUpdate] = {}
        self.repeated: list[str] = []
        self.hold = asyncio.Event()
        """Clear: a batch is being stored, and takes its time."""
        self.hold.set()
        self.patience_s = 5.0
        self._bell = asyncio.Event()

    @property
    def intents(self) -> list[Intent]:
        """What was understood of all that came, in order."""
        return [intent for row in self.rows.values() if (intent := self.surface.intent(row)) is not None]

    async def run(self) -> None:
        async for batch in self.surface.updates():
            await self.hold.wait()
            for update in batch:
                if update.id in self.rows:
                    self.repeated.append(update.id)
                self.rows.setdefault(update.id, update)
            self._bell.set()

    async def until(self, count: int) -> list[Intent]:
        """Wait until this many updates are stored; what they mean."""
        async with asyncio.timeout(self.patience_s):
            while len(self.rows) < count:
                self._bell.clear()
                await self._bell.wait()
        return self.intents


@pytest.fixture
def secrets() -> list[str]:
    return [BOT_TOKEN, APP_TOKEN, SIGNING_SECRET]


@pytest.fixture
def quick() -> Timeouts:
    return QUICK


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(
        bot_token=BOT_TOKEN,
        app_token=APP_TOKEN,
        signing_secret=SIGNING_SECRET,
        schema=SCHEMA,
        retry_delays=(0.0, 0.05, 0.05),
    ) as running:
        yield running


@pytest.fixture
def make(server: SlackServer) -> Callable[..., SlackSurface]:
    """A surface for the server, in Socket Mode unless told otherwise; not open yet."""

    def build(**more: Any) -> SlackSurface:
        given: dict[str, Any] = {
            "app_token": APP_TOKEN,
            "commands": {name: re.compile("") for name in ("stop", "status", "sessions", "help")},
            "timeouts": QUICK,
        } | more
        return SlackSurface(BOT_TOKEN, server.base_url, **given)

    return build


@pytest.fixture
async def surface(make: Callable[..., SlackSurface]) -> AsyncIterator[SlackSurface]:
    async with make() as opened:
        yield opened


@pytest.fixture
def storing() -> Callable[[SlackSurface], Any]:
    """A store that takes the surface's batches while the block runs."""

    @asynccontextmanager
    async def running(surface: SlackSurface) -> AsyncIterator[Store]:
        store = Store(surface)
        task = asyncio.create_task(store.run())
        try:
            yield store
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    return running


@pytest.fixture
async def store(surface: SlackSurface, server: SlackServer, storing: Callable[..., Any]) -> AsyncIterator[Store]:
    """The core at work on the connected surface."""
    async with storing(surface) as running:
        await server.wait_for(lambda: server.sockets.open, what="the socket")
        yield running


@pytest.fixture
async def http_store(
    make: Callable[..., SlackSurface], server: SlackServer, storing: Callable[..., Any]
) -> AsyncIterator[Store]:
    """The same in HTTP mode."""
    async with make(app_token=None, signing_secret=SIGNING_SECRET) as surface, storing(surface) as running:
        site = web.Application()
        site.add_routes(surface.routes())
        async with TestServer(site) as listening:
            await server.use_http(str(listening.make_url("/slack/events")))
            yield running


@pytest.fixture
def ada(server: SlackServer) -> User:
    return server.add_user("ada", owner=True)


@pytest.fixture
def dm(server: SlackServer, ada: User) -> Channel:
    return server.dm(ada)


@pytest.fixture
def channel(server: SlackServer, ada: User) -> Channel:
    return server.add_channel("work", ada)


@pytest.fixture
def home(ada: User) -> Place:
    return Place(conversation=1, chat=ada.id)


@pytest.fixture
def text() -> Callable[..., Part]:
    def part(words: str = "hello", **payload: Any) -> Part:
        block = {"type": "section", "text": {"type": "plain_text", "text": words}}
        return Part("text", {"text": words, "blocks": [block], "attachments": [], **payload})

    return part


@pytest.fixture
def button() -> Callable[..., Part]:
    def part(label: str = "Allow", token: str = "abc", **more: Any) -> Part:
        element = {"type": "button", "text": {"type": "plain_text", "text": label}, "action_id": token, **more}
        return Part("text", {"text": label, "blocks": [{"type": "actions", "elements": [element]}]})

    return part


@pytest.fixture
def file() -> Callable[..., Part]:
    def part(name: str = "answer.md", content: str = "# Größe\n", **payload: Any) -> Part:
        return Part("file", payload, File(name=name, text=content))

    return part

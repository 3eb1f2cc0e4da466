"""A strict Telegram server that checks every call against the published schemas, and the surface talking to it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bridge.cards.model import File
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.client import Timeouts
from bridge.chat.telegram.surface import TelegramSurface
from bridge.sandbox.telegram import Chat, TelegramServer, User

TOKEN = "123456789:AAHkV3ryS3cretPartOfTheBotToken_0-9"
SCHEMA = Path(__file__).resolve().parents[3] / "fixtures" / "schemas" / "telegram-methods.json"
QUICK = Timeouts(poll_s=1)


@pytest.fixture
def token() -> str:
    return TOKEN


@pytest.fixture
def quick() -> Timeouts:
    return QUICK


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(token=TOKEN, schema=SCHEMA) as running:
        yield running


@pytest.fixture
async def surface(server: TelegramServer) -> AsyncIterator[TelegramSurface]:
    async with TelegramSurface(TOKEN, server.base_url, timeouts=QUICK) as opened:
        yield opened


@pytest.fixture
def owner(server: TelegramServer) -> User:
    return server.add_user(4711, "Ada")


@pytest.fixture
def chat(server: TelegramServer, owner: User) -> Chat:
    return server.private_chat(owner)


@pytest.fixture
def place(chat: Chat) -> Place:
    return Place(conversation=1, chat=str(chat.id))


@pytest.fixture
def text() -> Callable[..., Part]:
    def part(words: str = "hello", **payload: Any) -> Part:
        return Part("text", {"text": words, "link_preview_options": {"is_disabled": True}, **payload})

    return part


@pytest.fixture
def file() -> Callable[..., Part]:
    def part(name: str = "answer.md", content: str = "# Größe\n", **payload: Any) -> Part:
        return Part("file", payload, File(name=name, text=content))

    return part


@pytest.fixture
def answering() -> Callable[..., Any]:
    """Something at the address that is not quite a Bot API server: every request gets this answer."""

    @asynccontextmanager
    async def running(status: int, body: str = "", content_type: str = "application/json") -> AsyncIterator[str]:
        async def answer(request: web.Request) -> web.Response:
            await request.read()
            return web.Response(status=status, text=body, content_type=content_type)

        app = web.Application()
        app.router.add_route("*", "/{tail:.*}", answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            host, port = runner.addresses[0][:2]
            yield f"http://{host}:{port}"
        finally:
            await runner.cleanup()

    return running

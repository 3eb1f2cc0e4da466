"""The strict Telegram server with python-telegram-bot pointed at it, and one person with a private chat."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import telegram
from telegram.request import HTTPXRequest

from bridge.sandbox.telegram import Chat, TelegramServer, User

SCHEMA = Path(__file__).resolve().parents[3] / "fixtures" / "schemas" / "telegram-methods.json"
ADA = 7


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 1_796_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def waits_as_timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it python-telegram-bot warns in the middle of raising RetryAfter."""
    monkeypatch.setenv("PTB_TIMEDELTA", "true")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[TelegramServer]:
    async with TelegramServer(schema=SCHEMA, clock=clock) as running:
        yield running


@pytest.fixture
def make_bot(server: TelegramServer) -> Callable[..., telegram.Bot]:
    """python-telegram-bot as the bridge uses it; ``read_timeout`` in seconds."""

    def make(token: str = server.token, read_timeout: float = 5.0) -> telegram.Bot:
        return telegram.Bot(
            token,
            base_url=f"{server.base_url}/bot",
            base_file_url=f"{server.base_url}/file/bot",
            request=HTTPXRequest(read_timeout=read_timeout),
            get_updates_request=HTTPXRequest(read_timeout=read_timeout),
        )

    return make


@pytest.fixture
async def bot(make_bot: Callable[..., telegram.Bot]) -> AsyncIterator[telegram.Bot]:
    async with make_bot() as ready:
        yield ready


@pytest.fixture
def ada(server: TelegramServer) -> User:
    return server.add_user(ADA, "Ada", username="ada")


@pytest.fixture
def chat(server: TelegramServer, ada: User) -> Chat:
    """Ada's private chat, with topics."""
    return server.private_chat(ada)

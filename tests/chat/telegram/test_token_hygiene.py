"""Invariant 7: the bot token, which is part of every URL, shows in no log record, error or exception chain."""

import logging
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bridge.chat.errors import SurfaceError
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.client import Timeouts
from bridge.chat.telegram.surface import TelegramSurface
from bridge.sandbox.telegram import Chat, TelegramServer

Make = Callable[..., Part]
Order = Callable[[TelegramServer], Any]


class Everything(logging.Handler):
    """Keeps what any handler could write of a record: message, arguments, trace, attributes."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name} {record.getMessage()} {record.__dict__!r}")
        if record.exc_info:
            self.lines.append("".join(traceback.format_exception(*record.exc_info)))


@pytest.fixture
def log() -> Iterator[list[str]]:
    """All that is logged at the finest level, by whatever library."""
    handler, root = Everything(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler.lines
    root.removeHandler(handler)
    root.setLevel(level)


def chain(error: BaseException | None) -> Iterator[str]:
    """All that an exception says or holds, with its causes and contexts, suppressed ones too."""
    while error is not None:
        yield f"{error!s} {error!r} {error.args!r} {vars(error)!r}"
        request = getattr(error, "_request", None)
        yield "" if request is None else str(request.url)
        error = error.__cause__ or error.__context__


def leaks(token: str, texts: list[str]) -> list[str]:
    secret = token.partition(":")[2]
    return [text for text in texts if secret in text]


@pytest.mark.parametrize(
    "order",
    [
        lambda server: server.faults.flood(),
        lambda server: server.faults.error(code=500),
        lambda server: server.faults.error(code=502),
        lambda server: server.faults.error(code=418),
        lambda server: server.faults.lose_answer(),
        lambda server: server.faults.drop(),
        lambda server: server.block(server.users[4711]),
        lambda server: server.chats.clear(),
        lambda server: setattr(server, "token", "1:other"),
    ],
)
async def test_no_failure_of_a_send_shows_the_token(
    log: list[str], server: TelegramServer, surface: TelegramSurface, token: str, chat: Chat, text: Make, order: Order
) -> None:
    order(server)
    with pytest.raises(SurfaceError) as caught:
        await surface.send(Place(1, str(chat.id)), text(), ring=True, key="k", index=0)
    assert leaks(token, list(chain(caught.value))) == []
    assert caught.value.__context__ is None
    assert log
    assert leaks(token, log) == []


@pytest.mark.parametrize("limits", [Timeouts(read_s=0.3), Timeouts(call_s=0.3)])
async def test_no_call_given_up_shows_the_token(
    log: list[str], server: TelegramServer, token: str, limits: Timeouts, place: Place, text: Make
) -> None:
    server.faults.delay(seconds=30)
    async with TelegramSurface(token, server.base_url, timeouts=limits) as surface:
        with pytest.raises(SurfaceError) as caught:
            await surface.send(place, text(), ring=True, key="k", index=0)
    assert leaks(token, list(chain(caught.value))) == []
    assert leaks(token, log) == []


@pytest.mark.parametrize(
    "order",
    [
        lambda server: server.faults.error("getUpdates", code=502),
        lambda server: server.faults.lose_answer("getUpdates"),
        lambda server: server.faults.flood("getUpdates"),
        lambda server: setattr(server.updates, "another_poller", True),
        lambda server: setattr(server, "token", "1:other"),
    ],
)
async def test_no_failure_of_the_poll_shows_the_token(
    log: list[str], server: TelegramServer, surface: TelegramSurface, token: str, order: Order
) -> None:
    order(server)
    with pytest.raises(SurfaceError) as caught:
        await anext(aiter(surface.updates()))
    assert leaks(token, list(chain(caught.value))) == []
    assert leaks(token, log) == []


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, "<html>{token}</html>"), (404, "{token}"), (400, '{{"ok": false, "description": "no {token} here"}}')],
)
async def test_a_server_that_says_the_token_is_not_repeated(
    log: list[str], answering: Callable[..., Any], token: str, place: Place, text: Make, status: int, body: str
) -> None:
    async with answering(status, body.format(token=token)) as address, TelegramSurface(token, address) as surface:
        with pytest.raises(SurfaceError) as caught:
            await surface.send(place, text(), ring=True, key="k", index=0)
    assert leaks(token, list(chain(caught.value))) == []
    assert leaks(token, log) == []


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://no.such.host.invalid"])
async def test_an_address_that_leads_nowhere_shows_no_token(
    log: list[str], token: str, quick: Timeouts, place: Place, text: Make, address: str
) -> None:
    surface = TelegramSurface(token, address, timeouts=quick)
    async with surface:
        with pytest.raises(SurfaceError) as caught:
            await surface.send(place, text(), ring=True, key="k", index=0)
    assert leaks(token, list(chain(caught.value))) == []
    assert leaks(token, [*log, repr(surface), str(surface)]) == []


async def test_success_shows_no_token_either_and_says_what_it_is_about(
    log: list[str], server: TelegramServer, token: str, quick: Timeouts, place: Place, chat: Chat, text: Make
) -> None:
    async with TelegramSurface(token, server.base_url, timeouts=quick) as surface:
        await surface.send(place, text("spoken"), ring=True, key="k", index=0)
    assert [line for line in log if "telegram.Bot" in line and "/bot<bot token>" in line]
    assert not [line for line in log if line.startswith("httpx ")]
    assert leaks(token, log) == []


async def test_other_users_of_the_http_library_keep_their_log(
    log: list[str], token: str, server: TelegramServer
) -> None:
    async with TelegramSurface(token, server.base_url):
        logging.getLogger("httpx").info("HTTP Request: GET http://hub/api")
    assert [line for line in log if "http://hub/api" in line]


async def test_a_trace_with_the_token_in_it_is_logged_without(
    log: list[str], token: str, server: TelegramServer
) -> None:
    async with TelegramSurface(token, server.base_url):
        try:
            raise ValueError(f"http://x/bot{token}/getMe")
        except ValueError:
            logging.getLogger("telegram.request.BaseRequest").exception("oh")
    assert leaks(token, log) == []
    assert [line for line in log if "ValueError: http://x/bot<bot token>/getMe" in line]


async def test_what_a_closed_surface_leaves_behind_is_no_filter(token: str, server: TelegramServer) -> None:
    before = list(logging.getLogger("httpx").filters)
    async with TelegramSurface(token, server.base_url):
        assert len(logging.getLogger("httpx").filters) == len(before) + 1
    assert logging.getLogger("httpx").filters == before


async def test_calls_raise_no_warnings(server: TelegramServer, token: str, quick: Timeouts, place: Place) -> None:
    """The library warns of methods it knows and of seconds as numbers; neither may reach a user's terminal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        async with TelegramSurface(token, server.base_url, timeouts=quick) as surface:
            await surface.check()
            server.faults.flood("getMe")
            with pytest.raises(SurfaceError):
                await surface.check()
    assert [str(warning.message) for warning in caught if "telegram" in warning.filename] == []

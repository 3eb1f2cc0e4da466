"""Invariant 7: tokens, the signing secret and single-use addresses show in no log record, error or exception chain."""

import asyncio
import logging
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bridge.chat.errors import SurfaceError
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import Part, Place
from bridge.sandbox.slack import Channel, SlackServer, User

Make = Callable[..., Part]


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
        error = error.__cause__ or error.__context__


def leaks(secrets: list[str], texts: list[str]) -> list[str]:
    forms = [*secrets, "ticket-", "/upload/v1/", "/actions/"]
    return [text for text in texts if any(form in text for form in forms)]


@pytest.mark.parametrize(
    "order",
    [
        lambda server: server.faults.flood(),
        lambda server: server.faults.error(code=500),
        lambda server: server.faults.error(code=503),
        lambda server: server.faults.lose_answer(),
        lambda server: server.faults.drop(),
        lambda server: server.revoke_token(),
        lambda server: server.scopes.clear(),
        lambda server: setattr(server, "bot_token", "xoxb-other"),
    ],
)
async def test_no_failure_of_a_send_shows_a_secret(
    log: list[str],
    server: SlackServer,
    surface: SlackSurface,
    secrets: list[str],
    home: Place,
    text: Make,
    order: Any,
) -> None:
    order(server)
    with pytest.raises(SurfaceError) as caught:
        await surface.send(home, text(), ring=True, key="k", index=0)
    assert leaks(secrets, list(chain(caught.value))) == []
    assert caught.value.__context__ is None
    assert leaks(secrets, log) == []


async def test_a_server_that_is_not_there_leaves_no_trace(log: list[str], secrets: list[str]) -> None:
    async with SlackSurface(secrets[0], "http://127.0.0.1:9/api/", app_token=secrets[1]) as surface:
        for call in (surface.check(), anext(aiter(surface.updates()))):
            with pytest.raises(SurfaceError) as caught:
                await call
            assert leaks(secrets, list(chain(caught.value))) == []
    assert leaks(secrets, log) == []


async def test_an_upload_that_fails_does_not_show_its_address(
    log: list[str], server: SlackServer, secrets: list[str]
) -> None:
    async with SlackClient(secrets[0], server.base_url) as client:
        for url in (f"{server.origin}/upload/v1/F404", "http://127.0.0.1:9/upload/v1/F1"):
            with pytest.raises(SurfaceError) as caught:
                await client.upload(url, b"x")
            assert leaks(secrets, list(chain(caught.value))) == []
    assert leaks(secrets, log) == []


async def test_a_socket_that_fails_does_not_show_its_address(server: SlackServer, secrets: list[str]) -> None:
    async with SlackClient(secrets[0], server.base_url) as client:
        for url in (f"{server.origin.replace('http', 'ws')}/link/?ticket=ticket-none", "ws://127.0.0.1:9/?ticket-1"):
            with pytest.raises(SurfaceError) as caught:
                await client.websocket(url)
            assert leaks(secrets, list(chain(caught.value))) == []


async def test_a_day_of_work_logs_no_secret(
    log: list[str], store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, home: Place,
    secrets: list[str], button: Make, file: Make,
) -> None:  # fmt: skip
    ts = await surface.send(home, button(), ring=True, key="k", index=0)
    await surface.send(home, file(), ring=False, key="f", index=0)
    server.press(dm.message(ts), "Allow", ada)  # type: ignore[arg-type]
    server.say(dm, ada, "hello")
    await store.until(2)
    await server.sockets.disconnect("refresh_requested")
    await server.wait_for(lambda: server.sockets.open, what="the next socket")
    await asyncio.sleep(0.05)
    server.sockets.cut()
    assert leaks(secrets, log) == []
    assert leaks(secrets, [repr(row.payload) for row in store.rows.values()]) == []


async def test_forged_requests_do_not_bring_their_words_into_the_log(
    log: list[str], http_store: Any, server: SlackServer, secrets: list[str]
) -> None:
    await server.send_forged("events_api", {"type": "event_callback", "text": "forged words"}, signature="v0=no")
    assert not any("forged words" in line for line in log if not line.startswith("aiohttp"))
    assert leaks(secrets, log) == []

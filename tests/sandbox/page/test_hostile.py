"""What no page of ours would send: refused in words, bounded, and without a word in the log."""

import asyncio
import json
import logging

import httpx
import pytest

from bridge.sandbox.page import server
from tests.sandbox.page.conftest import Json, Visit


async def _raw(visit: Visit, head: str, body: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A request as it is, by somebody who has the key; httpx would mend it."""
    host, _, port = visit.base.partition("//")[2].partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    cookies = "; ".join(f"{name}={value}" for name, value in visit.client.cookies.items())
    first, _, rest = head.partition("\r\n")
    lines = f"{first}\r\nHost: {host}:{port}\r\nCookie: {cookies}\r\n{rest}\r\n"
    writer.write(lines.encode("latin-1") + body)
    await writer.drain()
    return reader, writer


async def _status(visit: Visit, head: str, body: bytes = b"") -> int:
    reader, writer = await _raw(visit, head, body)
    async with asyncio.timeout(5):
        line = await reader.readline()
    writer.close()
    return int(line.split()[1])


@pytest.mark.parametrize(
    "path", ["/static/a%00.js", f"/static/{'a' * 5000}.js", f"/static/js/{'b' * 300}.js", "/static/%ff.js"]
)
async def test_names_that_no_file_can_have_are_not_found(visit: Visit, path: str) -> None:
    assert await _status(visit, f"GET {path} HTTP/1.1\r\n") == 404


@pytest.mark.parametrize("given", ["9" * 5000, "-1", "1e3", "\xb2", "{}", "0x10"])
async def test_a_number_that_no_event_has_means_to_begin_anew(visit: Visit, given: str) -> None:
    reader, writer = await _raw(visit, f"GET /api/events HTTP/1.1\r\nLast-Event-ID: {given}\r\n")
    async with asyncio.timeout(5):
        assert b'"kind":"reload"' in await reader.readuntil(b'reload"}')
    writer.close()


async def test_a_body_that_is_packed_wrong_is_refused(visit: Visit) -> None:
    headers = "Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n"
    assert await _status(visit, f"POST /api/fault HTTP/1.1\r\n{headers}", b"abc") == 400


async def test_half_a_character_reaches_no_chat(visit: Visit) -> None:
    """Telegram and Slack have whole ones only, and the bridge could not even store it."""
    for body in ({"chat": visit.stage.chat.id, "text": "\ud800"}, {"chat": visit.stage.chat.id, "text": "a\udfff"}):
        answer = await visit.client.post(
            "/api/telegram/say", content=json.dumps(body), headers={"Content-Type": "application/json"}
        )
        assert (answer.status_code, answer.json()) == (400, {"error": "the body is no JSON"})
    assert not visit.stage.chat.messages
    await visit.post("telegram/say", chat=visit.stage.chat.id, text="\N{ROCKET} \\ud800")


async def test_event_streams_are_bounded_and_come_free_again(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Every queue has a bound (invariant 8). A page that goes without a word leaves nothing in the log."""
    monkeypatch.setattr(server, "MOST_READERS", 5)
    writers = []
    for _ in range(5):
        reader, writer = await _raw(visit, "GET /api/events?since=0 HTTP/1.1\r\n")
        await reader.readline()
        writers.append(writer)
    assert (await visit.client.get("/api/events")).json() == {"error": "too many pages are open; close one"}
    with caplog.at_level(logging.ERROR):
        for writer in writers:
            writer.transport.abort()
        async with asyncio.timeout(5):
            while visit.page.feed.readers:
                visit.page.feed.tell("bridge", words="x" * 200_000)
                await asyncio.sleep(0.01)
    assert not caplog.records


async def test_a_page_that_does_not_read_is_let_go(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE_S", 0.2)
    _, writer = await _raw(visit, "GET /api/events?since=0 HTTP/1.1\r\n")
    async with asyncio.timeout(5):
        while not visit.page.feed.readers:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.01)
        for _ in range(20):
            visit.page.feed.tell("bridge", words="x" * 1_000_000)
        while visit.page.feed.readers:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.01)
    assert (await visit.client.get("/api/state")).status_code == 200
    writer.close()


async def test_while_a_long_text_is_drawn_the_page_goes_on(visit: Visit) -> None:
    drawing = asyncio.create_task(visit.client.post("/api/render", json={"text": "word " * 60_000}, timeout=30))
    answers: list[httpx.Response] = []
    while not drawing.done():
        answers.append(await visit.client.get("/api/state"))
    assert len(answers) > 2
    drawn: Json = (await drawing).json()
    assert drawn["ok"]
    assert (await visit.refused("render", text="x" * 1_000_001))[0] == 400

"""The event stream: resume, watchdog, backoff, and a cursor that moves only after the store has the event."""

import asyncio
from contextlib import aclosing

import httpx
import pytest
from aiohttp import web

from bridge.hub.auth import TokenSource
from bridge.hub.counts import HubCounts
from bridge.hub.errors import AccessTokenRejected, HubUnreachable, NotAHub
from bridge.hub.events import Connected, Disconnected, EventStream, Garbled, HubEvent, StreamItem, StreamTiming
from tests.hub.conftest import FaultyHub, frame, greeting, mute, plain, reply, stream

EVENTS = "/api/events"


def received(number: int) -> bytes:
    return frame({"type": "message-received", "sessionId": "s", "message": {"id": f"m{number}"}}, f"e:{number}")


HEARTBEAT = frame({"type": "heartbeat", "data": {"timestamp": 1}})


async def take(events: EventStream, count: int, cursor: str | None = None, *, store: bool = True) -> list[StreamItem]:
    """The first items; ``store`` acknowledges as the relay does."""
    items: list[StreamItem] = []
    async with asyncio.timeout(10), aclosing(events.listen(cursor)) as listening:
        async for item in listening:
            items.append(item)
            if store and isinstance(item, HubEvent | Garbled):
                events.acknowledge(item.id)
            if len(items) == count:
                break
    return items


def cursors(faulty: FaultyHub) -> list[str | None]:
    return [request.headers.get("Last-Event-ID") for request in faulty.seen_at(EVENTS)]


async def test_events_come_in_order_after_the_verdict(faulty: FaultyHub, quick: EventStream) -> None:
    faulty.on(EVENTS, stream(greeting("ok"), received(1), received(2)))
    first, *events = await take(quick, 3, "e:0")
    assert first == Connected("ok", 0)
    assert [event.id for event in events if isinstance(event, HubEvent)] == ["e:1", "e:2"]
    assert isinstance(events[0], HubEvent)
    assert events[0].session_id == "s"
    assert events[0].data["message"] == {"id": "m1"}
    asked = faulty.seen_at(EVENTS)[0]
    assert asked.query["all"] == "true"
    assert "visibility" not in asked.query
    assert cursors(faulty) == ["e:0"]


async def test_a_broken_stream_resumes_after_the_last_stored_event(faulty: FaultyHub, quick: EventStream) -> None:
    """Invariant 1."""
    faulty.on(EVENTS, stream(greeting("gap"), received(1), received(2), then="break"), stream(greeting("ok")))
    items = await take(quick, 5)
    assert [type(item) for item in items] == [Connected, HubEvent, HubEvent, Disconnected, Connected]
    assert isinstance(items[3], Disconnected)
    assert isinstance(items[3].error, HubUnreachable)
    assert items[3].failures == 1
    assert items[4] == Connected("ok", 1)
    assert cursors(faulty) == [None, "e:2"]


async def test_an_event_that_was_not_stored_is_asked_for_again(faulty: FaultyHub, quick: EventStream) -> None:
    """Invariant 1: the cursor belongs to whoever stores."""
    faulty.on(EVENTS, stream(greeting("gap"), received(1), then="break"), stream(greeting("ok")))
    await take(quick, 4, "e:0", store=False)
    assert cursors(faulty) == ["e:0", "e:0"]


async def test_frames_without_an_id_do_not_clear_the_cursor(faulty: FaultyHub, quick: EventStream) -> None:
    toast = frame({"type": "toast", "data": {"title": "x"}})
    odd = frame({"type": "brand-new-thing"})
    faulty.on(
        EVENTS,
        stream(greeting("gap"), received(1), HEARTBEAT, toast, odd, b": comment\n\n", then="break"),
        stream(greeting("ok")),
    )
    items = await take(quick, 5)
    assert [type(item) for item in items] == [Connected, HubEvent, HubEvent, Disconnected, Connected]
    assert isinstance(items[2], HubEvent)
    assert items[2].id is None
    assert cursors(faulty) == [None, "e:1"]


async def test_silence_is_a_broken_stream_and_a_heartbeat_is_life(faulty: FaultyHub, quick: EventStream) -> None:
    """Invariant 8. The watchdog waits 0.3 s here."""

    async def beating(request: web.Request) -> web.StreamResponse:
        response = await stream(greeting("gap"), then="end")(request)
        for _ in range(5):
            await asyncio.sleep(0.1)
            await response.write(HEARTBEAT)
        return await mute(request)

    faulty.on(EVENTS, beating, stream(greeting("ok")))
    began = asyncio.get_running_loop().time()
    items = await take(quick, 3)
    assert asyncio.get_running_loop().time() - began >= 0.75
    assert isinstance(items[1], Disconnected)
    assert "said nothing" in str(items[1].error)


async def test_a_stream_that_does_not_open_is_given_up(
    faulty: FaultyHub, http: httpx.AsyncClient, tokens: TokenSource
) -> None:
    """Invariant 8."""
    faulty.on(EVENTS, mute, stream(greeting("gap")))
    events = EventStream(http, faulty.url, tokens, timing=StreamTiming(connect_s=0.2, jitter_s=0))
    items = await take(events, 2)
    assert isinstance(items[0], Disconnected)
    assert items[1] == Connected("gap", 1)


async def test_an_expired_token_is_exchanged_without_a_word(faulty: FaultyHub, quick: EventStream) -> None:
    faulty.on(EVENTS, stream(greeting("ok"), then="break"), stream(greeting("ok")))
    async with aclosing(quick.listen("e:0")) as listening:
        assert await anext(listening) == Connected("ok", 0)
        faulty.good.clear()
        assert isinstance(await anext(listening), Disconnected)
        assert await anext(listening) == Connected("ok", 1)
    assert faulty.exchanges == 2


async def test_a_refused_access_token_ends_listening(faulty: FaultyHub, quick: EventStream) -> None:
    faulty.auth = reply({"error": "Invalid access token"}, 401)
    with pytest.raises(AccessTokenRejected):
        await take(quick, 1)


async def test_a_hub_that_is_down_is_tried_again_until_it_is_back(faulty: FaultyHub, quick: EventStream) -> None:
    faulty.on(EVENTS, plain("starting", 503), plain("starting", 503), plain("starting", 503), stream(greeting("gap")))
    items = await take(quick, 4)
    assert [item.failures for item in items if isinstance(item, Disconnected)] == [1, 2, 3]
    assert items[3] == Connected("gap", 3)


async def test_a_login_page_in_place_of_the_stream_is_named(faulty: FaultyHub, quick: EventStream) -> None:
    faulty.on(EVENTS, plain("<html>Please sign in to the Wi-Fi", 200), stream(greeting("gap")))
    items = await take(quick, 2)
    assert isinstance(items[0], Disconnected)
    assert isinstance(items[0].error, NotAHub)


async def test_an_older_hub_without_a_verdict_counts_as_a_gap(faulty: FaultyHub, quick: EventStream) -> None:
    faulty.on(EVENTS, stream(greeting(None), received(1), then="break"), stream(received(2)))
    items = await take(quick, 5)
    assert items[0] == Connected("gap", 0)
    assert items[3] == Connected("gap", 1)
    assert isinstance(items[4], HubEvent)


async def test_garbage_frames_are_counted_told_and_passed_over(
    faulty: FaultyHub, quick: EventStream, counts: HubCounts
) -> None:
    """Invariant 5."""
    faulty.on(
        EVENTS,
        stream(
            greeting("gap"),
            frame("{not json", "e:1"),
            frame("[1,2]", "e:2"),
            frame({"type": 7}),
            frame("\ufffd\u0000"),
            frame("[" * 100_000),
            frame({"type": "session-updated", "sessionId": 5, "data": "?"}, "e:3"),
            b"id\ndata\nfoo: bar\n\n",
            received(4),
        ),
    )
    items = await take(quick, 8)
    garbled = [item for item in items if isinstance(item, Garbled)]
    assert [item.id for item in garbled] == ["e:1", "e:2", None, None, None]
    assert counts.undecodable_frames == 5
    assert isinstance(items[6], HubEvent)
    assert items[6].session_id is None
    assert isinstance(items[7], HubEvent)
    assert quick.cursor == "e:4"


async def test_a_frame_nested_ten_thousand_levels_arrives_dulled(
    faulty: FaultyHub, quick: EventStream, counts: HubCounts
) -> None:
    """Invariant 5."""
    nested = '{"a":' * 10_000 + "1" + "}" * 10_000
    text = '{"type":"message-received","sessionId":"s","message":{"id":"m","content":' + nested + "}}"
    faulty.on(EVENTS, stream(greeting("gap"), frame(text, "e:1"), received(2)))
    items = await take(quick, 3)
    assert isinstance(items[1], HubEvent)
    assert items[1].data["message"]["id"] == "m"
    assert counts.dulled_values == 1
    assert isinstance(items[2], HubEvent)


async def test_unknown_event_types_are_counted_and_passed_on(
    faulty: FaultyHub, quick: EventStream, counts: HubCounts
) -> None:
    names = [f"new-{number}" for number in range(70)]
    faulty.on(EVENTS, stream(greeting("gap"), *(frame({"type": name}, f"e:{name}") for name in names)))
    await take(quick, 71)
    assert sum(counts.unknown_events.values()) == 70
    assert len(counts.unknown_events) == 51


async def test_a_cursor_that_is_no_header_value_costs_a_gap_and_no_more(faulty: FaultyHub, quick: EventStream) -> None:
    faulty.on(EVENTS, stream(greeting("gap")))
    assert await take(quick, 1, "e:1\r\nX-Evil: 1") == [Connected("gap", 0)]
    assert cursors(faulty) == [None]


def test_the_waits_are_the_ones_of_the_contract() -> None:
    timing = StreamTiming()
    waits = [timing.backoff_s(failures) for failures in range(1, 11)]
    assert waits == [0, 1, 2, 4, 8, 16, 30, 30, 300, 300]
    assert (timing.connect_s, timing.silence_s, timing.jitter_s) == (10, 90, 0.5)


async def test_every_wait_has_its_jitter(faulty: FaultyHub, http: httpx.AsyncClient, tokens: TokenSource) -> None:
    faulty.on(EVENTS, plain("down", 503))
    timing = StreamTiming(backoff_first_s=0.01, backoff_most_s=0.01, jitter_s=0.5)
    events = EventStream(http, faulty.url, tokens, timing=timing, jitter=lambda: 0.1)
    items = await take(events, 2)
    assert [item.retry_in_s for item in items if isinstance(item, Disconnected)] == pytest.approx([0.05, 0.06])


async def test_a_success_starts_the_waits_from_the_beginning(faulty: FaultyHub, quick: EventStream) -> None:
    down, up = plain("down", 503), stream(greeting("ok"), then="break")
    faulty.on(EVENTS, down, down, up, down, stream(greeting("ok")))
    items = await take(quick, 6)
    assert [item.failures for item in items] == [1, 2, 2, 1, 2, 2]  # type: ignore[union-attr]


async def test_a_long_wait_ends_when_the_hub_was_seen_alive_elsewhere(
    faulty: FaultyHub, http: httpx.AsyncClient, tokens: TokenSource
) -> None:
    faulty.on(EVENTS, plain("down", 503), stream(greeting("gap")))
    timing = StreamTiming(slow_after=0, slow_s=300, backoff_first_s=0.01, jitter_s=0)
    events = EventStream(http, faulty.url, tokens, timing=timing)
    async with asyncio.timeout(5), aclosing(events.listen(None)) as listening:
        assert isinstance(await anext(listening), Disconnected)
        coming = asyncio.ensure_future(anext(listening))
        while not coming.done():
            await asyncio.sleep(0.02)
            events.hurry()
        assert coming.result() == Connected("gap", 1)


async def test_leaving_closes_the_connection(faulty: FaultyHub, quick: EventStream, http: httpx.AsyncClient) -> None:
    faulty.on(EVENTS, stream(greeting("gap")))
    pool = http._transport._pool  # type: ignore[attr-defined]
    async with aclosing(quick.listen(None)) as listening:
        assert await anext(listening) == Connected("gap", 0)
        waiting = asyncio.ensure_future(anext(listening))
        await asyncio.sleep(0)
        assert not all(connection.is_idle() for connection in pool.connections)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert all(connection.is_idle() for connection in pool.connections)

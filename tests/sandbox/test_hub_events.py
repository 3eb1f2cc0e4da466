"""The sandbox hub's event stream: first frame, ids, resume verdicts, heartbeats, and how it breaks."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource, ServerSentEvent

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_events import MOST_EVENTS, EventLog
from bridge.sandbox.hub_session import Session


@pytest.fixture
async def hub() -> AsyncIterator[SandboxHub]:
    async with SandboxHub() as running:
        yield running


@pytest.fixture
def session(hub: SandboxHub) -> Session:
    return hub.state.add_session(flavor="codex", directory="/srv", machine="box")


@asynccontextmanager
async def events(
    hub: SandboxHub, query: str = "all=true", *, cursor: str | None = None
) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
    """The stream as (id, event)s; the id is empty where a frame carries none."""
    token = hub.tokens.exchange(hub.access_token)
    headers = {"Authorization": f"Bearer {token}"} | ({"Last-Event-ID": cursor} if cursor else {})
    async with (
        asyncio.timeout(10),
        httpx.AsyncClient(timeout=5) as http,
        http.stream("GET", f"{hub.url}/api/events?{query}", headers=headers) as response,
    ):

        async def read() -> AsyncIterator[tuple[str, Any]]:
            frame: ServerSentEvent
            async for frame in EventSource(response).aiter_sse():
                yield frame.id, json.loads(frame.data)

        yield read()


async def next_of(stream: AsyncIterator[tuple[str, Any]], kind: str) -> tuple[str, Any]:
    async for name, event in stream:
        if event["type"] == kind:
            return name, event
    raise AssertionError(f"the stream ended without {kind}")


async def test_the_first_frame_carries_the_verdict_and_no_id(hub: SandboxHub) -> None:
    async with events(hub) as stream:
        name, event = await anext(stream)
    assert name == ""
    assert (event["type"], event["data"]["status"], event["data"]["resume"]) == (
        "connection-changed",
        "connected",
        "gap",
    )
    assert event["data"]["subscriptionId"]


async def test_a_cursor_of_this_life_resumes_with_every_missed_event(hub: SandboxHub, session: Session) -> None:
    async with events(hub) as stream:
        await anext(stream)
        hub.state.say(session, "codex", {"type": "message", "message": "one"})
        cursor, _ = await next_of(stream, "message-received")
    for word in ("two", "three"):
        hub.state.say(session, "codex", {"type": "message", "message": word})
    async with events(hub, cursor=cursor) as stream:
        assert (await anext(stream))[1]["data"]["resume"] == "ok"
        missed = [(await anext(stream))[1]["message"]["content"]["content"]["data"]["message"] for _ in range(2)]
    assert missed == ["two", "three"]


async def test_after_a_restart_or_with_a_strange_cursor_the_verdict_is_gap(hub: SandboxHub, session: Session) -> None:
    async with events(hub) as stream:
        await anext(stream)
        hub.state.think(session, True)
        cursor, _ = await anext(stream)
    await hub.restart()
    for strange in (cursor, "garbage", "a:b:c"):
        async with events(hub, cursor=strange) as stream:
            assert (await anext(stream))[1]["data"]["resume"] == "gap"
    assert list(hub.state.sessions) == [session.id], "sessions outlive a restart"


async def test_a_dying_hub_breaks_the_chunked_body(hub: SandboxHub) -> None:
    with pytest.raises(httpx.RemoteProtocolError):  # noqa: PT012 the stream breaks while it is read
        async with events(hub) as stream:
            await anext(stream)
            hub.break_streams()
            await anext(stream)


async def test_a_session_filter_passes_only_that_session(hub: SandboxHub, session: Session) -> None:
    other = hub.state.add_session(flavor="codex", directory="/tmp", machine="box")
    async with events(hub, f"sessionId={session.id}") as stream:
        await anext(stream)
        hub.state.think(other, True)
        hub.state.think(session, True)
        assert (await anext(stream))[1]["sessionId"] == session.id


async def test_silence_is_filled_with_heartbeats_without_an_id() -> None:
    async with SandboxHub(heartbeat_s=0.01) as hub, events(hub) as stream:
        await anext(stream)
        name, event = await anext(stream)
    assert (name, event["type"]) == ("", "heartbeat")


async def test_duplicate_events_can_be_ordered(hub: SandboxHub, session: Session) -> None:
    hub.faults.duplicate_events = True
    async with events(hub) as stream:
        await anext(stream)
        hub.state.think(session, True)
        assert await anext(stream) == await anext(stream)


async def test_agent_state_comes_as_a_versioned_patch(hub: SandboxHub, session: Session) -> None:
    async with events(hub) as stream:
        await anext(stream)
        hub.state.ask(session, "r1", "Bash", {"command": "ls"})
        _, event = await anext(stream)
    wrapped = event["data"]["agentState"]
    assert wrapped["version"] == session.record["agentStateVersion"] == 2
    assert list(wrapped["value"]["requests"]) == ["r1"]


def test_more_than_256_missed_events_are_a_gap() -> None:
    log = EventLog()
    log.emit({"type": "machine-updated"})
    first = f"{log.life}:1:x"
    for _ in range(MOST_EVENTS):
        log.emit({"type": "machine-updated"})
    assert log.open(everything=True, session=None, last_id=first)[1] == "ok"
    log.emit({"type": "machine-updated"})
    assert log.open(everything=True, session=None, last_id=first)[1] == "gap"


def test_more_than_two_mebibytes_missed_are_a_gap() -> None:
    log = EventLog()
    for _ in range(4):
        log.emit({"type": "machine-updated", "data": "x" * 900_000})
    assert log.open(everything=True, session=None, last_id=f"{log.life}:1:x")[1] == "gap"
    assert log.open(everything=True, session=None, last_id=f"{log.life}:2:x")[1] == "ok"

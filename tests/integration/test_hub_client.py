"""The hub side against the real hub and the stand-in CLI."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import httpx
import pytest

from bridge.hub.auth import PROTOCOL, TokenSource, check_health
from bridge.hub.errors import (
    AccessTokenRejected,
    BadRequest,
    ComputerUnreachable,
    NotFound,
    NotPending,
    SessionInactive,
)
from bridge.hub.events import Connected, Disconnected, HubEvent, StreamItem
from bridge.hub.patches import apply_patch, is_whole_session
from bridge.hub.rows import is_queued
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Json
from tests.integration.conftest import Connect, NewSession, eventually
from tests.rig.hapi_peer import FakeCli, HubProc

pytestmark = pytest.mark.real_hub

Listening = AsyncGenerator[StreamItem, None]


async def until(listening: Listening, wanted: Callable[[StreamItem], bool], timeout_s: float = 20) -> list[StreamItem]:
    """The items up to and with the first wanted one."""
    items: list[StreamItem] = []
    async with asyncio.timeout(timeout_s):
        async for item in listening:
            items.append(item)
            if wanted(item):
                return items
    raise AssertionError("the stream ended")


def of(session: FakeCli, kind: str) -> Callable[[StreamItem], bool]:
    return lambda item: isinstance(item, HubEvent) and item.type == kind and item.session_id == session.sid


def is_connected(item: StreamItem) -> bool:
    return isinstance(item, Connected)


async def say(session: FakeCli, *numbers: int) -> None:
    for number in numbers:
        await session.say("codex", {"type": "message", "message": f"text {number}"})


def texts(messages: list[Json]) -> list[str]:
    return [row["content"]["content"]["data"]["message"] for row in messages if row["content"]["role"] == "agent"]


async def test_the_hub_takes_its_token_and_no_other(hub: HubProc, connect: Connect) -> None:
    parts = connect(hub)
    assert await check_health(parts.http, hub.url) == PROTOCOL
    assert await parts.tokens.token()
    with pytest.raises(AccessTokenRejected):
        await TokenSource(parts.http, hub.url, "not-the-token-of-this-hub").token()


async def test_a_forged_token_is_replaced_by_one_exchange(hub: HubProc, connect: Connect) -> None:
    parts = connect(hub)
    parts.tokens._jwt, parts.tokens._renew_at = "head.e30.sign", float("inf")
    await asyncio.gather(*(parts.api.machines() for _ in range(10)))
    assert parts.counts.token_exchanges == 1


async def test_what_an_agent_says_arrives_as_events(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    parts, session = connect(hub), await new_session(hub)
    async with aclosing(parts.stream.listen(None)) as listening:
        assert await anext(listening) == Connected("gap", 0)
        await say(session, 1)
        event = (await until(listening, of(session, "message-received")))[-1]
    assert isinstance(event, HubEvent)
    assert event.id
    assert texts([event.data["message"]]) == ["text 1"]


async def test_what_was_missed_is_replayed_from_the_stored_event_on(
    hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    """Invariant 1: delivery is at least once, from the acknowledged event on."""
    parts, session = connect(hub), await new_session(hub)
    async with aclosing(parts.stream.listen(None)) as listening:
        await until(listening, is_connected)
        await say(session, 1)
        first = (await until(listening, of(session, "message-received")))[-1]
        assert isinstance(first, HubEvent)
        parts.stream.acknowledge(first.id)
        await say(session, 2)
        await until(listening, of(session, "message-received"))
    await say(session, 3)
    async with aclosing(connect(hub).stream.listen(parts.stream.cursor)) as listening:
        assert await anext(listening) == Connected("ok", 0)
        missed: list[Json] = []
        while len(missed) < 2:
            event = (await until(listening, of(session, "message-received")))[-1]
            assert isinstance(event, HubEvent)
            missed.append(event.data["message"])
    assert texts(missed) == ["text 2", "text 3"]


async def test_a_killed_hub_is_missed_and_its_successor_says_gap(
    own_hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    parts, session = connect(own_hub), await new_session(own_hub)
    window = MessageWindow()
    async with aclosing(parts.stream.listen(None)) as listening:
        await until(listening, is_connected)
        await say(session, 1)
        event = (await until(listening, of(session, "message-received")))[-1]
        assert isinstance(event, HubEvent)
        parts.stream.acknowledge(event.id)
        await parts.sync.tail(session.sid, window)
        await own_hub.stop(kill=True)
        lost = await until(listening, lambda item: isinstance(item, Disconnected))
        assert isinstance(lost[-1], Disconnected)
        assert lost[-1].failures == 1
        await own_hub.start()
        back = (await until(listening, is_connected, 30))[-1]
        assert isinstance(back, Connected)
        assert back.resume == "gap"
        assert back.failures >= 1
    await eventually(lambda: _is_active(parts.api.session(session.sid)))
    await say(session, 2)
    await eventually(lambda: _caught_up(parts.sync.tail(session.sid, window), window, 2))
    assert texts(window.messages) == ["text 1", "text 2"]


async def _is_active(session: Awaitable[Json]) -> bool:
    return bool((await session)["active"])


async def _caught_up(sync: Awaitable[bool], window: MessageWindow, count: int) -> bool:
    await sync
    return len(window) >= count


async def test_a_send_reaches_the_cli_once_however_often_it_is_repeated(
    hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    """Invariant 3: the ``localId`` makes a repeat harmless, and the CLI sees it."""
    parts, session = connect(hub), await new_session(hub)
    for _ in range(3):
        await parts.api.send_message(session.sid, "hello", "telegram-bot-1", "telegram-bot")
    window = MessageWindow()
    await parts.sync.tail(session.sid, window)
    (row,) = window.messages
    assert row["localId"] == "telegram-bot-1"

    async def at_the_cli() -> list[str]:
        bodies = [update["body"] for update in session.updates]
        return [body["message"]["localId"] for body in bodies if body["t"] == "new-message"]

    assert set(await eventually(at_the_cli)) == {"telegram-bot-1"}


async def test_a_queued_message_is_taken_later_and_moves_there(
    hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    parts, session = connect(hub), await new_session(hub)
    session.auto_consume = False
    window = MessageWindow()
    async with aclosing(parts.stream.listen(None)) as listening:
        await until(listening, is_connected)
        await parts.api.send_message(session.sid, "please", "telegram-bot-2", "telegram-bot")
        echo = (await until(listening, of(session, "message-received")))[-1]
        assert isinstance(echo, HubEvent)
        window.ingest([echo.data["message"]])
        assert is_queued(window.messages[0])
        await say(session, 1)
        said = (await until(listening, of(session, "message-received")))[-1]
        assert isinstance(said, HubEvent)
        window.ingest([said.data["message"]])
        await asyncio.sleep(0.005)  # the hub orders by ms
        await session.consume(["telegram-bot-2"])
        taken = (await until(listening, of(session, "messages-consumed")))[-1]
        assert isinstance(taken, HubEvent)
        window.consumed(taken.data["localIds"], taken.data["invokedAt"])
    assert [row["localId"] for row in window.messages] == [None, "telegram-bot-2"]
    fresh = MessageWindow()
    await parts.sync.tail(session.sid, fresh)
    assert [row["id"] for row in fresh.messages] == [row["id"] for row in window.messages]


async def test_after_a_gap_the_queue_is_settled(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    parts, session = connect(hub), await new_session(hub)
    session.auto_consume = False
    for name in ("kept", "taken", "withdrawn"):
        await parts.api.send_message(session.sid, name, f"telegram-bot-{name}", "telegram-bot")
    window = MessageWindow()
    await parts.sync.tail(session.sid, window)
    assert len(window.queued_local_ids()) == 3
    await session.consume(["telegram-bot-taken"])
    assert (await parts.api.cancel_message(session.sid, "telegram-bot-withdrawn"))["status"] == "cancelled"

    async def is_taken() -> bool:
        answer = await parts.api.queued_state(session.sid, ["telegram-bot-taken"])
        return bool(answer["invokedLocalMessages"])

    await eventually(is_taken)
    assert await parts.sync.queued_state(session.sid, window)
    assert {row["localId"]: is_queued(row) for row in window.messages} == {
        "telegram-bot-kept": True,
        "telegram-bot-taken": False,
    }
    assert (await parts.api.cancel_message(session.sid, "telegram-bot-taken"))["status"] == "invoked"


async def test_a_window_catches_up_over_more_messages_than_a_page_holds(
    hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    parts, session = connect(hub), await new_session(hub)
    await say(session, 0)
    window = MessageWindow(limit=None)
    await eventually(lambda: _caught_up(parts.sync.tail(session.sid, window), window, 1))
    anchor, epoch = window.newest, window.epoch
    await say(session, *range(1, 331))
    await eventually(lambda: _caught_up(parts.sync.tail(session.sid, window), window, 331))
    assert texts(window.messages) == [f"text {number}" for number in range(331)]
    found = await parts.sync.collect_after(session.sid, anchor, epoch)
    assert texts(list(found.messages)) == [f"text {number}" for number in range(1, 331)]
    assert found.complete
    assert not found.reset
    assert found.head == window.newest
    cold = MessageWindow()
    await parts.sync.tail(session.sid, cold)
    assert len(cold) == 200
    while cold.has_more:
        await parts.sync.older(session.sid, cold)
    assert texts(cold.messages) == texts(window.messages)


async def test_patches_lead_to_the_session_the_hub_has(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    parts, session = connect(hub), await new_session(hub)
    held = await parts.api.session(session.sid)
    async with aclosing(parts.stream.listen(None)) as listening:
        await until(listening, is_connected)
        await session.ask("r1", "Bash", {"command": "ls"})
        await session.set_meta(name="renamed")
        while held["metadata"].get("name") != "renamed":
            event = (await until(listening, of(session, "session-updated")))[-1]
            assert isinstance(event, HubEvent)
            data: Any = event.data.get("data")
            held = dict(data) if is_whole_session(session.sid, data) else apply_patch(held, data).session
    assert "r1" in held["agentState"]["requests"]
    hubs = await parts.api.session(session.sid)
    for key in ("agentState", "agentStateVersion", "metadata", "metadataVersion"):
        assert held[key] == hubs[key]


async def test_an_approval_reaches_the_cli_with_its_scope(
    hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    """Invariant 4: by request id; the outcome is read from ``agentState``."""
    parts, session = connect(hub), await new_session(hub, flavor="claude")
    await session.ask("r1", "Bash", {"command": "ls"})
    await session.ask("r2", "Bash", {"command": "pwd"})
    await parts.api.approve(session.sid, "r2", allow_tools=["Bash(pwd)"])
    await parts.api.deny(session.sid, "r1")

    async def completed() -> Any:
        state = (await parts.api.session(session.sid))["agentState"]
        return state["completedRequests"] if not state["requests"] else None

    done = await eventually(completed)
    assert done["r1"]["status"] == "denied"
    assert done["r2"]["status"] == "approved"
    assert done["r2"]["allowTools"] == ["Bash(pwd)"]
    with pytest.raises(NotPending):
        await parts.api.approve(session.sid, "r1")
    with pytest.raises(NotPending):
        await parts.api.deny(session.sid, "never asked")


async def test_a_mode_the_flavor_lacks_is_a_bad_request(
    hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    parts, session = connect(hub), await new_session(hub, flavor="codex")
    await session.ask("r1", "Bash", {"command": "ls"})
    with pytest.raises(BadRequest):
        await parts.api.approve(session.sid, "r1", mode="acceptEdits")


async def test_a_session_that_ended_answers_inactive(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    parts, session = connect(hub), await new_session(hub)
    await session.ask("r1", "Bash", {"command": "ls"})
    await session.end()

    async def ended() -> bool:
        return not (await parts.api.session(session.sid))["active"]

    await eventually(ended)
    with pytest.raises(SessionInactive):
        await parts.api.approve(session.sid, "r1")
    with pytest.raises(SessionInactive):
        await parts.api.send_message(session.sid, "hello", "telegram-bot-9", "telegram-bot")


async def test_a_vanished_cli_means_the_computer_is_away(
    own_hub: HubProc, new_session: NewSession, connect: Connect
) -> None:
    parts, session = connect(own_hub), await new_session(own_hub)
    await session.ask("r1", "Bash", {"command": "ls"})
    await session.close()
    with pytest.raises(ComputerUnreachable):
        await eventually(lambda: _nothing(parts.api.approve(session.sid, "r1")), 5)
    with pytest.raises(ComputerUnreachable):
        await parts.api.abort(session.sid)


async def _nothing(call: Awaitable[None]) -> bool:
    await call
    return False


async def test_stop_reaches_the_cli(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    parts, session = connect(hub), await new_session(hub)
    await parts.api.abort(session.sid)
    assert [method for method, _ in session.rpc_log] == ["abort"]


async def test_a_file_reaches_the_sessions_computer(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    parts, session = connect(hub), await new_session(hub)
    assert await parts.api.upload(session.sid, "a ü.txt", b"hello", "text/plain") == "/tmp/fake-upload/a ü.txt"


async def test_ids_the_hub_does_not_know_are_not_found(hub: HubProc, connect: Connect) -> None:
    parts = connect(hub)
    for odd in ("nothing", "../machines", "a/b", "%2e%2e"):
        with pytest.raises(NotFound):
            await parts.api.session(odd)


async def test_renaming_pinning_and_lists(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    parts, session = connect(hub), await new_session(hub)
    await parts.api.rename(session.sid, "Ünnamed / 2")
    await parts.api.pin(session.sid, "project")
    listed = {item["id"]: item for item in await parts.api.sessions()}
    assert listed[session.sid]["metadata"]["name"] == "Ünnamed / 2"
    assert session.sid in {item["id"] for item in await parts.api.sessions(limit=100)}
    assert await parts.api.machines() == []


async def test_the_stream_outlives_gzip(hub: HubProc, new_session: NewSession, connect: Connect) -> None:
    """The hub compresses with a flush per event; an event must not wait for the next one."""
    parts, session = connect(hub), await new_session(hub)
    seen: list[httpx.Response] = []

    async def note(response: httpx.Response) -> None:
        seen.append(response)

    parts.http.event_hooks["response"].append(note)
    async with aclosing(parts.stream.listen(None)) as listening:
        await until(listening, is_connected)
        assert seen[-1].headers.get("content-encoding") == "gzip"
        await say(session, 1)
        await until(listening, of(session, "message-received"), 5)

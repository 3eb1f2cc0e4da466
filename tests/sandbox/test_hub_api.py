"""The sandbox hub answers a client as the real hub does: shapes, codes, and what a repeat does."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_session import Session


class Now:
    """A clock that a test moves; seconds since the epoch."""

    def __init__(self) -> None:
        self.seconds = 1_796_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
async def hub(now: Now) -> AsyncIterator[SandboxHub]:
    async with SandboxHub(clock=now) as running:
        yield running


@pytest.fixture
async def client(hub: SandboxHub) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=hub.url, timeout=5) as http:
        token = (await http.post("/api/auth", json={"accessToken": hub.access_token})).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        yield http


@pytest.fixture
def session(hub: SandboxHub) -> Session:
    return hub.state.add_session(flavor="claude", directory="/home/ada/shop", machine="laptop")


def refusal(answer: httpx.Response) -> tuple[int, Any, Any]:
    return answer.status_code, answer.json()["error"], answer.json().get("code")


async def test_health_needs_no_token(hub: SandboxHub) -> None:
    async with httpx.AsyncClient() as http:
        body = (await http.get(hub.url + "/health")).json()
    assert (body["status"], body["protocolVersion"]) == ("ok", 1)


async def test_a_wrong_access_token_is_refused_and_a_namespace_suffix_is_not(hub: SandboxHub) -> None:
    async with httpx.AsyncClient(base_url=hub.url) as http:
        assert refusal(await http.post("/api/auth", json={"accessToken": "no"})) == (401, "Invalid access token", None)
        assert refusal(await http.post("/api/auth", content=b"xx")) == (400, "Invalid body", None)
        assert (await http.post("/api/auth", json={"accessToken": hub.access_token + ":team"})).status_code == 200


async def test_a_token_works_until_it_expires(hub: SandboxHub, client: httpx.AsyncClient, now: Now) -> None:
    assert (await client.get("/api/sessions")).status_code == 200
    now.seconds += 4 * 3600 + 1
    assert refusal(await client.get("/api/sessions")) == (401, "Invalid token", None)
    del client.headers["Authorization"]
    assert refusal(await client.get("/api/sessions")) == (401, "Missing authorization token", None)


async def test_a_session_is_listed_short_and_given_out_whole(client: httpx.AsyncClient, session: Session) -> None:
    listed = (await client.get("/api/sessions")).json()["sessions"]
    assert [each["id"] for each in listed] == [session.id]
    assert "agentState" not in listed[0]
    whole = (await client.get(f"/api/sessions/{session.id}")).json()["session"]
    assert whole["agentState"] == {"requests": {}, "completedRequests": {}}
    assert whole["metadata"]["flavor"] == "claude"
    assert refusal(await client.get("/api/sessions/nope")) == (404, "Session not found", None)
    assert (await client.get("/api/nope")).text == "404 Not Found"


async def test_the_same_local_id_adds_no_second_row(client: httpx.AsyncClient, session: Session) -> None:
    at = f"/api/sessions/{session.id}/messages"
    for _ in range(2):
        answer = await client.post(at, json={"text": "hello", "localId": "telegram-bot-1", "sentFrom": "telegram-bot"})
        assert answer.json() == {"ok": True}
    rows = (await client.get(at)).json()["messages"]
    assert [(each["localId"], each["invokedAt"]) for each in rows] == [("telegram-bot-1", None)]
    meta = rows[0]["content"]["meta"]
    assert meta["sentFrom"] == "webapp", "the hub stamps its own word, whatever was sent"


async def test_empty_and_malformed_messages_are_refused(client: httpx.AsyncClient, session: Session) -> None:
    at = f"/api/sessions/{session.id}/messages"
    assert refusal(await client.post(at, json={"text": ""}))[:2] == (400, "Message requires text or attachments")
    assert refusal(await client.post(at, json={"localId": "x"}))[:2] == (400, "Invalid body")
    assert refusal(await client.post(at, content=b"[" * 5000))[:2] == (400, "Invalid body")


async def test_a_queued_message_can_be_withdrawn_and_a_taken_one_is_too_late(
    hub: SandboxHub, client: httpx.AsyncClient, session: Session
) -> None:
    at = f"/api/sessions/{session.id}/messages"
    for name in ("a", "b"):
        await client.post(at, json={"text": name, "localId": name})
    assert (await client.delete(f"{at}/a")).json() == {"status": "cancelled", "localId": "a"}
    assert (await client.delete(f"{at}/a")).json() == {"status": "cancelled", "localId": None}
    assert (await client.post(f"{at}/b/retry")).json() == {"status": "already-queued", "localId": "b"}
    hub.state.take(session)
    late = (await client.delete(f"{at}/b")).json()
    assert (late["status"], late["message"]["localId"]) == ("invoked", "b")
    state = (await client.post(f"{at}/queued-state", json={"localIds": ["a", "b"]})).json()
    assert state["queuedLocalIds"] == []
    assert [each["localId"] for each in state["invokedLocalMessages"]] == ["b"], "a is in no list: it was deleted"
    assert (await client.get(at)).json()["page"]["epoch"] == 1


async def test_a_planned_message_waits_for_its_time_and_can_be_withdrawn_until_then(
    hub: SandboxHub, client: httpx.AsyncClient, session: Session, now: Now
) -> None:
    at, later = f"/api/sessions/{session.id}/messages", int(now() * 1000) + 3_600_000
    for name in ("kept", "withdrawn"):
        assert (await client.post(at, json={"text": name, "localId": name, "scheduledAt": later})).status_code == 200
    assert hub.state.take(session) == [], "the agent does not see them yet"
    assert session.record["thinking"] is False
    assert [row["scheduledAt"] for row in (await client.get(at)).json()["messages"]] == [later, later]
    listed = (await client.get("/api/sessions")).json()["sessions"][0]
    assert (listed["futureScheduledMessageCount"], listed["nextScheduledAt"]) == (2, later)
    await client.delete(f"{at}/withdrawn")
    for name in ("kept", "withdrawn"):
        hub.state.mature(session, name)
    assert [row["localId"] for row in hub.state.take(session)] == ["kept"]
    listed = (await client.get("/api/sessions")).json()["sessions"][0]
    assert (listed["futureScheduledMessageCount"], listed["nextScheduledAt"]) == (0, None)


async def test_a_planned_message_goes_by_itself(
    hub: SandboxHub, client: httpx.AsyncClient, session: Session, now: Now
) -> None:
    body = {"text": "soon", "localId": "soon", "scheduledAt": int(now() * 1000) + 1}
    await client.post(f"/api/sessions/{session.id}/messages", json=body)
    assert (await asyncio.wait_for(session.signals.get(), 10)).kind == "message"
    assert [row["localId"] for row in hub.state.take(session)] == ["soon"]


async def test_a_decision_is_passed_on_and_the_agent_says_what_became_of_it(
    hub: SandboxHub, client: httpx.AsyncClient, session: Session
) -> None:
    hub.state.ask(session, "r1", "Bash", {"command": "ls"})
    at = f"/api/sessions/{session.id}/permissions/r1"
    assert (await client.get("/api/sessions")).json()["sessions"][0]["pendingRequestsCount"] == 1
    assert (await client.post(f"{at}/approve", json={"allowTools": ["Bash(ls)"]})).json() == {"ok": True}
    assert list(session.requests) == ["r1"], "200 means only that the CLI took the call"
    signal = session.signals.get_nowait()
    assert (signal.request, signal.approved, signal.body) == ("r1", True, {"allowTools": ["Bash(ls)"]})
    hub.state.settle(session, "r1", "approved", decision="approved")
    assert session.completed["r1"]["status"] == "approved"
    assert refusal(await client.post(f"{at}/approve")) == (404, "Request not found", None)
    assert refusal(await client.post(f"{at}/deny")) == (404, "Request not found", None)


async def test_decisions_the_real_hub_refuses_are_refused(
    hub: SandboxHub, client: httpx.AsyncClient, session: Session
) -> None:
    hub.state.ask(session, "r1", "Bash", {"command": "ls"})
    at = f"/api/sessions/{session.id}/permissions/r1"
    assert refusal(await client.post(f"{at}/approve", json={"mode": "zz"}))[:2] == (400, "Invalid body")
    words = "Invalid permission mode for session flavor"
    assert refusal(await client.post(f"{at}/approve", json={"mode": "yolo"}))[:2] == (400, words)
    session.reachable = False
    gone = await client.post(f"{at}/approve")
    assert (gone.status_code, gone.text) == (500, "Internal Server Error"), "plain text, not JSON"
    hub.state.end(session)
    expected = (409, "Session is inactive", "session_inactive")
    assert refusal(await client.post(f"{at}/approve")) == expected
    assert refusal(await client.post(f"/api/sessions/{session.id}/messages", json={"text": "x"})) == expected
    assert refusal(await client.post(f"/api/sessions/{session.id}/abort")) == expected


async def test_ordered_faults_hit_once_each(hub: SandboxHub, client: httpx.AsyncClient, session: Session) -> None:
    at = f"/api/sessions/{session.id}/messages"
    hub.faults.fail("/messages", status=502)
    assert (await client.get(at)).status_code == 502
    hub.faults.drop("/messages")
    with pytest.raises(httpx.TransportError):
        await client.post(at, json={"text": "x", "localId": "x"})
    assert session.rows == []
    hub.faults.lose_answer("/messages")
    with pytest.raises(httpx.TransportError):
        await client.post(at, json={"text": "x", "localId": "x"})
    assert len(session.rows) == 1, "the call was served, only its answer is lost"
    assert (await client.get(at)).status_code == 200
    assert [kind for kind, _ in hub.faults.hits] == ["status", "drop", "lost-answer"]


async def test_machines_and_sessions_can_be_renamed_ended_and_deleted(
    hub: SandboxHub, client: httpx.AsyncClient, session: Session
) -> None:
    name = hub.state.add_machine("laptop")
    assert [each["id"] for each in (await client.get("/api/machines")).json()["machines"]] == [name]
    at = f"/api/sessions/{session.id}"
    await client.patch(at, json={"name": "New"})
    assert (await client.get(at)).json()["session"]["metadata"]["name"] == "New"
    assert (await client.delete(at)).status_code == 409
    assert (await client.post(f"{at}/archive")).json() == {"ok": True}
    assert (await client.post(f"{at}/archive")).json() == {"error": "Session is inactive"}
    assert (await client.post(f"{at}/resume")).json() == {"type": "success", "sessionId": session.id}
    assert (await client.post(f"{at}/reopen")).json() == {"ok": True, "sessionId": session.id, "resumed": False}
    await client.post(f"{at}/archive")
    assert (await client.delete(at)).json() == {"ok": True}
    assert (await client.get(at)).status_code == 404

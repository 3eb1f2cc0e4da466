"""The sandbox hub against the real one: the same calls to both, the same codes and shapes back."""

import asyncio
import base64
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.hub.session_settings import SETTINGS
from bridge.sandbox.hub import SandboxHub
from tests.rig.hapi_peer import FakeCli, HubClient, HubProc
from tests.rig.real_cli import RealRunner

Call = Callable[..., Awaitable[None]]
AT, MACHINE = "/api/sessions/{session}", "/api/machines/{machine}"
ON_THE_WAY = {
    "GET /health",
    "POST /api/auth",
    "GET /api/events",
    "GET /api/sessions",
    *(f"{method} {AT}" for method in ("GET", "PATCH", "DELETE")),
    *(f"{method} {AT}/messages" for method in ("GET", "POST")),
    f"POST {AT}/messages/queued-state",
    f"POST {AT}/upload",
    f"DELETE {AT}/messages/{{message}}",
    *(f"POST {AT}/messages/{{message}}/{what}" for what in ("retry", "steer")),
    *(f"POST {AT}/permissions/{{request}}/{what}" for what in ("approve", "deny")),
    f"GET {AT}/generated-images/{{image}}",
    *(f"POST {AT}/{what}" for what in ("abort", "archive", "resume", "reopen", "switch")),
    f"PUT {AT}/pin",
    *(f"GET {AT}/{what}" for what in ("slash-commands", "skills", "{flavor}-models")),
    f"GET {AT}/{{flavor}}-reasoning-effort-options",
    *(f"POST {AT}/{what}" for what in SETTINGS),
}
AT_A_START = {
    "GET /api/machines",
    *(f"GET {MACHINE}/{what}" for what in ("agent-availability", "{flavor}-models")),
    *(f"POST {MACHINE}/{what}" for what in ("list-directory", "paths/exists", "spawn")),
}
"""The endpoints that each of the two ways compares."""
ALLOWED_TO_DIFFER = {"machineId", "health"}
"""Keys that one of the two has for reasons of the stage, not of the protocol."""


def shape(value: Any) -> Any:
    """Types and keys instead of values; lists by the shape of their first element."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in sorted(value.items()) if key not in ALLOWED_TO_DIFFER}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


class Journey:
    """One client's way through a hub; notes every answer's code and shape, and every event's."""

    def __init__(self, url: str, token: str) -> None:
        self.client = HubClient(url, token)
        self.answers: dict[str, tuple[int, Any]] = {}
        self.asked: set[tuple[str, str]] = set()

    async def ask(self, name: str, method: str, path: str, body: Any = None) -> Any:
        self.asked.add((method, path.partition("?")[0]))
        code, answer = await self.client.call(method, path, body)
        self.answers[name] = (code, shape(answer))
        return answer

    async def event(self, kind: str, since: int = 0, **wanted: Any) -> Any:
        def matches(event: Any) -> bool:
            data = event.get("data") or {}
            return event["type"] == kind and all(key in data or key in event for key in wanted)

        _, _, event = await self.client.wait(matches, since)
        return event


def endpoints(asked: set[tuple[str, str]]) -> set[str]:
    """Which of the sandbox hub's endpoints these calls went to."""
    found: set[str] = set()
    for route in SandboxHub().routes():
        pattern = re.sub(r"{\w+(?::([^}]*))?}", lambda name: f"(?:{name[1] or '[^/]+'})", route.path)
        if any(method == route.method and re.fullmatch(pattern, path) for method, path in asked):
            found.add(plain(route.method, route.path))
    return found


def plain(method: str, path: str) -> str:
    """An endpoint's name, without what its parameters may be."""
    return f"{method} {re.sub(r':[^}]*}', '}', path)}"


def test_every_endpoint_of_the_sandbox_hub_is_compared_with_the_real_hubs() -> None:
    """An endpoint that is added to the sandbox hub has to be asked on one of the ways below, too."""
    assert {plain(route.method, route.path) for route in SandboxHub().routes()} == ON_THE_WAY | AT_A_START


A_FILE = {"filename": "a.txt", "content": base64.b64encode(b"hello").decode(), "mimeType": "text/plain"}
UPLOADS = {
    "a file": A_FILE,
    "odd name": {**A_FILE, "filename": "../\u6587 \u202e.txt"},
    "odd base64": {**A_FILE, "content": "%%%"},
    "no name": {**A_FILE, "filename": ""},
    "long name": {**A_FILE, "filename": "x" * 256},
    "nothing in it": {**A_FILE, "content": ""},
    "no kind": {**A_FILE, "mimeType": ""},
    "nothing": {},
    "too large": {**A_FILE, "content": base64.b64encode(b"x" * (50 * 2**20 + 1)).decode()},
}
ATTACHED: dict[str, Any] = {
    "a file": [{"id": "1", "filename": "a.txt", "mimeType": "text/plain", "size": 5, "path": "/tmp/a.txt"}],
    "no path": [{"id": "1", "filename": "a.txt", "mimeType": "text/plain", "size": 5}],
    "no list": "a.txt",
}


class Agent:
    """The agent's side of either hub."""

    def __init__(self, session: str, say: Call, todos: Call, ask: Call, settle: Call, take: Call, end: Call) -> None:
        self.session, self.say, self.todos, self.ask = session, say, todos, ask
        self.settle, self.take, self.end = settle, take, end


async def travel(journey: Journey, agent: Agent) -> dict[str, Any]:
    """The way both hubs are sent; gives what came back."""
    at = f"/api/sessions/{agent.session}"
    ask, client = journey.ask, journey.client
    await ask("health", "GET", "/health")
    await ask("token", "POST", "/api/auth", {"accessToken": client.access})
    await ask("wrong token", "POST", "/api/auth", {"accessToken": "odd"})
    await ask("no token", "POST", "/api/auth", {})
    journey.asked.add(("GET", "/api/events"))
    assert await client.open_sse() == 200
    await journey.event("connection-changed")
    data = {"type": "assistant", "uuid": "u", "message": {"role": "assistant", "content": []}}
    await agent.say("output", data)
    said = await journey.event("message-received")
    await ask("send", "POST", f"{at}/messages", {"text": "hello", "localId": "telegram-bot-1"})
    queued = (await client.wait(lambda e: e["type"] == "message-received" and e["message"]["localId"] is not None))[2]
    await ask("queued", "POST", f"{at}/messages/queued-state", {"localIds": ["telegram-bot-1"]})
    await ask("send empty", "POST", f"{at}/messages", {"text": ""})
    await ask("send nothing", "POST", f"{at}/messages", {})
    await ask("already queued", "POST", f"{at}/messages/telegram-bot-1/retry")
    await ask("retry of nothing", "POST", f"{at}/messages/nothing/retry")
    await ask("steer", "POST", f"{at}/messages/telegram-bot-1/steer")
    await plan(journey, at)
    await agent.take()
    taken = await journey.event("messages-consumed")
    await ask("taken", "POST", f"{at}/messages/queued-state", {"localIds": ["telegram-bot-1"]})
    await ask("too late", "DELETE", f"{at}/messages/telegram-bot-1")
    await ask("never there", "DELETE", f"{at}/messages/nothing")
    page = (await ask("latest", "GET", f"{at}/messages?limit=1"))["page"]
    before = f"beforeSeq={page['nextBeforeSeq']}&beforeAt={page['nextBeforeAt']}"
    after = f"afterSeq={page['snapshotHeadSeq']}&afterAt={page['snapshotHeadAt']}"
    await ask("before", "GET", f"{at}/messages?limit=1&{before}")
    await ask("after", "GET", f"{at}/messages?limit=1&{after}&epoch={page['epoch']}")
    await ask("reset", "GET", f"{at}/messages?limit=1&{after}&epoch={page['epoch'] + 5}")
    await ask("half a cursor", "GET", f"{at}/messages?beforeSeq=1")
    await ask("epoch without after", "GET", f"{at}/messages?{before}&epoch=0")
    await ask("limit too big", "GET", f"{at}/messages?limit=500")
    await agent.todos([{"content": "Test it", "status": "in_progress", "activeForm": "Testing it"}])
    listed = (await client.wait(lambda e: "todos" in (e.get("data") or {})))[2]
    await ask("picture", "GET", f"{at}/generated-images/img-1")
    await ask("no such picture", "GET", f"{at}/generated-images/img-2")
    await agent.ask("r1", "Bash", {"command": "ls"})
    asked = (await client.wait(lambda e: "agentState" in (e.get("data") or {}) and "r1" in str(e)))[2]
    await ask("list", "GET", "/api/sessions")
    await ask("session", "GET", at)
    await ask("no such mode", "POST", f"{at}/permissions/r1/approve", {"mode": "zz"})
    await ask("mode of another flavor", "POST", f"{at}/permissions/r1/approve", {"mode": "yolo"})
    await ask("approve", "POST", f"{at}/permissions/r1/approve", {"allowTools": ["Bash(ls)"]})
    await agent.settle("r1")
    settled = (await client.wait(lambda e: "allowTools" in str(e)))[2]
    await ask("no longer asked", "POST", f"{at}/permissions/r1/approve")
    await ask("deny what is not asked", "POST", f"{at}/permissions/r1/deny")
    await agent.ask("r2", "Bash", {"command": "rm"})
    await client.wait(lambda e: "agentState" in (e.get("data") or {}) and "r2" in str(e))
    await ask("no such decision", "POST", f"{at}/permissions/r2/deny", {"decision": "odd"})
    await ask("deny", "POST", f"{at}/permissions/r2/deny", {"decision": "abort"})
    await agent.settle("r2")
    await ask("abort", "POST", f"{at}/abort")
    await configure(journey, at)
    await attach(journey, at)
    await agent.end()
    ended = await journey.event("session-ended")
    await ask("send to nobody", "POST", f"{at}/messages", {"text": "x"})
    await ask("upload for nobody", "POST", f"{at}/upload", A_FILE)
    await ask("approve for nobody", "POST", f"{at}/permissions/r1/approve")
    await ask("picture after the end", "GET", f"{at}/generated-images/img-1")
    await ask("set on nobody", "POST", f"{at}/model", {"model": "opus"})
    await ask("switch nobody", "POST", f"{at}/switch")
    await ask("resume without a computer", "POST", f"{at}/resume")
    await ask("reopen without a computer", "POST", f"{at}/reopen")
    await ask("archive twice", "POST", f"{at}/archive")
    await ask("rename", "PATCH", at, {"name": "New"})
    await ask("delete", "DELETE", at)
    removed = await journey.event("session-removed")
    await ask("gone", "GET", at)
    await ask("no such call", "GET", "/api/nothing")
    events = {"taken": taken, "asked": asked, "settled": settled, "ended": ended, "removed": removed, "listed": listed}
    shapes: dict[str, Any] = {name: shape(event) for name, event in events.items()}
    for name, event in (("said", said), ("queued", queued)):
        message = {key: each for key, each in event["message"].items() if key not in ("content", "scheduledAt")}
        shapes[name] = shape({**event, "message": message})
    return shapes


async def plan(journey: Journey, at: str) -> None:
    """Messages for later, of which one is withdrawn."""
    now = int(time.time() * 1000)
    for name, when in (
        ("an hour", now + 3_600_000),
        ("two", now + 7_200_000),
        ("too far", now + 8 * 86_400_000),
        ("no number", "18:30"),
        ("zero", 0),
    ):
        body = {"text": "later", "localId": f"telegram-bot-{name}", "scheduledAt": when}
        await journey.ask(f"plan {name}", "POST", f"{at}/messages", body)
    planned = {"localIds": ["telegram-bot-an hour"]}
    await journey.ask("planned", "POST", f"{at}/messages/queued-state", planned)
    await journey.ask("the planned listed", "GET", "/api/sessions")
    await journey.ask("planned and withdrawn", "DELETE", f"{at}/messages/telegram-bot-an hour")


async def attach(journey: Journey, at: str) -> None:
    """Files for an agent, and messages that name them."""
    for name, body in UPLOADS.items():
        await journey.ask(f"upload {name}", "POST", f"{at}/upload", body)
    for name, attached in ATTACHED.items():
        await journey.ask(f"send {name}", "POST", f"{at}/messages", {"text": "look", "attachments": attached})
    in_an_hour = int(time.time() * 1000) + 3_600_000
    planned = {
        "text": "look",
        "localId": "telegram-bot-9",
        "attachments": ATTACHED["a file"],
        "scheduledAt": in_an_hour,
    }
    await journey.ask("plan a file", "POST", f"{at}/messages", planned)
    await journey.ask("upload to nobody", "POST", "/api/sessions/nobody/upload", A_FILE)


async def configure(journey: Journey, at: str) -> None:
    """What can be set on a session, and what its agent lists."""
    ask = journey.ask
    for mode in ("none", "project", "global", "odd"):
        await ask(f"pin {mode}", "PUT", f"{at}/pin", {"mode": mode})
    for name, body in (
        ("permission-mode", {"mode": "plan"}),
        ("model", {"model": "opus"}),
        ("effort", {"effort": None}),
        ("model-reasoning-effort", {"modelReasoningEffort": "high"}),
        ("service-tier", {"serviceTier": "fast"}),
        ("collaboration-mode", {"mode": "plan"}),
        ("copilot-agent-mode", {"mode": "plan"}),
    ):
        await ask(f"set {name}", "POST", f"{at}/{name}", body)
    await ask("set another flavor's mode", "POST", f"{at}/permission-mode", {"mode": "yolo"})
    await ask("set nothing", "POST", f"{at}/model", {})
    await ask("configured", "GET", at)
    await ask("slash commands", "GET", f"{at}/slash-commands")
    await ask("skills", "GET", f"{at}/skills")
    await ask("models of another flavor", "GET", f"{at}/codex-models")
    await ask("no such models", "GET", f"{at}/claude-models")
    await ask("efforts of another flavor", "GET", f"{at}/grok-reasoning-effort-options")
    await ask("rename to nothing", "PATCH", at, {"name": ""})
    await ask("resume what runs", "POST", f"{at}/resume")
    await ask("reopen what runs", "POST", f"{at}/reopen")
    await ask("delete what runs", "DELETE", at)
    await ask("switch", "POST", f"{at}/switch")


async def spawn(journey: Journey, machine: str, directory: str) -> None:
    """What a computer is asked before a session is started on it, and the start."""
    ask, at = journey.ask, f"/api/machines/{machine}"
    (computer,) = (await ask("machines", "GET", "/api/machines"))["machines"]
    assert computer["metadata"].keys() >= {"host", "homeDir", "platform"}
    ((listed,),) = journey.answers["machines"][1].values()
    del listed["metadata"], listed["runnerState"]  # the rest of them is the runner's affair, not the hub's
    await ask("agents", "GET", f"{at}/agent-availability")
    await ask("listing", "POST", f"{at}/list-directory", {"path": directory.rpartition("/")[0]})
    await ask("listing of nothing", "POST", f"{at}/list-directory", {"path": "/no/such"})
    exists = await ask("exists", "POST", f"{at}/paths/exists", {"paths": [directory, "/no/such"]})
    assert exists == {"exists": {directory: True, "/no/such": False}}
    await ask("no models", "GET", f"{at}/codex-models")
    await ask("agent that is not there", "POST", f"{at}/spawn", {"directory": directory, "agent": "claude"})
    await ask("no such agent", "POST", f"{at}/spawn", {"directory": directory, "agent": "odd"})
    await ask("nothing", "POST", f"{at}/spawn", {})
    tree = {"directory": directory, "agent": "dsh", "sessionType": "worktree", "worktreeName": "fix"}
    await ask("worktree outside Git", "POST", f"{at}/spawn", tree)
    await ask("no such computer", "POST", "/api/machines/odd/spawn", {"directory": directory, "agent": "dsh"})
    started = await ask("start", "POST", f"{at}/spawn", {"directory": f"{directory}/new", "agent": "dsh"})
    session = (await journey.client.call("GET", f"/api/sessions/{started['sessionId']}"))[1]["session"]
    assert session["metadata"]["path"] == f"{directory}/new", "a directory that is not there is made"


@pytest.mark.real_hub
@pytest.mark.timeout(90)
async def test_both_hubs_start_sessions_alike(tmp_path: Path) -> None:
    directory = tmp_path / "cli" / "shop"
    directory.mkdir(parents=True)
    async with HubProc(tmp_path / "hub") as process, RealRunner(process, tmp_path / "cli") as runner:
        async with HubClient(process.url, process.token) as client:
            machine = await runner.machine(client)
        async with SandboxHub() as sandbox:
            played = sandbox.state.add_machine("laptop")
            computer = sandbox.computers[played]
            computer.agents = ("dsh",)
            computer.directories.add(str(directory))
            journeys = (Journey(process.url, process.token), Journey(sandbox.url, sandbox.access_token))
            for journey, name in zip(journeys, (machine, played), strict=True):
                async with journey.client:
                    await spawn(journey, name, str(directory))
    assert endpoints(journeys[1].asked) == AT_A_START
    theirs, ours = (journey.answers for journey in journeys)
    different = [name for name in theirs if ours[name] != theirs[name]]
    assert {name: ours[name] for name in different} == {name: theirs[name] for name in different}


@pytest.mark.real_hub
async def test_both_hubs_answer_the_same_calls_with_the_same_codes_and_shapes(tmp_path: Path) -> None:
    async with asyncio.timeout(50), HubProc(tmp_path / "hub") as process, SandboxHub() as sandbox:
        cli = FakeCli(process.url, flavor="claude", path="/home/ada/shop")
        cli.auto_consume = False
        cli.handle("set-session-config", lambda params: {"applied": params})
        cli.handle("switch", lambda params: {})
        cli.handle("listSlashCommands", lambda params: {"success": True, "commands": []})
        cli.handle("listSkills", lambda params: {"success": True, "skills": []})
        cli.handle("readGeneratedImage", _picture)
        await cli.start()
        sandbox.state.images["img-1"] = (b"PNG", "image/png", "chart.png")
        played = sandbox.state.add_session(flavor="claude", directory="/home/ada/shop", machine="fakehost")
        played.resumes = "never"  # the stand-in leaves no trace that an agent could go on from

        async def nothing(*_: Any) -> None:
            """The stand-in settles by itself when the hub passes the decision on."""

        async def later(act: Callable[..., Any], *arguments: Any, **named: Any) -> None:
            act(*arguments, **named)

        real = Agent(
            cli.sid,
            cli.say,
            lambda items: cli.say("output", _todo_call(items)),
            lambda *request: _done(cli.ask(*request)),
            nothing,
            lambda: cli.consume(["telegram-bot-1"]),
            cli.end,
        )
        state = sandbox.state
        settled: dict[str, Any] = {
            "r1": {"status": "approved", "decision": "approved", "allowTools": ["Bash(ls)"]},
            "r2": {"status": "denied", "decision": "abort"},
        }
        played_agent = Agent(
            played.id,
            lambda family, data: later(state.say, played, family, data),
            lambda items: later(state.todos, played, [{**each, "priority": "medium", "id": ""} for each in items]),
            lambda *request: later(state.ask, played, *request),
            lambda request: later(state.settle, played, request, **settled[request]),
            lambda: later(state.take, played),
            lambda: later(state.end, played),
        )
        ours = Journey(sandbox.url, sandbox.access_token)
        theirs = Journey(process.url, process.token)
        try:
            for journey in (theirs, ours):
                await journey.client.auth()
            their_events = await travel(theirs, real)
            our_events = await travel(ours, played_agent)
        finally:
            await theirs.client.close()
            await ours.client.close()
            await cli.close()
    assert endpoints(ours.asked) == ON_THE_WAY
    different = [name for name, answer in theirs.answers.items() if ours.answers[name] != answer]
    assert {name: ours.answers[name] for name in different} == {name: theirs.answers[name] for name in different}
    assert our_events == their_events


async def _done(work: Awaitable[Any]) -> None:
    await work


def _todo_call(items: list[dict[str, str]]) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": items}}
    return {"type": "assistant", "uuid": "t", "message": {"role": "assistant", "content": [call]}}


def _picture(params: dict[str, Any]) -> dict[str, Any]:
    """What a CLI answers when the hub asks it for a picture."""
    if params["id"] != "img-1":
        return {"success": False, "error": "Generated image not found"}
    content = base64.b64encode(b"PNG").decode()
    return {"success": True, "content": content, "mimeType": "image/png", "fileName": "chart.png"}

"""The player behaves as an agent does: it waits for people, stops when told, takes what was written in between."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.sandbox import hub_scenario
from bridge.sandbox.hub_scenario import Scenario, ScenarioError
from bridge.sandbox.hub_session import Signal
from bridge.sandbox.hub_state import HubState
from bridge.sandbox.player import Player, Waiting
from bridge.transcript.blocks import ToolCall
from bridge.transcript.fold import Transcript

FAST = 1000


@pytest.fixture
def state() -> HubState:
    return HubState(lambda: 1_796_000_000.0)


def scenario(*steps: dict[str, Any], flavor: str = "codex") -> Scenario:
    return Scenario(title="t", flavor=flavor, directory="/srv", step=steps)


def visitor(state: HubState, act: Callable[[Waiting], None]) -> Callable[[Waiting], None]:
    """Acts a moment later, as a person's call would arrive."""

    def soon(waiting: Waiting) -> None:
        asyncio.get_running_loop().call_soon(act, waiting)

    return soon


def said(player: Player) -> list[str]:
    """What was said, in order, whatever the family: a word per row."""
    words = []
    for row in player.session.rows:
        payload = row["content"]["content"]
        data = payload.get("data", payload)
        blocks = (data.get("message") or {}).get("content", []) if payload["type"] == "output" else []
        words.append(blocks[0]["type"] if blocks and isinstance(blocks, list) else data["type"])
    return words


async def play(player: Player) -> None:
    async with asyncio.timeout(10):
        await player.play()


ASK = {
    "do": "ask",
    "tool": "Bash",
    "input": {"command": "ls"},
    "output": "shop",
    "denied": [{"do": "say", "text": "No."}],
}
READY = {"do": "ready"}


@pytest.mark.parametrize("name", hub_scenario.names())
async def test_every_scenario_that_ships_plays_to_its_end(name: str, state: HubState) -> None:
    """Each waits for its visitor by name, and everything it asked for is settled."""

    def act(waiting: Waiting) -> None:
        session = state.sessions[waiting.session]
        body: dict[str, Any] = {}
        if waiting.what == "reply":
            state.send(session, waiting.visitor, "telegram-bot-1")
            return
        if waiting.what == "question":
            given = list(waiting.answers)
            body = {"answers": {"0": given[:1], "1": given[1:], "q0": {"answers": given}}}
        state.decide(session, waiting.request, approved=True, body=body)

    player = Player(state, hub_scenario.load(name), speed=FAST, on_wait=visitor(state, act))
    await play(player)
    assert player.finished.is_set()
    assert player.session.requests == {}
    assert {each["status"] for each in player.session.completed.values()} <= {"approved"}
    assert said(player)[-1] == "ready"
    assert player.session.record["thinking"] is False


async def test_an_allowed_tool_runs_and_the_turn_goes_on(state: HubState) -> None:
    act = visitor(state, lambda w: state.decide(state.sessions[w.session], w.request, approved=True, body={}))
    player = Player(state, scenario(ASK, READY), speed=FAST, on_wait=act)
    await play(player)
    assert said(player) == ["tool-call", "tool-call-result", "ready"]
    (done,) = player.session.completed.values()
    assert (done["status"], done["decision"], done["arguments"]) == ("approved", "approved", {"command": "ls"})


async def test_a_denied_generic_agent_goes_on_and_claude_stops_without_ready(state: HubState) -> None:
    act = visitor(state, lambda w: state.decide(state.sessions[w.session], w.request, approved=False, body={}))
    generic = Player(state, scenario(ASK, READY), speed=FAST, on_wait=act)
    await play(generic)
    assert said(generic) == ["tool-call", "tool-call-result", "message", "ready"]
    claude = Player(state, scenario(ASK, READY, flavor="claude"), speed=FAST, on_wait=act)
    await play(claude)
    assert said(claude) == ["tool_use", "tool_result"]
    assert claude.session.record["thinking"] is False
    assert [each["status"] for each in claude.session.completed.values()] == ["denied"]


async def test_a_grant_for_the_session_is_not_asked_for_again(state: HubState) -> None:
    asked: list[Waiting] = []

    def act(waiting: Waiting) -> None:
        asked.append(waiting)
        body = {"allowTools": ["Bash(ls)"]}
        state.decide(state.sessions[waiting.session], waiting.request, approved=True, body=body)

    other = {**ASK, "input": {"command": "rm -r x"}}
    player = Player(state, scenario(ASK, ASK, other, flavor="claude"), speed=FAST, on_wait=visitor(state, act))
    await play(player)
    assert [player.session.completed[each.request]["arguments"]["command"] for each in asked] == ["ls", "rm -r x"]


async def test_a_question_approved_without_answers_ends_as_denied(state: HubState) -> None:
    question = {"do": "question", "questions": [{"question": "Where?", "options": [{"label": "here"}]}]}
    act = visitor(state, lambda w: state.decide(state.sessions[w.session], w.request, approved=True, body={}))
    player = Player(state, scenario(question, flavor="claude"), speed=FAST, on_wait=act)
    await play(player)
    assert [each["status"] for each in player.session.completed.values()] == ["denied"]


async def test_stop_cancels_what_is_open_and_ends_the_turn(state: HubState) -> None:
    act = visitor(state, lambda w: state.sessions[w.session].signals.put_nowait(Signal("abort")))
    player = Player(state, scenario(ASK, {"do": "say", "text": "never"}, READY), speed=FAST, on_wait=act)
    await play(player)
    assert said(player) == ["tool-call", "message", "ready"]
    assert [each["status"] for each in player.session.completed.values()] == ["canceled"]


async def test_messages_written_during_a_turn_are_taken_as_one_batch(state: HubState) -> None:
    steps = ({"do": "user", "text": "go"}, {"do": "say", "text": "done"}, READY)
    player = Player(state, scenario(*steps), speed=FAST)
    for name in ("a", "b"):
        state.send(player.session, name, name)
    await play(player)
    assert player.session.queued == []
    assert len({row["invokedAt"] for row in player.session.rows if row["localId"]}) == 1
    answer = player.session.rows[-2]["content"]["content"]["data"]["message"]
    assert answer.startswith("You wrote: a\nb")


async def test_after_its_script_a_staying_player_answers_until_the_session_ends(state: HubState) -> None:
    player = Player(state, scenario(READY), speed=FAST, stay=True)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        playing = group.create_task(player.play())
        await player.finished.wait()
        stream, _ = state.events.open(everything=True, session=None, last_id=None)
        state.send(player.session, "still there?", "x")
        event = await stream.queue.get()
        while event and '"ready"' not in event.text:
            event = await stream.queue.get()
        state.end(player.session)
        await playing
    assert said(player)[-2:] == ["message", "ready"]


async def test_streamed_text_comes_in_growing_snapshots_under_one_id(state: HubState) -> None:
    text = "one two three four five six seven eight nine ten eleven"
    player = Player(state, scenario({"do": "say", "text": text, "stream": True}), speed=FAST)
    await play(player)
    snapshots = [row["content"]["content"]["data"] for row in player.session.rows]
    assert len({each["id"] for each in snapshots}) == 1
    assert len(snapshots) == 3
    assert all(text.startswith(each["message"]) for each in snapshots)
    assert snapshots[-1]["message"] == text


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("title = 'x'\ndirectory = '/'\n[[step]]\ndo = 'dance'\n", "odd.toml: step.1: Input tag 'dance'"),
        ("title = 'x'\ndirectory = '/'\nstep = []\n", "odd.toml: step: Tuple should have at least 1 item"),
        ("title =", "odd.toml: Invalid value"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_named(tmp_path: Path, toml: str, words: str) -> None:
    path = tmp_path / "odd.toml"
    path.write_text(toml)
    with pytest.raises(ScenarioError) as refused:
        hub_scenario.load(str(path))
    assert str(refused.value).startswith(words)


def test_an_unknown_scenario_is_answered_with_those_there_are() -> None:
    with pytest.raises(ScenarioError, match="there is no scenario nope; there are agents, bugfix, "):
        hub_scenario.load("nope")


async def test_sub_agents_speak_beside_the_conversation_and_report_at_its_end(state: HubState) -> None:
    agent = {
        "description": "Search",
        "prompt": "Search it.",
        "report": "Found.",
        "step": [{"do": "tool", "tool": "Grep", "input": {"pattern": "x"}, "output": "a.py"}],
    }
    player = Player(state, scenario({"do": "agents", "agents": [agent, agent]}, flavor="claude"), speed=FAST)
    await play(player)
    transcript = Transcript()
    for row in player.session.rows:
        transcript.feed(row)
    tasks = [block for block in transcript.blocks if isinstance(block, ToolCall)]
    assert [task.tool.state for task in tasks] == ["completed", "completed"]
    assert [[child.kind for child in task.children] for task in tasks] == [["tool-call"], ["tool-call"]]


@pytest.mark.parametrize(("flavor", "tool"), [("claude", "TodoWrite"), ("codex", "update_plan")])
async def test_a_to_do_list_is_told_by_the_agent_and_kept_by_the_hub(flavor: str, tool: str, state: HubState) -> None:
    step = {"do": "todos", "done": ["a"], "now": "b", "open": ["c"]}
    player = Player(state, scenario(step, flavor=flavor), speed=FAST)
    await play(player)
    transcript = Transcript()
    for row in player.session.rows:
        transcript.feed(row)
    (call,) = [block for block in transcript.blocks if isinstance(block, ToolCall)]
    assert (call.tool.name, call.tool.state) == (tool, "completed")
    kept = [(each["content"], each["status"]) for each in player.session.record["todos"]]
    assert kept == [("a", "completed"), ("b", "in_progress"), ("c", "pending")]


async def test_a_background_task_is_counted_until_it_is_told_to_be_over(state: HubState) -> None:
    steps = ({"do": "background", "name": "b1", "command": "make"}, {"do": "background-over", "name": "b1"})
    stream, _ = state.events.open(everything=True, session=None, last_id=None)
    player = Player(state, scenario(*steps, flavor="claude"), speed=FAST)
    await play(player)
    told = [json.loads(event.text) for event in _all(stream.queue)]
    counts = [
        each["data"]["backgroundTaskCount"] for each in told if set(each.get("data", ())) == {"backgroundTaskCount"}
    ]
    assert counts == [1, 0]


async def test_a_picture_is_handed_out_by_the_hub(state: HubState) -> None:
    player = Player(state, scenario({"do": "picture", "name": "chart.png", "bars": [1, 100]}), speed=FAST)
    await play(player)
    (image,) = [row["content"]["content"]["data"] for row in player.session.rows]
    data, media_type, name = state.images[image["imageId"]]
    assert (data[:8], media_type, name) == (b"\x89PNG\r\n\x1a\n", "image/png", "chart.png")


async def test_what_goes_wrong_with_the_hub_is_ordered_from_the_hub(state: HubState) -> None:
    ordered: list[tuple[object, ...]] = []

    async def trouble(*order: object) -> None:
        ordered.append(order)

    state.trouble = trouble
    await play(Player(state, scenario({"do": "hub", "what": "fail", "path": "/messages", "times": 2}), speed=FAST))
    assert ordered == [("fail", "/messages", 2, 0.0)]


def _all(queue: asyncio.Queue[Any]) -> list[Any]:
    return [queue.get_nowait() for _ in range(queue.qsize())]

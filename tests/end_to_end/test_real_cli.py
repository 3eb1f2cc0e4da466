"""HAPI's own CLI with a scripted agent in place of a language model: the whole way, both ways."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Stage
from tests.rig.hapi_peer import HubClient
from tests.rig.real_cli import RealCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]


@pytest.fixture
async def talking(stage: Stage, tmp_path: Path) -> AsyncIterator[Stage]:
    """The bridge runs, and the real CLI's session has its topic."""
    await stage.start()
    async with RealCli(stage.hub, tmp_path / "work"):
        await stage.see_hub_session()
        yield stage


async def test_text_reasoning_and_a_tool_arrive_and_the_reply_reaches_the_agent(talking: Stage) -> None:
    stage = talking
    said = stage.telegram.say(stage.chat, stage.ada, "think let me see\ntool Bash ls -l\nsay all is well")
    answer = await stage.answer("all is well", 30)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    activity = await stage.message("Bash ls -l")
    await stage.see(lambda: "🟢 Bash ls -l" in activity.text, "the tool is done")
    assert activity.silent
    assert "let me see" in activity.marked("expandable_blockquote")[0]
    assert stage.rings() == [answer]


@pytest.mark.parametrize(
    ("button", "word", "goes_on"),
    [
        ("Allow", "Allowed", "tool Bash allowed via once. and on"),
        ("Allow for session", "Allowed for this session", "tool Bash allowed via always. and on"),
        ("Deny", "Denied", "and on"),
    ],
)
async def test_a_request_is_decided_from_a_button_and_the_agent_goes_on(
    talking: Stage, button: str, word: str, goes_on: str
) -> None:
    stage = talking
    stage.telegram.say(stage.chat, stage.ada, "ask Bash make build\nsay and on")
    card = await stage.message("Approval needed", 30)
    assert "make build" in card.text
    await stage.press(card, button)
    await stage.see(lambda: f"{word} by Ada" in card.text, "the outcome")
    await stage.message(goes_on, 30)


async def test_stop_ends_the_turn(talking: Stage) -> None:
    stage = talking
    stage.telegram.say(stage.chat, stage.ada, "tool Bash sleepy\nsleep 60\nsay never")
    activity = await stage.message("Bash sleepy", 30)
    await stage.press(activity, "Stop")
    await stage.see(lambda: "Stopped" in activity.text, "stopped", 30)
    assert not [one for one in stage.chat.from_bot if "never" in one.text]


async def permission_answers(stage: Stage, tmp_path: Path) -> list[str]:
    """What the agent was told about its requests, in order: ids of the options."""
    log = (tmp_path / "work" / "acp.log").read_text().splitlines()
    answers = [json.loads(line[2:]) for line in log if line.startswith("< ")]
    return [
        one["result"]["outcome"].get("optionId", "cancelled") for one in answers if "outcome" in one.get("result", {})
    ]


async def test_a_double_press_acts_once_and_a_stale_one_is_refused_in_words(talking: Stage, tmp_path: Path) -> None:
    """Invariant 4."""
    stage = talking
    stage.telegram.say(stage.chat, stage.ada, "ask Bash one\nask Bash two\nsay finished now")
    first = await stage.message("one", 30)
    token = first.button("Allow").data
    assert token is not None
    await stage.steady(first)
    queries = [stage.telegram.press(first, token, stage.ada) for _ in range(3)]
    told = [(await stage.telegram.answer_to(query, 10)).text for query in queries]
    assert told.count("Sending…") == 1
    second = await stage.message("two", 30)
    stale = await stage.telegram.answer_to(stage.telegram.press(first, token, stage.ada, stale=True), 10)
    assert stale.alert
    assert "already" in stale.text
    await stage.press(second, "Deny")
    await stage.message("finished now", 30)
    assert await permission_answers(stage, tmp_path) == ["once", "no"]


async def test_a_question_is_answered_and_the_agent_goes_on(talking: Stage, tmp_path: Path) -> None:
    stage = talking
    options = [{"label": "SQLite"}, {"label": "Postgres"}]
    asked = json.dumps({"questions": [{"question": "Which database?", "options": options}]})
    said = stage.telegram.say(stage.chat, stage.ada, f"ask AskUserQuestion {asked}\nsay thanks")
    card = await stage.message("Which database?", 30)
    await stage.press(card, next(one.text for one in card.buttons if "Postgres" in one.text))
    await stage.see(lambda: "Answered by Ada" in card.text, "the answer", 30)
    await stage.message("thanks", 30)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    async with HubClient(stage.hub.url) as client:
        await client.auth()
        _, body = await client.call("GET", "/api/sessions")
        (session,) = body["sessions"]
        _, page = await client.call("GET", f"/api/sessions/{session['id']}/messages?limit=50")
    assert next(row["localId"] for row in page["messages"] if row["localId"]).startswith("telegram-bot")


@pytest.mark.parametrize("breaks", ["bridge", "hub"])
async def test_a_long_turn_survives_a_kill_of_the_bridge_or_the_hub_in_its_middle(
    stage: Stage, tmp_path: Path, breaks: str
) -> None:
    """Invariants 1 to 3: 100 narrating texts between 100 tools; nothing is lost, the order holds, one ring."""
    await stage.start_process()
    async with RealCli(stage.hub, tmp_path / "work"):
        await stage.see_hub_session()
        steps = [f"say text {number}.\ntool Bash run {number}\nsleep 0.05" for number in range(100)]
        stage.telegram.say(stage.chat, stage.ada, "\n".join([*steps, "say all done"]))
        await stage.message("run 2", 30)
        if breaks == "bridge":
            await stage.kill_process()
            await stage.start_process()
        else:
            await stage.hub.stop(kill=True)
            await stage.hub.start()
        answer = await stage.answer("all done", 60)
        await stage.see(lambda: any(one.file for one in stage.chat.from_bot), "the turn's file", 30)
    whole = "".join(one.file.data.decode() for one in stage.chat.from_bot if one.file)
    there = await texts_in_hub(stage)
    if breaks == "bridge":
        assert there == set(range(100))
    places = [whole.find(f"text {number}.") for number in sorted(there)]
    assert -1 not in places, "what the hub has, the chat has"
    assert places == sorted(places)
    assert [one for one in stage.rings() if "all done" in one.text] == [answer]


async def texts_in_hub(stage: Stage) -> set[int]:
    """The numbers of the texts that reached the hub; a hub that is killed may lose what the CLI was sending."""
    async with HubClient(stage.hub.url) as client:
        await client.auth()
        _, body = await client.call("GET", "/api/sessions")
        (session,) = body["sessions"]
        rows: list[dict[str, Any]] = []
        before = ""
        while True:
            _, page = await client.call("GET", f"/api/sessions/{session['id']}/messages?limit=200{before}")
            rows += page["messages"]
            if not page["page"]["hasMore"]:
                break
            before = f"&beforeSeq={page['page']['nextBeforeSeq']}&beforeAt={page['page']['nextBeforeAt']}"
    agent = json.dumps([row["content"] for row in rows if row["content"]["role"] == "agent"])
    return {number for number in range(100) if f"text {number}." in agent}

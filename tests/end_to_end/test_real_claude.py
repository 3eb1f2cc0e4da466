"""The released Claude Code, started by HAPI's own CLI on a real hub, steered from Telegram; only the model is ours."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.sandbox.telegram import Message
from tests.conftest import ROOT
from tests.end_to_end.conftest import Stage
from tests.rig.fake_model import FakeModel, tool
from tests.rig.hapi_peer import HubClient
from tests.rig.real_claude import ClaudeRunner, RealClaude

pytestmark = [pytest.mark.real_hub, pytest.mark.real_claude, pytest.mark.timeout(300)]


@pytest.fixture
async def model() -> AsyncIterator[FakeModel]:
    async with FakeModel() as served:
        yield served


@pytest.fixture
async def coding(stage: Stage, model: FakeModel, tmp_path: Path) -> AsyncIterator[Stage]:
    """The bridge runs, and one session of Claude Code."""
    await stage.start()
    async with RealClaude(stage.hub, tmp_path / "work", model):
        await stage.see_hub_session()
        yield stage


def say(stage: Stage, *lines: str, reply_to: Message | None = None, thread: int | None = None) -> None:
    """Write a script for the model, or any words."""
    stage.telegram.say(stage.chat, stage.ada, "\n".join(lines), reply_to=reply_to, thread=thread)


async def session_of(stage: Stage) -> dict[str, Any]:
    """The hub's only session, whole."""
    async with HubClient(stage.hub.url, stage.hub.token) as client:
        _, body = await client.call("GET", "/api/sessions")
        (one,) = body["sessions"]
        _, body = await client.call("GET", f"/api/sessions/{one['id']}")
    session: dict[str, Any] = body["session"]
    return session


async def becomes(stage: Stage, field: str, value: Any) -> None:
    """Wait until the hub's session has a value."""
    async with asyncio.timeout(30):
        while (await session_of(stage)).get(field) != value:  # noqa: ASYNC110 - the hub tells the bridge, not the test
            await asyncio.sleep(0.1)


async def card_of(stage: Stage, text: str, label: str) -> Message:
    """Wait for a card with a text and a button."""

    def cards() -> list[Message]:
        return [one for one in stage.chat.from_bot if text in one.text and one.find_button(label)]

    await stage.see(cards, f"a card with {text!r} and {label!r}", 60)
    return cards()[-1]


async def test_a_command_runs_when_it_is_allowed_and_not_when_it_is_denied(coding: Stage, tmp_path: Path) -> None:
    stage, folder = coding, tmp_path / "work"
    say(stage, tool("Bash", command="touch made"), "say made it")
    card = await card_of(stage, "touch made", "Allow")
    assert not (folder / "made").exists()
    await stage.press(card, "Allow")
    await stage.answer("made it", 60)
    assert (folder / "made").exists()
    assert "Allowed by Ada" in card.text
    say(stage, tool("Bash", command="touch other"), "say never said")
    card = await card_of(stage, "touch other", "Deny…")
    await stage.press(card, "Deny…")
    say(stage, "say then not", reply_to=await stage.message("Why not?"))
    await stage.see(lambda: "Denied by Ada" in card.text, "the denial", 60)
    await stage.answer("then not", 60)
    assert not (folder / "other").exists()
    assert not [one for one in stage.chat.from_bot if "never said" in one.text]


async def test_a_file_is_where_claude_is_told_that_it_is(coding: Stage, model: FakeModel) -> None:
    stage = coding
    data = b"a;b\n1;2\n"
    said = stage.telegram.send_document(stage.chat, stage.ada, data, "Zahlen \u202e 1.csv", caption="say summed up")
    await stage.answer("summed up", 60)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    told = json.dumps([one["messages"] for one in model.requests], ensure_ascii=False)
    (path,) = set(re.findall(r"@(/[^\s\"]*Zahlen_1\.csv)", told))
    assert await asyncio.to_thread(Path(path).read_bytes) == data


async def test_a_pattern_allowed_once_is_not_asked_again_and_others_are(coding: Stage, tmp_path: Path) -> None:
    stage = coding
    say(stage, *[tool("Bash", command="touch made")] * 2, "say twice", tool("Bash", command="touch other"), "say end")
    card = await card_of(stage, "touch made", "Allow for session")
    await stage.press(card, "Allow for session")
    other = await card_of(stage, "touch other", "Allow")
    assert "Allowed by Ada" in card.text
    asked = [one for one in stage.chat.from_bot if "Approval needed: Bash" in one.history[0].text]
    assert asked == [card, other]
    await stage.press(other, "Allow")
    await stage.answer("end", 60)


async def test_a_permission_switches_the_mode_in_which_edits_are_not_asked_for(coding: Stage, tmp_path: Path) -> None:
    stage, folder = coding, tmp_path / "work"
    first, second = (tool("Write", file_path=str(folder / name), content=name) for name in ("one.txt", "two.txt"))
    say(stage, first, second, "say both written")
    card = await card_of(stage, "one.txt", "Allow for session")
    await stage.press(card, "Allow for session")
    await stage.answer("both written", 60)
    assert (folder / "two.txt").read_text() == "two.txt"
    await becomes(stage, "permissionMode", "acceptEdits")


async def test_several_questions_are_answered_and_the_answers_reach_the_model(coding: Stage, model: FakeModel) -> None:
    stage = coding
    store = {"label": "PostgreSQL", "description": "on a server"}, {"label": "SQLite", "description": "in a file"}
    tests = {"label": "Unit", "description": "small"}, {"label": "Browser", "description": "whole"}
    questions = [
        {"question": "Which store?", "header": "Store", "multiSelect": False, "options": list(store)},
        {"question": "Which tests?", "header": "Tests", "multiSelect": True, "options": list(tests)},
    ]
    say(stage, tool("AskUserQuestion", questions=questions), "say thank you")
    card = await card_of(stage, "Which store?", "SQLite")
    await stage.press(card, "SQLite")
    await stage.see(lambda: "Which tests?" in card.text and card.find_button("Unit"), "the second question")
    await stage.press(card, "Unit")
    await stage.press(card, "Browser")
    await stage.press(card, "Submit")
    await stage.answer("thank you", 60)
    results = [block for block in model.requests[-1]["messages"][-1]["content"] if block["type"] == "tool_result"]
    assert '"Which store?"="SQLite"' in str(results)
    assert '"Which tests?"="Unit,Browser"' in str(results)


async def test_a_plan_is_kept_with_a_comment_then_approved_into_a_mode(coding: Stage) -> None:
    stage = coding
    say(stage, "/mode plan")
    await becomes(stage, "permissionMode", "plan")
    say(stage, tool("ExitPlanMode", plan="# First plan"), "say never said")
    first = await card_of(stage, "First plan", "Keep planning…")
    await stage.press(first, "Keep planning…")
    comment = tool("ExitPlanMode", plan="# Second plan")
    say(stage, comment, reply_to=await stage.message("What should change?"))
    await stage.see(lambda: "keeps planning by Ada" in first.text, "the first plan is not approved", 60)
    second = await card_of(stage, "Second plan", "Approve, then Accept Edits")
    assert second is not first
    await stage.press(second, "Approve, then Accept Edits")
    await stage.answer("done.", 60)  # HAPI's CLI begins a turn of its own with an approved plan
    await becomes(stage, "permissionMode", "acceptEdits")


async def test_what_runs_is_stopped_and_the_session_goes_on(coding: Stage) -> None:
    stage = coding
    say(stage, "think About it at length", tool("Bash", command="ls"), "sleep 120", "say never said")
    activity = await stage.message("Bash ls", 60)
    say(stage, "/stop")
    await stage.see(lambda: "Stopped" in activity.text, "stopped", 60)
    say(stage, "say still here")
    await stage.answer("still here", 60)
    assert not [one for one in stage.chat.from_bot if "never said" in one.text]


async def test_model_effort_and_mode_are_set_and_the_next_turn_has_them(coding: Stage, model: FakeModel) -> None:
    stage = coding
    say(stage, "say good morning")
    await stage.answer("good morning", 60)
    say(stage, "/model sonnet")
    await becomes(stage, "model", "sonnet")
    say(stage, "/effort high")
    await becomes(stage, "effort", "high")
    say(stage, "/mode yolo")
    question = await stage.message("the agent asks for nothing")
    await stage.press(question, "Yes, switch to Yolo")
    await becomes(stage, "permissionMode", "bypassPermissions")
    say(stage, tool("Bash", command="touch unasked"), "say nobody was asked")
    await stage.answer("nobody was asked", 60)
    assert "sonnet" in model.requests[-1]["model"]


async def test_a_session_is_started_put_away_and_resumed_with_all_it_knew(
    stage: Stage, model: FakeModel, tmp_path: Path
) -> None:
    shop = tmp_path / "work" / "shop"
    shop.mkdir(parents=True)
    async with ClaudeRunner(stage.hub, tmp_path / "work", model) as runner:
        async with HubClient(stage.hub.url, stage.hub.token) as client:
            await runner.machine(client)
        await stage.start()
        say(stage, f"/new {shop}")
        plan = await stage.message("New session", 60)
        await stage.press(plan, "claude")
        await stage.see(lambda: plan.find_button("Start"), "the plan")
        await stage.press(plan, "Mode…")
        await stage.see(lambda: plan.find_button("Accept Edits"), "Claude's modes")
        await stage.press(plan, "Accept Edits")
        await stage.see(lambda: plan.find_button("Start"), "the plan")
        await stage.press(plan, "Start")
        place = await stage.message("“shop” is shown here.", 60)
        say(
            stage, tool("Write", file_path=str(shop / "a.txt"), content="a"), "say my word is plum", thread=place.thread
        )
        await stage.answer("my word is plum", 60)
        await becomes(stage, "permissionMode", "acceptEdits")
        await stage.see(lambda: "runs." in plan.text, "it runs", 30)
        await stage.press(plan, "Open")
        await stage.see(lambda: plan.find_button("Archive"), "its card")
        await stage.press(plan, "Archive")
        await stage.see(lambda: "was ended and put away" in plan.text, "put away", 60)
        await stage.press(plan, "Resume")
        await becomes(stage, "active", True)
        say(stage, "recall", thread=place.thread)
        remembered = await stage.answer("You said:", 60)
        assert "say my word is plum" in remembered.text
        assert remembered.thread == place.thread


async def test_tasks_sub_agents_and_what_runs_behind_are_shown_as_claude_code_tells_of_them(coding: Stage) -> None:
    stage = coding
    say(
        stage,
        tool("TaskCreate", subject="Write it", description="the parser"),
        tool("TaskCreate", subject="Test it", description="the parser"),
        tool("TaskUpdate", taskId="1", status="completed"),
        tool("TaskUpdate", taskId="2", status="in_progress", subject="Test all of it"),
        tool("Agent", description="look around", prompt=tool("Bash", command="ls") + "\nsay nothing here"),
        tool("Bash", command="sleep 1", run_in_background=True, description="nap"),
        "say so far",
    )
    await stage.answer("so far", 60)
    todo = "To do: 1 of 2\n🟢 Write it\n🟠 Test all of it"
    await stage.see(lambda: todo in [one.text for one in stage.chat.from_bot], "the list as it is now")
    activity = await stage.message("Sub-agents")
    assert "🟢 look around\n   🟢 Bash ls\n   → nothing here" in activity.text
    assert "Bash sleep 1 · in the background" in activity.text


async def test_claude_codes_own_commands_are_offered_and_do_what_they_say(coding: Stage) -> None:
    stage = coding
    for words in ("good morning", "and good night"):  # one turn alone is not compacted
        say(stage, f"say {words}")
        await stage.answer(words, 60)
    say(stage, "/commands")
    card = await card_of(stage, "Commands of", "/compact")
    await stage.press(card, "/compact")
    await stage.see(lambda: card.find_button("Send /compact"), "the command")
    await stage.press(card, "Send /compact")
    compacted = await stage.message("Context compacted", 60)
    assert compacted.text.startswith("Context compacted · on request")


async def test_commands_and_skills_of_the_project_are_completed_and_sent(
    stage: Stage, model: FakeModel, tmp_path: Path
) -> None:
    claude = tmp_path / "work" / ".claude"
    for path, head in (("commands/greet.md", "description: greets"), ("skills/review/SKILL.md", "name: review")):
        (claude / path).parent.mkdir(parents=True)
        (claude / path).write_text(f"---\n{head}\n---\nsay {Path(path).parent.name} for $ARGUMENTS")
    await stage.start()
    async with RealClaude(stage.hub, tmp_path / "work", model):
        await stage.see_hub_session()
        say(stage, "say good morning")
        await stage.answer("good morning", 60)
        say(stage, "/commands gre")
        card = await card_of(stage, "greets", "/greet")
        await stage.press(card, "/greet")
        await stage.see(lambda: card.find_button("With words…"), "the command")
        await stage.press(card, "With words…")
        say(stage, "Ada", reply_to=await stage.message("Reply to this message with it."))
        await stage.answer("commands for Ada", 60)
        say(stage, "/commands review")
        card = await card_of(stage, "Commands of", "/review")
        say(stage, "/review the parser")
        await stage.answer("review for the parser", 60)


async def test_a_title_and_a_picture_of_the_agents_come_with_the_session(coding: Stage, tmp_path: Path) -> None:
    stage = coding
    picture = ROOT / "docs" / "images" / "faults.png"
    title = tool("mcp__hapi__change_title", title="Plums")
    say(stage, title, tool("mcp__hapi__display_image", path=str(picture)), "say look")
    await stage.answer("look", 60)
    await stage.see(lambda: stage.chat.topic("Plums"), "the title of the topic")
    sent = await stage.see(lambda: next((one for one in stage.chat.from_bot if one.file), None), "the picture")
    assert sent.file.data == picture.read_bytes()

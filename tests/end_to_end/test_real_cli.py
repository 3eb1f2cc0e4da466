"""HAPI's own CLI with a scripted agent in place of a language model: the whole way, both ways."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Stage
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
    stage.telegram.say(stage.chat, stage.ada, "ask Bash rm -rf build\nsay and on")
    card = await stage.message("Approval needed", 30)
    assert "rm -rf build" in card.text
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

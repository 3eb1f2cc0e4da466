"""HAPI's own CLI with a scripted agent in place of a language model: the whole way to Slack and back."""

from pathlib import Path

import pytest

from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.real_cli import RealCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]


async def test_text_reasoning_a_tool_and_requests_the_whole_way(own_slack: SlackStage, tmp_path: Path) -> None:
    stage = own_slack
    await stage.start()
    async with RealCli(stage.hub, tmp_path / "work"):
        await stage.see_hub_session()
        said = stage.say("think let me see\ntool Bash ls -l\nsay all is well")
        answer = await stage.answer("all is well", 30)
        await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "taken")
        activity = await stage.message("🟢 Bash ls -l")
        await stage.see(
            lambda: "let me see" in str(activity.attachments), "the reasoning, folded, once the turn is over"
        )
        assert stage.rings() == [answer]
        for button, word, goes_on in (
            ("Allow", "Allowed", "tool Bash allowed via once. and on 1"),
            ("Deny", "Denied", "and on 2"),
        ):
            number = goes_on[-1]
            stage.say(f"ask Bash make part{number}\nsay and on {number}", answer)
            card = await stage.message(f"make part{number}", 30)
            await stage.see(lambda card=card: card.buttons, "its buttons")  # type: ignore[misc]
            await stage.press(card, button)
            await stage.see(lambda card=card, word=word: f"{word} by ada" in words(card), "the outcome")  # type: ignore[misc]
            await stage.message(goes_on, 30)

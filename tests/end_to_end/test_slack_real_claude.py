"""The released Claude Code, started by HAPI's own CLI on a real hub and steered from Slack; only the model is ours."""

import json
from pathlib import Path

import pytest

from bridge.sandbox.slack import Message
from tests.end_to_end.slack_stage import SlackStage, has, words
from tests.rig.fake_model import FakeModel, tool
from tests.rig.hapi_peer import HubClient
from tests.rig.real_claude import ClaudeRunner

pytestmark = [pytest.mark.real_hub, pytest.mark.real_claude, pytest.mark.timeout(300)]


async def card_of(stage: SlackStage, text: str, label: str) -> Message:
    """Wait for a card with a text and a button."""

    def cards() -> list[Message]:
        return [one for one in stage.dm.from_bot if text in words(one) and has(one, label)]

    await stage.see(cards, f"a card with {text!r} and {label!r}", 60)
    return cards()[-1]


async def test_started_worked_with_stopped_put_away_and_resumed(own_slack: SlackStage, tmp_path: Path) -> None:
    stage = own_slack
    shop = tmp_path / "work" / "shop"
    shop.mkdir(parents=True)
    async with FakeModel() as model, ClaudeRunner(stage.hub, tmp_path / "work", model) as runner:
        async with HubClient(stage.hub.url, stage.hub.token) as client:
            await runner.machine(client)
        await stage.start()
        stage.say(f" /new {shop}")
        plan = await card_of(stage, "which agent?", "claude")
        await stage.press(plan, "claude")
        await stage.see(lambda: has(plan, "Start"), "the plan")
        await stage.press(plan, "Start")
        place = await stage.message("“shop” is shown here.", 60)

        stage.say("\n".join([tool("Bash", command="touch made"), "say my word is plum"]), place)
        card = await card_of(stage, "touch made", "Allow")
        assert not (shop / "made").exists()
        await stage.press(card, "Allow")
        await stage.answer("my word is plum", 60)
        assert (shop / "made").exists()

        options = [{"label": "SQLite", "description": "a file"}, {"label": "PostgreSQL", "description": "a server"}]
        question = {"question": "Which store?", "header": "Store", "multiSelect": False, "options": options}
        stage.say("\n".join([tool("AskUserQuestion", questions=[question]), "say thank you"]), place)
        card = await card_of(stage, "Which store?", "① SQLite")
        await stage.press(card, "① SQLite")
        await stage.answer("thank you", 60)
        assert '"Which store?"="SQLite"' in words_of(model)

        stage.say(" /mode plan", place)
        await stage.message("Permission mode: Plan Mode from now on.", 30)
        stage.say(tool("ExitPlanMode", plan="# The plan"), place)
        card = await card_of(stage, "The plan", "Approve, then Accept Edits")
        await stage.press(card, "Approve, then Accept Edits")
        await stage.answer("done.", 60)
        stage.say("\n".join([tool("Write", file_path=str(shop / "a.txt"), content="a"), "say unasked"]), place)
        await stage.answer("unasked", 60)

        stage.say("\n".join([tool("Bash", command="ls"), "sleep 120", "say never said"]), place)
        await stage.message("Bash ls", 60)
        stage.say(" /stop", place)
        await stage.message("Stopped", 60)

        await stage.press(plan, "Open")
        await stage.see(lambda: has(plan, "Archive"), "its card")
        await stage.press(plan, "Archive")
        await stage.see(lambda: "was ended and put away" in words(plan), "put away", 60)
        await stage.press(plan, "Resume")
        await stage.see(lambda: has(plan, "Archive"), "it runs again", 60)
        stage.say("recall", place)
        remembered = await stage.answer("You said:", 60)
        assert "say my word is plum" in words(remembered)
        assert remembered.thread_ts == place.thread_ts
        assert not [one for one in stage.dm.from_bot if words(one).startswith("never said")]


def words_of(model: FakeModel) -> str:
    """What the model was told last."""
    return json.dumps(model.requests[-1]["messages"][-1]["content"]).replace('\\"', '"')

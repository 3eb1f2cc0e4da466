"""What waits for a decision in all sessions: one list, and a way to each card."""

import pytest

from tests.end_to_end.bridge_stage import answers, decisions_of
from tests.end_to_end.conftest import AtSlack, Stage
from tests.end_to_end.slack_stage import words

pytestmark = pytest.mark.real_hub


async def test_all_that_waits_is_listed_and_decided_on_its_own_card(stage: Stage) -> None:
    """Invariant 4: nothing is decided from a list; each button shows the whole of what would run."""
    await stage.start()
    parser = await stage.session(flavor="claude", path="/home/ada/parser")
    site = await stage.session(flavor="claude", path="/home/ada/site")
    await answers(parser, "hello")
    await parser.ask("r1", "Bash", {"command": "make build"})
    await stage.message("make build")
    await site.ask("r2", "Bash", {"command": "rm -rf dist"})
    await stage.message("rm -rf dist")
    await site.ask("r3", "AskUserQuestion", {"questions": [{"question": "Which port?", "options": [{"label": "80"}]}]})
    await stage.message("Which port?")
    stage.telegram.say(stage.chat, stage.ada, "/pending")
    listed = await stage.message("3 requests wait for a decision")
    assert "① Bash make build\n   parser" in listed.text
    assert "② Bash rm -rf dist\n   site · ⚠️ Deletes for good (rm -rf)" in listed.text
    assert "③ Question Which port?" in listed.text
    assert [one.text for one in listed.buttons] == ["① Bash · parser", "② Bash · site", "③ Question · site"]
    await stage.press(listed, "① Bash · parser")
    await stage.see(lambda: stage.chat.from_bot[-1].find_button("Allow"), "the card, in this place")
    card = stage.chat.from_bot[-1]
    assert card.thread == listed.thread
    assert "make build" in card.text
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by Ada" in card.text, "the outcome")
    assert len(decisions_of(parser)) == 1
    refused = await stage.telegram.answer_to(stage.telegram.press(listed, "① Bash · parser", stage.ada), 10)
    assert refused.alert
    stage.telegram.say(stage.chat, stage.ada, "/pending")
    assert await stage.message("2 requests wait for a decision")


async def test_a_card_that_stands_in_the_same_place_is_led_to_by_a_reply(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("r1", "Bash", {"command": "make build"})
    await stage.message("make build")
    stage.say(f"{stage.slack.mention()} pending", thread=stage.root("parser"))
    listed = await stage.message("1 request waits for a decision")
    await stage.press(listed, "① Bash · parser")
    await stage.message("It stands here.")
    assert len([one for one in stage.dm.from_bot if "Allow" in [each.label for each in one.buttons]]) == 1


async def test_where_nothing_waits_that_is_said(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "hello")
    await stage.message("hello")
    stage.say(f"{stage.slack.mention()} pending")
    assert words(await stage.message("Nothing waits for your decision."))

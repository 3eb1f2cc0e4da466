"""What a person sees unasked: a pinned post of what waits and runs, and a word where something waits too long."""

import pytest

from tests.end_to_end.bridge_stage import answers, decisions_of
from tests.end_to_end.conftest import AtBoth, Stage
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


async def test_the_home_post_is_pinned_edited_and_silent(stage: Stage) -> None:
    stage.manners["home_post"] = True
    await stage.start()
    home = await stage.message("Nothing waits and nothing runs.")
    await stage.see(lambda: home.id in stage.chat.pinned, "it is pinned")
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    await stage.see(lambda: "🟠 1 waits for you" in home.text and "parser · Bash" in home.text, "it waits")
    await cli.resolve({"id": "r1", "approved": True})
    await answers(cli, "All done.")
    await stage.see(lambda: "🟢 1 finished" in home.text, "it has finished")
    assert home.silent
    assert len([one for one in stage.chat.from_bot if "waits for you" in one.text or "finished" in one.text]) == 1


async def test_its_buttons_open_lists_below_it_and_leave_it_as_it_is(stage: Stage) -> None:
    stage.manners["home_post"] = True
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    home = await stage.message("1 waits for you")
    await stage.press(home, "What waits")
    listed = await stage.message("parser", timeout=15)
    assert listed.id != home.id
    await stage.press(home, "Sessions")
    await stage.message("1 session")
    assert "1 waits for you" in home.text


async def test_a_restart_goes_on_with_the_same_home_post(stage: Stage) -> None:
    """Invariant 3."""
    stage.manners["home_post"] = True
    await stage.start()
    home = await stage.message("Nothing waits and nothing runs.")
    await stage.see(lambda: home.id in stage.chat.pinned, "it is pinned")
    await stage.stop()
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    await stage.see(lambda: "1 waits for you" in home.text, "the same post")
    assert stage.chat.pinned == [home.id]


async def test_on_slack_the_home_post_links_to_what_waits(slack: SlackStage) -> None:
    slack.manners["home_post"] = True
    await slack.start()
    cli = await slack.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    home = await slack.message("1 waits for you")
    await slack.see(lambda: home.ts in slack.dm.pinned, "it is pinned")
    card = await slack.answer("ls")
    await slack.see(lambda: card.ts.replace(".", "") in str(home.blocks), "it links to the card")


async def test_a_request_that_waits_is_said_again_once(stage: Stage) -> None:
    """Invariant 10: reminding decides nothing."""
    stage.extra = "[remind]\nafter_minutes = 0.02"
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("r1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    reminder = await stage.answer("still waits for your decision: Bash", timeout=20)
    assert reminder.reply_to == card.id
    await stage.stop()
    await stage.start()
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by Ada" in card.text, "allowed")
    await stage.see(lambda: "It is over now." in reminder.text, "the reminder does not look open any more")
    assert [one for one in stage.chat.from_bot if "still waits" in one.text] == []
    assert decisions_of(cli) == [{"id": "r1", "approved": True}]


async def test_what_waits_longer_is_asked_on_another_platform_and_decided_there(both: AtBoth) -> None:
    """Invariant 4: the card is the same post, wherever it stands."""
    stage, cli = both
    await stage.stop()
    only_telegram = '[[slack.follow]]\nmachine = "no such machine"\n'
    stage.extra = f'{only_telegram}[remind]\nescalate_after_minutes = 0.02\nescalate_to = ["slack"]\n'
    await stage.start()
    await cli.ask("r1", "Bash", {"command": "ls"})
    there = await stage.on_telegram("ls")
    card = await stage.message("ls")
    reminder = await stage.on_telegram("It was asked in Slack as well.")
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by" in words(card), "allowed on Slack")
    await stage.telegram.wait_for(lambda: "Allowed by" in there.text, 15, "allowed on Telegram, too")
    await stage.telegram.wait_for(lambda: "It is over now." in reminder.text, 15, "the reminder is over, too")
    assert decisions_of(cli) == [{"id": "r1", "approved": True}]

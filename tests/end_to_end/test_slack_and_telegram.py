"""One session on Slack and on Telegram at once: whatever is decided or said on one shows on both."""

import asyncio

import pytest

from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, told, until
from tests.end_to_end.conftest import AtBoth
from tests.end_to_end.slack_stage import words

pytestmark = pytest.mark.real_hub


@pytest.mark.parametrize(
    ("where", "button", "approved", "outcome"),
    [("Slack", "Allow", True, "Allowed by ada · Slack"), ("Telegram", "Deny", False, "Denied by Ada · Telegram")],
)
async def test_a_press_on_one_resolves_the_approval_on_both(
    both: AtBoth, where: str, button: str, approved: bool, outcome: str
) -> None:
    """Invariant 4: one decision, wherever it was made; the other card's buttons are dead."""
    stage, cli = both
    await cli.ask("req1", "Bash", {"command": "make build"})
    on_slack, on_telegram = await stage.message("make build"), await stage.on_telegram("make build")
    stale_here, stale_there = on_slack.element("Allow").action_id, on_telegram.button("Allow").data
    assert stale_there is not None
    if where == "Slack":
        await stage.press(on_slack, button)
    else:
        await stage.press_on_telegram(on_telegram, button)
    await stage.see(lambda: outcome in words(on_slack), "the outcome on Slack")
    await stage.telegram.wait_for(lambda: outcome in on_telegram.text, 15, what="the outcome on Telegram")
    assert [params["approved"] for params in decisions_of(cli)] == [approved]
    assert all(one.action_id.startswith("-") for one in on_slack.buttons)
    assert {one.data for one in on_telegram.buttons} == {"-"}
    if where == "Slack":
        query = stage.telegram.press(on_telegram, stale_there, stage.telegram_ada, stale=True)
        told = (await stage.telegram.answer_to(query, 10)).text or ""
        assert told.startswith("Allowed by ada already, ")
    else:
        stage.slack.press(on_slack, stale_here, stage.ada, stale=True)
        assert (await stage.refusal()).startswith("Denied by Ada already, ")
    assert len(decisions_of(cli)) == 1


async def test_presses_on_both_at_once_act_once(both: AtBoth) -> None:
    """Invariant 4."""
    stage, cli = both
    await cli.ask("req1", "Bash", {"command": "make build"})
    on_slack, on_telegram = await stage.message("make build"), await stage.on_telegram("make build")
    await stage.steady(on_slack)
    stage.slack.press(on_slack, "Allow", stage.ada)
    await stage.press_on_telegram(on_telegram, "Deny")
    await stage.see(
        lambda: "by ada · Slack" in words(on_slack) or "by Ada · Telegram" in words(on_slack), "one outcome"
    )
    shown = "Allowed by ada · Slack" if "Allowed" in words(on_slack) else "Denied by Ada · Telegram"
    await stage.telegram.wait_for(lambda: shown in on_telegram.text, 15, what="the same outcome on Telegram")
    assert len(decisions_of(cli)) == 1


async def test_what_is_said_on_one_is_shown_on_the_other_and_not_echoed(both: AtBoth) -> None:
    stage, cli = both
    await answers(cli, "hello")
    on_slack, on_telegram = await stage.answer("hello"), await stage.on_telegram("hello")
    stage.telegram.say(stage.chat, stage.telegram_ada, "said on Telegram", thread=on_telegram.thread)
    shown = await stage.message("said on Telegram")
    assert words(shown) == "You · Telegram: said on Telegram"
    assert shown.thread_ts == on_slack.thread_ts
    assert shown not in stage.rings()
    stage.say("said in Slack", on_slack)
    there = await stage.on_telegram("said in Slack")
    assert there.text.startswith("You · Slack")
    assert there.silent
    await until(lambda: texts_of(cli) == ["said on Telegram", "said in Slack"], "both with the agent")
    assert [message["localId"].split("-")[0] for message in told(cli)] == ["telegram", "slack"]
    await answers(cli, "heard both")
    await stage.answer("heard both")
    await stage.on_telegram("heard both")
    await asyncio.sleep(0.3)
    assert not [one for one in stage.chat.from_bot if "said on Telegram" in one.text], "no echo on Telegram"
    assert not [one for one in stage.dm.from_bot if "said in Slack" in words(one)], "no echo on Slack"


async def test_a_question_half_answered_on_one_is_finished_on_the_other(both: AtBoth) -> None:
    stage, cli = both
    parts = {"question": "Which parts?", "multiSelect": True, "options": [{"label": "Alpha"}, {"label": "Beta"}]}
    sure = {"question": "Sure?", "multiSelect": False, "options": [{"label": "Yes"}, {"label": "No"}]}
    await cli.ask("q1", "AskUserQuestion", {"questions": [parts, sure]})
    on_slack, on_telegram = await stage.message("Which parts?"), await stage.on_telegram("Which parts?")
    await stage.pick(on_slack, "Alpha")
    await stage.press(on_slack, next(one.label for one in on_slack.buttons if one.label in ("Next", "Submit")))
    await stage.telegram.wait_for(lambda: "Sure?" in on_telegram.text, 15, what="the second question on Telegram")
    yes = next(one.text for one in on_telegram.buttons if one.text.endswith("Yes"))
    await stage.press_on_telegram(on_telegram, yes)
    await stage.see(lambda: "Answered by Ada · Telegram" in words(on_slack), "the answer on Slack")
    assert cli.rpc_log[-1][1]["answers"] == {"0": ["Alpha"], "1": ["Yes"]}


async def test_trouble_on_one_does_not_hold_the_other_up(both: AtBoth) -> None:
    stage, cli = both
    stage.telegram.faults.error("sendMessage", times=2, code=502)
    stage.slack.faults.flood("chat.postMessage", times=1, retry_after=1, skip=1)
    for number in range(3):
        await answers(cli, f"text {number}")
    await stage.answer("text 2", 20)
    await stage.on_telegram("text 2")
    assert [words(one)[:6] for one in stage.dm.from_bot if words(one).startswith("text ")] == [
        "text 0",
        "text 1",
        "text 2",
    ]
    telegram = [one.text[:6] for one in stage.chat.from_bot if one.text.startswith("text ")]
    assert telegram == ["text 0", "text 1", "text 2"]

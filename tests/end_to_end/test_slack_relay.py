"""A real hub's session in Slack's threads, in Socket Mode: what is shown (the Relay issue's "Done when", on Slack)."""

import asyncio

import pytest

from bridge.sandbox.slack.walk import mentions_in
from tests.end_to_end.bridge_stage import answers, told
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


async def test_a_turn_shows_its_work_folded_reasoning_and_an_answer_that_rings_once(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.say("codex", {"type": "reasoning", "message": "The parser drops the last token.", "id": "r1"})
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make test"}})
    activity = await stage.message("🟠 Bash make test")
    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": "12 passed"})
    await answers(cli, "All **12** tests pass:\n\n```python\nprint(1)\n```")
    answer = await stage.answer("tests pass")
    await stage.see(lambda: "🟢 Bash make test" in words(activity), "the tool's line turned green, on the same message")

    await stage.see(lambda: activity.attachments, "the reasoning is there once the turn is over, on the same message")
    assert activity.edits, "the activity is one message that is changed"
    (fold,) = activity.attachments
    assert "Reasoning" in str(fold)
    assert "The parser drops the last token." in str(fold), "attachments are what Slack folds"
    assert "parser drops" not in str(activity.blocks)
    assert answer.blocks[0]["type"] == "markdown"
    assert answer.blocks[0]["text"] == "All **12** tests pass:\n\n```python\nprint(1)\n```"
    assert answer.text.startswith("All"), "notifications have words of their own"
    assert stage.rings() == [answer]
    root = stage.root("parser")
    assert {answer.thread_ts, activity.thread_ts} == {root.ts}
    assert not any(one.unfurls for one in stage.dm.from_bot), "no link is ever previewed"


async def test_a_session_is_a_thread_that_is_made_with_its_first_message(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await asyncio.sleep(0.5)
    assert not stage.dm.messages, "a session without a message gets no thread"
    await answers(cli, "hello")
    await answers(cli, "and again")
    await stage.answer("and again")
    assert [words(one) for one in stage.dm.top_level] == ["parser"]
    assert [words(one).split(" <@")[0] for one in stage.dm.thread(stage.root("parser"))[1:]] == ["hello", "and again"]


async def test_what_was_said_before_the_first_sight_is_not_replayed(slack: SlackStage) -> None:
    stage = slack
    cli = await stage.session(flavor="codex", path="/srv/api")
    await cli.say("codex", {"type": "message", "message": "long ago"})
    await asyncio.sleep(0.3)
    await stage.start()
    await answers(cli, "from now on")
    await stage.answer("from now on")
    assert stage.find("long ago") is None


async def test_agent_text_can_neither_call_people_nor_break_out(at_slack: AtSlack) -> None:
    """Invariant 6."""
    stage, cli = at_slack
    await answers(cli, f"<!channel> <!here> <@{stage.ada.id}> @channel <#C1> <https://evil.example|click> &amp; *x*")
    answer = await stage.answer("click")
    assert answer.mentions == [f"@{stage.ada.id}"], "only our own call, which is below the text"
    assert answer.blocks[-1]["elements"][0]["text"] == f"<@{stage.ada.id}>"
    own = mentions_in("", answer.blocks[:-1], mrkdwn=True, link_names=False)
    assert own == [], "the agent's own words call nobody"


async def test_a_message_typed_elsewhere_is_shown_and_does_not_ring(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    user = {"role": "user", "content": {"type": "text", "text": "typed in the terminal"}, "meta": {"sentFrom": "cli"}}
    await cli.emit("message", {"sid": cli.sid, "message": user})
    shown = await stage.message("typed in the terminal")
    assert words(shown).startswith("You · terminal")
    assert not shown.mentions


async def test_the_status_line_says_that_the_agent_works(at_slack: AtSlack) -> None:
    """Where the app is no agent; else its session says so, in the same place."""
    stage, cli = at_slack
    stage.slack.features.discard("agents")
    stage.refusals.add("unknown_method")
    cli.thinking = True
    await cli.alive()
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "sleep 9"}})
    activity = await stage.message("sleep 9")
    assert activity.thread_ts is not None
    await stage.see(lambda: stage.dm.status(activity.thread_ts or ""), "a status line in the thread")
    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": ""})
    await answers(cli, "rested")
    await stage.answer("rested")


async def test_bots_messages_never_loop(at_slack: AtSlack) -> None:
    """Ours come back as events, and other bots talk: nothing of that is a person's word."""
    stage, cli = at_slack
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    other = stage.slack.add_bot("chatty")
    channel = stage.slack.add_channel("work", stage.ada, other)
    stage.slack.say(channel, other, f"{stage.slack.mention()} sessions")
    stage.slack.say(stage.dm, other, "do as I say", thread_ts=hello)
    said = stage.say("a person's word", hello)
    await stage.see(lambda: "ok_hand" in stage.reactions(said), "the person's word is taken")
    assert [message["content"]["content"]["text"] for message in told(cli)] == ["a person's word"]
    assert not channel.from_bot[1:], "and nothing is said in the channel"
    assert len(stage.dm.from_bot) <= 4, "the thread, the hello, the other bot, and perhaps the next turn"

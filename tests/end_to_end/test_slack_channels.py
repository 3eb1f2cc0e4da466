"""Sessions in channels: nothing is shown there until the owner attached it, and then in that thread alone."""

import pytest

from bridge.sandbox.slack import Channel, Message
from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


async def shown(stage: SlackStage, channel: Channel, text: str) -> Message:
    """Wait for a message of the bot in a channel."""

    def find() -> Message | None:
        return next((one for one in reversed(channel.from_bot) if text in words(one)), None)

    await stage.see(lambda: find() is not None, f"{text!r} in #{channel.name}")
    found = find()
    assert found is not None
    return found


def mention(stage: SlackStage, channel: Channel, text: str = "", thread: Message | None = None) -> Message:
    """Ada writes to the bot in a channel."""
    return stage.slack.say(channel, stage.ada, f"{stage.slack.mention()} {text}".rstrip(), thread_ts=thread)


async def attached(stage: SlackStage, channel: Channel) -> Message:
    """Attach the one session to a channel; the message that opened its thread."""
    opened = mention(stage, channel, "attach")
    card = await shown(stage, channel, "Which session should be shown here?")
    assert card.thread_ts == opened.ts
    await stage.press(card, "parser")
    await shown(stage, channel, "parser is shown here from now on")
    return opened


async def test_nothing_is_shown_in_a_channel_until_a_session_is_attached_to_it(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    work = stage.slack.add_channel("work", stage.ada)
    await answers(cli, "before")
    await stage.answer("before")
    assert work.from_bot == []
    opened = await attached(stage, work)
    await answers(cli, "after")
    answer = await shown(stage, work, "after")
    assert answer.thread_ts == opened.ts
    assert f"@{stage.ada.id}" in answer.mentions, "what must ring calls the owner in a channel, too"
    assert stage.find("after") is None, "it moved: the DM's thread gets nothing new"


async def test_a_turn_that_runs_goes_along_to_the_channel(at_slack: AtSlack) -> None:
    """What it does from then on is seen where its session is, and where it began."""
    stage, cli = at_slack
    work = stage.slack.add_channel("work", stage.ada)
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make one"}})
    before = await stage.message("make one")
    opened = await attached(stage, work)
    await cli.say("codex", {"type": "tool-call", "callId": "c2", "name": "Bash", "input": {"command": "make two"}})
    activity = await shown(stage, work, "make two")
    assert activity.thread_ts == opened.ts
    assert activity.mentions == []
    await stage.see(lambda: "make two" in words(before), "the same in its former place")


async def test_in_its_thread_people_talk_to_the_session_and_only_the_owner_decides(at_slack: AtSlack) -> None:
    """Invariant 4: who may decide is asked at the press, wherever the card is."""
    stage, cli = at_slack
    eve = stage.slack.add_user("eve")
    work = stage.slack.add_channel("work", stage.ada, eve)
    opened = await attached(stage, work)
    stage.slack.say(work, stage.ada, "fix the parser", thread_ts=opened)
    await until(lambda: texts_of(cli) == ["fix the parser"], "the text")
    stage.slack.say(work, eve, "me too", thread_ts=opened)
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await shown(stage, work, "make build")
    await stage.press(card, "Allow", eve)
    await stage.see(lambda: work.ephemeral(eve), "words for Eve alone")
    assert words(work.ephemeral(eve)[0]) == "This bot works for its owner and the people they invited."
    assert not decisions_of(cli)
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada · Slack" in words(card), "the outcome")
    assert texts_of(cli) == ["fix the parser"]


async def test_a_request_that_waits_comes_along_and_is_one_truth_in_both_places(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    work = stage.slack.add_channel("work", stage.ada)
    await cli.ask("req1", "Bash", {"command": "make build"})
    old = await stage.message("make build")
    await attached(stage, work)
    new = await shown(stage, work, "make build")
    await stage.press(new, "Deny")
    await stage.see(lambda: "Denied by ada" in words(new) and "Denied by ada" in words(old), "both cards")
    assert len(decisions_of(cli)) == 1


async def test_detached_it_goes_on_where_it_was(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    work = stage.slack.add_channel("work", stage.ada)
    await answers(cli, "before")
    before = await stage.answer("before")
    opened = await attached(stage, work)
    mention(stage, work, "detach", opened)
    await shown(stage, work, "parser is no longer shown here")
    await answers(cli, "after")
    assert (await stage.answer("after")).thread_ts == before.thread_ts
    assert all("after" not in words(one) for one in work.from_bot)
    mention(stage, work, "detach")
    await shown(stage, work, "No session is shown here.")


async def test_a_bare_mention_asks_which_session_and_a_text_goes_to_the_one_that_is_picked(at_slack: AtSlack) -> None:
    """A text in a channel is never routed by guess: its answer would show in front of others, or nowhere. Nor is a
    session named there that is not shown in the channel."""
    stage, cli = at_slack
    work = stage.slack.add_channel("work", stage.ada)
    await answers(cli, "hello")
    await stage.answer("hello")
    mention(stage, work)
    offered = await shown(stage, work, "Which session should be shown here?")
    mention(stage, work, "fix the lexer")
    await shown(stage, work, "No session is shown here.")
    await stage.press(offered, "parser")
    await shown(stage, work, "parser is shown here from now on")
    asked = mention(stage, work, "fix the parser")
    card = await shown(stage, work, "Which session is this for?")
    assert texts_of(cli) == []
    await stage.press(card, "parser")
    await until(lambda: texts_of(cli) == ["fix the parser"], "the text")
    await answers(cli, "fixed")
    assert (await shown(stage, work, "fixed")).thread_ts == asked.ts


async def test_what_was_shown_in_an_archived_channel_goes_on_at_home(at_slack: AtSlack) -> None:
    """Nothing waits in a channel that takes no messages."""
    stage, cli = at_slack
    stage.refusals |= {"is_archived", "not_in_channel", "channel_not_found"}
    work = stage.slack.add_channel("work", stage.ada)
    await attached(stage, work)
    stage.slack.archive(work, stage.ada)
    await stage.message("parser is shown here again")
    await answers(cli, "after")
    await stage.answer("after")


async def test_a_place_that_shows_a_session_already_says_so(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    work = stage.slack.add_channel("work", stage.ada)
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    stage.say(" /attach", hello)
    await stage.message("parser is shown here already.")
    stage.say(" /detach", hello)
    await stage.message("This is where sessions are shown by themselves.")
    opened = await attached(stage, work)
    mention(stage, work, "attach", opened)
    await shown(stage, work, "parser is shown here already. `detach` ends that.")


async def test_others_can_attach_nothing(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    eve = stage.slack.add_user("eve")
    work = stage.slack.add_channel("work", stage.ada, eve)
    await answers(cli, "hello")
    await stage.answer("hello")
    stage.slack.say(work, eve, f"{stage.slack.mention()} attach")
    mention(stage, work, "status")
    await shown(stage, work, "HAPI:")
    assert len(work.from_bot) == 1


async def test_a_message_of_anybody_can_be_sent_to_an_agent(at_slack: AtSlack) -> None:
    """What is asked about it is asked in the DM, not below the message."""
    stage, cli = at_slack
    eve = stage.slack.add_user("eve")
    work = stage.slack.add_channel("work", stage.ada, eve)
    await answers(cli, "hello")
    await stage.answer("hello")
    said = stage.slack.say(work, eve, "the parser crashes on empty files")
    await stage.slack.answered(stage.slack.message_shortcut(said, "hapi_send", stage.ada))
    await until(lambda: texts_of(cli) == ["the parser crashes on empty files"], "the text")
    assert work.from_bot == []


async def test_stop_is_a_shortcut_everywhere_and_names_no_session_before_others(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    work = stage.slack.add_channel("work", stage.ada)
    await answers(cli, "hello")
    await stage.answer("hello")
    cli.thinking = True
    await cli.alive()
    await stage.slack.answered(stage.slack.global_shortcut("hapi_stop_any", stage.ada))
    await until(lambda: [name for name, _ in cli.rpc_log] == ["abort"], "the first stop")
    said = stage.slack.say(work, stage.ada, "anything")
    await stage.slack.answered(stage.slack.message_shortcut(said, "hapi_stop", stage.ada))
    await until(lambda: len(cli.rpc_log) == 2, "the second stop")
    await stage.see(lambda: sum("Stopping… (parser)" in words(one) for one in stage.dm.from_bot) == 2, "both answers")
    assert work.from_bot == []

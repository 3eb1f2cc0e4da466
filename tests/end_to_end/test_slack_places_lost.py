"""Channels that are archived, taken out of the archive, left and entered again while a session is shown in them."""

import pytest

from bridge.sandbox.slack import Channel, Message
from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.fake_cli import FakeCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(90)]

REFUSED = {"is_archived", "not_in_channel", "channel_not_found"}


async def shown(stage: SlackStage, where: Channel, text: str) -> Message:
    """Wait for a message of the bot in a channel."""
    await stage.see(lambda: any(text in words(one) for one in where.from_bot), f"{text!r} in #{where.name}")
    return next(one for one in reversed(where.from_bot) if text in words(one))


async def attach(stage: SlackStage, where: Channel) -> Message:
    """Show the session in a channel; the message under which its thread is."""
    before = len(where.from_bot)
    opened = stage.slack.say(where, stage.ada, f"{stage.slack.mention()} attach parser")
    await stage.see(lambda: len(where.from_bot) > before, "the word that it is shown there")
    return opened


async def decided_at_home(stage: SlackStage, cli: FakeCli, command: str) -> None:
    card = await stage.message(command)
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada" in words(card), "decided at home")
    assert len(decisions_of(cli)) == 1


async def test_an_archived_channel_that_is_back_takes_the_session_again_when_it_is_attached(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.refusals |= REFUSED
    work = stage.slack.add_channel("work", stage.ada)
    await attach(stage, work)
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make one"}})
    await shown(stage, work, "make one")
    stage.slack.archive(work, stage.ada)
    await cli.ask("req1", "Bash", {"command": "make install"})
    stage.slack.unarchive(work, stage.ada)
    await decided_at_home(stage, cli, "make install")
    await answers(cli, "the end")
    await stage.answer("the end")
    opened = await attach(stage, work)
    await answers(cli, "back in the channel")
    assert (await shown(stage, work, "back in the channel")).thread_ts == opened.ts
    assert stage.find("back in the channel") is None


@pytest.mark.parametrize("how", ["archived", "removed"])
async def test_a_channel_that_was_closed_unheard_keeps_no_request_waiting(at_slack: AtSlack, how: str) -> None:
    """Slack gives its word up after some tries, and says none without ``channels:read``: then its refusal tells."""
    stage, cli = at_slack
    stage.refusals |= REFUSED
    work = stage.slack.add_channel("work", stage.ada, private=how == "removed")
    await attach(stage, work)
    if how == "archived":
        work.archived = True
    else:
        work.members.pop(stage.slack.bot.id)
    await cli.ask("req1", "Bash", {"command": "make install"})
    await decided_at_home(stage, cli, "make install")
    await stage.message("parser is shown here again")
    await answers(cli, "at home")
    await stage.answer("at home")


async def test_a_bot_that_is_removed_from_a_sessions_channel_goes_home_once_and_comes_back(slack: SlackStage) -> None:
    """Slack's word and Slack's refusal come at the same time: one thread at home, said once."""
    stage = slack
    stage.extra = 'layout = "channel"\n'
    stage.refusals |= REFUSED
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "hello")

    def made() -> list[Channel]:
        return [one for one in stage.slack.channels.values() if one.kind == "private" and one.from_bot]

    await stage.see(made, "its channel")
    (room,) = made()
    await shown(stage, room, "hello")
    await cli.say("codex", {"type": "message", "message": "at home"})
    stage.slack.remove_bot(room)
    await cli.say("event", {"type": "ready"})
    await stage.answer("at home")
    await stage.message("its channel takes no messages any more")
    assert [words(one) for one in stage.dm.top_level] == ["parser"]
    assert len([one for one in stage.dm.from_bot if "takes no messages any more" in words(one)]) == 1
    stage.slack.join(room, stage.slack.bot)
    await attach(stage, room)
    await answers(cli, "and back")
    back = await shown(stage, room, "and back")
    stage.slack.say(room, stage.ada, "a word in the channel", thread_ts=back.thread_ts)
    await until(lambda: texts_of(cli) == ["a word in the channel"], "the word")
    assert made() == [room]

"""What people say and command in Slack, on its way to a real hub's session."""

import pytest

from bridge.sandbox.slack import Delivery
from tests.end_to_end.bridge_stage import answers, texts_of, told, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import words

pytestmark = pytest.mark.real_hub


async def test_a_reply_reaches_the_agent_and_is_marked(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    cli.auto_consume = False
    await answers(cli, "ready for you")
    answer = await stage.answer("ready for you")
    said = stage.say("fix the parser &amp; the &lt;lexer&gt;", answer)
    await stage.see(lambda: stage.reactions(said) == {"eyes"}, "queued")
    (sent,) = told(cli)
    assert sent["localId"].startswith("slack-bot")
    assert sent["content"]["content"]["text"] == "fix the parser & the <lexer>"
    await cli.consume([sent["localId"]])
    await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "taken")
    assert stage.find("fix the parser") is None, "no echo"


async def test_an_event_that_comes_twice_or_again_counts_once(at_slack: AtSlack) -> None:
    """Invariant 1: Slack repeats what it thinks was not acknowledged; the same id is the same word."""
    stage, cli = at_slack
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    office = stage.slack.office

    def all_acknowledged() -> bool:
        return all(one.state == "acked" for one in office.deliveries)

    await stage.see(all_acknowledged, "the echoes of our own posts")
    office.duplicate_events(1)
    first = stage.say("once", hello)
    await stage.see(lambda: stage.reactions(first) == {"ok_hand"} and all_acknowledged(), "taken")
    office.lose_acks(1)
    second = stage.say("only once", hello)
    again = next(one for one in office.deliveries if one.payload.get("event", {}).get("ts") == second.ts)
    await stage.see(lambda: len(again.attempts) > 1 and all_acknowledged(), "it came again, and was acknowledged")
    await stage.see(lambda: stage.reactions(second) == {"ok_hand"}, "taken")
    assert [one.event_id for one in office.deliveries].count(_id_of(office.deliveries, first.ts)) == 2
    assert texts_of(cli) == ["once", "only once"]


def _id_of(deliveries: list[Delivery], ts: str) -> str:
    return next(one.event_id for one in deliveries if one.payload.get("event", {}).get("ts") == ts)


async def test_a_message_edited_or_deleted_while_it_is_queued_follows(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.refusals.add("message_not_found")  # the marks of a message that was deleted
    cli.auto_consume = False
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    first, second = stage.say("frist", hello), stage.say("never mind", hello)
    await until(lambda: len(told(cli)) == 2, "both are queued")
    stage.slack.edit(first, "first")
    stage.slack.delete(second)
    await until(lambda: "first" in texts_of(cli), "the new words are sent")
    await until(lambda: len(_cancelled(cli.updates)) == 2, "the old ones are taken back")
    withdrawn = [body["localId"] for body in _cancelled(cli.updates)]
    assert sorted(withdrawn) == sorted(message["localId"] for message in told(cli)[:2])
    await cli.consume([told(cli)[-1]["localId"]])
    await stage.see(lambda: stage.reactions(first) == {"ok_hand"}, "the mark is that of the new words")
    stage.slack.edit(first, "too late")
    await stage.message("Too late")
    assert "too late" not in texts_of(cli)


def _cancelled(updates: list[dict[str, dict[str, str]]]) -> list[dict[str, str]]:
    return [update["body"] for update in updates if update["body"]["t"] == "cancel-queued-message"]


async def test_stop_by_button_mention_command_and_shortcut(at_slack: AtSlack) -> None:
    stage, cli = at_slack

    def stops() -> int:
        return [method for method, _ in cli.rpc_log].count("abort")

    cli.thinking = True
    await cli.alive()
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "sleep 99"}})
    activity = await stage.message("sleep 99")
    await stage.press(activity, "Stop")
    await until(lambda: stops() == 1, "the button's stop")
    stage.say(f"{stage.slack.mention()} stop", activity)
    await until(lambda: stops() == 2, "the mention's stop, in the thread")
    stage.slack.slash_command(stage.dm, stage.ada, "/hapi", "stop")
    await until(lambda: stops() == 3, "the command's stop")
    stage.slack.message_shortcut(activity, "hapi_stop", stage.ada)
    await until(lambda: stops() == 4, "the shortcut's stop")
    cli.thinking = False
    await cli.alive()
    await stage.see(lambda: "Stopped" in words(activity), "the turn is shown as stopped")
    assert not told(cli), "none of it was a message to the agent"


async def test_commands_answer_where_they_are_asked(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    bot = stage.slack.mention()
    await answers(cli, "hi")
    hello = await stage.answer("hi")
    delivery = stage.slack.slash_command(stage.dm, stage.ada, "/hapi", "sessions")
    sessions = await stage.message("1 session")
    assert "parser" in words(sessions)
    assert sessions.thread_ts is None
    assert delivery.response is None, "nothing but the message answers"
    stage.say(f"{bot} status", hello)
    status = await stage.message("HAPI: ")
    assert "connected" in words(status)
    assert status.thread_ts == hello.thread_ts, "in the thread where it was asked"
    stage.slack.slash_command(stage.dm, stage.ada, "/hapi")
    assert "stop" in words(await stage.message("Free text never approves anything"))
    assert not told(cli)


async def test_a_command_that_is_not_ours_goes_to_the_agent(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "hi")
    hello = await stage.answer("hi")
    stage.say(" /compact keep the tests", hello)
    await until(lambda: texts_of(cli) == ["/compact keep the tests"], "the agent's own command")


async def test_the_two_events_of_one_mention_count_once(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    channel = stage.slack.add_channel("work", stage.ada)
    asked = stage.slack.say(channel, stage.ada, f"{stage.slack.mention()} status")
    stage.slack.say(channel, stage.ada, "colleagues talk")
    await stage.see(lambda: channel.from_bot, "an answer")
    stage.slack.say(channel, stage.ada, f"{stage.slack.mention()} help")
    await stage.see(lambda: channel.find("Free text never approves anything"), "the second answer")
    assert len(channel.from_bot) == 2
    assert channel.from_bot[0].thread_ts == asked.ts, "in the thread that the question opened"
    assert not told(cli)


async def test_text_in_the_dm_itself_goes_to_the_one_session_or_is_asked_about(at_slack: AtSlack) -> None:
    stage, parser = at_slack
    stage.say("for the only one")
    await until(lambda: texts_of(parser) == ["for the only one"], "the text")
    web = await stage.session(flavor="codex", path="/srv/web")
    await answers(web, "hello from the web")
    await stage.answer("hello from the web")
    stage.say("for whom?")
    asked = await stage.message("Which session is this for?")
    await stage.press(asked, "web")
    await until(lambda: texts_of(web) == ["for whom?"], "the text reached the chosen session")
    assert texts_of(parser) == ["for the only one"]

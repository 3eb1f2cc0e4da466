"""Slack's own ways of showing an agent at work: streams, agent sessions; through slack-bolt and the strict server.

Only previews are ever streamed, and whatever becomes of a stream, the turn's message ends as the card it should be
(invariants 2 and 3).
"""

import asyncio
import json
import os
import sys
from typing import Any

import pytest

from bridge.sandbox.slack import Message
from tests.end_to_end.bridge_stage import ROOT, answers, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.fake_cli import FakeCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]

OVER = "message_not_in_streaming_state"


async def begins(cli: FakeCli, number: int = 1) -> None:
    """A tool is called, with which a turn begins or goes on."""
    call = {"type": "tool-call", "callId": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
    await cli.say("codex", call)


async def at_work(cli: FakeCli) -> None:
    """A turn begins that lasts until it is said to be over."""
    cli.thinking = True
    await cli.alive()
    await begins(cli)


async def ends(cli: FakeCli, number: int = 1) -> None:
    """A tool comes to its end."""
    await cli.say("codex", {"type": "tool-call-result", "callId": f"c{number}", "output": "ok"})


async def says(cli: FakeCli, text: str, name: str = "t1") -> None:
    """The agent says something on the way."""
    await cli.say("codex", {"type": "message", "message": text, "id": name})


async def streaming(stage: SlackStage, text: str = "Bash run 1") -> Message:
    """Wait for a message that is being streamed and shows a text."""
    message = await stage.message(text)
    await stage.see(lambda: message.stream is not None, "a stream")
    return message


def state(message: Message) -> str:
    assert message.stream is not None
    return message.stream.state


def calls(stage: SlackStage, method: str) -> list[dict[str, Any]]:
    """What was asked of a method, successfully or not."""
    return [one.params for one in stage.slack.calls if one.method == method]


def activities(stage: SlackStage) -> list[Message]:
    """The messages in the DM that show a tool."""
    return [one for one in stage.dm.from_bot if "Bash run" in words(one)]


async def done(stage: SlackStage, cli: FakeCli, message: Message) -> None:
    """The turn ends, and its message is the summary that stays."""
    cli.thinking = False
    await cli.alive()
    await answers(cli, "All is well.")
    await stage.answer("All is well.")
    await stage.see(lambda: "🟢 Done" in words(message), "the summary")
    assert activities(stage) == [message], "one message, whatever became of the stream"
    assert not message.buttons, "nothing to stop any more"


async def test_a_turn_streams_its_tools_and_texts_and_ends_complete(at_slack: AtSlack) -> None:
    """Invariants 2 and 3: it grows by appending, and in the end is an ordinary message with everything in it."""
    stage, cli = at_slack
    await begins(cli)
    message = await streaming(stage)
    assert message.thread_ts == stage.root("parser").ts
    assert "Running a tool" in words(message)
    assert [one.label for one in message.buttons] == ["Stop"]
    await ends(cli)
    await says(cli, "Now the `Vec<u8>` of <!channel>, and **then**:\n\n```rust\nfn main() {}\n```")
    await begins(cli, 2)
    await stage.see(lambda: "🟢 Bash run 1" in words(message) and "🟠 Bash run 2" in words(message), "both tools")
    await stage.see(lambda: "fn main() {}" in words(message), "what was said in between")
    assert message.mentions == [], "nobody is called (invariant 6)"
    assert state(message) == "streaming"
    assert not message.edits, "it was never redrawn"
    assert not calls(stage, "chat.update")
    await done(stage, cli, message)
    assert state(message) == "stopped"
    assert "🟢 Bash run 1" in words(message)
    assert "fn main() {}" in words(message)
    assert len(calls(stage, "chat.startStream")) == len(calls(stage, "chat.stopStream")) == 1


async def test_the_stop_button_in_a_stream_stops_the_turn(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await begins(cli)
    message = await streaming(stage)
    await stage.press(message, "Stop")
    await stage.see(lambda: "abort" in [method for method, _ in cli.rpc_log], "the agent is told")


async def test_a_long_turn_rolls_over_before_its_stream_would_end(
    slack: SlackStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slack never has to end a stream: it is stopped in time, and the same message is changed from then on."""
    monkeypatch.setattr("bridge.chat.slack.streams.LIFE_S", 0.5)
    stage = slack
    stage.slack.stream_seconds = 3.0
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await begins(cli)
    message = await streaming(stage)
    for number in range(2, 30):
        await begins(cli, number)
        await stage.see(lambda number=number: f"run {number}" in words(message), "the next tool")  # type: ignore[misc]
        if message.edits:
            break
    assert state(message) == "stopped"
    assert "Running a tool" in words(message)
    await begins(cli, 40)
    await stage.see(lambda: "run 40" in words(message), "the tool after it")
    await done(stage, cli, message)
    assert len(calls(stage, "chat.startStream")) == 1


async def test_a_wish_that_rewrites_what_was_streamed_goes_on_as_changes(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await begins(cli)
    message = await streaming(stage)
    await says(cli, "It is *almost* done.")
    await stage.see(lambda: "almost" in words(message), "the text")
    assert state(message) == "streaming"
    await says(cli, "It is done.")  # the same text, in other words
    await stage.see(lambda: "It is done." in words(message), "the text as it reads now")
    assert "almost" not in words(message)
    assert state(message) == "stopped"
    assert message.edits
    await begins(cli, 2)
    await stage.see(lambda: "🟠 Bash run 2" in words(message), "the next tool")
    await done(stage, cli, message)


async def test_a_stream_that_slack_ended_goes_on_as_changes(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.refusals.add(OVER)
    await begins(cli)
    message = await streaming(stage)
    stage.slack.expire_stream(message)
    await begins(cli, 2)
    await stage.see(lambda: "🟠 Bash run 2" in words(message), "the next tool")
    assert message.edits
    await done(stage, cli, message)


async def test_a_stream_that_ended_unseen_does_not_keep_the_turn_from_its_end(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.refusals.add(OVER)
    await begins(cli)
    message = await streaming(stage)
    stage.slack.expire_stream(message)
    await done(stage, cli, message)


async def test_a_kill_in_mid_stream_leaves_one_message_that_goes_on(slack: SlackStage) -> None:
    """Invariant 3: the next start takes the message over, whose stream is still open for Slack."""
    stage = slack
    stage.refusals |= {"streaming_state_conflict"}
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await begins(cli)
    message = await streaming(stage)
    await stage.kill_process()
    await begins(cli, 2)
    assert state(message) == "streaming"
    await stage.start_process()
    await stage.see(lambda: "🟠 Bash run 2" in words(message), "the tool called meanwhile", 30)
    assert state(message) == "stopped"
    await done(stage, cli, message)


async def test_a_kill_before_slack_answered_a_start_makes_no_second_message(slack: SlackStage) -> None:
    """Invariant 3: a stream has no metadata; it is found by its first block's id."""
    stage = slack
    stage.refusals |= {"streaming_state_conflict"}
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    stage.slack.faults.lose_answer("chat.startStream", times=1)
    await begins(cli)
    await stage.see(lambda: stage.slack.faults.hits, "a start whose answer is lost")
    await stage.kill_process()
    await stage.start_process()
    await begins(cli, 2)
    await stage.see(lambda: activities(stage) and "run 2" in words(activities(stage)[0]), "it goes on", 30)
    await done(stage, cli, activities(stage)[0])
    assert len(calls(stage, "chat.startStream")) == 1


async def test_lost_answers_to_any_call_of_a_stream_double_nothing(at_slack: AtSlack) -> None:
    """Invariant 3, and no text twice in the message."""
    stage, cli = at_slack
    stage.refusals |= {OVER, "streaming_state_conflict"}
    stage.slack.faults.lose_answer("chat.startStream", times=1)
    await begins(cli)
    message = await streaming(stage)
    await begins(cli, 2)
    await stage.see(lambda: "run 2" in words(message), "the next tool")
    await done(stage, cli, message)
    await begins(cli, 5)
    second = await streaming(stage, "Bash run 5")
    stage.slack.faults.lose_answer("chat.appendStream", times=1)
    await says(cli, "Once only.")
    await begins(cli, 6)
    await stage.see(lambda: "run 6" in words(second), "the next tool")
    await stage.see(lambda: words(second).count("Once only.") == 1, "the text, once")
    stage.slack.faults.lose_answer("chat.stopStream", times=1)
    await answers(cli, "That was it.")
    await stage.answer("That was it.")
    await stage.see(lambda: "🟢 Done" in words(second), "the summary")
    assert activities(stage) == [message, second]


async def test_an_approval_is_asked_while_a_stream_must_wait(at_slack: AtSlack) -> None:
    """Invariant 9: a preview that Slack told to wait holds no question up."""
    stage, cli = at_slack
    await begins(cli)
    message = await streaming(stage)
    stage.slack.faults.flood("chat.appendStream", times=1, retry_after=2)
    await begins(cli, 2)
    await stage.see(lambda: stage.slack.faults.hits, "a growth that must wait")
    closed = stage.slack.calls[-1].at
    await cli.ask("req1", "Bash", {"command": "make it"})
    card = await stage.message("make it")
    assert card.at - closed < 1.5
    await stage.see(lambda: "run 2" in words(message), "the growth, in its time")


async def test_a_start_that_must_wait_is_posted_instead(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.slack.faults.flood("chat.startStream", times=1, retry_after=60)
    await begins(cli)
    message = await stage.message("Bash run 1")
    assert message.stream is None
    await done(stage, cli, message)


async def test_a_turn_that_begins_with_a_link_is_posted_since_streams_preview_links(at_slack: AtSlack) -> None:
    """Invariant 6."""
    stage, cli = at_slack
    call = {"type": "tool-call", "callId": "c1", "name": "WebFetch", "input": {"url": "https://example.org/page"}}
    await cli.say("codex", call)
    message = await stage.message("example.org")
    assert message.stream is None
    assert not message.unfurls


async def test_a_workspace_without_streams_is_asked_once(slack: SlackStage) -> None:
    stage = slack
    stage.slack.features.discard("streams")
    stage.refusals.add("unknown_method")
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await begins(cli)
    message = await stage.message("Bash run 1")
    await ends(cli)
    await stage.see(lambda: "🟢 Bash run 1" in words(message), "a change")
    await done(stage, cli, message)
    await begins(cli, 2)
    await stage.message("Bash run 2")
    assert len(calls(stage, "chat.startStream")) == 1


async def test_a_bridge_that_stops_closes_its_streams(at_slack: AtSlack) -> None:
    """Nobody would feed them, and Slack would show an error once their time is up."""
    stage, cli = at_slack
    await begins(cli)
    message = await streaming(stage)
    await stage.stop()
    assert state(message) == "stopped"
    await stage.start()
    await begins(cli, 2)
    await stage.see(lambda: "🟠 Bash run 2" in words(message), "the same message goes on")
    await done(stage, cli, message)


def session_states(stage: SlackStage) -> list[str]:
    """What Slack showed of the session of the thread "parser", one after another."""
    session = stage.slack.sessions.get((stage.dm.id, stage.root("parser").ts))
    shown = [status for _, status in session.history] if session is not None else []
    return [status for number, status in enumerate(shown) if number == 0 or shown[number - 1] != status]


async def test_slack_shows_how_a_session_stands_while_a_request_waits_too(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await at_work(cli)
    message = await streaming(stage)
    await stage.see(lambda: session_states(stage) == ["processing"], "at work")
    await cli.ask("req1", "Bash", {"command": "make it"})
    card = await stage.message("make it")
    await stage.see(lambda: session_states(stage)[-1] == "suspended", "it waits")
    assert "Waiting for approval" in words(message)
    await stage.press(card, "Allow")
    await stage.see(lambda: session_states(stage)[-1] == "processing", "it goes on")
    await done(stage, cli, message)
    await stage.see(lambda: session_states(stage)[-1] == "active", "it is done")
    assert session_states(stage)[:3] == ["processing", "suspended", "processing"]
    assert calls(stage, "agents.sessions.setStatus")[0]["title"] == "parser"


async def test_a_stream_that_ends_while_a_request_waits_leaves_the_session_suspended(at_slack: AtSlack) -> None:
    """Stopping a stream sets its session; it is told to what."""
    stage, cli = at_slack
    await at_work(cli)
    message = await streaming(stage)
    await says(cli, "one thing")
    await stage.see(lambda: "one thing" in words(message), "the text")
    await cli.ask("req1", "Bash", {"command": "make it"})
    await stage.message("make it")
    await stage.see(lambda: session_states(stage)[-1] == "suspended", "it waits")
    await says(cli, "another thing")
    await stage.see(lambda: state(message) == "stopped", "the stream is given up")
    assert session_states(stage)[-1] == "suspended"


async def test_slacks_own_stop_stops_the_turn(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.refusals.add("stopped_by_user")
    await at_work(cli)
    message = await streaming(stage)
    await stage.see(lambda: session_states(stage) == ["processing"], "at work")
    stage.slack.stop_session(stage.dm, stage.root("parser"), stage.ada)
    await until(lambda: "abort" in [method for method, _ in cli.rpc_log], "the agent is told")
    await stage.message("Stopping… (parser)")
    cli.thinking = False
    await cli.alive()
    await cli.say("event", {"type": "ready"})
    await stage.see(lambda: "Stopped" in words(message), "the turn's message says so")
    await stage.see(lambda: session_states(stage)[-1] == "active", "no Stop button any more")


async def test_who_may_not_stop_does_not_by_slacks_own_button_either(at_slack: AtSlack) -> None:
    """Authorised as any act is, at that moment: in a channel everybody sees the button."""
    stage, cli = at_slack
    eve = stage.slack.add_user("eve")
    work = stage.slack.add_channel("work", stage.ada, eve)
    opened = stage.slack.say(work, stage.ada, f"{stage.slack.mention()} attach")
    await stage.see(lambda: work.find("Which session"), "the question which")
    card = work.find("Which session")
    assert card is not None
    await stage.press(card, "parser")
    await stage.see(lambda: work.find("is shown here from now on"), "it is attached")
    await at_work(cli)
    await stage.see(lambda: [one for one in work.from_bot if "Bash run 1" in words(one)], "the turn")
    (message,) = [one for one in work.from_bot if "Bash run 1" in words(one)]
    assert message.stream is None, "in a channel nothing is streamed"
    await stage.see(lambda: (work.id, opened.ts) in stage.slack.sessions, "Slack's Stop button")
    stage.slack.stop_session(work, opened, eve)
    await stage.see(lambda: stage.slack.office.deliveries[-1].state == "acked", "it was taken in")
    await answers(cli, "All is well.")
    await stage.see(lambda: "🟢 Done" in words(message), "the end")
    assert "abort" not in [method for method, _ in cli.rpc_log]


async def test_a_session_that_ended_its_turn_while_nobody_looked_is_not_left_at_work(slack: SlackStage) -> None:
    stage = slack
    stage.refusals |= {"streaming_state_conflict"}
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await at_work(cli)
    await streaming(stage)
    await stage.see(lambda: calls(stage, "agents.sessions.setStatus"), "at work")
    await stage.kill_process()
    cli.thinking = False
    await cli.alive()
    await answers(cli, "All is well.")
    await stage.start_process()
    await stage.answer("All is well.", 30)
    await stage.see(lambda: session_states(stage)[-1] == "active", "it is done", 30)


async def test_without_agent_sessions_the_status_line_says_it(slack: SlackStage) -> None:
    stage = slack
    stage.slack.features -= {"agents"}
    stage.refusals.add("unknown_method")
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await at_work(cli)
    await stage.message("Bash run 1")
    await stage.see(lambda: stage.dm.status(stage.root("parser").ts) == "is working…", "the status line")
    assert len(calls(stage, "agents.sessions.setStatus")) == 1


async def doctor(stage: SlackStage) -> dict[str, str]:
    """What `doctor` says of Slack's features, by name."""
    environ = {**os.environ, **stage.environ}
    command = (sys.executable, "-m", "bridge", "doctor", "--json", "--config", str(stage.config()))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environ, stdout=pipe)
    out, _ = await process.communicate()
    return {check["name"]: check["words"] for check in json.loads(out)["checks"] if check["name"].startswith("slack ")}


async def test_what_was_learnt_survives_a_restart_and_doctor_shows_it_and_has_it_asked_again(
    slack: SlackStage,
) -> None:
    stage = slack
    stage.slack.features -= {"streams"}
    stage.refusals.add("unknown_method")
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await at_work(cli)
    message = await stage.message("Bash run 1")
    await stage.see(lambda: session_states(stage) == ["processing"], "at work")
    await done(stage, cli, message)
    await asyncio.sleep(5.5)  # the bridge writes down what it learnt every five seconds
    await stage.kill_process()
    await stage.start_process()
    await begins(cli, 2)
    await stage.message("Bash run 2")
    assert len(calls(stage, "chat.startStream")) == 1, "it was not asked again"
    said = await doctor(stage)
    assert said["slack streams"].startswith("refused on ")
    assert "unknown_method" in said["slack streams"]
    assert said["slack agent sessions"].startswith("used (found on ")
    assert said["slack status lines"] == "not tried yet"
    stage.slack.features |= {"streams"}
    await asyncio.sleep(5.5)
    await answers(cli, "That was it.")
    await stage.answer("That was it.")
    await begins(cli, 3)
    await streaming(stage, "Bash run 3")

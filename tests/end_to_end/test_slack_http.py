"""Slack over signed HTTP: the delivery and the approvals of a real hub's session, and nothing for forgers."""

import asyncio
import json
import time

import aiohttp
import pytest

from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, told, until
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.fake_cli import FakeCli

pytestmark = pytest.mark.real_hub
AtHttp = tuple[SlackStage, FakeCli]


@pytest.fixture
async def at_http(slack: SlackStage) -> AtHttp:
    """The bridge serves Slack over HTTP, with the challenge passed, and one Claude session is active."""
    slack.http = True
    await slack.start()
    return slack, await slack.session(flavor="claude", path="/home/ada/parser")


async def test_a_turn_and_a_reply_over_http(at_http: AtHttp) -> None:
    stage, cli = at_http
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make test"}})
    activity = await stage.message("🟠 Bash make test")
    await cli.say("codex", {"type": "tool-call-result", "callId": "c1", "output": "12 passed"})
    await answers(cli, "All pass.")
    answer = await stage.answer("All pass.")
    await stage.see(lambda: "🟢 Bash make test" in words(activity), "the tool is done")
    assert stage.rings() == [answer]
    said = stage.say("well done", answer)
    await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "taken")
    assert told(cli)[0]["localId"].startswith("slack-bot")
    stage.slack.slash_command(stage.dm, stage.ada, "/hapi", "status")
    assert "connected" in words(await stage.message("HAPI: "))
    assert not any(call.method == "apps.connections.open" for call in stage.slack.calls), "no socket was asked for"


@pytest.mark.parametrize(("button", "approved", "word"), [("Allow", True, "Allowed"), ("Deny", False, "Denied")])
async def test_a_request_is_decided_from_its_button_over_http(
    at_http: AtHttp, button: str, approved: bool, word: str
) -> None:
    """Invariant 4; the double press is refused in words, and acts once."""
    stage, cli = at_http
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await stage.steady(card)
    stage.slack.press(card, button, stage.ada)
    stage.slack.press(card, button, stage.ada)
    await stage.see(lambda: f"{word} by ada · Slack" in words(card), "the outcome")
    await stage.refusal()
    assert [params["approved"] for params in decisions_of(cli)] == [approved]
    await answers(cli, "went on")
    await stage.answer("went on")


async def test_forged_and_replayed_requests_are_refused_and_reach_nothing(at_http: AtHttp) -> None:
    """A press is believed only with Slack's own signature, and only while it is fresh."""
    stage, cli = at_http
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await stage.steady(card)
    stage.slack.office.hooks, hooks = None, stage.slack.office.hooks  # the press is made, but caught on its way
    press = stage.slack.press(card, "Allow", stage.ada).payload
    await asyncio.sleep(0.05)
    stage.slack.office.hooks = hooks
    for forged in (
        await stage.slack.send_forged("interactive", press, signature="v0=" + "0" * 64),
        await stage.slack.send_forged("interactive", press, signature=""),
        await stage.slack.send_forged("interactive", press, age=301),
        await stage.slack.send_forged("interactive", press, age=-301),
    ):
        assert forged[0] == 401
    assert hooks is not None
    async with (
        aiohttp.ClientSession() as http,
        http.post(hooks.url, data=json.dumps({"type": "event_callback"})) as bare,
    ):
        assert bare.status == 401
    await asyncio.sleep(0.3)
    assert not decisions_of(cli)
    assert "Waiting for a decision" in words(card)
    assert (await stage.slack.send_forged("interactive", press, age=10))[0] == 200, "the real one counts"
    await stage.see(lambda: "Allowed by ada" in words(card), "the outcome")
    assert (await stage.slack.send_forged("interactive", press, age=20))[0] == 200
    await asyncio.sleep(0.3)
    assert len(decisions_of(cli)) == 1, "and a repetition of it acts on nothing"


async def test_an_event_that_comes_again_over_http_counts_once(at_http: AtHttp) -> None:
    """Invariant 1."""
    stage, cli = at_http
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    stage.slack.office.lose_acks(1)
    stage.say("only once", hello)
    await stage.see(
        lambda: any(len(one.attempts) > 1 and one.state == "acked" for one in stage.slack.office.deliveries), "a retry"
    )
    await until(lambda: texts_of(cli), "the text")
    assert texts_of(cli) == ["only once"]


async def test_a_kill_of_the_bridge_loses_nothing_over_http(slack: SlackStage) -> None:
    """Invariants 1 and 3: what was posted and said while the bridge was dead is there, once, in order."""
    stage = slack
    stage.http = True
    await stage.start_process()
    cli = await stage.session(flavor="codex", path="/srv/api")
    for number in range(10):
        await answers(cli, f"text {number}")
    await stage.message("text 3")
    await stage.kill_process()
    said = stage.say("are you there?", stage.root("api"))
    for number in range(10, 20):
        await answers(cli, f"text {number}")
    began = time.monotonic()
    await stage.start_process()
    await stage.message("text 19", 30)
    shown = [words(one).split(" <@")[0] for one in stage.dm.from_bot if words(one).startswith("text ")]
    assert shown == [f"text {number}" for number in range(20)]
    left = 30 - (time.monotonic() - began)
    await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "what was said to nobody, by Slack's retry", left)
    assert texts_of(cli) == ["are you there?"]

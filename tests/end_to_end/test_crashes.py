"""Crashes in the middle of the work: nothing lost, order kept, at most one message doubled per conversation."""

import asyncio

import pytest

from bridge.sandbox.telegram import Limits, Message
from tests.end_to_end.conftest import Stage
from tests.rig.fake_cli import FakeCli, NotConnected
from tests.rig.hapi_peer import HubClient

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(150)]

COUNT = 100


def texts(stage: Stage) -> list[str]:
    """The numbered texts in the chat, in the order they stand there."""
    return [one.text for one in stage.chat.from_bot if one.text.startswith("text ")]


def expect_all_in_order(stage: Stage, most_doubled: int) -> None:
    seen = texts(stage)
    assert len(seen) - len(set(seen)) <= most_doubled, "doubled more than allowed"
    unique = list(dict.fromkeys(seen))
    assert unique == [f"text {number}" for number in range(COUNT)]


async def say_all(cli: FakeCli, pause_s: float) -> None:
    for number in range(COUNT):
        await insist(cli, "codex", {"type": "message", "message": f"text {number}"})
        await insist(cli, "event", {"type": "ready"})
        await asyncio.sleep(pause_s)


async def insist(cli: FakeCli, family: str, data: dict[str, object]) -> None:
    """Speak once the stand-in CLI is connected (again)."""
    while True:
        try:
            return await cli.say(family, data)
        except NotConnected:
            await asyncio.sleep(0.05)


async def all_shown(stage: Stage, timeout: float = 90) -> None:
    await stage.see(lambda: f"text {COUNT - 1}" in texts(stage), "the last text", timeout)


async def test_a_hub_restart_in_the_middle_of_a_hundred_messages_loses_and_doubles_none(stage: Stage) -> None:
    """Invariants 1 and 3."""
    await stage.start()
    cli = await stage.session(flavor="codex", path="/srv/api")
    saying = asyncio.create_task(say_all(cli, 0.05))
    await stage.see(lambda: len(texts(stage)) > 20, "some texts")
    await stage.hub.stop(kill=True)
    await stage.hub.start()
    await saying
    await all_shown(stage)
    lost = {f"text {number}" for number in range(COUNT)} - set(texts(stage))
    assert lost <= await not_in_hub(stage, cli), "what the hub has, the chat has"
    assert len(texts(stage)) == len(set(texts(stage)))
    assert texts(stage) == sorted(texts(stage), key=lambda text: int(text.split()[1]))


async def not_in_hub(stage: Stage, cli: FakeCli) -> set[str]:
    """Texts the stand-in CLI lost, because the hub was down when it spoke: they never reached the hub."""
    async with HubClient(stage.hub.url) as client:
        await client.auth()
        _, body = await client.call("GET", f"/api/sessions/{cli.sid}/messages?limit=200")
        texts_there = {row["content"]["content"]["data"].get("message") for row in body["messages"]}
    return {f"text {number}" for number in range(COUNT)} - texts_there


async def test_a_kill_of_the_bridge_in_the_middle_of_a_hundred_messages(stage: Stage) -> None:
    """Invariants 1 and 3: every text, in order, at most one of them twice."""
    await stage.start_process()
    cli = await stage.session(flavor="codex", path="/srv/api")
    saying = asyncio.create_task(say_all(cli, 0.05))
    await stage.see(lambda: len(texts(stage)) > 20, "some texts", 30)
    await stage.kill_process()
    await asyncio.sleep(1)
    await stage.start_process()
    await saying
    await all_shown(stage)
    expect_all_in_order(stage, most_doubled=1)


async def test_a_long_turn_rings_once_and_stays_readable(stage: Stage) -> None:
    """25 minutes with 60 tools and 20 narrating texts, time compressed."""
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    cli.thinking = True
    for number in range(60):
        if number % 3 == 0:
            words = f"Step {number // 3}: now I look at part {number}."
            await cli.say("codex", {"type": "message", "message": words, "id": f"t{number}"})
        call = {"type": "tool-call", "callId": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        await cli.say("codex", call)
        await asyncio.sleep(0.05)
        await cli.say("codex", {"type": "tool-call-result", "callId": f"c{number}", "output": f"ok {number}"})
        await asyncio.sleep(0.05)
    await cli.say("codex", {"type": "message", "message": "Everything is done."})
    await cli.say("event", {"type": "ready"})
    answer = await stage.answer("Everything is done.", 60)
    activity = await stage.message("Done", 60)
    await stage.see(lambda: "60 tools" in activity.text, "the summary")
    assert stage.rings() == [answer]
    assert len(activity.text) <= 4096
    log = [one for one in stage.chat.from_bot if one.file]
    whole = activity.text + "".join(one.file.data.decode() for one in log if one.file)
    assert all(f"Step {number}: now I look" in whole for number in range(20)), "nothing of the narration is lost"
    posts = [one for one in stage.chat.from_bot if one.text or one.file]
    assert len(posts) <= 3, "one activity post, perhaps its file, and the answer"


@pytest.mark.real_pace
async def test_thirty_messages_at_real_pace_break_no_limit(stage: Stage) -> None:
    """The rates a real Telegram has, kept by the courier: not one 429."""
    stage.speed = 1.0
    stage.telegram.rates.limits = Limits()
    await stage.start()
    cli = await stage.session(flavor="codex", path="/srv/api")
    for number in range(30):
        await cli.say("codex", {"type": "message", "message": f"text {number}"})
        await cli.say("event", {"type": "ready"})
    await stage.see(lambda: "text 29" in texts(stage), "the last text", 90)
    assert stage.telegram.rates.violations == 0
    shown: list[Message] = [one for one in stage.chat.from_bot if one.text.startswith("text ")]
    assert [one.text for one in shown] == [f"text {number}" for number in range(30)]

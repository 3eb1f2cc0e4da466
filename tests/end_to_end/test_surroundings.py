"""When the world around the bridge is not as it should be: said in words, waited for, nothing dropped."""

import asyncio

import pytest

from tests.end_to_end.conftest import Playing, Stage

pytestmark = pytest.mark.real_hub


async def test_a_deleted_topic_is_made_anew_and_nothing_is_dropped(playing: Playing) -> None:
    stage, cli = playing
    await cli.say("codex", {"type": "message", "message": "one"})
    await cli.say("event", {"type": "ready"})
    await stage.answer("one")
    old = stage.topic("parser")
    stage.telegram.delete_topic(stage.chat, old)
    await cli.ask("req1", "Bash", {"command": "ls"})
    await cli.say("codex", {"type": "message", "message": "two"})
    await cli.say("event", {"type": "ready"})
    two = await stage.answer("two")
    card = await stage.message("Approval needed")
    assert two.thread is not None
    assert two.thread != old.id
    assert card.thread == two.thread
    said = stage.telegram.say(stage.chat, stage.ada, "on we go", thread=two.thread)
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by Ada" in card.text, "decided in the new topic")
    assert said.thread == two.thread


async def test_topics_switched_off_fall_back_to_one_chat_with_a_header_line(playing: Playing) -> None:
    stage, cli = playing
    await cli.say("codex", {"type": "message", "message": "one"})
    await cli.say("event", {"type": "ready"})
    await stage.answer("one")
    stage.telegram.disable_topics(stage.chat)
    await cli.say("codex", {"type": "message", "message": "two"})
    await cli.say("event", {"type": "ready"})
    two = await stage.answer("two")
    assert two.thread is None
    assert two.text.startswith("parser")


async def test_without_topics_a_reply_goes_to_its_session_and_other_text_is_asked_about(stage: Stage) -> None:
    stage.telegram.disable_topics(stage.chat)
    stage.telegram.topics_enabled = False
    await stage.start()
    api = await stage.session(flavor="claude", path="/srv/api")
    web = await stage.session(flavor="codex", path="/srv/web")
    for cli, text in ((api, "from the api"), (web, "from the web")):
        await cli.say("codex", {"type": "message", "message": text})
        await cli.say("event", {"type": "ready"})
    first = await stage.answer("from the api")
    await stage.answer("from the web")
    assert first.text.startswith("api")

    stage.telegram.say(stage.chat, stage.ada, "for the api", reply_to=first.id)
    await stage.see(lambda: texts_of(api) == ["for the api"], "the reply reached its session")
    stage.telegram.say(stage.chat, stage.ada, "for whom?")
    asked = await stage.message("Which session is this for?")
    assert texts_of(web) == []
    await stage.press(asked, "web")
    await stage.see(lambda: texts_of(web) == ["for whom?"], "the text reached the chosen session")
    assert texts_of(api) == ["for the api"]


def texts_of(cli: object) -> list[str]:
    """What a stand-in CLI was told by people."""
    updates = [update["body"] for update in cli.updates]  # type: ignore[attr-defined]
    return [body["message"]["content"]["content"]["text"] for body in updates if body["t"] == "new-message"]


async def test_a_hub_that_is_not_there_at_the_start_is_waited_for_and_said_once(stage: Stage) -> None:
    await stage.hub.stop()
    await stage.start_process(heard=False)
    trouble = await stage.message("can't be reached", 40)
    await asyncio.sleep(3)
    assert len([one for one in stage.chat.from_bot if "can't be reached" in one.text]) == 1
    await stage.hub.start()
    cli = await stage.session(flavor="codex", path="/srv/api")
    await stage.see(lambda: "can't be reached" not in trouble.text, "the way back is said on the same message", 40)
    await cli.say("codex", {"type": "message", "message": "there again"})
    await cli.say("event", {"type": "ready"})
    await stage.answer("there again")


async def test_telegram_out_of_reach_loses_nothing(playing: Playing) -> None:
    stage, cli = playing
    stage.telegram.faults.error("sendMessage", times=2, code=502)
    stage.telegram.faults.drop("sendMessage", times=1, skip=1)
    for number in range(5):
        await cli.say("codex", {"type": "message", "message": f"text {number}"})
        await cli.say("event", {"type": "ready"})
    await stage.answer("text 4", 60)
    seen = [one.text for one in stage.chat.from_bot if one.text.startswith("text ")]
    assert list(dict.fromkeys(seen)) == [f"text {number}" for number in range(5)]


async def test_a_lost_answer_doubles_at_most_that_one_message(playing: Playing) -> None:
    """Invariant 3."""
    stage, cli = playing
    stage.telegram.faults.lose_answer("sendMessage", times=1)
    for number in range(5):
        await cli.say("codex", {"type": "message", "message": f"text {number}"})
        await cli.say("event", {"type": "ready"})
    await stage.answer("text 4", 60)
    seen = [one.text for one in stage.chat.from_bot if one.text.startswith("text ")]
    assert len(seen) <= 6
    assert list(dict.fromkeys(seen)) == [f"text {number}" for number in range(5)]


async def test_another_poller_is_named_with_hapis_own_bot_as_the_likely_one(playing: Playing) -> None:
    stage, _ = playing
    stage.telegram.updates.another_poller = True
    await stage.telegram.poll_elsewhere()
    said = await stage.message("Another program fetches", 30)
    assert "HAPI" in said.text
    stage.telegram.updates.another_poller = False


async def test_a_flood_wait_is_obeyed_and_nothing_is_lost(playing: Playing) -> None:
    stage, cli = playing
    stage.telegram.faults.flood("sendMessage", times=1, retry_after=2)
    await cli.say("codex", {"type": "message", "message": "after the wait"})
    await cli.say("event", {"type": "ready"})
    await stage.answer("after the wait")
    times = [call.at for call in stage.telegram.calls if call.method == "sendMessage"]
    assert times[1] - times[0] >= 2


async def test_a_message_the_hub_did_not_take_is_said_with_a_retry(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.relay.people.words.sending.TRIES_S", (0.1, 0.2))
    await stage.start()
    cli = await stage.session(flavor="codex", path="/srv/api")
    await cli.say("codex", {"type": "message", "message": "hello"})
    await cli.say("event", {"type": "ready"})
    hello = await stage.answer("hello")
    await stage.hub.stop()
    stage.telegram.say(stage.chat, stage.ada, "are you there?", thread=hello.thread)
    card = await stage.message("Not sent", 60)
    await stage.hub.start()
    async with asyncio.timeout(20):
        while not cli.sio.connected:  # noqa: ASYNC110 - the stand-in CLI asks for no backlog, so it must be there first
            await asyncio.sleep(0.1)
    assert await stage.press(card, "Retry") == "Trying again…"
    await stage.see(lambda: "are you there?" in texts_of(cli), "it arrived", 30)
    await stage.see(lambda: "Sent" in card.text, "the card says so")

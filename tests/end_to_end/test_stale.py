"""What came late is shown back with what happened since, and done only if it is still wanted (invariant 4)."""

import asyncio

import pytest

from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, until
from tests.end_to_end.conftest import Playing
from tests.end_to_end.slack_stage import SlackStage, words
from tests.end_to_end.test_people import audit, paired

pytestmark = pytest.mark.real_hub

LATE = "bridge.relay.people.door.silence.LONG_MS"
OLD = "bridge.relay.people.words.stale.OLD_TEXT_MS"


async def test_a_press_from_a_silence_is_shown_back_and_done_now_on_the_very_request(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await stage.steady(card)
    await stage.stop()
    stage.telegram.press(card, "Allow", stage.ada)
    await asyncio.sleep(0.3)
    with monkeypatch.context() as shorter:
        shorter.setattr(LATE, 250)
        await stage.start()
        shown = await stage.message("It was not carried out.")
    assert "Ada pressed “Allow”" in shown.text
    assert not decisions_of(cli)
    assert await stage.press(shown, "Do it now") == "Sending…"
    await stage.see(lambda: "Allowed by Ada" in card.text, "the outcome")
    assert [params["approved"] for params in decisions_of(cli)] == [True]
    await stage.see(lambda: shown.find_button("Do it now") is None, "the buttons are gone")


async def test_what_was_decided_meanwhile_is_said_and_do_it_now_refuses_what_changed(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make build"})
    await cli.ask("req2", "Bash", {"command": "make test"})
    first, second = await stage.message("make build"), await stage.message("make test")
    await stage.steady(second)
    await stage.stop()
    stage.telegram.press(first, "Allow", stage.ada)
    stage.telegram.press(second, "Allow", stage.ada)
    await cli.resolve({"id": "req1", "approved": False})
    await asyncio.sleep(0.3)
    with monkeypatch.context() as shorter:
        shorter.setattr(LATE, 250)
        await stage.start()
        await stage.see(
            lambda: sum("pressed “Allow”" in one.text for one in stage.chat.from_bot) == 2, "both are shown"
        )
    over, open_ = (one for one in stage.chat.from_bot if "pressed “Allow”" in one.text)
    await stage.see(lambda: "Denied" in first.text, "what the hub says of the first")
    await cli.resolve({"id": "req2", "approved": False})
    await stage.see(lambda: "Denied" in second.text, "the second is over, too")
    for shown in (over, open_):
        if shown.find_button("Do it now") is not None:
            assert "already" in await stage.press(shown, "Do it now")
    assert not decisions_of(cli), "nothing was decided from here"


async def test_a_late_press_can_be_dropped(playing: Playing, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await stage.stop()
    stage.telegram.press(card, "Allow", stage.ada)
    await asyncio.sleep(0.3)
    with monkeypatch.context() as shorter:
        shorter.setattr(LATE, 250)
        await stage.start()
        shown = await stage.message("It was not carried out.")
    await stage.steady(shown)
    assert await stage.press(shown, "Drop") == "Dropped."
    await stage.see(lambda: "Dropped." in shown.text, "it says so")
    assert await stage.press(card, "Deny") == "Sending…", "the card itself is as it was"
    await stage.see(lambda: "Denied by Ada" in card.text, "the outcome")


async def test_do_it_now_that_comes_late_itself_is_asked_for_again(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 4: it is neither done nor taken for *Drop*; its buttons stay."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    await stage.steady(card)
    pressed, label = card, "Allow"
    with monkeypatch.context() as shorter:
        shorter.setattr(LATE, 250)
        for _ in range(2):
            await stage.stop()
            waits = stage.telegram.press(pressed, label, stage.ada)
            await asyncio.sleep(0.3)
            await stage.start()
            told = (await stage.telegram.answer_to(waits, 10)).text
            pressed, label = await stage.message("It was not carried out."), "Do it now"
        assert told == "That came late, and was not done. Press again if you still want it."
    assert sum("pressed “" in one.text for one in stage.chat.from_bot) == 1, "not shown back once more"
    assert not decisions_of(cli)
    assert await stage.press(pressed, "Do it now") == "Sending…"
    await stage.see(lambda: "Allowed by Ada" in card.text, "the outcome")


async def test_an_old_text_whose_session_moved_on_waits_for_a_word(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, cli = playing
    monkeypatch.setattr(OLD, 2000)
    await answers(cli, "shall I?")
    asked = await stage.answer("shall I?")
    await stage.stop()
    stage.telegram.say(stage.chat, stage.ada, "yes, go on", reply_to=asked)
    stage.telegram.say(stage.chat, stage.ada, "and be quick", reply_to=asked)
    await asyncio.sleep(2.2)
    await answers(cli, "I have done something else")
    await stage.start()
    shown = await stage.message("yes, go on")
    assert "the session has moved on" in shown.text
    assert "Since then:" in shown.text, "and what it was"
    other = await stage.message("and be quick")
    assert texts_of(cli) == []
    assert await stage.press(shown, "Do it now") == "Sent."
    await until(lambda: texts_of(cli) == ["yes, go on"], "the text")
    assert await stage.press(other, "Drop") == "Dropped."
    stage.telegram.say(stage.chat, stage.ada, "fresh", reply_to=asked)
    await until(lambda: texts_of(cli) == ["yes, go on", "fresh"], "a new one goes at once")


async def test_an_old_text_goes_where_nothing_was_said_since(playing: Playing, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, cli = playing
    monkeypatch.setattr(OLD, 1000)
    await answers(cli, "shall I?")
    asked = await stage.answer("shall I?")
    await asyncio.sleep(1.1)  # the platform's times are whole seconds
    await stage.stop()
    stage.telegram.say(stage.chat, stage.ada, "yes, go on", reply_to=asked)
    await asyncio.sleep(1.1)
    await stage.start()
    await until(lambda: texts_of(cli) == ["yes, go on"], "the text")


async def test_on_slack_an_old_text_waits_as_well(own_slack: SlackStage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slack repeats what it could not deliver, with the time at which it was written."""
    stage = own_slack
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    monkeypatch.setattr(OLD, 500)
    await answers(cli, "shall I?")
    asked = await stage.answer("shall I?")
    await stage.stop()
    stage.say("yes, go on", asked)
    await asyncio.sleep(0.6)
    await answers(cli, "I have done something else")
    await stage.start()
    shown = await stage.message("the session has moved on", timeout=25)
    assert texts_of(cli) == []
    await stage.press(shown, "Do it now")
    await until(lambda: texts_of(cli) == ["yes, go on"], "the text")
    await stage.see(lambda: "Sent." in words(shown), "it says so")


async def test_an_old_command_is_done_now_with_the_rights_of_now_or_dropped(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 4: it is about the session it was said to, and needs what the command needs, of whoever presses."""
    stage, cli = playing
    vic = stage.telegram.add_user(10, "Vic")
    await paired(stage, vic, "member")
    monkeypatch.setattr(OLD, 2000)
    await answers(cli, "shall I?")
    asked = await stage.answer("shall I?")
    await stage.stop()
    stage.telegram.say(stage.chat, stage.ada, "/rename the lexer", reply_to=asked)
    stage.telegram.say(stage.chat, stage.ada, "/pin", reply_to=asked)
    stage.telegram.say(stage.chat, stage.ada, "/status", reply_to=asked)
    await asyncio.sleep(2.2)
    await answers(cli, "I have done something else")
    await stage.start()
    shown = await stage.message("/rename the lexer")
    assert "It was not carried out." in shown.text
    pin = await stage.message("“/pin”")
    await stage.message("HAPI Bridge", timeout=15)
    assert await stage.press(shown, "Do it now", vic) == "Only this bot's owner can do that."
    assert await stage.press(pin, "Drop") == "Dropped."
    assert await stage.press(shown, "Do it now") == "Done: see the answer below."
    await stage.message("It is called “the lexer” now.")
    await stage.see(lambda: shown.find_button("Do it now") is None, "the buttons are gone")
    assert all("Pinned" not in one.text for one in stage.chat.from_bot)
    lines = [(line["act"], line["outcome"].partition(":")[0]) for line in audit(stage)]
    assert ("rename", "refused") in lines, "when it came late"
    assert lines[-1] == ("rename", "done")

"""What nobody decides on does not stay open for ever: it is not sent, and says so with all that was written."""

import asyncio
from typing import Any

import pytest

from bridge import app
from bridge.relay import notes
from bridge.relay.people.words import lapsing
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Card, Chatting, OnTelegram, Steered

LONG = "\n".join(
    [f"{number}. look at the parser, and at what calls it, then write down what you found" for number in range(6)]
)
NOT_SENT = "Nobody said what becomes of this message, so it was not sent."


async def two_weeks_later(stage: Steered, *, until_it_ends: bool = False) -> None:
    """The bridge starts again, when as much time has gone by as it waits for a word."""
    await stage.stop()
    stage.manners["undecided_days"] = 1e-9
    await asyncio.sleep(0.01)
    if until_it_ends:
        async with asyncio.timeout(15):
            await app.run(stage.settings())
    await stage.start()


def rings(chatting: Chatting) -> int:
    """How many messages the bot has sent that ring."""
    if chatting.name == "telegram":
        return sum(not one.silent for one in chatting.stage.chat.from_bot)
    return len(chatting.stage.dm.from_bot)


async def given_up(chatting: Chatting, card: Card, said: str) -> None:
    """A note says that it is over, and asks no more."""
    await until(lambda: said in chatting.text(card), f"{said!r} on {chatting.text(card)!r}")
    assert not any(chatting.labels(card)), "nothing is left to press"


async def test_a_text_for_no_session_in_particular_is_shown_whole_and_not_sent(chatting: Chatting) -> None:
    stage = chatting.stage
    for name in ("shop", "site"):
        stage.says(stage.played(name), f"{name} is ready")
        await chatting.see(f"{name} is ready")
    chatting.type(LONG)
    card = await chatting.see("Which session is this for?")
    await stage.stop()
    await stage.start()
    await asyncio.sleep(0.3)
    assert "Which session is this for?" in chatting.text(card), "two weeks are not over yet"
    before = rings(chatting)
    await two_weeks_later(stage)
    await given_up(chatting, card, NOT_SENT)
    assert " ".join(LONG.split()) in " ".join(chatting.text(card).split()), "nothing of it is lost"
    assert rings(chatting) == before
    assert stage.calls("POST", "/messages") == 0


async def test_a_text_that_came_while_a_request_waits_is_not_sent_and_the_request_still_waits(
    chatting: Chatting,
) -> None:
    """Invariant 10: time decides nothing."""
    stage = chatting.stage
    session = stage.played("shop")
    stage.says(session, "shop is ready")
    root = await chatting.see("shop is ready")
    stage.state.ask(session, "r1", "Bash", {"command": "make deploy"})
    request = await chatting.see("make deploy")
    chatting.type(LONG, at=root)
    card = await chatting.see("What is your message?")
    await two_weeks_later(stage)
    await given_up(chatting, card, NOT_SENT)
    assert list(session.requests) == ["r1"]
    await chatting.press(request, "Deny")
    await until(lambda: stage.calls("POST", "/deny") == 1, "the denial")
    assert stage.calls("POST", "/messages") == 0


async def test_a_text_longer_than_a_message_comes_as_a_file_at_its_end(chatting: Chatting) -> None:
    """Invariant 2."""
    stage = chatting.stage
    for name in ("shop", "site"):
        stage.says(stage.played(name), f"{name} is ready")
        await chatting.see(f"{name} is ready")
    long = "begin " + "😀 look " * 550 + "end" if chatting.name == "telegram" else "begin " + "x" * 30_000 + " end"
    chatting.type(long)
    card = await chatting.see("Which session is this for?")
    await two_weeks_later(stage)
    await given_up(chatting, card, NOT_SENT)
    await until(lambda: chatting.file("message.txt") == long.strip(), "the whole in a file")


async def test_a_message_that_did_not_reach_the_hub_is_not_offered_for_ever(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("shop")
    stage.says(session, "shop is ready")
    root = await chatting.see("shop is ready")
    stage.sandbox.faults.fail("/messages", status=400)
    chatting.type(LONG, at=root)
    card = await chatting.see("Not sent", "1. look at the parser")
    before = rings(chatting)
    await two_weeks_later(stage)
    await given_up(chatting, card, "Not sent, and nobody tried again.")
    assert "5. look at the parser" in chatting.text(card)
    assert session.queued == []
    assert rings(chatting) == before


async def test_a_planned_message_that_did_not_reach_the_hub_says_no_longer_that_it_will_go(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("shop")
    stage.says(session, "shop is ready")
    root = await chatting.see("shop is ready")
    stage.sandbox.faults.fail("/messages", status=400)
    command = "/" if chatting.name == "telegram" else f"{stage.slack.mention()} "
    chatting.type(f"{command}in 2h run the tests", at=root)
    plan = await chatting.see("Will be sent", "run the tests")
    failed = await chatting.see("Not sent", "run the tests")
    await two_weeks_later(stage)
    for card in (plan, failed):
        await given_up(chatting, card, "Not sent, and nobody tried again.")
        assert "run the tests" in chatting.text(card)


async def test_old_presses_and_commands_that_were_shown_back_are_not_open_for_ever(
    steered: Steered, monkeypatch: pytest.MonkeyPatch
) -> None:
    await steered.start()
    on = OnTelegram(steered)
    session = steered.played("shop")
    steered.says(session, "shall I?")
    asked = await on.see("shall I?")
    steered.state.ask(session, "r1", "Bash", {"command": "make deploy"})
    request = await on.see("make deploy")
    await steered.stop()
    steered.telegram.press(request, "Allow", steered.telegram_ada)
    chat, ada = steered.chat, steered.telegram_ada
    steered.telegram.say(chat, ada, "/rename the other shop", thread=asked.thread, reply_to=asked)
    steered.telegram.say(chat, ada, LONG, thread=asked.thread, reply_to=asked)
    await asyncio.sleep(2.1)  # the platform's times are whole seconds
    steered.says(session, "I have done something else")
    with monkeypatch.context() as shorter:
        shorter.setattr("bridge.relay.people.door.silence.LONG_MS", 250)
        shorter.setattr("bridge.relay.people.words.stale.OLD_TEXT_MS", 1000)
        await steered.start()
        cards = [await on.see(text) for text in ("pressed “Allow”", "/rename the other shop", "0. look at the parser")]
    await two_weeks_later(steered)
    press, command, text = cards
    for card, quoted in ((press, "Allow"), (command, "/rename the other shop")):
        await given_up(on, card, "Nobody said what becomes of this, so it was not done:")
        assert quoted in on.text(card)
    await given_up(on, text, NOT_SENT)
    assert "5. look at the parser" in on.text(text)
    assert list(session.requests) == ["r1"]
    assert session.record["metadata"].get("name") == "shop"


async def test_giving_up_cut_short_goes_on_with_the_next_start(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 1: a crash leaves no text half given up, and none is forgotten."""
    stage = chatting.stage
    for name in ("shop", "site"):
        stage.says(stage.played(name), f"{name} is ready")
        await chatting.see(f"{name} is ready")
    for text in ("first words", "second words"):
        chatting.type(text)
        await chatting.see("Which session is this for?", text)
    cards = [await chatting.see("Which session is this for?", text) for text in ("first words", "second words")]
    real, done = notes.note, 0

    async def dies(*given: Any, **named: Any) -> None:
        nonlocal done
        done += 1
        if done == 2:
            raise RuntimeError("the process ends here")
        await real(*given, **named)

    with monkeypatch.context() as broken:
        broken.setattr(lapsing, "note", dies)
        with pytest.raises(RuntimeError, match="ends here"):
            await two_weeks_later(stage, until_it_ends=True)
    await two_weeks_later(stage)
    for card, text in zip(cards, ("first words", "second words"), strict=True):
        await given_up(chatting, card, NOT_SENT)
        assert text in chatting.text(card)


async def test_an_offered_correction_is_not_open_for_ever_and_is_shown_whole(steered: Steered) -> None:
    await steered.start()
    on = OnTelegram(steered)
    session = steered.played("shop")
    steered.says(session, "shop is ready")
    thread = (await on.see("shop is ready")).thread
    said = steered.telegram.say(steered.chat, steered.telegram_ada, "use port 80", thread=thread)
    await until(lambda: session.queued, "the message")
    steered.state.take(session)
    await until(lambda: "👌" in str(said.reactions), "it was taken")
    steered.telegram.edit(said, LONG)
    card = await on.see("Too late")
    await two_weeks_later(steered)
    await given_up(on, card, "Nobody pressed “Send as correction”, so this was not sent:")
    assert "5. look at the parser" in on.text(card)
    assert steered.calls("POST", "/messages") == 1

"""A session whose computer does not answer holds up nobody but who asks it (invariant 8); faults of ours are told."""

import asyncio
import re
from typing import Any

import pytest

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_said
from bridge.relay.people.beside import AT_ONCE
from bridge.sandbox.telegram import Chat, Message, User
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Chatting, OnTelegram, Steered

PRESSES = 150


def in_chat(chat: Chat, text: str) -> Message | None:
    """The bot's newest message in a chat that holds a text."""
    return next((one for one in reversed(chat.from_bot) if text in one.text and not one.deleted), None)


async def seen(stage: Steered, chat: Chat, text: str) -> Message:
    """Wait for one."""
    await stage.telegram.wait_for(lambda: in_chat(chat, text), 15, f"{text!r} in {chat.title}")
    found = in_chat(chat, text)
    assert found is not None
    return found


async def paired(stage: Steered, user: User) -> None:
    """Somebody the owner has let talk."""
    stage.telegram.say(stage.chat, stage.telegram_ada, "/invite member")
    code = re.search(r"/pair ([A-Z0-9-]{14})", (await seen(stage, stage.chat, "/pair ")).text)
    assert code is not None
    chat = stage.telegram.private_chat(user)
    stage.telegram.say(chat, user, f"/pair {code[1]}")
    await seen(stage, chat, "You are member now")


async def test_a_session_that_hangs_holds_up_no_other_one_and_nobody_elses_words(steered: Steered) -> None:
    stage, on = steered, OnTelegram(steered)
    shop, site = stage.played("shop"), stage.played("site")
    for number in range(24):
        stage.state.user_typed(shop, f"question {number}")
        stage.state.say(shop, "codex", {"type": "message", "message": f"answer {number}. " + "words " * 40})
    stage.state.say(shop, "event", {"type": "ready"})
    await stage.start()
    stage.says(site, "site is ready")
    await on.see("site is ready")
    bob = stage.telegram.add_user(8, "Bob")
    await paired(stage, bob)
    group = stage.telegram.group("Work", stage.telegram_ada, bob)
    stage.telegram.say(group, stage.telegram_ada, "/attach site")
    await seen(stage, group, "site is shown here from now on")
    stage.says(site, "Hello, all of you.")
    topic = (await seen(stage, group, "Hello, all of you.")).thread
    stage.says(shop, "shop is ready")
    at_shop = await on.see("shop is ready")
    stage.telegram.say(stage.chat, stage.telegram_ada, "/history", thread=at_shop.thread)
    card = await on.see("History of “shop”")
    stage.state.think(shop, True)
    stage.state.ask(shop, "r1", "Bash", {"command": "make deploy"})
    request = await on.see("make deploy")
    stage.sandbox.faults.slow(f"/sessions/{shop.id}/messages", seconds=3600, times=10_000)
    label = next(one.text for one in card.buttons if "Older" in one.text)
    asked = [stage.telegram.press(card, label, stage.telegram_ada) for _ in range(PRESSES)]
    stage.telegram.say(group, bob, "fix the header", thread=topic)
    await until(lambda: len(site.queued) == 1, "Bob's text")
    assert site.queued[0]["content"]["content"]["text"] == "Bob: fix the header"
    told = await stage.telegram.answer_to(asked[-1], 10)
    assert told.text == (
        "HAPI has not answered what was asked here before, so this was not carried out. Try it again in a while."
    )
    hanging = [path for kind, path in stage.sandbox.faults.hits if kind == "slow"]
    assert 10 <= len(hanging) <= 12, "bounded; the bridge itself may have looked, too"
    assert await stage.press_on_telegram(request, "Deny") == "Sending…", "nor its own decisions"
    await until(lambda: stage.calls("POST", "/deny") == 1, "the denial")


async def test_what_meets_a_fault_of_ours_is_told_and_a_note_may_be_replied_to_again(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is left to wait for something that will not come."""
    stage = chatting.stage
    session = stage.played("shop")
    stage.says(session, "shop is ready")
    root = await chatting.see("shop is ready")
    stage.state.ask(session, "r1", "Bash", {"command": "make deploy"})
    card = await chatting.see("make deploy")

    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as broken:
        broken.setattr("bridge.relay.people.requests.press_forms.FormPresses._deny", fails)
        broken.setattr("bridge.relay.people.requests.press_requests.waiting_request", fails)
        broken.setattr("bridge.relay.people.words.texts.Texts.target", fails)
        await chatting.fill(card, "Deny…", "Not on a Friday")
        await chatting.told("an error of the bridge's own")
        if chatting.name == "telegram":
            assert "an error of the bridge's own" in await chatting.press(card, "Allow")
        else:
            count = len(stage.dm.ephemeral(stage.ada))
            await chatting.press(card, "Allow")
            assert "an error of the bridge's own" in await stage.refusal(count=count + 1)
        chatting.type("and be quick", at=root)
        said = await chatting.see("This met with an error of the bridge's own")
    assert said
    assert list(session.requests) == ["r1"]
    if chatting.name == "telegram":
        note = in_chat(stage.chat, "Reply to this message with it.")
        assert note is not None
        stage.telegram.say(stage.chat, stage.telegram_ada, "Not on a Friday", thread=note.thread, reply_to=note)
    else:
        await chatting.fill(card, "Deny…", "Not on a Friday")
    await until(lambda: stage.calls("POST", "/deny") == 1, "the denial")
    await until(lambda: "Not on a Friday" in str(session.rows[-1]), "the reason")


async def test_a_fault_after_the_decision_was_made_does_not_deny_it(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is told of a fault of ours is not told that nothing was done where something may have been."""
    stage = chatting.stage
    session = stage.played("shop")
    stage.state.ask(session, "r1", "Bash", {"command": "make deploy"})
    card = await chatting.see("make deploy")

    async def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("bridge.relay.people.door.presses.acknowledge", fails)
    if chatting.name == "telegram":
        told = await chatting.press(card, "Allow")
    else:
        count = len(stage.dm.ephemeral(stage.ada))
        await chatting.press(card, "Allow")
        told = await stage.refusal(count=count + 1)
    assert "may not have been carried out. Look before you try it again." in told
    await until(lambda: stage.calls("POST", "/approve") == 1, "the decision")


async def test_who_loses_their_role_while_it_waits_for_its_turn_is_not_served(
    steered: Steered, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 4: the role that counts is the one of the moment of the act, not of the moment of asking."""
    stage, answers, begun = steered, asyncio.Event(), []

    async def hangs(_: Any, session: str, words: str) -> Card:
        begun.append(words)
        await answers.wait()
        return present_said(f"served {words}")

    monkeypatch.setattr("bridge.relay.people.work.looking.Looking._git", hangs)
    stage.played("shop")
    await stage.start()
    bob = stage.telegram.add_user(8, "Bob")
    await paired(stage, bob)
    chat = stage.telegram.private_chat(bob)
    for number in range(AT_ONCE):
        stage.telegram.say(stage.chat, stage.telegram_ada, f"/git {number}")
    await until(lambda: len(begun) == AT_ONCE, "as many as run at once")
    stage.telegram.say(chat, bob, "/git mine")
    stage.telegram.say(chat, bob, "/help")
    await seen(stage, chat, "/git")
    stage.telegram.say(stage.chat, stage.telegram_ada, "/people")
    people = await seen(stage, stage.chat, "owner, by the configuration")
    for label in ("Bob", "Remove", "Yes, for Bob"):
        await stage.telegram.wait_for(lambda label=label: people.find_button(label), 15, label)  # type: ignore[misc]
        await stage.press_on_telegram(people, label)
    await until(lambda: "Nobody else" in people.text, "Bob is nobody any more")
    answers.set()
    await seen(stage, chat, "This bot works for its owner and the people they invited.")
    await seen(stage, stage.chat, f"served {AT_ONCE - 1}")
    assert "mine" not in begun


async def test_a_text_used_as_an_answer_is_used_up_with_it_or_not_at_all(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 1: the answer and what becomes of the text are one transaction."""
    stage = chatting.stage
    session = stage.played("shop")
    stage.state.ask(session, "r1", "Bash", {"command": "make deploy"})
    asked = await chatting.see("make deploy")
    stage.state.ask(session, "r2", "AskUserQuestion", {"questions": [{"question": "Which port?", "options": []}]})
    await chatting.see("Which port?")
    chatting.type("port 80", at=asked)
    offer = await chatting.see("What is your message?")

    def fails(*_: Any) -> Any:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as broken:
        broken.setattr("bridge.relay.people.words.press_texts.present_interjected", fails)
        await chatting.press(offer, "Use as answer")
        await chatting.told("an error of the bridge's own")
    assert stage.calls("POST", "/approve") == 0
    await chatting.press(offer, "Use as answer")
    await until(lambda: "Used as the answer." in chatting.text(offer), "what became of the text")
    await until(lambda: stage.calls("POST", "/approve") == 1, "the answer")
    assert stage.calls("POST", "/messages") == 0

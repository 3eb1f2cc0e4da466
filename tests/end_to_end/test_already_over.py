"""Who presses on a card that is over learns what became of it: what, by whom and when, as its own card says it."""

from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from bridge.sandbox.slack import Message as SlackMessage
from bridge.sandbox.telegram import Message as TelegramMessage
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Card, Chatting, OnSlack, OnTelegram, Steered

PLAN = ("ExitPlanMode", {"plan": "First the parser, then the lexer."}, "First the parser")
QUESTION = (
    "AskUserQuestion",
    {"questions": [{"question": "Which database?", "options": [{"label": "SQLite"}, {"label": "PostgreSQL"}]}]},
    "Which database?",
)
BASH = ("Bash", {"command": "make deploy"}, "make deploy")
RISKY = ("Bash", {"command": "rm -rf build"}, "rm -rf build")
ENDS = [
    pytest.param(BASH, "Allow", "approved", "Allowed", id="approval"),
    pytest.param(BASH, "Deny", "denied", "Denied", id="denial"),
    pytest.param(PLAN, "Approve", "approved", "Approved", id="plan"),
    pytest.param(PLAN, "Keep planning", "denied", "Keeps planning", id="plan kept"),
    pytest.param(QUESTION, "SQLite", "approved", "Answered", id="question"),
]


def old_button(card: Card, label: str) -> str:
    """A button as it stands now, to be pressed when it is gone."""
    if isinstance(card, TelegramMessage):
        return str(card.button(label).data)
    return next(one.action_id for one in cast(SlackMessage, card).buttons if label in one.label)


async def pressed_too_late(chatting: Chatting, card: Card, button: str) -> str:
    """Press it all the same; what the presser is told."""
    stage = chatting.stage
    if isinstance(card, TelegramMessage):
        query = stage.telegram.press(card, button, stage.telegram_ada, stale=True)
        answer = await stage.telegram.answer_to(query, 10)
        assert answer.alert
        return answer.text or ""
    count = len(stage.dm.ephemeral(stage.ada))
    stage.slack.press(cast(SlackMessage, card), button, stage.ada, stale=True)
    return await stage.refusal(count=count + 1)


def times(minutes: range = range(-2, 3)) -> list[str]:
    """Now, give or take a little, as people's clocks say it."""
    now = datetime.now(ZoneInfo("Europe/Berlin")).timestamp()
    return [f"{datetime.fromtimestamp(now + 60 * minute, ZoneInfo('Europe/Berlin')):%H:%M}" for minute in minutes]


@pytest.mark.parametrize(("asks", "label", "status", "said"), ENDS)
async def test_a_press_on_what_was_decided_elsewhere_tells_how_and_when(
    chatting: Chatting, asks: tuple[str, Any, str], label: str, status: str, said: str
) -> None:
    tool, arguments, shown = asks
    session = chatting.stage.played("shop")
    chatting.stage.state.ask(session, "r1", tool, arguments)
    card = await chatting.see(shown)
    button = old_button(card, label)
    chatting.stage.state.settle(session, "r1", status)
    await until(lambda: said in chatting.text(card), "the outcome on the card")
    assert await pressed_too_late(chatting, card, button) in [f"{said} already, {when}." for when in times()]


async def test_a_press_on_what_somebody_decided_in_the_other_chat_names_them(steered: Steered) -> None:
    await steered.start()
    here, there = OnTelegram(steered), OnSlack(steered)
    session = steered.played("shop")
    ways: list[tuple[Chatting, str, Chatting]] = [(here, "Ada", there), (there, "ada", here)]
    for number, (on, by, other) in enumerate(ways):
        steered.state.ask(session, f"r{number}", "Bash", {"command": f"make {number}"})
        card, its_twin = await on.see(f"make {number}"), await other.see(f"make {number}")
        button = old_button(its_twin, "Deny")
        await on.press(card, "Allow")
        await until(lambda number=number: steered.calls("POST", "/approve") == number + 1, "the decision")  # type: ignore[misc]
        on_its_way = await pressed_too_late(other, its_twin, button)
        assert on_its_way == f"{by} has decided this already, and HAPI has yet to say what came of it."
        steered.state.settle(session, f"r{number}", "approved")
        await until(lambda twin=its_twin, other=other: "Allowed by" in other.text(twin), "the outcome")  # type: ignore[misc]
        told = await pressed_too_late(other, its_twin, button)
        assert told in [f"Allowed by {by} already, {when}." for when in times()]


async def test_a_press_on_arguments_that_were_replaced_tells_nothing_of_the_newer_request(chatting: Chatting) -> None:
    """Invariant 4: what goes by the same id is another request, whatever became of it."""
    session = chatting.stage.played("shop")
    chatting.stage.state.ask(session, "r1", "Bash", {"command": "make deploy"})
    card = await chatting.see("make deploy")
    button = old_button(card, "Allow")
    chatting.stage.state.ask(session, "r1", "Bash", {"command": "make deploy\u200b"})
    await chatting.see("make deploy⟨U+200B⟩")
    anew = "Asked anew: a newer card took this one's place."
    assert await pressed_too_late(chatting, card, button) == anew
    chatting.stage.state.settle(session, "r1", "approved")
    await chatting.see("Allowed", "make deploy⟨U+200B⟩")
    assert await pressed_too_late(chatting, card, button) == anew


async def test_a_press_after_somebodys_first_tap_names_them(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("shop")
    stage.state.ask(session, "r1", *RISKY[:2])
    card = await chatting.see("rm -rf build")
    button = old_button(card, "Allow")
    await chatting.press(card, "Allow")
    await until(lambda: "⚠️ Yes" in str(chatting.labels(card)), "the question")
    told = await pressed_too_late(chatting, card, button)
    name = "Ada" if chatting.name == "telegram" else "ada"
    assert told == f"{name} has pressed this before. Look at the card: it waits to be confirmed."
    assert list(session.requests) == ["r1"]


async def test_a_late_press_on_a_settled_card_is_named_as_its_button_was_and_tells_what_became(
    steered: Steered, monkeypatch: pytest.MonkeyPatch
) -> None:
    await steered.start()
    on = OnTelegram(steered)
    session = steered.played("shop")
    cards = []
    for number, (tool, arguments, shown) in enumerate((BASH, PLAN, QUESTION)):
        steered.state.ask(session, f"r{number}", tool, arguments)
        cards.append(await on.see(shown))
    buttons = [old_button(card, label) for card, label in zip(cards, ("Deny…", "Keep planning", "SQLite"), strict=True)]
    for number in range(3):
        steered.state.settle(session, f"r{number}", "approved")
    said = ("Allowed", "Approved", "Answered")
    for card, words in zip(cards, said, strict=True):
        await until(lambda card=card, words=words: words in on.text(card), "the outcome")  # type: ignore[misc]
    monkeypatch.setattr("bridge.relay.people.words.stale.LATE_MS", -1)
    for card, button in zip(cards, buttons, strict=True):
        await pressed_too_late(on, card, button)
    for label, words in (("Deny…", "Allowed"), ("Keep planning", "Approved"), ("an answer", "Answered")):
        note = await on.see(f"Ada pressed “{label}”")
        assert any(f"{words} already, {when}." in on.text(note) for when in times()), on.text(note)
        assert on.labels(note) == []

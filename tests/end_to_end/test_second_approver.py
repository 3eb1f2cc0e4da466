"""A dangerous request that two people must allow: one person's two taps are not enough."""

import pytest

from bridge.sandbox.telegram import Chat, Message, User
from tests.end_to_end.bridge_stage import decisions_of
from tests.end_to_end.conftest import Stage
from tests.end_to_end.test_people import audit, paired, said

pytestmark = pytest.mark.real_hub


async def tapped(stage: Stage, card: Message, label: str, user: User) -> str:
    """Press a button; what the presser was told."""
    await stage.steady(card)
    return (await stage.telegram.answer_to(stage.telegram.press(card, label, user), 10)).text or ""


async def shown_to(stage: Stage, chat: Chat, user: User) -> Message:
    """The card that waits, in somebody's own chat."""
    stage.telegram.say(chat, user, "/pending")
    listed = await said(stage, chat, "1 request waits for a decision")
    assert "a second tap is waited for after Ada's" in listed.text
    await tapped(stage, listed, "①", user)
    return await said(stage, chat, "Approval needed")


async def test_the_second_tap_must_be_another_persons(stage: Stage) -> None:
    stage.extra = "[danger]\nsecond_approver = true\n"
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    chat = await paired(stage, stage.eve, "approver")
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    card = await stage.message("rm -rf build")
    assert await tapped(stage, card, "Allow", stage.ada) == "Now somebody else must confirm it."
    await stage.see(lambda: card.find_button("⚠️ Yes"), "the question")
    assert "Ada has allowed this. Somebody else who may decide must confirm it below." in card.text
    told = await tapped(stage, card, "⚠️ Yes", stage.ada)
    assert told == "Ada was the first: somebody else must confirm this."
    assert not decisions_of(cli), "one person's two taps are one person's"
    theirs = await shown_to(stage, chat, stage.eve)
    assert await tapped(stage, theirs, "⚠️ Yes", stage.eve) == "Sending…"
    await stage.see(lambda: "Allowed by Eve" in card.text, "the outcome, everywhere")
    assert [params["approved"] for params in decisions_of(cli)] == [True]
    lines = [(line["person_name"], line["outcome"]) for line in audit(stage) if line["request_id"] == "req1"]
    refused = "refused: Ada was the first: somebody else must confirm this."
    assert lines[:3] == [("Ada", "first tap"), ("Ada", refused), ("Eve", "claimed")]


async def test_anybody_who_may_decide_can_deny_what_one_person_allowed(stage: Stage) -> None:
    stage.extra = "[danger]\nsecond_approver = true\n"
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    chat = await paired(stage, stage.eve, "approver")
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    card = await stage.message("rm -rf build")
    await tapped(stage, card, "Allow", stage.ada)
    await stage.see(lambda: card.find_button("⚠️ Yes"), "the question")
    theirs = await shown_to(stage, chat, stage.eve)
    await tapped(stage, theirs, "Deny", stage.eve)
    await stage.see(lambda: "Denied by Eve" in card.text, "the outcome, everywhere")
    assert [params["approved"] for params in decisions_of(cli)] == [False]


async def test_only_the_owner_switches_to_a_mode_in_which_nothing_is_asked(stage: Stage) -> None:
    """Invariant 10: an approver decides requests; to decide none any more is the owner's."""
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await paired(stage, stage.eve, "approver")
    await cli.ask("req1", "Bash", {"command": "git push origin main"})
    card = await stage.message("git push origin main")
    await tapped(stage, card, "More…", stage.eve)
    await stage.see(lambda: card.find_button("⚠️ Allow, then Yolo"), "the wider grants")
    told = await tapped(stage, card, "⚠️ Allow, then Yolo", stage.eve)
    assert told == "Only the owner can switch to a mode in which nothing is asked any more."
    await tapped(stage, card, "⚠️ Allow, then Yolo", stage.ada)
    await stage.see(lambda: card.find_button("⚠️ Yes"), "the question to the owner")
    assert await tapped(stage, card, "⚠️ Yes", stage.eve) == told, "nor does an approver confirm it for the owner"
    await tapped(stage, card, "Not now", stage.ada)
    await stage.see(lambda: card.find_button("Bash(git push:*)"), "the card as it was")
    await tapped(stage, card, "Bash(git push:*)", stage.eve)
    await stage.message("Eve allowed Bash(git push:*) for the whole session in parser (Telegram).")

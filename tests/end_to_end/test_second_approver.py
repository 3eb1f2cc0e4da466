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
    assert await tapped(stage, card, "⚠️ Yes", stage.ada) == told
    assert not decisions_of(cli), "one person's two taps are one person's"
    theirs = await shown_to(stage, chat, stage.eve)
    assert await tapped(stage, theirs, "⚠️ Yes", stage.eve) == "Sending…"
    await stage.see(lambda: "Allowed by Eve" in card.text, "the outcome, everywhere")
    assert [params["approved"] for params in decisions_of(cli)] == [True]
    lines = [
        (line["person_name"], line["outcome"], line["times"]) for line in audit(stage) if line["request_id"] == "req1"
    ]
    refused = "refused: Ada was the first: somebody else must confirm this."
    assert lines[:3] == [("Ada", "first tap", 1), ("Ada", refused, 2), ("Eve", "claimed", 1)]


async def test_the_first_tap_of_who_may_decide_no_more_is_not_one_of_two(stage: Stage) -> None:
    """Invariant 4: roles are looked up at the act, and that is both taps together."""
    stage.extra = "[danger]\nsecond_approver = true\n"
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await paired(stage, stage.eve, "approver")
    await cli.ask("req1", "Bash", {"command": "rm -rf build"})
    card = await stage.message("rm -rf build")
    await tapped(stage, card, "Allow", stage.eve)
    await stage.see(lambda: card.find_button("⚠️ Yes"), "the question")
    stage.telegram.say(stage.chat, stage.ada, "/people")
    people = await stage.message("owner, by the configuration")
    for label in ("Eve", "Remove", "Yes, for Eve"):
        await stage.see(lambda label=label: people.find_button(label), label)  # type: ignore[misc]
        await stage.press(people, label)
    told = await tapped(stage, card, "⚠️ Yes", stage.ada)
    assert told.startswith("Eve was the first, and may decide nothing here any more. Press “Not now”")
    assert not decisions_of(cli)
    await tapped(stage, card, "Not now", stage.ada)
    await stage.see(lambda: card.find_button("Allow"), "the card as it was")


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


async def test_cards_say_who_may_decide_by_role_and_by_the_rule_of_two(stage: Stage) -> None:
    """Also those that stand, when somebody gets a role or loses it."""
    stage.extra = "[danger]\nsecond_approver = true\n"
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("req1", "Bash", {"command": "make build"})
    await cli.ask("req2", "Bash", {"command": "rm -rf build"})
    harmless, dangerous = await stage.message("make build"), await stage.message("rm -rf build")
    assert "may decide: the owner" in harmless.text.splitlines()[-1].partition(" · ")[2]
    assert "may decide: the owner, to allow it with a second person: nobody is one yet" in dangerous.text
    await paired(stage, stage.eve, "member")
    await paired(stage, stage.telegram.add_user(8, "Bob"), "approver")
    await stage.see(lambda: "may decide: the owner and approvers" in harmless.text, "Bob may, too")
    await stage.see(lambda: "the owner and approvers, two of them to allow it" in dangerous.text, "with another")
    await cli.ask("req3", "AskUserQuestion", {"questions": [{"question": "Which?", "options": [{"label": "a"}]}]})
    question = await stage.message("Which?")
    assert "may decide: the owner and approvers" in question.text
    stage.telegram.say(stage.chat, stage.ada, "/people")
    people = await stage.message("owner, by the configuration")
    for label in ("Bob", "member", "Yes, for Bob"):
        await stage.see(lambda label=label: people.find_button(label), label)  # type: ignore[misc]
        await stage.press(people, label)
    await stage.see(lambda: harmless.text.endswith("may decide: the owner"), "the owner alone")
    await stage.see(lambda: "nobody is one yet" in dangerous.text, "nobody to confirm it")
    assert all(not card.silent or not card.edits for card in (harmless, dangerous)), "they rang when they were sent"


async def test_an_approver_who_may_not_decide_where_a_session_is_shown_is_not_counted(stage: Stage) -> None:
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    bob = stage.telegram.add_user(8, "Bob")
    await paired(stage, bob, "approver")
    group = stage.telegram.group("Work", stage.ada, bob)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await said(stage, group, "make build")
    await stage.see(lambda: card.text.endswith("may decide: the owner and approvers"), "Bob may, too")
    stage.telegram.say(group, stage.ada, "/people")
    people = await said(stage, group, "owner, by the configuration")
    for label in ("Bob", "viewer", "Yes, for Bob"):
        await stage.see(lambda label=label: people.find_button(label), label)  # type: ignore[misc]
        await stage.press(people, label)
    await stage.see(lambda: card.text.endswith("may decide: the owner"), "here he only reads")

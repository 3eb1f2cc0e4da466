"""A role in one conversation holds for the sessions shown there, wherever somebody speaks to them (invariant 4)."""

import pytest

from bridge.sandbox.telegram import Chat, User
from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of
from tests.end_to_end.conftest import Stage
from tests.end_to_end.test_people import in_chat, paired, said
from tests.rig.fake_cli import FakeCli

pytestmark = pytest.mark.real_hub

READ_ONLY = "🔴 You may read here. Only people whom the owner lets talk can do that."


async def set_here(stage: Stage, group: Chat, person: str, role: str) -> None:
    """The owner gives somebody a role in a group."""
    stage.telegram.say(group, stage.ada, "/people")
    people = await said(stage, group, "owner, by the configuration")
    for label in (person, role, f"Yes, for {person}"):
        await stage.see(lambda label=label: people.find_button(label), label)  # type: ignore[misc]
        await stage.press(people, label)
    await stage.see(lambda: not people.find_button(f"Yes, for {person}"), "it is set")


async def shown_in_a_group(stage: Stage, role: str, here: str) -> tuple[FakeCli, User, Chat, Chat]:
    """A session in a group in which Bob is less than elsewhere: the session, Bob, his own chat, the group."""
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "hello")
    await stage.message("hello")
    bob = stage.telegram.add_user(8, "Bob")
    own = await paired(stage, bob, role)
    group = stage.telegram.group("Work", stage.ada, bob)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    await set_here(stage, group, "Bob", here)
    return cli, bob, own, group


async def test_who_may_only_read_where_a_session_is_shown_says_nothing_to_it_from_their_own_chat(stage: Stage) -> None:
    cli, bob, own, _ = await shown_in_a_group(stage, "member", "viewer")
    for words in ("/stop", "/git", "/export", "/in 1h delete it all"):
        before = own.from_bot[-1].id
        stage.telegram.say(own, bob, words)
        await stage.see(lambda before=before: own.from_bot[-1].id > before, f"an answer to {words}")  # type: ignore[misc]
        assert own.from_bot[-1].text == READ_ONLY, words
    stage.telegram.say(own, bob, "/history")
    await said(stage, own, "hello")
    assert texts_of(cli) == []


async def test_who_decides_nothing_where_a_session_is_shown_answers_no_question_from_their_own_chat(
    stage: Stage,
) -> None:
    cli, bob, own, group = await shown_in_a_group(stage, "approver", "member")
    await cli.ask("r1", "AskUserQuestion", {"questions": [{"question": "Which?", "options": [{"label": "a"}]}]})
    await said(stage, group, "Which?")
    stage.telegram.say(own, bob, "/pending")
    listed = await said(stage, own, "1 question waits")
    await stage.press(listed, "①", bob)
    card = await said(stage, own, "Which?")
    stage.telegram.say(own, bob, "b, of course", reply_to=card)
    await stage.see(lambda: in_chat(own, "b, of course") is not None, "it is asked about")
    assert not decisions_of(cli)


async def test_a_card_before_others_shows_no_more_of_a_session_that_is_shown_elsewhere_by_now(stage: Stage) -> None:
    """What those who read along may read is looked up at the press, also at the owner's."""
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "hello")
    await stage.message("hello")
    bob = stage.telegram.add_user(8, "Bob")
    own = await paired(stage, bob, "approver")
    work = stage.telegram.group("Work", stage.ada, bob, stage.eve)
    stage.telegram.say(work, stage.ada, "/attach parser")
    await said(stage, work, "parser is shown here from now on")
    cards = []
    for command, label in (("/sessions", "Refresh"), ("/session parser", "Rename"), ("/history", "Session")):
        stage.telegram.say(work, stage.ada, command)
        await stage.see(lambda label=label: work.from_bot[-1].find_button(label), command)  # type: ignore[misc]
        cards.append(work.from_bot[-1])
    listed, card, history = cards
    other = stage.telegram.group("Other", stage.ada)
    stage.telegram.say(other, stage.ada, "/attach parser")
    await said(stage, other, "parser is shown here from now on")
    await answers(cli, "the secret is 42")
    await said(stage, other, "the secret is 42")
    count = len(work.from_bot)
    for message, label in ((listed, "parser"), (card, "History"), (history, "Session"), (history, "Export")):
        for person in (bob, stage.ada):
            told = await stage.press(message, label, person)
            assert told == "That session is not shown here. Look in your private chat with me.", label
    assert len(work.from_bot) == count, "nothing was shown beside them"
    assert not any("42" in one.text or one.edits for one in cards)
    stage.telegram.say(own, bob, "/history")
    await said(stage, own, "the secret is 42")

"""Several people at one bridge: invited by the owner, with the rights of their role, told of and logged."""

import asyncio
import json
import re
import sqlite3
from typing import Any

import pytest

from bridge.sandbox.slack import User as SlackUser
from bridge.sandbox.telegram import Chat, Message, User
from tests.end_to_end.bridge_stage import STEADY_S, decisions_of
from tests.end_to_end.conftest import AtSlack, Playing, Stage
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


def in_chat(chat: Chat, text: str) -> Message | None:
    """The bot's newest message in a chat that holds a text."""
    return next((one for one in reversed(chat.from_bot) if text in one.text and not one.deleted), None)


async def said(stage: Stage, chat: Chat, text: str) -> Message:
    """Wait for a message of the bot in a chat."""
    await stage.see(lambda: in_chat(chat, text) is not None, f"{text!r} in {chat.title}")
    found = in_chat(chat, text)
    assert found is not None
    return found


async def code_for(stage: Stage, role: str) -> str:
    """A fresh code, as the owner sees it in their own chat."""
    before = len(stage.chat.from_bot)
    stage.telegram.say(stage.chat, stage.ada, f"/invite {role}")

    def found() -> str | None:
        fresh = [one.text for one in stage.chat.from_bot[before:]]
        return next((match[1] for text in fresh if (match := re.search(r"/pair ([A-Z0-9-]{14})", text))), None)

    await stage.see(found, "a code")
    return str(found())


async def paired(stage: Stage, user: User, role: str) -> Chat:
    """Somebody who has used a code; their chat with the bot."""
    code = await code_for(stage, role)
    chat = stage.telegram.private_chat(user)
    stage.telegram.say(chat, user, f"/pair {code}")
    await said(stage, chat, f"You are {role} now")
    return chat


def audit(stage: Stage | SlackStage) -> list[dict[str, Any]]:
    """The audit log as the store has it."""
    with sqlite3.connect(stage.folder / "data" / "bridge.sqlite3") as store:
        store.row_factory = sqlite3.Row
        return [dict(row) for row in store.execute("SELECT * FROM audit ORDER BY id")]


async def test_a_code_gives_a_role_once_and_its_person_may_do_what_the_role_allows(playing: Playing) -> None:
    """Invariant 4: the clicker's role now. Invariant 7: the code stands nowhere in the store."""
    stage, cli = playing
    bob = stage.telegram.add_user(8, "Bob")
    code = await code_for(stage, "approver")
    with sqlite3.connect(stage.folder / "data" / "bridge.sqlite3") as store:
        assert code.replace("-", "") not in json.dumps(store.execute("SELECT * FROM pairings").fetchall())
    theirs = stage.telegram.private_chat(bob)
    stage.telegram.say(theirs, bob, f"/pair {code.lower()}")
    await said(stage, theirs, "You are approver now")
    await stage.message("Bob is approver now")
    stage.telegram.say(stage.telegram.private_chat(stage.eve), stage.eve, f"/pair {code}")
    await said(stage, stage.telegram.private_chat(stage.eve), "That code is not right")

    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    assert await stage.press(card, "Allow", bob) == "Sending…"
    await stage.see(lambda: "Allowed by Bob" in card.text, "the outcome")
    told = await stage.message("Bob allowed Bash in parser (Telegram).")
    assert told.silent, "without a ring"
    lines = [line for line in audit(stage) if line["act"] == "decide"]
    assert [(line["person_name"], line["choice"], line["outcome"]) for line in lines] == [
        ("Bob", "allow", "claimed"),
        ("Bob", "allow", "approved"),
    ]
    assert (lines[0]["role"], lines[0]["request_id"], lines[0]["session_id"]) == ("approver", "req1", cli.sid)
    assert lines[0]["argument_hash"]


async def test_a_member_talks_but_does_not_decide_and_a_viewer_only_reads(playing: Playing) -> None:
    stage, cli = playing
    member, viewer = stage.telegram.add_user(8, "Mem"), stage.telegram.add_user(9, "Vic")
    await paired(stage, member, "member")
    chat = await paired(stage, viewer, "viewer")
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    refusal = "Only the owner and approvers can do that."
    assert await stage.press(card, "Allow", member) == refusal
    assert await stage.press(card, "Allow", viewer) == refusal
    stage.telegram.say(chat, viewer, "/stop")
    await said(stage, chat, "You may read here.")
    stage.telegram.say(chat, viewer, "/sessions")
    await said(stage, chat, "parser")
    stage.telegram.say(chat, viewer, "/invite approver")
    await said(stage, chat, "Only this bot's owner can do that.")
    assert not decisions_of(cli)
    refused = [line["person_name"] for line in audit(stage) if line["outcome"].startswith("refused")]
    assert refused == ["Mem", "Vic", "Vic", "Vic"]


async def test_somebody_removed_can_do_nothing_at_once_also_on_cards_that_stand(playing: Playing) -> None:
    """Invariant 4."""
    stage, cli = playing
    bob = stage.telegram.add_user(8, "Bob")
    theirs = await paired(stage, bob, "approver")
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    stage.telegram.say(stage.chat, stage.ada, "/people")
    people = await stage.message("owner, by the configuration")
    await stage.press(people, "Bob")
    await stage.see(lambda: people.find_button("Remove"), "what can be changed")
    assert await stage.press(people, "Remove", bob) == "Only this bot's owner can do that."
    await stage.press(people, "Remove")
    await stage.see(lambda: people.find_button("Yes, for Bob"), "a confirmation")
    assert await stage.press(people, "Yes, for Bob") == "Done."
    await stage.see(lambda: "Nobody else" in people.text, "nobody is left")
    assert await stage.press(card, "Allow", bob) == "This bot works for its owner and the people they invited."
    stage.telegram.say(theirs, bob, "/sessions")
    await said(stage, theirs, "Sorry")
    assert not decisions_of(cli)
    assert ("role", "remove") in [(line["act"], line["choice"]) for line in audit(stage)]


async def test_nobody_finds_a_code_by_trying(playing: Playing) -> None:
    stage, _ = playing
    code = await code_for(stage, "approver")
    theirs = stage.telegram.private_chat(stage.eve)
    for _ in range(5):
        stage.telegram.say(theirs, stage.eve, "/pair AAAA-2222-3333")
    await stage.see(lambda: len(theirs.from_bot) == 5, "five answers")
    stage.telegram.say(theirs, stage.eve, f"/pair {code}")
    await said(stage, theirs, "Too many tries")
    for _ in range(3):
        stage.telegram.say(theirs, stage.eve, f"/pair {code}")
    bob = stage.telegram.add_user(8, "Bob")
    chat = stage.telegram.private_chat(bob)
    stage.telegram.say(chat, bob, f"/pair {code}")
    await said(stage, chat, "You are approver now")
    assert len(theirs.from_bot) == 6, "said once, then nothing"
    lines = [(line["outcome"], line["times"]) for line in audit(stage) if line["person_name"] == "Eve"]
    refused = [("refused: wrong", 5), ("refused: too_often", 1), ("refused: silent", 3)]
    assert lines == refused, "a stranger who tries without end does not fill the log"


async def test_the_owner_reads_the_log_page_by_page(playing: Playing) -> None:
    stage, _ = playing
    for _ in range(11):
        await code_for(stage, "viewer")
    stage.telegram.say(stage.chat, stage.ada, "/audit")
    log = await stage.message("Audit log")
    assert log.text.count("invite viewer") == 10
    await stage.press(log, "Older")
    await stage.see(lambda: log.text.count("invite viewer") == 1, "the first one")
    await stage.press(log, "Newest")
    await stage.see(lambda: log.text.count("invite viewer") == 10, "the newest")


def slack_pair(stage: SlackStage, user: SlackUser, code: str) -> None:
    """Somebody uses a code in Slack."""
    stage.slack.slash_command(stage.slack.dm(user), user, "/hapi", f"pair {code}")


async def slack_code(stage: SlackStage, role: str) -> str:
    """A fresh code, as the owner sees it in their DM."""
    before = len(stage.dm.from_bot)
    stage.slack.slash_command(stage.dm, stage.ada, "/hapi", f"invite {role}")

    def found() -> str | None:
        fresh = [words(one) for one in stage.dm.from_bot[before:]]
        return next((match[1] for text in fresh if (match := re.search(r"/hapi pair ([A-Z0-9-]{14})", text))), None)

    await stage.see(found, "a code")
    return str(found())


async def test_guests_and_strangers_have_no_role_unless_the_configuration_names_them(slack: SlackStage) -> None:
    """Pairing alone is not enough for who is no member of the workspace."""
    gus, named = slack.slack.add_user("gus", guest=True), slack.slack.add_user("nan", stranger=True)
    slack.extra = f'admit = ["{named.id}"]\n'
    await slack.start()
    cli = await slack.session(flavor="claude", path="/home/ada/parser")
    code = await slack_code(slack, "approver")
    slack_pair(slack, gus, code)
    await slack.see(lambda: slack.slack.dm(gus).from_bot, "an answer")
    assert "must be named" in words(slack.slack.dm(gus).from_bot[0])
    slack_pair(slack, named, code)
    await slack.see(lambda: slack.slack.dm(named).from_bot, "an answer")
    assert "You are approver now" in words(slack.slack.dm(named).from_bot[0])
    assert not decisions_of(cli)


async def test_a_teammates_page_shows_what_their_role_allows(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    bob, vic = stage.slack.add_user("bob"), stage.slack.add_user("vic")
    for person, role in ((bob, "approver"), (vic, "viewer")):
        slack_pair(stage, person, await slack_code(stage, role))
        await stage.see(lambda person=person: stage.slack.dm(person).from_bot, "paired")  # type: ignore[misc]
    await cli.ask("req1", "Bash", {"command": "make build"})
    card = await stage.message("make build")
    for person in (bob, vic):
        stage.slack.open_home(person)
        await stage.see(lambda person=person: "make build" in _page(stage, person), "the request")  # type: ignore[misc]
    assert "Allow" in _page(stage, bob)
    assert "Allow" not in _page(stage, vic)
    view = stage.slack.home(bob)
    assert view is not None
    await asyncio.sleep(STEADY_S)
    await stage.slack.answered(stage.slack.press(view, "Allow", bob))
    await stage.see(lambda: "Allowed by bob" in words(card), "the outcome")


def _page(stage: SlackStage, user: SlackUser) -> str:
    view = stage.slack.home(user)
    return str(view.blocks) if view is not None else ""

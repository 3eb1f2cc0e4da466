"""What people do to sessions stands in the audit log: that it was tried, and what came of it."""

import pytest

from tests.end_to_end.bridge_stage import answers, decisions_of
from tests.end_to_end.conftest import Playing
from tests.end_to_end.test_people import audit, in_chat, said

pytestmark = pytest.mark.real_hub

TRIED = ["tried", "done"]


@pytest.mark.parametrize(
    ("command", "answer", "act", "outcomes", "detail"),
    [
        ("/pin", "Pinned", "pin", TRIED, None),
        ("/rename a better name", "It is called", "rename", TRIED, "a better name"),
        ("/in 2h run the tests", "Will be sent", "in", ["done"], "(Europe"),
        ("/takeover", "Nothing to take over", "takeover", ["tried", "refused"], None),
        ("/resume", "runs already", "resume", ["tried", "refused"], None),
        ("/archive", "was ended and put away", "archive", TRIED, None),
    ],
)
async def test_a_command_is_a_line_before_and_after_the_hub_was_asked(
    playing: Playing, command: str, answer: str, act: str, outcomes: list[str], detail: str | None
) -> None:
    stage, cli = playing
    await answers(cli, "ready for you")
    ready = await stage.answer("ready for you")
    stage.telegram.say(stage.chat, stage.ada, command, reply_to=ready)
    await stage.see(lambda: any(answer.lower() in one.text.lower() for one in stage.chat.from_bot), answer)
    lines = [line for line in audit(stage) if line["act"] == act]
    assert [line["outcome"].partition(":")[0] for line in lines] == outcomes
    assert {(line["person_name"], line["role"], line["session_id"]) for line in lines} == {("Ada", "owner", cli.sid)}
    if detail is not None and act != "in":
        assert lines[0]["detail"] == detail


async def test_where_a_session_is_shown_is_a_line_with_the_move_itself(playing: Playing) -> None:
    """Invariant 1: one transaction."""
    stage, cli = playing
    group = stage.telegram.group("Work", stage.ada)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    await answers(cli, "here I am")
    await said(stage, group, "here I am")
    stage.telegram.say(group, stage.ada, "/detach", thread=group.topic("parser"))
    await stage.see(lambda: in_chat(group, "no longer shown here"), "it goes home")
    assert [line["act"] for line in audit(stage)] == ["attach", "detach"]


async def test_a_button_of_the_sessions_card_is_a_line_before_and_after(playing: Playing) -> None:
    stage, cli = playing
    await answers(cli, "ready for you")
    ready = await stage.answer("ready for you")
    stage.telegram.say(stage.chat, stage.ada, "/session", reply_to=ready)
    await stage.see(lambda: any(one.find_button("Pin") for one in stage.chat.from_bot), "its card")
    card = next(one for one in stage.chat.from_bot if one.find_button("Pin"))
    await stage.press(card, "Pin")
    await stage.see(lambda: [line["outcome"] for line in audit(stage)] == TRIED, "both lines")
    assert {line["act"] for line in audit(stage)} == {"pin"}


async def test_asking_which_session_to_show_is_no_line_and_choosing_it_is_one(playing: Playing) -> None:
    stage, cli = playing
    other = await stage.session(flavor="claude", path="/home/ada/lexer")
    for one in (cli, other):
        await answers(one, "ready for you")
    await stage.see(lambda: sum("ready for you" in one.text for one in stage.chat.from_bot) == 2, "both are known")
    group = stage.telegram.group("Work", stage.ada)
    stage.telegram.say(group, stage.ada, "/detach")
    await said(stage, group, "No session is shown here.")
    stage.telegram.say(group, stage.ada, "/attach")
    choice = await said(stage, group, "Which session should be shown here?")
    assert audit(stage) == []
    await stage.press(choice, "parser")
    await said(stage, group, "parser is shown here from now on")
    assert [(line["act"], line["outcome"]) for line in audit(stage)] == [("attach_here", "done")]


async def test_refused_presses_without_end_are_one_line_that_counts_them(playing: Playing) -> None:
    """Invariant 8. The owner still sees that somebody tries, and how often."""
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "make deploy"})
    await cli.ask("req2", "Bash", {"command": "make test"})
    first, second = await stage.message("make deploy"), await stage.message("make test")
    await stage.steady(second)
    for _ in range(20):
        for label in ("Allow", "Deny"):
            last = stage.telegram.press(first, label, stage.eve)
    await stage.telegram.answer_to(last, 10)
    assert await stage.press(second, "Allow", stage.eve) == "This bot works for its owner and the people they invited."
    lines = [(line["person_name"], line["request_id"], line["times"]) for line in audit(stage)]
    assert lines == [("Eve", "req1", 40), ("Eve", "req2", 1)]
    stage.telegram.say(stage.chat, stage.ada, "/audit")
    shown = await stage.message("Audit log")
    assert "×40" in shown.text
    assert decisions_of(cli) == []

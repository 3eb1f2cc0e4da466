"""What people do to sessions stands in the audit log: that it was tried, and what came of it."""

import pytest

from tests.end_to_end.bridge_stage import answers
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

"""Question cards: every option, one question at a time, answers in the hub's shapes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.model import Card, Text
from bridge.cards.request.decision import RequestState
from bridge.cards.request.question import (
    Option,
    Question,
    QuestionView,
    answers_body,
    is_question,
    parse_questions,
    present_question,
    read_answers,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["question", "questions", "options", "label", "header", "id", "multiSelect", "description"])
NEARLY = st.recursive(JSON, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=10)
DATABASE = Question("Which database?", (Option("SQLite", "A local file"), Option("Postgres")), "Database", id="db")
EXTRAS = Question("Which extras?", (Option("a"), Option("b"), Option("c")), several=True, id="extras")
OPEN = Question("What name?", id="name")


def view(*questions: Question, **more: Any) -> QuestionView:
    return QuestionView(
        session_id="s",
        request_id="r",
        tool="AskUserQuestion",
        arguments={},
        argument_hash="h",
        questions=questions,
        **more,
    )


def text(card: Card) -> str:
    return "\n".join(
        "".join(span.text for span in line) for piece in card.pieces if isinstance(piece, Text) for line in piece.lines
    )


def labels(card: Card) -> list[list[str]]:
    return [[button.label for button in row] for row in card.buttons]


def test_claudes_questions_are_read() -> None:
    arguments = {
        "questions": [
            {
                "question": "Which?",
                "header": "Pick",
                "multiSelect": True,
                "options": [{"label": "A", "description": "first"}, {"label": "B"}],
            }
        ]
    }
    assert parse_questions("AskUserQuestion", arguments) == (
        Question("Which?", (Option("A", "first"), Option("B")), "Pick", several=True, id="0"),
    )


def test_codexs_questions_are_read() -> None:
    arguments = {"questions": [{"id": "q", "question": "Key?", "isSecret": True}, {"id": "t", "header": "Target"}]}
    assert parse_questions("request_user_input", arguments) == (
        Question("Key?", id="q", secret=True),
        Question("Target", id="t"),
    )


@settings(deadline=None)
@given(NEARLY)
def test_any_arguments_give_all_questions_or_none(arguments: Any) -> None:
    """Invariant 5; and an index always means the asker's own."""
    questions = parse_questions("AskUserQuestion", arguments)
    if questions and isinstance(arguments, dict) and isinstance(arguments.get("questions"), list):
        assert len(questions) == len(arguments["questions"])
    present_question(view(*questions, picks=((0,),), free=("x",)))


def test_every_option_is_a_button_and_stands_in_the_text_with_its_description() -> None:
    card = present_question(view(DATABASE))
    assert labels(card) == [["① SQLite"], ["② Postgres"], ["Skip", "Stop the turn", "Other…"]]
    assert "① SQLite: A local file\n② Postgres" in text(card)
    assert "Or in your own words: press Other…, or reply." in text(card)
    assert [act.data for act in card.acts()[:2]] == [{"question": 0, "option": 0}, {"question": 0, "option": 1}]
    assert [(act.do, act.choice) for act in card.acts()] == [
        ("pick", None),
        ("pick", None),
        ("decide", "deny"),
        ("decide", "abort"),
        ("other", None),
    ]
    assert {(act.session, act.request, act.argument_hash) for act in card.acts()} == {("s", "r", "h")}


def test_thirty_long_options_are_all_there() -> None:
    options = tuple(Option(f"{number} " + "long " * 30) for number in range(30))
    card = present_question(view(Question("Which?", options)))
    assert len(card.buttons) == 31
    assert all(option.label in text(card) for option in options)
    assert labels(card)[19][0].startswith("⑳ 19 long")
    assert labels(card)[20][0].startswith("21. 20 long")
    assert all(len(label) <= 42 for row in labels(card) for label in row)


def test_several_choices_are_ticked_and_submitted_as_they_are_shown() -> None:
    """Invariant 4: Submit carries the choices of the card it is on."""
    card = present_question(view(EXTRAS, picks=((0, 2),)))
    assert labels(card)[:4] == [["☑ ① a"], ["☐ ② b"], ["☑ ③ c"], ["Submit"]]
    submit = card.acts()[3]
    assert (submit.do, submit.data) == ("submit", {"question": 0, "picks": [0, 2], "own": None})


def test_of_several_questions_one_is_asked_at_a_time() -> None:
    first = present_question(view(DATABASE, EXTRAS))
    assert "Question 1 of 2" in text(first)
    assert "extras" not in text(first)
    assert labels(first)[2] == ["1 of 2"]
    second = present_question(view(DATABASE, EXTRAS, current=1, picks=((1,),)))
    assert labels(second)[3] == ["Back", "2 of 2", "Submit"]
    again = present_question(view(DATABASE, EXTRAS, picks=((1,),)))
    assert labels(again)[2] == ["1 of 2", "Next"]


@pytest.mark.parametrize("questions", [(DATABASE,), (EXTRAS,), (OPEN,), (DATABASE, EXTRAS), ()])
@pytest.mark.parametrize("state", ["sending", "approved", "denied", "vanished", "resolved", "session-gone"])
@pytest.mark.parametrize("picks", [(), ((0,),), ((0,), (1,))])
def test_an_answered_card_has_one_inert_row(
    questions: tuple[Question, ...], state: RequestState, picks: tuple[tuple[int, ...], ...]
) -> None:
    after = present_question(view(*questions, current=len(questions) - 1, picks=picks, state=state))
    assert [len(row) for row in after.buttons] == [1]
    assert after.acts() == []


def test_an_answer_is_echoed() -> None:
    card = present_question(view(DATABASE, picks=((1,),), state="approved", decided_by="Ada", decided_where="Slack"))
    assert text(card).endswith("① SQLite: A local file\n② Postgres\n→ Postgres\n🟢 Answered by Ada · Slack")
    card = present_question(view(DATABASE, EXTRAS, picks=((), (0, 1)), free=("MySQL",), state="approved"))
    assert "Which database?\n→ MySQL\nWhich extras?\n→ a\n→ b" in text(card)


def test_what_cant_be_drawn_is_said_and_shown_raw() -> None:
    card = present_question(view())
    assert "can't be drawn here" in text(card)
    assert labels(card) == [["Skip", "Stop the turn"]]


def test_a_secret_is_warned_of() -> None:
    assert "stays visible" in text(present_question(view(Question("Key?", secret=True))))


def test_hidden_characters_in_options_are_revealed() -> None:
    """Invariant 4."""
    card = present_question(view(Question("W\u200bhich?", (Option("ye\u202es"),))))
    assert "W⟨U+200B⟩hich?" in text(card)
    assert labels(card)[0] == ["① ye⟨U+202E⟩s"]


def test_answers_go_by_index_to_claude_and_by_id_to_codex() -> None:
    questions = (DATABASE, EXTRAS, OPEN)
    picks, free = ((1,), (0, 2), ()), (None, "more", "Bob")
    assert answers_body("AskUserQuestion", questions, picks, free) == {
        "0": ["Postgres"],
        "1": ["a", "c", "more"],
        "2": ["Bob"],
    }
    assert answers_body("request_user_input", questions, picks, free) == {
        "db": {"answers": ["Postgres"]},
        "extras": {"answers": ["a", "c", "more"]},
        "name": {"answers": ["Bob"]},
    }
    assert answers_body("AskUserQuestion", questions, ((9,),)) == {}


@pytest.mark.parametrize("tool", ["AskUserQuestion", "request_user_input"])
@settings(deadline=None)
@given(data=st.data())
def test_answers_read_back_as_what_was_chosen(tool: str, data: st.DataObject) -> None:
    questions = (DATABASE, EXTRAS, OPEN)
    picks = tuple(
        tuple(data.draw(st.lists(st.sampled_from(range(len(each.options))), unique=True))) if each.options else ()
        for each in questions
    )
    free = tuple(data.draw(st.none() | st.sampled_from(["my own", "other"])) for _ in questions)
    assert read_answers(questions, answers_body(tool, questions, picks, free)) == (picks, free)


@settings(deadline=None)
@given(JSON)
def test_any_answers_are_read(answers: Any) -> None:
    """Invariant 5."""
    picks, free = read_answers((DATABASE, EXTRAS), answers)
    assert len(picks) == len(free) == 2


def test_both_question_tools_are_known() -> None:
    assert is_question("AskUserQuestion")
    assert is_question("request_user_input")
    assert not is_question("Bash")

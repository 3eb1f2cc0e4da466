"""Questions an agent asks (AskUserQuestion, request_user_input): one at a time, every option a button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.cards.layout import lay_out, show, show_prose
from bridge.cards.model import Button, Card, Code, Line, Piece, Span, Text, plain
from bridge.cards.request.decision import (
    RequestState,
    RequestView,
    Rows,
    StateWords,
    fact_lines,
    inert,
    state_text,
    state_words,
)
from bridge.cards.request.questions import Option, Question, answers_body, parse_questions, read_answers
from bridge.cards.turn.tool_names import shown_name
from bridge.cards.words import brief, one_line
from bridge.language import tr

__all__ = [
    "Option",
    "Question",
    "QuestionView",
    "answers_body",
    "is_question",
    "parse_questions",
    "present_question",
    "read_answers",
]

_LABEL: Final = 36
"""UTF-16 units of an option's label on its button; the text has it whole."""


@dataclass(frozen=True, slots=True)
class QuestionView(RequestView):
    """A request that asks, and what has been chosen so far."""

    questions: tuple[Question, ...] = ()
    picks: tuple[tuple[int, ...], ...] = ()
    """Chosen option indices, per question; may be shorter than ``questions``."""
    free: tuple[str | None, ...] = ()
    """Answers in the person's own words, per question; may be shorter."""
    current: int = 0
    """The question shown while pending."""

    def picked(self, index: int) -> tuple[int, ...]:
        """The options chosen for a question, those that exist."""
        chosen = self.picks[index] if index < len(self.picks) else ()
        return tuple(pick for pick in chosen if 0 <= pick < len(self.questions[index].options))

    def words(self, index: int) -> str | None:
        """The answer in own words, if there is one."""
        return (self.free[index] if index < len(self.free) else None) or None

    def answered(self, index: int) -> bool:
        """Whether a question has an answer."""
        return bool(self.picked(index) or self.words(index))


def is_question(tool: str) -> bool:
    """Whether a request of this tool is a question."""
    return shown_name(tool) == "Question"


def present_question(view: QuestionView) -> Card:
    """The card of a request that asks: the current question with a button per option; afterwards all the answers.

    Picking acts ``pick`` with the indices; ``submit`` ends a question of several choices; ``back`` returns to the one
    before. A reply to the card is an answer in own words.
    """
    words = question_words(view.state)
    pending = view.state == "pending"
    at = min(max(view.current, 0), max(len(view.questions) - 1, 0))
    title = words.title
    if pending and len(view.questions) > 1:
        title = tr("Question {number} of {count}", number=at + 1, count=len(view.questions))
    pieces: list[Piece] = [Text(lines=fact_lines(view, f"{words.mark} {title}".strip()))]
    if not view.questions:
        pieces.append(Code(source=show(lay_out(view.arguments)), language="json", spill="question.json"))
    elif pending or len(view.questions) == 1:
        pieces += _asked(view, at)
    else:
        pieces += _echoed(view)
    rows = _rows(view, at)
    if pending:
        pieces.append(Text(lines=_help(view, at)))
    elif len(view.questions) == 1:
        pieces.append(Text(lines=_answers(view, 0) or (plain(tr("No answer.")),), spill="answers.txt"))
    pieces.append(state_text(view, words))
    first = view.questions[at].text if view.questions else view.tool
    return Card(
        pieces=tuple(pieces),
        buttons=rows if pending else inert(words),
        summary=brief(words.title + tr(": {words}", words=first), 120),
        one_message=True,
        files_first=True,
    )


def question_words(state: RequestState) -> StateWords:
    """Words for a question's state."""
    match state:
        case "pending":
            return StateWords("🟠", tr("Question"), tr("Waiting for an answer"))
        case "approved" | "approved_for_session":
            return StateWords("🟢", tr("Answered"), tr("Answered"))
        case "denied":
            return StateWords("🔴", tr("Skipped"), tr("Skipped"))
        case "aborted":
            return StateWords("🔴", tr("Stopped"), tr("Skipped, and the turn was stopped"))
        case "canceled":
            return StateWords("🔴", tr("Canceled"), tr("Canceled before an answer"))
        case _:
            return state_words(state)


def _asked(view: QuestionView, at: int) -> list[Piece]:
    question = view.questions[at]
    lines: list[Line] = []
    if question.header:
        lines.append((Span(text=show_prose(one_line(question.header)), bold=True),))
    lines += [(Span(text=show_prose(line)),) for line in question.text.split("\n")]
    pieces: list[Piece] = [Text(lines=tuple(lines), spill="question.txt")]
    if question.options:
        picked = view.picked(at)
        options: list[Line] = []
        for index, option in enumerate(question.options):
            mark = f"{_box(index in picked)} " if question.several else ""
            line = [Span(text=f"{mark}{numeral(index)} "), Span(text=show_prose(option.label), bold=True)]
            if option.description:
                line.append(Span(text=f": {show_prose(option.description)}"))
            options.append(tuple(line))
        pieces.append(Text(lines=tuple(options), spill="options.txt"))
        pieces += _previews(question)
    own = view.words(at) if view.state == "pending" else None
    if own:
        said = (Span(text=tr("Own words:")), Span(text=" "), Span(text=own, italic=True))
        pieces.append(Text(lines=(said,), spill="own-words.txt"))
    return pieces


def _previews(question: Question) -> list[Piece]:
    """What options would look like, where the agent shows that: each under its number, byte for byte."""
    pieces: list[Piece] = []
    for index, option in enumerate(question.options):
        if option.preview:
            pieces.append(Text(lines=(plain(tr("{number} would look like this:", number=numeral(index))),)))
            pieces.append(Code(source=show(option.preview), spill=f"option-{index + 1}.txt"))
    return pieces


def _echoed(view: QuestionView) -> list[Piece]:
    """Every question with its answers, or with its options where there are none."""
    lines: list[Line] = []
    for at, question in enumerate(view.questions):
        lines.append((Span(text=show_prose(one_line(question.text)), bold=True),))
        lines += _answers(view, at) or tuple(
            plain(f"{numeral(index)} {show_prose(option.label)}") for index, option in enumerate(question.options)
        )
    return [Text(lines=tuple(lines), spill="answers.txt")]


def _answers(view: QuestionView, at: int) -> tuple[Line, ...]:
    answers = [view.questions[at].options[pick].label for pick in view.picked(at)]
    own = view.words(at)
    return tuple(
        (Span(text="→ "), Span(text=show_prose(answer), bold=True)) for answer in [*answers, *([own] if own else [])]
    )


def _help(view: QuestionView, at: int) -> tuple[Line, ...]:
    lines: list[Line] = []
    if not view.questions:
        lines.append(plain(tr("This question can't be drawn here: answer it in HAPI.")))
    else:
        lines.append((Span(text=tr("Or in your own words: press Other…, or reply."), italic=True),))
        if view.questions[at].secret:
            words = tr("Asked to be kept secret: what you write here stays visible in this chat.")
            lines.append(plain(f"🟡 {words}"))
    return tuple(lines)


def _rows(view: QuestionView, at: int) -> Rows:
    rows: list[tuple[Button, ...]] = []
    other: tuple[Button, ...] = ()
    if view.questions:
        question, picked = view.questions[at], view.picked(at)
        for index, option in enumerate(question.options):
            mark = f"{_box(index in picked)} " if question.several else ""
            label = f"{mark}{numeral(index)} {brief(show_prose(option.label), _LABEL)}"
            rows.append((Button(label=label, act=view.act("pick", data={"question": at, "option": index})),))
        if question.several or len(view.questions) > 1:
            rows.append(_moves(view, at))
        other = (Button(label=tr("Other…"), act=view.act("other", data={"question": at}), asks=True),)
    rows.append(
        (
            Button(label=tr("Skip"), style="danger", act=view.act("decide", "deny")),
            Button(label=tr("Stop the turn"), act=view.act("decide", "abort")),
            *other,
        )
    )
    return tuple(rows)


def _moves(view: QuestionView, at: int) -> tuple[Button, ...]:
    """Back, where one is, and on: always a row, so that a card keeps its height when an answer is chosen."""
    row: list[Button] = []
    if at > 0:
        row.append(Button(label=tr("Back"), act=view.act("back", data={"question": at - 1})))
    if len(view.questions) > 1:
        row.append(Button(label=tr("{number} of {count}", number=at + 1, count=len(view.questions))))
    if view.questions[at].several or view.answered(at):
        last = all(view.answered(other) for other in range(len(view.questions)) if other != at)
        data = {"question": at, "picks": list(view.picked(at)), "own": view.words(at)}
        row.append(
            Button(label=tr("Submit") if last else tr("Next"), style="primary", act=view.act("submit", data=data))
        )
    return tuple(row)


def numeral(index: int) -> str:
    """``①`` for 0 and on to ``⑳``; ``21.`` and so on beyond."""
    return chr(0x2460 + index) if index < 20 else f"{index + 1}."


def _box(ticked: bool) -> str:
    return "☑" if ticked else "☐"

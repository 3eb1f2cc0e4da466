"""Questions an agent asks (AskUserQuestion, request_user_input): one at a time, every option a button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bridge.cards.decision import STATES, RequestState, RequestView, Rows, StateWords, fact_lines, inert, state_line
from bridge.cards.layout import lay_out, show, show_prose
from bridge.cards.model import Button, Card, Code, Line, Piece, Span, Text
from bridge.cards.tool_names import shown_name
from bridge.cards.words import brief, one_line

_LABEL: Final = 36
"""UTF-16 units of an option's label on its button; the text has it whole."""
_STATES: Final[Mapping[RequestState, StateWords]] = {
    "pending": replace(STATES["pending"], title="Question", line="Waiting for an answer"),
    "approved": StateWords("🟢", "Answered", "Answered"),
    "approved_for_session": StateWords("🟢", "Answered", "Answered"),
    "denied": StateWords("🔴", "Skipped", "Skipped"),
    "aborted": StateWords("🔴", "Stopped", "Skipped, and the turn was stopped"),
    "canceled": StateWords("🔴", "Canceled", "Canceled before an answer"),
}


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a request."""

    text: str
    options: tuple[Option, ...] = ()
    header: str = ""
    several: bool = False
    """Whether more than one option may be chosen."""
    id: str = ""
    """The question's own id (request_user_input)."""
    secret: bool = False
    """The asker wants the answer kept from view."""


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

    @property
    def next_unanswered(self) -> int | None:
        """The first question without an answer; None when all have one."""
        return next((at for at in range(len(self.questions)) if not self.answered(at)), None)


def is_question(tool: str) -> bool:
    """Whether a request of this tool is a question."""
    return shown_name(tool) == "Question"


def parse_questions(tool: str, arguments: Any) -> tuple[Question, ...]:
    """The questions of a request, in order, all of them or none.

    Any JSON is fine. Empty where an entry is not a question: indices must agree with the asker's, so nothing may be
    skipped; `present_question` then shows the arguments as they are.
    """
    raw = arguments.get("questions") if isinstance(arguments, dict) else None
    if isinstance(arguments, dict) and raw is None and isinstance(arguments.get("question"), str):
        raw = [arguments]
    if not isinstance(raw, list):
        return ()
    questions = [_question(item, at) for at, item in enumerate(raw)]
    return tuple(each for each in questions if each) if all(questions) else ()


def answers_body(
    tool: str,
    questions: Sequence[Question],
    picks: Sequence[Sequence[int]],
    free: Sequence[str | None] = (),
) -> dict[str, Any]:
    """The ``answers`` of the hub's approve call, with own words after the chosen labels.

    AskUserQuestion: ``{"0": ["Label"]}`` by index. request_user_input: ``{"id": {"answers": ["…"]}}`` by question id.
    Questions without an answer are left out.
    """
    nested = tool.lower() == "request_user_input"
    body: dict[str, Any] = {}
    for at, question in enumerate(questions):
        chosen = [
            question.options[pick].label
            for pick in (picks[at] if at < len(picks) else ())
            if 0 <= pick < len(question.options)
        ]
        own = free[at] if at < len(free) else None
        answers = [*chosen, own] if own else chosen
        if not answers:
            continue
        if nested:
            body.setdefault(question.id, {"answers": []})["answers"].extend(answers)
        else:
            body[str(at)] = answers
    return body


def present_question(view: QuestionView) -> Card:
    """The card of a request that asks: the current question with a button per option; afterwards all the answers.

    Picking acts ``pick`` with the indices; ``submit`` ends a question of several choices; ``back`` returns to the one
    before. A reply to the card is an answer in own words.
    """
    words = _STATES.get(view.state) or STATES[view.state]
    pending = view.state == "pending"
    at = min(max(view.current, 0), max(len(view.questions) - 1, 0))
    count = f" {at + 1} of {len(view.questions)}" if pending and len(view.questions) > 1 else ""
    pieces: list[Piece] = [Text(lines=fact_lines(view, f"{words.mark} {words.title}{count}".strip()))]
    if not view.questions:
        pieces.append(Code(source=show(lay_out(view.arguments)), language="json", spill="question.json"))
    elif pending:
        pieces += _asked(view, at)
    else:
        pieces += _echoed(view)
    rows = _rows(view, at)
    if pending:
        pieces.append(Text(lines=_help(view, at)))
    pieces.append(Text(lines=(state_line(view, words),)))
    first = view.questions[at].text if view.questions else view.tool
    return Card(
        pieces=tuple(pieces),
        buttons=rows if pending else inert(rows, words),
        summary=brief(f"{words.title}: {first}", 120),
        one_message=True,
        files_first=True,
    )


def _question(item: Any, at: int) -> Question | None:
    if isinstance(item, str):
        item = {"question": item}
    if not isinstance(item, dict):
        return None
    text = _string(item, "question", "text", "prompt", "title")
    header = _string(item, "header")
    options = _options(item.get("options", item.get("choices")))
    if options is None or not (text or header):
        return None
    several = any(item.get(key) is True for key in ("multiSelect", "multi_select", "multiple"))
    secret = any(item.get(key) is True for key in ("isSecret", "secret"))
    return Question(text or header, options, header if text else "", several, _string(item, "id") or str(at), secret)


def _options(raw: Any) -> tuple[Option, ...] | None:
    if raw is None:
        return ()
    if not isinstance(raw, list):
        return None
    options: list[Option] = []
    for item in raw:
        if isinstance(item, str):
            item = {"label": item}
        label = _string(item, "label", "value", "title", "name") if isinstance(item, dict) else ""
        if not label:
            return None
        options.append(Option(label, _string(item, "description")))
    return tuple(options)


def _string(item: dict[str, Any], *keys: str) -> str:
    return next((item[key] for key in keys if isinstance(item.get(key), str) and item[key].strip()), "")


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
    own = view.words(at)
    if own:
        pieces.append(Text(lines=((Span(text="Own words: "), Span(text=own, italic=True)),), spill="own-words.txt"))
    return pieces


def _echoed(view: QuestionView) -> list[Piece]:
    lines: list[Line] = []
    for at, question in enumerate(view.questions):
        lines.append((Span(text=show_prose(one_line(question.text)), bold=True),))
        answers = [question.options[pick].label for pick in view.picked(at)]
        own = view.words(at)
        if own:
            answers.append(own)
        lines += [(Span(text="→ "), Span(text=show_prose(answer))) for answer in answers]
        if not answers:
            lines += [
                (Span(text=f"{numeral(index)} {show_prose(option.label)}"),)
                for index, option in enumerate(question.options)
            ]
    return [Text(lines=tuple(lines), spill="answers.txt")]


def _help(view: QuestionView, at: int) -> tuple[Line, ...]:
    lines: list[Line] = []
    if not view.questions:
        lines.append((Span(text="This question can't be drawn here: reply in your own words, or answer in HAPI."),))
    else:
        lines.append((Span(text="Reply to this message to answer in your own words.", italic=True),))
        if view.questions[at].secret:
            lines.append((Span(text="🟡 Asked to be kept secret: what you write here stays visible in this chat."),))
    return tuple(lines)


def _rows(view: QuestionView, at: int) -> Rows:
    rows: list[tuple[Button, ...]] = []
    if view.questions:
        question, picked = view.questions[at], view.picked(at)
        for index, option in enumerate(question.options):
            mark = f"{_box(index in picked)} " if question.several else ""
            label = f"{mark}{numeral(index)} {brief(show_prose(option.label), _LABEL)}"
            rows.append((Button(label=label, act=view.act("pick", data={"question": at, "option": index})),))
        moves: list[Button] = []
        if at > 0:
            moves.append(Button(label="Back", act=view.act("back", data={"question": at - 1})))
        if question.several or view.answered(at):
            last = all(view.answered(other) for other in range(len(view.questions)) if other != at)
            data = {"question": at, "picks": list(picked), "own": view.words(at)}
            moves.append(Button(label="Submit" if last else "Next", style="primary", act=view.act("submit", data=data)))
        if moves:
            rows.append(tuple(moves))
    rows.append(
        (
            Button(label="Skip", style="danger", act=view.act("decide", "deny")),
            Button(label="Stop the turn", act=view.act("decide", "abort")),
        )
    )
    return tuple(rows)


def numeral(index: int) -> str:
    """``①`` for 0 and on to ``⑳``; ``21.`` and so on beyond."""
    return chr(0x2460 + index) if index < 20 else f"{index + 1}."


def _box(ticked: bool) -> str:
    return "☑" if ticked else "☐"

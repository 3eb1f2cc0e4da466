"""What an agent asks (AskUserQuestion, request_user_input) and the answers it gets, in the hub's shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose."""

    label: str
    description: str = ""
    preview: str = ""
    """What it would look like: Markdown, or text in fixed width."""


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


def read_answers(
    questions: Sequence[Question], answers: Any
) -> tuple[tuple[tuple[int, ...], ...], tuple[str | None, ...]]:
    """``picks`` and ``free`` from the hub's ``answers`` of a completed request, flat or nested; any JSON is fine.

    An answer that is no option's label is in own words.
    """
    picks: list[tuple[int, ...]] = []
    free: list[str | None] = []
    found = answers if isinstance(answers, dict) else {}
    for at, question in enumerate(questions):
        given = next((found[key] for key in (question.id, str(at), question.text) if key in found), None)
        if isinstance(given, dict):
            given = given.get("answers")
        given = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        labels = [option.label for option in question.options]
        texts = [text for text in given if isinstance(text, str)]
        picks.append(tuple(labels.index(text) for text in texts if text in labels))
        free.append("\n".join(text for text in texts if text not in labels) or None)
    return tuple(picks), tuple(free)


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
        options.append(Option(label, _string(item, "description"), _string(item, "preview", "markdown")))
    return tuple(options)


def _string(item: dict[str, Any], *keys: str) -> str:
    return next((item[key] for key in keys if isinstance(item.get(key), str) and item[key].strip()), "")

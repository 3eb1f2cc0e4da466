"""Every presenter speaks the language spoken: in one without ASCII letters, none are left but those of names.

What comes from elsewhere is Cyrillic here, so that each ASCII word on a card is one that the bridge wrote itself.
"""

import importlib
import inspect
import pkgutil
import random
import re
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from string import Formatter
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

import bridge.cards
from bridge.cards.model import Act, Card, File, Fold, Markdown, Panel, Piece, Span, Text, plain
from bridge.cards.text import utf16_len
from bridge.cards.turn.events import Notice, present_event
from bridge.language import Language, speaking, tr, trn
from bridge.transcript.blocks import (
    AgentEvent,
    AgentReasoning,
    AgentText,
    Block,
    CliOutput,
    CodexReview,
    GeneratedImage,
    Origin,
    Permission,
    Tool,
    ToolCall,
    UserText,
)
from scripts.texts import TEMPLATE, read

WORD = "жук"
TRIES = 40
SAME_EVERYWHERE = re.compile(
    r"HAPI Bridge|UTC|\b[\w-]+\.(?:md|txt|json|csv|diff)\b|/hapi [a-z]+(?: · [a-z]+)+$|/(?:hapi )?[a-z]+(?: pair)?"
    r"|[0-9.]+[kMG]|\b(?:k|M|G)?B\b|Background task|Telegram|Slack"
    r"|\b(?:Bash|Edit|MultiEdit|Tool|Question|Todo|Task|Plan|Patch|Read|Grep)\b"
    r"|\bplan: |AskUserQuestion"
)
"""Names, marks of files, units, commands and tools."""
CODES: Mapping[str, Sequence[str]] = {
    "role": ["owner", "approver", "member", "viewer", "none"],
    "present_home.may": ["pending", "sessions", "new", "help"],
    "present_sure.wish": ["remove", "none", "as_elsewhere", "viewer"],
    "present_interjected.choice": ["use_as_answer", "deny_and_send", "keep_queued", "discard", ""],
    "present_turn_end.outcome": ["failed", "stopped", "merged", "done"],
    "present_session_end.reason": ["completed", "terminated", "error", "handoff", "cleared", WORD, ""],
    "StatusView.level": ["quiet", "normal", "full"],
    "present_help.shelf": ["", "sessions", "session", "words", "place", "people", "bridge"],
    "RequestView.tool": ["Bash", "Edit", "ExitPlanMode", "AskUserQuestion", "Read", WORD],
    "ApprovalView.tool": ["Bash", "Edit", "ExitPlanMode", "Read", WORD],
    "QuestionView.tool": ["AskUserQuestion", WORD],
    "PendingView.tool": ["Bash", "ExitPlanMode", "AskUserQuestion", WORD],
    "present_user_text.origin": ["webapp", "cli", WORD],
}
"""What a field may hold where its words are a code of ours, not what is shown."""
EVENTS: Sequence[dict[str, Any]] = [
    {"type": "limit-reached", "limitType": "weekly", "endsAt": 1_790_000_000},
    {"type": "limit-warning", "limitType": "five_hour", "utilization": 0.9},
    {"type": "limit-warning"},
    {"type": "recap", "text": WORD},
    {"type": "recap", "text": f"{WORD}\n\n{WORD}"},
    {"type": "error", "message": WORD},
    {"type": "error", "error": {"жук": WORD}},
    *({"type": "api-error", "error": WORD, "retryAttempt": n, "maxRetries": most} for n, most in [(1, 3), (3, 3)]),
    {"type": "api-error", "retryAttempt": 2},
    {"type": "api-error"},
    *({"type": "compact", "trigger": trigger, "preTokens": 9000, "tokensSaved": 1} for trigger in ("auto", "manual")),
    {"type": "compact-summary", "summary": WORD, "tokensBefore": 9000, "estimatedTokensAfter": 100},
    {"type": "compact-summary", "tokensBefore": 9000},
    *({"type": "switch", "mode": mode} for mode in ("local", "remote", WORD)),
    {"type": "message", "message": WORD},
    *(
        {
            "type": "thread-goal-updated",
            "goal": {"status": status, "objective": WORD, "tokensUsed": 9, "tokenBudget": n},
        }
        for status, n in [("active", 10), ("paused", None), ("budgetLimited", 10), ("usageLimited", 10)]
    ),
    *({"type": "thread-goal-updated", "goal": {"status": status}} for status in ("blocked", "complete", WORD, None)),
    {"type": "thread-goal-cleared"},
    {"type": "abort-restore", "text": WORD},
    {"type": WORD},
    {"type": ""},
]


def _pseudo(text: str) -> str:
    """The text with full-width letters, its ``{names}`` as they are."""
    parts = []
    for written, name, _, _ in Formatter().parse(text):
        wide = "".join(chr(ord(char) + 0xFEE0) if char.isascii() and char.isalpha() else char for char in written)
        parts.append(wide + (f"{{{name}}}" if name is not None else ""))
    return "".join(parts)


@pytest.fixture(scope="session")
def pseudo() -> Language:
    """A language in which every text of the catalogue has no ASCII letters."""
    texts = {}
    for message in read(TEMPLATE):
        if message.id:
            ids = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
            texts[str(ids[0])] = tuple(_pseudo(str(each)) for each in ids)
    return Language("en", texts)


@pytest.fixture(autouse=True)
def _spoken(pseudo: Language) -> Iterator[None]:
    with speaking(pseudo):
        yield


def presenters() -> list[Callable[..., Any]]:
    """Every presenter there is: also those to come."""
    found: list[Callable[..., Any]] = []
    for module in pkgutil.walk_packages(bridge.cards.__path__, "bridge.cards."):
        home = importlib.import_module(module.name)
        found += [
            each
            for name, each in vars(home).items()
            if name.startswith("present_") and inspect.isfunction(each) and each.__module__ == home.__name__
        ]
    return found


def test_the_pseudo_language_leaves_no_ascii_letters() -> None:
    assert tr("Not stopped: {why}", why=WORD) == f"Ｎｏｔ ｓｔｏｐｐｅｄ: {WORD}"
    assert trn("{n} session", "{n} sessions", 2) == "2 ｓｅｓｓｉｏｎｓ"


@pytest.mark.parametrize("present", presenters(), ids=lambda each: each.__name__)
def test_a_presenter_says_nothing_in_english(present: Callable[..., Any]) -> None:
    """Whatever it is given, all words of its own come from the catalogue."""
    hints = get_type_hints(present)
    left: dict[str, None] = {}
    for seed in range(TRIES):
        dice = random.Random(seed)
        given = {
            name: made(hints[name], name, dice, present.__name__) for name in inspect.signature(present).parameters
        }
        card = present(**given)
        for words in said(card.card if isinstance(card, Notice) else card):
            if re.search("[A-Za-z]{2}", SAME_EVERYWHERE.sub("", words)):
                left[words] = None
    assert list(left) == []


def said(card: Card | None) -> Iterator[str]:
    """What the bridge itself says on a card."""
    if card is None:
        return
    yield card.summary
    yield from pieces_say(card.pieces)
    buttons = [*(button for row in card.buttons for button in row), *([card.long_button] if card.long_button else [])]
    for button in buttons:
        yield button.label
    if card.wants_reply:
        yield card.wants_reply.placeholder
    if card.progress:
        yield from (card.progress.title, *(task.title for task in card.progress.tasks))
    yield from (file.text for file in card.files if file.name in ("turn.md", "missed.md"))


def pieces_say(pieces: Sequence[Piece]) -> Iterator[str]:
    """What pieces say, apart from code and an agent's Markdown."""
    for piece in pieces:
        match piece:
            case Text():
                yield from ("".join(span.text for span in line if not span.code) for line in piece.lines)
            case Fold():
                yield "".join(span.text for span in piece.title)
                yield from pieces_say(piece.pieces)
            case Panel():
                yield "".join(span.text for span in piece.title)
                for section in piece.sections:
                    yield section.label
                    yield from pieces_say(section.pieces)
            case Markdown():
                yield piece.source


def made(hint: Any, name: str, dice: random.Random, owner: str) -> Any:
    """A typical value of a type, with words of elsewhere in it. ``owner``: the presenter or class it is for."""
    simple = _simple(hint, name, dice, owner)
    if simple is not MISSING:
        return simple
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return made(dice.choice(of), name, dice, owner)
    if origin is typing.Annotated:
        return made(of[0], name, dice, owner)
    if origin is Literal:
        return dice.choice(of)
    if origin is tuple and of[-1] is not Ellipsis:
        return tuple(made(each, name, dice, owner) for each in of)
    if origin in (tuple, list, Sequence, Collection):
        values = [made(of[0], name, dice, owner) for _ in range(dice.choice([0, 1, 2, 12]))]
        return tuple(values) if origin is tuple else values
    if origin in (dict, Mapping, frozenset, set):
        return origin() if origin in (dict, set, frozenset) else {}
    assert is_dataclass(hint), f"no value known for {hint}"
    assert isinstance(hint, type)
    hints = get_type_hints(hint)
    given = {}
    for field in fields(hint):
        if not field.init:
            continue
        optional = field.default is not MISSING or field.default_factory is not MISSING
        if not optional or dice.random() < 0.7:
            given[field.name] = made(hints[field.name], field.name, dice, hint.__name__)
    return hint(**given)


def _simple(hint: Any, name: str, dice: random.Random, owner: str) -> Any:
    """Values of single types, ``MISSING`` for others."""
    if hint is str:
        codes = CODES.get(f"{owner}.{name}", CODES.get(name))
        return dice.choice(codes or [WORD, f"{WORD} {WORD}", ""])
    if hint is bool:
        return dice.random() < 0.5
    if hint is int:
        return dice.choice([0, 1, 3, 1_790_000_000_000]) if name.endswith("_ms") else dice.choice([0, 1, 3, 12])
    if hint is float:
        return dice.choice([0.0, 0.6, 0.9])
    if hint is type(None):
        return None
    if hint is Any:
        return _anything(name, dice)
    if hint is Act:
        return Act(do="stop")
    if hint is File:
        return File(name="turn.md", text=WORD)
    if hint is Card:
        return Card(pieces=(Text(lines=(plain(WORD),)),), summary=WORD)
    if hint is Fold:
        return Fold(pieces=(Text(lines=(plain(WORD),)),))
    if hint is Span:
        return Span(text=WORD)
    if isinstance(hint, type) and issubclass(hint, Block):
        return _block(hint, dice)
    return MISSING


def _anything(name: str, dice: random.Random) -> Any:
    if name in ("arguments", "input"):
        question = {"question": WORD, "options": [{"label": WORD}]}
        return dice.choice(
            [
                {"command": WORD},
                {"file_path": WORD, "old_string": WORD, "new_string": WORD * 2},
                {"plan": WORD},
                {"questions": [question, {**question, "multiSelect": True}]},
                {"edits": [{"old_string": WORD, "new_string": "", "replace_all": True}] * 2},
                {},
                {WORD: {WORD: [1, WORD]}},
            ]
        )
    return dice.choice([None, WORD])


def _block(kind: type[Block], dice: random.Random) -> Block:
    kinds: list[type[Block]] = [UserText, AgentText, AgentReasoning, CliOutput, ToolCall, AgentEvent, GeneratedImage]
    origin = Origin(message_id=WORD, created_at=1_790_000_000_000, meta={"sentFrom": dice.choice(["webapp", "cli"])})
    match kind if kind is not Block else dice.choice(kinds):
        case each if each is UserText:
            return UserText(origin=origin, text=WORD, attachments=())
        case each if each is AgentText:
            return AgentText(origin=origin, text=WORD)
        case each if each is AgentReasoning:
            return AgentReasoning(origin=origin, text=WORD)
        case each if each is CliOutput:
            return CliOutput(text=dice.choice([WORD, f"<command-name>{WORD}</command-name>"]))
        case each if each is CodexReview:
            verdict = dice.choice(["patch is correct", "patch is incorrect", WORD, ""])
            findings = [{"title": dice.choice([WORD, ""]), "body": WORD, "filePath": WORD, "lineStart": 3}]
            review = {"overallCorrectness": verdict, "overallConfidenceScore": 0.5, "findings": findings}
            return CodexReview(review=review)
        case each if each is GeneratedImage:
            return GeneratedImage(file_name=dice.choice([WORD, None]), mime_type=None)
        case each if each is AgentEvent:
            return AgentEvent(event=dice.choice(EVENTS))
        case _:
            return _tool(dice)


def _tool(dice: random.Random, depth: int = 0) -> ToolCall:
    status = dice.choice(["pending", "approved", "denied", "canceled"])
    results: list[Any] = [WORD, {"stdout": WORD, "exit_code": 2}, f"{WORD}\n" * 40, {WORD: [1]}, [{"type": "image"}]]
    tool = Tool(
        id="1",
        name=dice.choice(["Bash", "Edit", "MultiEdit", "TodoWrite", "Patch", WORD]),
        state=dice.choice(["running", "completed", "error"]),
        input=_anything("input", dice),
        result=dice.choice(results),
        permission=Permission(status) if dice.random() < 0.5 else None,
    )
    children: list[Block] = [] if depth else [_tool(dice, 1), AgentText(text=WORD)][: dice.choice([0, 1, 2])]
    return ToolCall(id="1", tool=tool, children=children)


def test_notices_of_every_event_say_nothing_in_english() -> None:
    for event in EVENTS:
        notice = present_event(AgentEvent(event=event))
        for words in said(notice.card if notice else None):
            assert not re.search("[A-Za-z]{2}", SAME_EVERYWHERE.sub("", words)), words
            assert utf16_len(words) < 4096

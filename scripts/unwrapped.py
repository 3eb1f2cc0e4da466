"""Texts that people would read in English whatever the language: literals where words are shown, without ``tr``.

This looks at what is written down in a call that shows words (``plain("…")``, ``Button(label="…")``), and at whole
sentences anywhere in the rooms that speak to people. What else comes by way of a variable is seen by the tests, which
draw cards in a language that has no ASCII letters.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from scripts.texts import CODE, ROOT

ROOMS: Final = ("cards", "chat", "delivery", "relay")
"""Where words for people come from. The sandbox is a stage, and the command line is English."""
SPEAKING: Final = ("cards", "delivery", "relay")
"""Rooms in which every sentence is for people: in a chat's room some are about its API, for the log."""
_SHOWS: Final = frozenset(
    {
        *(
            "Button",
            "Confirm",
            "Form",
            "Reply",
            "Section",
            "Span",
            "StateWords",
            "NotTaken",
            "NotUnderstood",
            "Refused",
        ),
        *("bold", "folded", "line", "note_card", "notice", "plain", "present_command_error", "present_said"),
    }
)
"""Calls whose words are shown."""
_KEYWORDS: Final = frozenset({"label", "placeholder", "submit", "summary", "title", "hint"})
"""What is shown under such a name in any call."""
_SAYS: Final = frozenset({"tr", "trn", "N_"})
_NO_WORDS: Final = frozenset(
    {
        *("act", "copies", "data", "do", "kind", "language", "link", "mark", "media_type", "min_level"),
        *("name", "source", "spill", "style", "tone", "url"),
    }
)
"""Keywords that carry no words."""
_SAME_EVERYWHERE: Final = re.compile(r"HAPI Bridge ?|/(hapi )?pair |.*\.(md|txt|json|csv|diff|sh)|\s*UTC\s*|[\W\d_]*")
_SENTENCE: Final = re.compile(r"[^\w\s]* ?[A-Z][\w'’]* [a-z][^\n]*")
_TOOL_NAMES: Final = frozenset({"Agent error", "Background task", "Task log"})
"""Tools are called what agents call them, in every language."""
_FOR_OTHERS: Final = frozenset(
    {"counter", "gauge", "figures", "record", "record_token", "record_act", "AssertionError"}
)
"""Functions and calls whose words go to metrics, the audit log or a programmer."""


def problems() -> Iterator[str]:
    """A line for each text of the code that is not wrapped."""
    for room in ROOMS:
        for path in sorted((CODE / room).rglob("*.py")):
            for line, text in unwrapped(path.read_text(), sentences=room in SPEAKING):
                yield f"{path.relative_to(ROOT)}:{line}: not wrapped in tr(): {text!r}"


def unwrapped(source: str, *, sentences: bool) -> Iterator[tuple[int, str]]:
    """Line and text of what a module shows unwrapped. ``sentences``: whether each that it holds is for people."""
    tree = ast.parse(source)
    found: dict[tuple[int, int], str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for text in (each for shown in _shown(node) for each in _literals(shown)):
                if not _SAME_EVERYWHERE.fullmatch(str(text.value)):
                    found[text.lineno, text.col_offset] = str(text.value)
    if sentences:
        found |= {(text.lineno, text.col_offset): str(text.value) for text in _sentences(tree)}
    yield from ((line, text) for (line, _), text in sorted(found.items()))


def _shown(call: ast.Call) -> list[ast.expr]:
    if _name(call) in _SAYS:
        return []
    if _name(call) == "line" and not (call.args and isinstance(call.args[0], ast.List)):
        return []  # only a chat's lines are shown, which are lists of runs; one of the audit log is not
    if _name(call) in _SHOWS:
        return [*call.args, *(each.value for each in call.keywords if each.arg not in _NO_WORDS)]
    return [each.value for each in call.keywords if each.arg in _KEYWORDS]


def _literals(node: ast.AST) -> Iterator[ast.Constant]:
    """String literals that become part of what is shown."""
    match node:
        case ast.Constant():
            if isinstance(node.value, str):
                yield node
        case ast.Call():
            # The words of most calls are looked at on their own, if they show any; these pass theirs on.
            if _name(node) in ("brief", "cut", "one_line", "join"):
                for each in node.args:
                    yield from _literals(each)
        case ast.IfExp():
            yield from _literals(node.body)
            yield from _literals(node.orelse)
        case ast.FormattedValue():
            yield from _literals(node.value)
        case ast.Compare() | ast.Subscript() | ast.Lambda() | ast.Attribute() | ast.comprehension():
            return
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _literals(child)


def _sentences(node: ast.AST) -> Iterator[ast.Constant]:
    """Literals that read like a sentence, apart from docstrings and what goes to a log."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Call() if _name(node) in _SAYS | _FOR_OTHERS or _logs(node):
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name in _FOR_OTHERS:
            return
        case ast.Constant(value=str(text)) if _SENTENCE.fullmatch(text) and text not in _TOOL_NAMES:
            yield node
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _sentences(child)


def _logs(call: ast.Call) -> bool:
    func = call.func
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in ("log", "_log")


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")

"""A tool's arguments as a person reads them: commands as code, edits as diffs, plans as lists, the rest as JSON.

Whatever form is chosen, nothing is left out: arguments that a form doesn't show follow it as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bridge.cards.diff import diff_lines
from bridge.cards.layout import lay_out, show
from bridge.cards.model import Code, Markdown, Piece, Span, Text
from bridge.cards.turn.plan import plan_text, todo_lines
from bridge.cards.turn.tool_names import command_line, shown_name
from bridge.cards.words import cut, one_line
from bridge.language import tr

_MOST_FILES = 10
_LONGEST_FACT = 300
"""UTF-16 units up to which an argument may stand in a line of its own, outside of code."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What a form made of the arguments, and which of them it shows wholly."""

    pieces: tuple[Piece, ...]
    shown: frozenset[str]


def input_pieces(name: Any, arguments: Any, *, whole: bool = False) -> tuple[Piece, ...]:
    """The pieces that show a tool's arguments; any value, any size. Empty where there is nothing to show.

    ``whole`` is for approvals: every character is in the pieces (which may spill into files), and hidden ones are
    revealed. Otherwise diffs leave out what stays the same.
    """
    if arguments is None or arguments == {} or arguments == []:
        return (_json(arguments),) if whole else ()
    form = _FORMS.get(shown_name(name))
    if isinstance(arguments, str):
        return (_code(arguments, "diff" if form is _patch else ""),)
    if not isinstance(arguments, dict):
        return (_json(arguments),)
    made = form(arguments, whole) if form else None
    if made is None:
        return (_json(arguments),)
    rest = {key: value for key, value in arguments.items() if key not in made.shown}
    return (*made.pieces, _rest(rest)) if rest else made.pieces


def _rest(rest: dict[str, Any]) -> Piece:
    """The arguments a form left: small ones a line each, else as JSON."""
    facts = [(key, lay_out(value)) for key, value in rest.items() if not isinstance(value, dict | list | tuple)]
    if len(facts) < len(rest) or not all(_stands_in_a_line(key) and _stands_in_a_line(text) for key, text in facts):
        return _json(rest)
    lines = [(Span(text=f"{show(key)}: "), Span(text=show(text), code=True)) for key, text in facts]
    return Text(lines=tuple(lines), spill="input.txt")


def _code(source: str, language: str, name: str = "input.txt") -> Code:
    return Code(source=show(source), language=language, spill=name)


def _json(value: Any) -> Code:
    return Code(source=show(lay_out(value)), language="json", spill="input.json")


def _fact(text: str, *, code: bool = True) -> Text:
    return Text(lines=((Span(text=show(text), code=code),),))


def _bash(arguments: dict[str, Any], whole: bool) -> _Form | None:
    key = next((key for key in ("command", "cmd", "script") if key in arguments), "")
    value = arguments.get(key)
    command = command_line(value)
    if not command:
        return None
    pieces: list[Piece] = []
    shown = {key}
    if isinstance(value, list) and len(value) > 1 and command == value[-1]:
        pieces.append(_fact(" ".join(value[:-1])))
    description = arguments.get("description")
    if isinstance(description, str) and _stands_in_a_line(description):
        pieces.append(Text(lines=((Span(text=show(description), italic=True),),)))
        shown.add("description")
    return _Form((*pieces, _code(command, "bash", "command.sh")), frozenset(shown))


def _edit(arguments: dict[str, Any], whole: bool) -> _Form | None:
    path_key = _path_key(arguments)
    for old_key, new_key in (("old_string", "new_string"), ("oldText", "newText"), ("old_str", "new_str")):
        old, new = arguments.get(old_key), arguments.get(new_key)
        if isinstance(old, str) and isinstance(new, str):
            lines = diff_lines(old, new, None if whole else 3)
            return _changed(arguments, path_key, lines, {old_key, new_key})
    return None


def _multi_edit(arguments: dict[str, Any], whole: bool) -> _Form | None:
    edits = arguments.get("edits")
    if not isinstance(edits, list) or not edits:
        return None
    lines: list[str] = []
    for number, edit in enumerate(edits, 1):
        if not isinstance(edit, dict) or not set(edit) <= {"old_string", "new_string", "replace_all"}:
            return None
        old, new = edit.get("old_string"), edit.get("new_string")
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        everywhere = lay_out(edit["replace_all"]) if "replace_all" in edit else None
        values = {"number": number, "count": len(edits)}
        which = tr("{number} of {count}", **values)
        if everywhere:
            which = tr("{number} of {count}, replace all: {value}", value=everywhere, **values)
        lines.append(f"@@ {which} @@")
        lines += diff_lines(old, new, None if whole else 3)
    return _changed(arguments, _path_key(arguments), lines, {"edits"})


def _write(arguments: dict[str, Any], whole: bool) -> _Form | None:
    content = arguments.get("content")
    if not isinstance(content, str):
        return None
    return _changed(arguments, _path_key(arguments), diff_lines("", content, None), {"content"})


def _patch(arguments: dict[str, Any], whole: bool) -> _Form | None:
    if "changes" in arguments:
        return _changes(arguments, whole)
    for key in ("patch", "input", "diff"):
        if isinstance(arguments.get(key), str):
            return _Form((_code(arguments[key], "diff", "change.diff"),), frozenset({key}))
    return None


def _changes(arguments: dict[str, Any], whole: bool) -> _Form | None:
    """Codex's patches: ``{"changes": {path: {"type": "update", "unified_diff": …}}}``, a file after the other."""
    changes = arguments.get("changes")
    if not isinstance(changes, dict) or not 0 < len(changes) <= _MOST_FILES:
        return None
    pieces: list[Piece] = []
    for path, change in changes.items():
        if isinstance(change, dict) and len(change) == 1:
            kind, change = next(iter(change.items()))
            change = {"type": kind, **change} if isinstance(change, dict) and "type" not in change else None
        if not isinstance(change, dict) or not isinstance(path, str) or not _stands_in_a_line(path):
            return None
        key = next((key for key in ("unified_diff", "content") if isinstance(change.get(key), str)), "")
        if not key:
            return None
        pieces += [_fact(path), _rest({name: value for name, value in change.items() if name != key})]
        pieces.append(_code(change[key], "diff" if key == "unified_diff" else "", "change.diff"))
    return _Form(tuple(pieces), frozenset({"changes"}))


def _todo(arguments: dict[str, Any], whole: bool) -> _Form | None:
    if whole:
        return None
    key = next((key for key in ("todos", "plan", "items", "entries", "steps") if key in arguments), "")
    lines = todo_lines(arguments.get(key))
    return _Form((Text(lines=lines, spill="plan.txt"),), frozenset({key})) if lines else None


def _plan(arguments: dict[str, Any], whole: bool) -> _Form | None:
    plan = plan_text(arguments)
    return _Form((Markdown(source=plan, spill="plan.md"),), frozenset({"plan"})) if plan and not whole else None


def _task(arguments: dict[str, Any], whole: bool) -> _Form | None:
    prompt = arguments.get("prompt")
    if not isinstance(prompt, str) or not prompt:
        return None
    return _Form((_code(prompt, "", "prompt.txt"),), frozenset({"prompt"}))


def _changed(arguments: dict[str, Any], path_key: str, lines: list[str], shown: set[str]) -> _Form:
    pieces: list[Piece] = []
    path = arguments.get(path_key)
    if isinstance(path, str) and _stands_in_a_line(path):
        pieces.append(_fact(path))
        shown.add(path_key)
    return _Form((*pieces, _code("\n".join(lines), "diff", "change.diff")), frozenset(shown))


def _path_key(arguments: dict[str, Any]) -> str:
    return next((key for key in ("file_path", "path", "notebook_path", "filePath") if key in arguments), "")


def _stands_in_a_line(text: str) -> bool:
    return bool(text) and one_line(text) == text and cut(text, _LONGEST_FACT) == text


_FORMS: Mapping[str, Callable[[dict[str, Any], bool], _Form | None]] = {
    "Bash": _bash,
    "Edit": _edit,
    "MultiEdit": _multi_edit,
    "Write": _write,
    "Patch": _patch,
    "Todo": _todo,
    "Plan": _plan,
    "Task": _task,
}

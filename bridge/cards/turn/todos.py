"""The agent's to-do list: read from the tools that keep it, and shown as a post of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from bridge.cards.model import Card, Line, Span, Text, plain
from bridge.cards.turn.plan import todo_lines
from bridge.cards.turn.tool_names import shown_name
from bridge.cards.words import brief
from bridge.language import tr, trn
from bridge.transcript.blocks import Block, ToolCall

Status = Literal["pending", "in_progress", "completed"]

_WHOLE: Final = ("todos", "plan", "entries", "items", "steps")
"""Under which names flavors give the whole list."""
LASTING_LISTS: Final = frozenset({"codex-plan-state", "cursor-plan-state"})
"""Ids of calls that stand for a session's plan in all its states (see `transcript.plans`)."""
_ONE_BY_ONE: Final = frozenset({"taskcreate", "taskupdate"})
_NUMBER: Final = re.compile(r"#(\w{1,20})")
_MOST: Final = 30
"""Lines of the post: a phone's screen and a bit."""


@dataclass(frozen=True, slots=True)
class Todo:
    """One step of the list. ``id``: the agent's own, where it changes steps one by one."""

    words: str
    status: Status = "pending"
    id: str = ""


def keeps_todos(block: Block) -> bool:
    """Whether a call is there for the list alone, and thus no work to be shown besides."""
    if not isinstance(block, ToolCall):
        return False
    name = block.tool.name
    return shown_name(name) == "Todo" or (isinstance(name, str) and name.lower() in _ONE_BY_ONE)


def todos_after(blocks: Iterable[Block], before: tuple[Todo, ...] = ()) -> tuple[Todo, ...]:
    """The list after these blocks; ``before`` is how it stood. Total for any input; a call that failed counts not."""
    todos = before
    for block in blocks:
        if isinstance(block, ToolCall) and keeps_todos(block) and block.tool.state != "error":
            given = block.tool.input if isinstance(block.tool.input, dict) else {}
            name = str(block.tool.name).lower()
            if name == "taskcreate":
                todos = _created(todos, given, block.tool.result)
            elif name == "taskupdate":
                todos = _updated(todos, given)
            else:
                items = next((given[key] for key in _WHOLE if isinstance(given.get(key), list)), None)
                todos = todos if items is None else tuple(filter(None, map(_todo, items)))
    return todos


def progress_line(todos: tuple[Todo, ...]) -> Line:
    """``To do: 2 of 5 · Run all tests``: how far the list has come, and what is at work; empty without a list."""
    if not todos:
        return ()
    now = next((todo.words for todo in todos if todo.status == "in_progress"), "")
    return plain(_progress(todos) + (f" · {brief(now, 80)}" if now else ""))


def present_todos(todos: tuple[Todo, ...]) -> Card:
    """The list as a post: what is done, at work, and still open; of a long list what is around the work."""
    lines = todo_lines([{"content": todo.words, "status": todo.status} for todo in todos])
    at = next((at for at, todo in enumerate(todos) if todo.status != "completed"), len(todos))
    first = max(0, min(at - 3, len(lines) - _MOST))
    shown: list[Line] = [(Span(text=_progress(todos), bold=True),)]
    if first:
        shown.append(plain(trn("🟢 one step before", "🟢 {n} steps before", first)))
    shown += lines[first : first + _MOST]
    if (left := len(lines) - first - _MOST) > 0:
        shown.append(plain(trn("☐ one more step", "☐ {n} more steps", left)))
    return Card(pieces=(Text(lines=tuple(shown), spill="todos.txt"),), summary=_progress(todos), one_message=True)


def _progress(todos: tuple[Todo, ...]) -> str:
    done = sum(todo.status == "completed" for todo in todos)
    return tr("To do: {done} of {all}", done=done, all=len(todos))


def _todo(item: Any) -> Todo | None:
    item = {"content": item} if isinstance(item, str) else item
    if not isinstance(item, dict):
        return None
    keys = ("content", "step", "text", "title", "subject", "description")
    words = next((brief(item[key], 140) for key in keys if item.get(key)), "")
    return Todo(words, _status(item.get("status", item.get("state")))) if words else None


def _status(value: Any) -> Status:
    word = value.lower().replace("-", "_") if isinstance(value, str) else ""
    if word in ("completed", "complete", "done", "finished"):
        return "completed"
    return "in_progress" if word in ("in_progress", "inprogress", "running", "active") else "pending"


def _created(todos: tuple[Todo, ...], given: dict[str, Any], result: Any) -> tuple[Todo, ...]:
    words = brief(given.get("subject"), 140)
    if not words:
        return todos
    made = result.get("task") if isinstance(result, dict) else None
    told = made.get("id") if isinstance(made, dict) else None
    found = _NUMBER.search(result[:200]) if isinstance(result, str) else None
    number = str(told) if isinstance(told, str | int) else found[1] if found else str(len(todos) + 1)
    return (*(todo for todo in todos if todo.id != number), Todo(words, id=number))


def _updated(todos: tuple[Todo, ...], given: dict[str, Any]) -> tuple[Todo, ...]:
    number = str(given.get("taskId", ""))
    if given.get("status") == "deleted":
        return tuple(todo for todo in todos if todo.id != number)
    words = brief(given.get("subject"), 140)
    changed = [
        replace(todo, words=words or todo.words, status=_status(given["status"]) if "status" in given else todo.status)
        if todo.id == number
        else todo
        for todo in todos
    ]
    return tuple(changed)

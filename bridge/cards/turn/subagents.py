"""Sub-agents in the activity post: what each does now beside its line, and its work folded under its task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bridge.cards.model import Fold, Line, Span, Text, plain
from bridge.cards.text import utf16_len
from bridge.cards.turn.tool_output import output_text
from bridge.cards.turn.tools import MARKS, ToolLine, tool_line, tool_state
from bridge.cards.words import brief
from bridge.language import tr, trn
from bridge.transcript.blocks import ABSENT, AgentText, ToolCall

_MOST_TASKS: Final = 8
"""Each costs the post two of its hundred entities."""
_TASK_LINES: Final = 5
_REPORT: Final = 240
_MARKS: Final = re.compile(r"\*\*|__|`")
MOST_UNITS: Final = 1_200
"""UTF-16 units that the fold takes in the post."""


def under_way(block: ToolCall) -> str:
    """What a sub-agent does at this moment: its newest tool, in few words; empty where it has none, or is done."""
    inside = [child for child in block.children if isinstance(child, ToolCall)]
    if not inside or tool_state(block) not in ("running", "waiting"):
        return ""
    newest = tool_line(inside[-1])
    return " ".join(word for word in (newest.name, brief(newest.argument, 40)) if word)


@dataclass(frozen=True, slots=True)
class SubAgents:
    """The sub-agents' work in the activity post."""

    fold: Fold
    shortened: bool
    """Whether any of it is shortened there, or only counted."""


def whole_work(task: ToolCall) -> str:
    """All that a sub-agent did and reported, as Markdown: its tools and texts in order, then the report."""
    lines: list[str] = []
    for child in task.children:
        if isinstance(child, ToolCall):
            lines.append("- " + "".join(f"`{span.text}`" if span.code else span.text for span in tool_line(child).line))
            lines += [f"  {line}" for line in whole_work(child).splitlines()]
        elif isinstance(child, AgentText):
            lines += ["", *child.text.strip("\n").splitlines(), ""]
    report = _report(task)
    return "\n".join([*lines, "", *(f"> {line}" for line in report.splitlines())] if report else lines)


def subagents(tasks: Sequence[ToolCall]) -> SubAgents | None:
    """The sub-agents' work, folded: under each task its tools, the newest as lines, and its report. None without any.

    The newest tasks are kept where not all have room.
    """
    shortened = False
    groups: list[list[Line]] = []
    room = MOST_UNITS
    for task in reversed(tasks):
        lines, whole = _task(task)
        room -= sum(utf16_len(span.text) for line in lines for span in line) + len(lines)
        if groups and (room < 0 or len(groups) == _MOST_TASKS):
            groups.append([plain(trn("one earlier sub-agent", "{n} earlier sub-agents", len(tasks) - len(groups)))])
            shortened = True
            break
        groups.append(lines)
        shortened = shortened or not whole
    drawn = [line for group in reversed(groups) for line in group]
    if not drawn:
        return None
    fold = Fold(title=(Span(text=tr("Sub-agents"), italic=True),), pieces=(Text(lines=tuple(drawn)),))
    return SubAgents(fold, shortened)


def _task(task: ToolCall) -> tuple[list[Line], bool]:
    """A task's lines, and whether they say all of it."""
    own = tool_line(task)
    lines: list[Line] = [(Span(text=f"{MARKS[own.state]} "), Span(text=own.argument or own.name, bold=True))]
    inside = [tool_line(child) for child in task.children if isinstance(child, ToolCall)]
    earlier = inside[:-_TASK_LINES]
    if earlier:
        lines.append(plain(trn("   one tool before", "   {n} tools before", len(earlier))))
    lines += [_indented(each) for each in inside[-_TASK_LINES:]]
    report = _plain(_report(task))
    shown = brief(report, _REPORT)
    if shown:
        lines.append((Span(text="   → "), Span(text=shown, italic=True)))
    texts = any(isinstance(child, AgentText) for child in task.children)
    return lines, not earlier and not texts and shown == report


def _report(task: ToolCall) -> str:
    return (output_text(task.tool.result) or "") if task.tool.result is not ABSENT else ""


def _plain(markdown: str) -> str:
    """A report without the marks that would stand in a plain line as they are written."""
    return _MARKS.sub("", markdown).strip()


def _indented(tool: ToolLine) -> Line:
    return (Span(text=f"   {MARKS[tool.state]} {tool.name} {brief(tool.argument, 60)}".rstrip()),)

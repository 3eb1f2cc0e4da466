"""Plans: the one a person approves (ExitPlanMode), and the to-do list an agent keeps (TodoWrite, update_plan)."""

from __future__ import annotations

import re
from typing import Any, Final

from bridge.cards.layout import lay_out, show, show_prose
from bridge.cards.model import Code, File, Line, Markdown, Piece, Span
from bridge.cards.words import brief

_UNSEEN: Final = re.compile(
    r"^[ >]*\[[^\]\n]*\]:"  # a link definition, which Markdown doesn't show
    r"|<!--"
    r"|\]\([^)\s]*\s+[\"'(]"  # a link's title
    r"|^[ >]*(?:```|~~~)[^\s`~]*[ \t]+\S",  # words behind a fence's language
    re.MULTILINE,
)
_DONE: Final = ("completed", "complete", "done", "finished")
_NOW: Final = ("in_progress", "inprogress", "running", "active")
_TODO_LINE = 140


def plan_text(arguments: Any) -> str | None:
    """The Markdown of an ExitPlanMode call, or None where the arguments hold none."""
    plan = arguments.get("plan") if isinstance(arguments, dict) else None
    return plan if isinstance(plan, str) and plan.strip() else None


def plan_pieces(arguments: Any) -> tuple[tuple[Piece, ...], tuple[File, ...]]:
    """The plan readable as Markdown, other arguments as JSON; and a file with the source where Markdown hides some."""
    plan = plan_text(arguments)
    if plan is None:
        return (Code(source=show(lay_out(arguments)), language="json", spill="input.json"),), ()
    shown = show_prose(plan)
    pieces: list[Piece] = [Markdown(source=shown, spill="plan.md")]
    rest = {key: value for key, value in arguments.items() if key != "plan"}
    if rest:
        pieces.append(Code(source=show(lay_out(rest)), language="json", spill="input.json"))
    files = (File(name="plan-source.md", text=shown, media_type="text/markdown"),)
    return tuple(pieces), files if _UNSEEN.search(plan) else ()


def todo_lines(items: Any) -> tuple[Line, ...]:
    """A to-do list's lines: 🟢 done, 🟠 at work, ☐ to do. Empty for anything but a list of steps with words."""
    lines: list[Line] = []
    for item in items if isinstance(items, list) else ():
        if isinstance(item, str):
            item = {"content": item}
        if not isinstance(item, dict):
            continue
        status = item.get("status", item.get("state"))
        words = next(
            (
                brief(item[key], _TODO_LINE)
                for key in ("content", "step", "text", "title", "description")
                if item.get(key)
            ),
            "",
        )
        if not words:
            continue
        status = status.lower() if isinstance(status, str) else ""
        if status in _DONE:
            lines.append((Span(text="🟢 "), Span(text=words, strike=True)))
        elif status in _NOW:
            lines.append((Span(text="🟠 "), Span(text=words, bold=True)))
        else:
            lines.append((Span(text="☐ "), Span(text=words)))
    return tuple(lines)

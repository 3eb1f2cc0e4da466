"""The activity post: one message per turn, edited in place, that stays readable however long the turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bridge.cards.levels import Level
from bridge.cards.model import Act, Button, Card, File, Fold, Line, Markdown, Piece, Progress, Span, Task, Text
from bridge.cards.text import utf16_len
from bridge.cards.turn.steps import Narration, ReasoningNote, Step, excerpt, show_steps, whole_turn
from bridge.cards.turn.subagents import MOST_UNITS, SubAgents
from bridge.cards.turn.tools import ToolLine, ToolState
from bridge.cards.turn.waiting import Awaited
from bridge.cards.words import amount, brief, elapsed, number, percent
from bridge.language import N_, tr, trn

__all__ = [
    "ActivityView",
    "Narration",
    "ReasoningNote",
    "Step",
    "ToolLine",
    "TurnState",
    "UsageView",
    "activity_title",
    "context_mark",
    "present_activity",
    "usage_line",
]

TurnState = Literal["waiting", "running", "tool", Awaited, "done", "failed", "stopped", "merged"]


@dataclass(frozen=True, slots=True)
class UsageView:
    """How full a turn left the context; None where unknown."""

    context_tokens: int | None = None
    share: float | None = None
    """What the context takes of its window, 0–1."""


@dataclass(frozen=True, slots=True)
class ActivityView:
    """One turn, as far as it has come."""

    state: TurnState
    steps: Sequence[Step] = ()
    """Oldest first."""
    started_ms: int | None = None
    now_ms: int | None = None
    """The time to count to: now while running (coarse), the end when ended."""
    usage: UsageView | None = None
    todos: Line = ()
    """`todos.progress_line` of the list, which is a post of its own."""
    agents: SubAgents | None = None
    """The sub-agents' work."""
    stop: Act | None = None
    """What the Stop button does while the turn runs."""
    reason: str = ""
    """Why it failed, or what it waits for."""

    @property
    def ended(self) -> bool:
        """Whether the turn is over."""
        return self.state in ("done", "failed", "stopped", "merged")


def present_activity(view: ActivityView, level: Level) -> Card:
    """The activity post of a turn, for a conversation of the given level; always one message.

    The newest steps are shown best: tools as lines, narration in full. Older ones become shorter, tools as counts,
    and the oldest a single line; whatever was shortened is whole in ``turn.md`` once the turn has ended. At level
    quiet there is the state alone.
    """
    header = _header(view)
    pieces: list[Piece] = [Text(lines=tuple(header))]
    files: tuple[File, ...] = ()
    detail_from: int | None = None
    if level != "quiet":
        if view.todos:
            pieces.append(Text(lines=(view.todos,)))
        detail_from = len(pieces)
        thoughts = _thoughts(view.steps)
        used = sum(utf16_len(span.text) for line in (*header, view.todos) for span in line)
        used += MOST_UNITS if view.agents else 0
        shown = show_steps(view.steps, _MOST_UNITS - used - utf16_len(thoughts), ended=view.ended)
        pieces += shown.pieces
        if view.agents:
            pieces.append(view.agents.fold)
        if thoughts:
            pieces.append(Fold(title=(Span(text=tr("Reasoning"), italic=True),), pieces=(Markdown(source=thoughts),)))
        whole_thoughts = "\n\n".join(step.text for step in view.steps if isinstance(step, ReasoningNote))
        hidden = shown.shortened or (view.agents is not None and view.agents.shortened)
        if view.ended and (hidden or thoughts != whole_thoughts):
            files = (whole_turn(activity_title(view), view.steps),)
    stop = view.stop if not view.ended else None
    return Card(
        pieces=tuple(pieces),
        buttons=((Button(label=tr("Stop"), style="danger", act=stop),),) if stop else (),
        files=files,
        summary=activity_title(view),
        one_message=True,
        spill_now=view.ended,
        progress=None if view.ended or level == "quiet" else _progress(view),
        detail_from=detail_from,
    )


def context_mark(share: float) -> str:
    """The colour of a context's share: 🔵 below 50 %, 🟡 to 70 %, 🔴 above."""
    return "🔵" if share < 0.5 else "🟡" if share <= 0.7 else "🔴"


def usage_line(usage: UsageView | None) -> Line:
    """How full the context is, in one line; empty where it is not known."""
    if usage is None:
        return ()
    share, context = number(usage.share), amount(usage.context_tokens)
    if share is not None:
        return (Span(text=tr("{mark} context {share}", mark=context_mark(share), share=percent(share))),)
    return (Span(text=tr("context {tokens}", tokens=context)),) if context else ()


def _progress(view: ActivityView) -> Progress:
    tasks = [
        Task(id=step.id, title=f"{step.name} {step.argument}".rstrip() + _note(step), state=_TASK_STATES[step.state])
        for step in view.steps
        if isinstance(step, ToolLine)
    ]
    texts = tuple(step.text for step in view.steps if isinstance(step, Narration) and step.text.strip())
    return Progress(title=activity_title(view), tasks=tuple(tasks), texts=texts)


def _note(step: ToolLine) -> str:
    return f" · {step.note}" if step.note else ""


def activity_title(view: ActivityView) -> str:
    """The turn in one line: its state, its time, its tools."""
    mark, words = _STATES[view.state]
    tools = sum(isinstance(step, ToolLine) for step in view.steps)
    parts = [f"{mark} {tr(words)}", _time(view), trn("{n} tool", "{n} tools", tools) if tools else ""]
    return " · ".join(part for part in parts if part)


def _time(view: ActivityView) -> str:
    start, now = number(view.started_ms), number(view.now_ms)
    return elapsed(now - start, coarse=not view.ended) if start is not None and now is not None else ""


def _header(view: ActivityView) -> list[Line]:
    state, *rest = activity_title(view).split(" · ", 1)
    lines: list[Line] = [(Span(text=state, bold=True), *(Span(text=f" · {more}") for more in rest))]
    reason = brief(view.reason, _REASON)
    if reason:
        lines.append((Span(text=reason, italic=True),))
    usage = usage_line(view.usage)
    if usage:
        lines.append(usage)
    return lines


def _thoughts(steps: Sequence[Step]) -> str:
    """The newest reasoning, as much as has room."""
    notes: list[str] = []
    room = _MOST_REASONING
    for step in reversed(steps):
        if not isinstance(step, ReasoningNote) or not step.text.strip():
            continue
        text = step.text if utf16_len(step.text) <= room else excerpt(step.text, room)
        notes.append(text)
        room -= utf16_len(text) + 2
        if text != step.text or room < _LEAST_REASONING:
            break
    return "\n\n".join(reversed(notes))


_STATES: Final[Mapping[TurnState, tuple[str, str]]] = {
    "waiting": ("🟠", N_("Waiting to start")),
    "running": ("🟠", N_("Working")),
    "tool": ("🟠", N_("Running a tool")),
    "approval": ("🟠", N_("Waiting for approval")),
    "answer": ("🟠", N_("Waiting for an answer")),
    "plan": ("🟠", N_("Waiting for approval of a plan")),
    "decisions": ("🟠", N_("Waiting for decisions")),
    "done": ("🟢", N_("Done")),
    "failed": ("🔴", N_("Failed")),
    "stopped": ("🔴", N_("Stopped")),
    "merged": ("🔵", N_("Merged into another turn")),
}
_TASK_STATES: Final[Mapping[ToolState, Literal["waiting", "running", "done", "failed"]]] = {
    "running": "running",
    "waiting": "waiting",
    "done": "done",
    "failed": "failed",
    "denied": "failed",
    "canceled": "failed",
}
_MOST_UNITS: Final = 3_400
"""UTF-16 units the post's text takes, with room left under Telegram's 4,096 for what Markdown adds when drawn."""
_MOST_REASONING: Final = 500
_LEAST_REASONING: Final = 80
_REASON: Final = 300

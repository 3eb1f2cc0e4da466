"""The activity post: one message per turn, edited in place, that stays readable however long the turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bridge.cards.model import Act, Button, Card, Line, Markdown, Piece, Span, Text
from bridge.cards.tools import ToolLine
from bridge.cards.words import Level

TurnState = Literal["waiting", "running", "tool", "approval", "done", "failed", "stopped", "merged"]


@dataclass(frozen=True, slots=True)
class Narration:
    """What the agent said between tool calls: Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningNote:
    """What the agent thought: Markdown, folded away."""

    text: str


Step = ToolLine | Narration | ReasoningNote


@dataclass(frozen=True, slots=True)
class UsageView:
    """What a turn has used; None where unknown."""

    total_tokens: int | None = None
    context_tokens: int | None = None
    share: float | None = None
    """The next round's tokens over the compression threshold, 0–1 (or over the window where only that is known)."""
    cost_usd: float | None = None
    rounds_left: int | None = None
    """Rounds until the context is compressed."""


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
    todos: tuple[Line, ...] = ()
    """`plan.todo_lines` of the newest list."""
    stop: Act | None = None
    """What the Stop button does while the turn runs."""
    reason: str = ""
    """Why it failed, or what it waits for."""

    @property
    def ended(self) -> bool:
        """Whether the turn is over."""
        return self.state in ("done", "failed", "stopped", "merged")


def present_activity(view: ActivityView, level: Level) -> Card:
    """The activity post of a turn, for a conversation of the given level."""
    lines = [header_line(view)]
    pieces: list[Piece] = [Text(lines=tuple(lines))]
    for step in view.steps:
        if isinstance(step, ToolLine):
            pieces.append(Text(lines=(step.line,)))
        elif isinstance(step, Narration):
            pieces.append(Markdown(source=step.text, spill="turn.md"))
    buttons = ((Button(label="Stop", style="danger", act=view.stop),),) if view.stop and not view.ended else ()
    return Card(pieces=tuple(pieces), buttons=buttons, one_message=True, spill_now=view.ended)


def header_line(view: ActivityView) -> Line:
    """The state in words and colour."""
    return (Span(text=view.state, bold=True),)

"""What approvals, plans and questions share: the states a request goes through, and the rows of its card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from bridge.cards.model import Act, Button, Line, Span, Text
from bridge.cards.words import brief, moment_ms

RequestState = Literal[
    "pending",
    "sending",
    "approved",
    "approved_for_session",
    "denied",
    "aborted",
    "canceled",
    "resolved",
    "vanished",
    "session-gone",
    "superseded",
]
"""``sending``: a click was taken and the hub has yet to say what became of it. ``resolved``: answered, outcome
unknown. ``vanished``: no longer asked, no completion. ``superseded``: a new request took its place."""

Rows = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True, slots=True)
class RequestView:
    """One permission request, and what is known of its fate."""

    session_id: str
    request_id: str
    tool: str
    arguments: Any
    """Any JSON."""
    argument_hash: str
    """`fingerprint.argument_hash` of tool and arguments."""
    state: RequestState = "pending"
    session_title: str = ""
    project: str = ""
    """The session's directory."""
    machine: str = ""
    flavor: str = ""
    mode: str = ""
    """The session's permission mode, in words."""
    who_may_decide: str = ""
    """In words: ``the owner``."""
    decided_by: str = ""
    """A person's name; empty where unknown or decided elsewhere."""
    decided_where: str = ""
    """``Telegram``, ``HAPI``, ``the terminal``; empty where unknown."""
    decided_at_ms: int | None = None
    reason: str = ""
    """The hub's reason, if it gave one."""
    cut: bool = False
    """Part of the arguments can't be shown: nothing may be allowed from this card."""
    note: str = ""
    """What went wrong with the last try, in words."""

    def act(self, do: str, choice: str | None = None, data: dict[str, Any] | None = None) -> Act:
        """An act bound to this session, request and argument (invariant 4)."""
        return Act(
            do=do,
            session=self.session_id,
            request=self.request_id,
            argument_hash=self.argument_hash,
            choice=choice,
            data=data or {},
        )


@dataclass(frozen=True, slots=True)
class StateWords:
    """How a state reads: with its colour, and on the inert button."""

    mark: str
    title: str
    line: str

    @property
    def button(self) -> str:
        """The inert button's label."""
        return f"{self.mark} {self.title}".strip()


STATES: Final[Mapping[RequestState, StateWords]] = {
    "pending": StateWords("🟠", "Approval needed", "Waiting for a decision"),
    "sending": StateWords("🟠", "Sending", "Sending…"),
    "approved": StateWords("🟢", "Allowed", "Allowed"),
    "approved_for_session": StateWords("🟢", "Allowed for session", "Allowed for this session"),
    "denied": StateWords("🔴", "Denied", "Denied"),
    "aborted": StateWords("🔴", "Stopped", "Denied, and the turn asked to stop"),
    "canceled": StateWords("🔴", "Canceled", "Canceled before a decision"),
    "resolved": StateWords("", "Answered", "Answered, outcome unknown"),
    "vanished": StateWords(
        "", "No longer waiting", "No longer waiting: answered elsewhere or expired, outcome unknown"
    ),
    "session-gone": StateWords("", "Session gone", "The session is gone, nothing can be decided any more"),
    "superseded": StateWords("", "Asked anew", "Asked anew: a newer card took this one's place"),
}
"""Words for a permission; plans and questions put some of their own over them."""


def state_text(view: RequestView, words: StateWords) -> Text:
    """The card's last lines: its state, and what went wrong with the last try, if something did."""
    note = brief(view.note, 200)
    return Text(lines=(_state_line(view, words), *(((Span(text=f"🔴 {note}"),),) if note else ())))


def _state_line(view: RequestView, words: StateWords) -> Line:
    """``Allowed by Ada · Telegram · 14:03``; while pending, who may decide."""
    if view.state == "pending":
        who = brief(view.who_may_decide, 80)
        return (Span(text=words.line + (f" · may decide: {who}" if who else ""), italic=True),)
    by, where = brief(view.decided_by, 60), brief(view.decided_where, 40)
    at = moment_ms(view.decided_at_ms)
    line = [Span(text=f"{words.mark} {words.line}".strip(), bold=True)]
    if view.state in _BY_SOMEBODY:
        line += [Span(text=f" by {by}")] if by else []
        line += [Span(text=f" · {where}")] if where else []
    if view.state in _SETTLED and at:
        line += [Span(text=" · "), at]
    reason = brief(view.reason, 200)
    if reason:
        line.append(Span(text=f" · {reason}"))
    return tuple(line)


def inert(rows: Rows, words: StateWords) -> Rows:
    """As many rows as the card had, saying what became of it, so that nothing jumps under a thumb."""
    if not rows:
        return ()
    return ((Button(label=words.button),), *(((Button(label="·"),),) * (len(rows) - 1)))


def fact_lines(view: RequestView, title: str) -> tuple[Line, ...]:
    """The head of a card: what is asked, in which session, where."""
    lines: list[Line] = [(Span(text=title, bold=True),)]
    session = brief(view.session_title, 80)
    if session:
        lines.append((Span(text="Session: "), Span(text=session)))
    place = " · ".join(part for part in (brief(view.project, 120), brief(view.machine, 60)) if part)
    if place:
        lines.append((Span(text="In: "), Span(text=place, code=True)))
    how = " · ".join(
        part for part in (brief(view.flavor, 30), f"mode {brief(view.mode, 40)}" if view.mode else "") if part
    )
    if how:
        lines.append((Span(text="Agent: "), Span(text=how)))
    return tuple(lines)


_BY_SOMEBODY: Final = frozenset({"approved", "approved_for_session", "denied", "aborted"})
"""States that are somebody's decision; of ``resolved`` nobody knows whose answer won."""
_SETTLED: Final = _BY_SOMEBODY | {"canceled", "resolved"}

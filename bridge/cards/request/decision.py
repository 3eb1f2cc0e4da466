"""What approvals, plans and questions share: the states a request goes through, and the rows of its card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from bridge.cards.layout import show, show_prose
from bridge.cards.model import Act, Button, Line, Span, Text
from bridge.cards.words import brief, moment_ms
from bridge.language import tr

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


def state_words(state: RequestState) -> StateWords:
    """Words for a permission's state; plans and questions put some of their own over them."""
    match state:
        case "pending":
            return StateWords("🟠", tr("Approval needed"), tr("Waiting for a decision"))
        case "sending":
            return StateWords("🟠", tr("Sending"), tr("Sending…"))
        case "approved":
            return StateWords("🟢", tr("Allowed"), tr("Allowed"))
        case "approved_for_session":
            return StateWords("🟢", tr("Allowed for session"), tr("Allowed for this session"))
        case "denied":
            return StateWords("🔴", tr("Denied"), tr("Denied"))
        case "aborted":
            return StateWords("🔴", tr("Stopped"), tr("Denied, and the turn asked to stop"))
        case "canceled":
            return StateWords("🔴", tr("Canceled"), tr("Canceled before a decision"))
        case "resolved":
            return StateWords("", tr("Answered"), tr("Answered, outcome unknown"))
        case "vanished":
            words = tr("No longer waiting: answered elsewhere or expired, outcome unknown")
            return StateWords("", tr("No longer waiting"), words)
        case "session-gone":
            words = tr("The session is gone, nothing can be decided any more")
            return StateWords("", tr("Session gone"), words)
        case "superseded":
            return StateWords("", tr("Asked anew"), tr("Asked anew: a newer card took this one's place"))


def state_text(view: RequestView, words: StateWords) -> Text:
    """The card's last lines: its state, and what went wrong with the last try, if something did."""
    note = brief(view.note, 200)
    return Text(lines=(_state_line(view, words), *(((Span(text=f"🔴 {note}"),),) if note else ())))


def _state_line(view: RequestView, words: StateWords) -> Line:
    """``Allowed by Ada · Telegram · 14:03``; while pending, who may decide."""
    if view.state == "pending":
        who = brief(view.who_may_decide, 80)
        may = tr("may decide: {who}", who=who) if who else ""
        return (Span(text=" · ".join(filter(None, (words.line, may))), italic=True),)
    by, where = brief(view.decided_by, 60), brief(view.decided_where, 40)
    at = moment_ms(view.decided_at_ms)
    told = tr("{what} by {name}", what=words.line, name=by) if by and view.state in BY_SOMEBODY else words.line
    line = [Span(text=f"{words.mark} {told}".strip(), bold=True)]
    if where and view.state in BY_SOMEBODY:
        line.append(Span(text=f" · {where}"))
    if view.state in SETTLED and at:
        line += [Span(text=" · "), at]
    reason = brief(view.reason, 200)
    if reason:
        line.append(Span(text=f" · {reason}"))
    return tuple(line)


def inert(words: StateWords) -> Rows:
    """One plain row in place of a card's buttons: what became of it."""
    return ((Button(label=words.button),),)


def fact_lines(view: RequestView, title: str) -> tuple[Line, ...]:
    """The head of a card: what is asked; and in one dull line where: session, directory, machine, flavor and mode."""
    facts: list[Span] = []
    for words, code in (
        (show_prose(brief(view.session_title, 80)), False),
        (show(brief(view.project, 120)), True),
        (brief(view.machine, 60), False),
        (brief(view.flavor, 30), False),
        (tr("mode {mode}", mode=brief(view.mode, 40)) if view.mode else "", False),
    ):
        if words:
            facts += [Span(text=" · ")] if facts else []
            facts.append(Span(text=words, code=code))
    head: Line = (Span(text=title, bold=True),)
    return (head, tuple(facts)) if facts else (head,)


BY_SOMEBODY: Final = frozenset({"approved", "approved_for_session", "denied", "aborted"})
"""States that are somebody's decision; of ``resolved`` nobody knows whose answer won."""
SETTLED: Final = BY_SOMEBODY | {"canceled", "resolved"}
"""States that came at a moment, which the hub tells."""

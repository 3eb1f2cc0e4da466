"""The approval card: the whole of what would run, and the buttons bound to exactly that (invariants 4 and 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from bridge.cards.danger import danger
from bridge.cards.decision import STATES, RequestState, RequestView, Rows, StateWords, fact_lines, inert, state_text
from bridge.cards.fingerprint import argument_hash
from bridge.cards.layout import show
from bridge.cards.model import Button, Card, Code, Confirm, Piece, Span, Text
from bridge.cards.plan import plan_pieces
from bridge.cards.text import utf16_len
from bridge.cards.tool_input import input_pieces
from bridge.cards.tool_names import shown_name
from bridge.cards.words import brief, one_line

__all__ = ["ApprovalView", "GrantView", "RequestState", "argument_hash", "is_plan", "present_approval"]

_SCOPE_ON_BUTTON: Final = 40
"""UTF-16 units of a scope that still fit on a phone's button."""
_CUT: Final = (
    Text(lines=((Span(text="Part of this is nested too deeply to be shown here: allow it in HAPI.", bold=True),),)),
)
_NAME_IN_A_LINE: Final = 120
_PLAN_STATES: Final[Mapping[RequestState, StateWords]] = {
    "pending": replace(STATES["pending"], title="Plan to approve"),
    "approved": StateWords("🟢", "Approved", "Approved"),
    "approved_for_session": StateWords("🟢", "Approved", "Approved"),
    "denied": StateWords("🔴", "Keeps planning", "Not approved, keeps planning"),
}


@dataclass(frozen=True, slots=True)
class GrantView:
    """A wider grant that HAPI itself has for this request."""

    scope_words: str
    """What exactly would be allowed: ``Bash(make test)``, ``all edits``."""


@dataclass(frozen=True, slots=True)
class ApprovalView(RequestView):
    """A request to run a tool, or to go on with a plan."""

    grant: GrantView | None = None
    """None where there is no wider grant, or none that could be named exactly."""


def is_plan(tool: str) -> bool:
    """Whether the request asks to leave plan mode (ExitPlanMode)."""
    return shown_name(tool) == "Plan"


def present_approval(view: ApprovalView) -> Card:
    """The card of one request, in whichever state. What it showed stays; its buttons give way to as many inert rows.

    Every character of the arguments is in its pieces, or in files that come before the buttons: nothing can be
    approved unseen. Hidden characters are made visible.
    """
    planning = is_plan(view.tool)
    plan_words = _PLAN_STATES.get(view.state) if planning else None
    words = plan_words or STATES[view.state]
    subject = "" if plan_words else show(shown_name(view.tool))
    title = f"{words.mark} {words.title}".strip() + (f": {subject}" if subject else "")
    body, files = plan_pieces(view.arguments) if planning else (input_pieces(view.tool, view.arguments, whole=True), ())
    effect = danger(view.tool, view.arguments, view.project)
    rows = _rows(view, planning, effect)
    return Card(
        pieces=(
            Text(lines=fact_lines(view, title)),
            *_exact_name(view.tool),
            *body,
            *(_CUT if view.cut else _scope(view.grant)),
            *_warning(effect),
            state_text(view, words),
        ),
        buttons=rows if view.state == "pending" else inert(rows, words),
        files=files,
        summary=brief(" · ".join(part for part in (title, view.session_title) if part), 120),
        one_message=True,
        files_first=True,
    )


def _rows(view: ApprovalView, planning: bool, effect: str) -> Rows:
    allow, deny = ("Approve", "Keep planning") if planning else ("Allow", "Deny")
    if view.cut:
        return (
            (Button(label=deny, style="danger", act=view.act("decide", "deny")),),
            (Button(label="Stop the turn", act=view.act("decide", "abort")),),
        )
    rows: list[tuple[Button, ...]] = [
        (
            Button(label=allow, style="primary", act=view.act("decide", "allow"), confirm=_confirm(effect, "Allow")),
            Button(label=deny, style="danger", act=view.act("decide", "deny")),
            Button(label=f"{deny}…", act=view.act("deny_because"), asks=True),
        )
    ]
    if view.grant:
        label = "Allow for session" + (f": {show(view.grant.scope_words)}" if _on_button(view.grant) else "")
        sure = _confirm(effect, "Allow for session")
        rows.append((Button(label=label, act=view.act("decide", "allow_session"), confirm=sure),))
    rows.append((Button(label="Stop the turn", act=view.act("decide", "abort")),))
    return tuple(rows)


def _confirm(effect: str, yes: str) -> Confirm | None:
    return Confirm(title="Are you sure?", text=f"This {effect}.", yes=yes, no="Not now") if effect else None


def _warning(effect: str) -> tuple[Piece, ...]:
    """What the request would do, where that is known to do lasting harm."""
    return (Text(lines=((Span(text=f"⚠️ Careful: this {effect}.", bold=True),),)),) if effect else ()


def _on_button(grant: GrantView) -> bool:
    scope = show(grant.scope_words)
    return utf16_len(scope) <= _SCOPE_ON_BUTTON and one_line(scope) == scope


def _scope(grant: GrantView | None) -> tuple[Piece, ...]:
    """The exact scope beside the button, where it is too long to be on it (invariant 10)."""
    if grant is None or _on_button(grant):
        return ()
    return (
        Text(lines=((Span(text="The button “Allow for session” covers:"),),)),
        Code(source=show(grant.scope_words), spill="session-grant.txt"),
    )


def _exact_name(tool: str) -> tuple[Piece, ...]:
    """The tool's own name, where the card's title has a nicer or a shorter one."""
    if shown_name(tool) == tool:
        return ()
    name = show(tool)
    if utf16_len(name) <= _NAME_IN_A_LINE and one_line(name) == name:
        return (Text(lines=((Span(text="Tool: "), Span(text=name, code=True)),)),) if name else ()
    return (Text(lines=((Span(text="Tool:"),),)), Code(source=name, spill="tool-name.txt"))

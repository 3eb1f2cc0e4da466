"""The buttons of an approval card: what each grants is on it, and nothing wider than the card says (invariant 10).

A second tap is asked for where one would do lasting harm. It is never where the first one was, seen from the top or
from the bottom of the rows, whichever of the two a chat keeps in its place; and it names the effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from bridge.cards.layout import show
from bridge.cards.model import Act, Button
from bridge.cards.request.decision import RequestView, Rows
from bridge.cards.text import utf16_len
from bridge.cards.words import brief, one_line
from bridge.language import tr

_SCOPE_ON_BUTTON: Final = 40
"""UTF-16 units of a scope that still fit on a phone's button."""


@dataclass(frozen=True, slots=True)
class GrantView:
    """A wider grant that HAPI itself has for this request."""

    scope_words: str
    """What exactly would be allowed: ``Bash(make test)``, ``all edits``."""


@dataclass(frozen=True, slots=True)
class ModeView:
    """A permission mode that a session can switch to."""

    mode: str
    """HAPI's word for it."""
    label: str
    """HAPI's label."""
    reckless: bool = False
    """In it nothing is asked any more."""


@dataclass(frozen=True, slots=True)
class SureView:
    """A first tap that needs a second one."""

    choice: str
    data: Mapping[str, Any] = field(hash=False)
    name: str
    """Who made it."""
    another: bool = False
    """The second one must be another person's."""


@dataclass(frozen=True, slots=True)
class ApprovalView(RequestView):
    """A request to run a tool, or to go on with a plan."""

    grant: GrantView | None = None
    """None where there is no wider grant, or none that could be named exactly."""
    danger: str = ""
    """The effect that makes it dangerous (:func:`.danger.danger`): no wider grant is offered then."""
    modes: tuple[ModeView, ...] = ()
    """Those of the flavor that the session could switch to."""
    tools: str = ""
    """A pattern of tools to allow for the session: ``Bash(git push:*)``."""
    alike: int = 0
    """How many requests of the tool the session made before."""
    unfolded: bool = False
    """Whether the wider grants are shown."""
    sure: SureView | None = None
    granted_mode: str = ""
    """What was granted besides, once decided: a mode's label,"""
    granted_tools: tuple[str, ...] = ()
    """and patterns of tools."""

    @property
    def has_more(self) -> bool:
        """Whether there are wider grants than fit the card at first."""
        return not self.danger and bool(self.modes or self.tools)


def approval_rows(view: ApprovalView, *, planning: bool, compact: bool, offers: bool) -> Rows:
    """The rows of a pending request. ``compact``: of one that only reads; ``offers``: with the grant on it at once."""
    if view.cut:
        return ((_deny(view, planning),), (_stop(view),))
    rows = _rows(view, planning, compact, offers)
    return _sure_rows(view, rows, planning) if view.sure is not None else rows


def reckless_effect(mode: ModeView) -> str:
    """What switching to a mode would do, for one in which nothing is asked any more."""
    return tr("Nothing is asked any more in mode {mode}", mode=mode.label) if mode.reckless else ""


def scope_on_button(grant: GrantView) -> bool:
    """Whether a grant's exact scope fits on its button."""
    scope = show(grant.scope_words)
    return utf16_len(scope) <= _SCOPE_ON_BUTTON and one_line(scope) == scope


def _rows(view: ApprovalView, planning: bool, compact: bool, offers: bool) -> Rows:
    allow = tr("Approve") if planning else tr("Allow")
    allowing = Button(label=allow, style="primary", act=view.act("decide", "allow"))
    because = Button(label=tr("Keep planning…") if planning else tr("Deny…"), act=view.act("deny_because"), asks=True)
    modes = sorted(view.modes, key=lambda mode: mode.reckless)  # those that ask once more stand last
    if planning:
        return (
            (allowing, _deny(view, planning), because),
            *((_mode(view, mode, planning),) for mode in modes),
            (_stop(view),),
        )
    if view.danger:
        where = tr("⚠️ Allow needs a second tap, here")
        return ((allowing, _deny(view, planning), because), (_stop(view),), (Button(label=where),))
    more: tuple[Button, ...] = ()
    if compact or view.has_more:
        folding = view.act("fold") if view.unfolded else view.act("unfold")
        more = (Button(label=tr("Less") if view.unfolded else tr("More…"), act=folding),)
    session: Rows = ((_session(view, view.grant),),) if view.grant else ()
    wider: Rows = ()
    if view.unfolded:
        patterns = ((_tools(view),),) if view.tools else ()
        wider = (*patterns, *((_mode(view, mode, planning),) for mode in modes))
    if compact:
        first = ((allowing, _deny(view, planning), *more),)
        if not view.unfolded:
            return (*first, *session) if offers else first
        return (*first, *session, (because, _stop(view)), *wider)
    return ((allowing, _deny(view, planning), because), *session, (*more, _stop(view)), *wider)


def _sure_rows(view: ApprovalView, rows: Rows, planning: bool) -> Rows:
    """A few rows: a way back where Allow was, and the second tap where the first one was not."""
    assert view.sure is not None
    first = view.act("decide", view.sure.choice, dict(view.sure.data))
    effect = view.danger or next(
        (reckless_effect(mode) for mode in view.modes if mode.mode == view.sure.data.get("mode")), ""
    )
    yes = Button(
        label=f"⚠️ {tr('Yes: {effect}', effect=brief(effect, 60))}",
        style="danger",
        act=view.act("sure", view.sure.choice, dict(view.sure.data)),
    )
    back, deny, stop = Button(label=tr("Not now"), act=view.act("unsure")), _deny(view, planning), _stop(view)
    layouts: tuple[Rows, ...] = (
        ((back, deny), (stop,), (yes,)),
        ((back, deny), (yes,), (stop,)),
        ((back,), (deny,), (stop,), (yes,)),
    )
    before = _place(rows, first)
    apart = (each for each in layouts if all(one != other for one, other in zip(_at(each, yes), before, strict=True)))
    return next(apart, layouts[-1])


def _place(rows: Sequence[Sequence[Button]], act: Act) -> tuple[int, int]:
    """The row of an act's button, counted from the top and from the bottom; of one that is gone, the first row."""
    at = next((at for at, row in enumerate(rows) if any(button.act == act for button in row)), 0)
    return at, len(rows) - 1 - at


def _at(rows: Rows, button: Button) -> tuple[int, int]:
    assert button.act is not None
    return _place(rows, button.act)


def _deny(view: ApprovalView, planning: bool) -> Button:
    label = tr("Keep planning") if planning else tr("Deny")
    return Button(label=label, style="danger", act=view.act("decide", "deny"))


def _stop(view: ApprovalView) -> Button:
    return Button(label=tr("Stop the turn"), act=view.act("decide", "abort"))


def _session(view: ApprovalView, grant: GrantView) -> Button:
    scope = show(grant.scope_words)
    label = tr("Allow for session: {scope}", scope=scope) if scope_on_button(grant) else tr("Allow for session")
    return Button(label=label, act=view.act("decide", "allow_session"))


def _tools(view: ApprovalView) -> Button:
    label = tr("Allow for session: {scope}", scope=show(view.tools))
    return Button(label=label, act=view.act("decide", "allow_tools", {"tools": [view.tools]}))


def _mode(view: ApprovalView, mode: ModeView, planning: bool) -> Button:
    words = tr("Approve, then {mode}", mode=mode.label) if planning else tr("Allow, then {mode}", mode=mode.label)
    act = view.act("decide", "allow_mode", {"mode": mode.mode})
    return Button(label=f"⚠️ {words}" if mode.reckless else words, act=act)

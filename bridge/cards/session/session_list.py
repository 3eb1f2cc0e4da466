"""Sessions to choose from: the list with its pages, and the question which one is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bridge.cards.model import Act, Button, Card, Line, Span, Text, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.turn.waiting import counted
from bridge.cards.words import brief
from bridge.language import tr, trn

PAGE: Final = 8
"""Sessions on a page: as many as a phone shows with their buttons."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A session in the list."""

    id: str
    title: str
    active: bool
    running: bool = False
    waiting: int = 0
    """Requests that wait."""
    answers: int = 0
    """Those of them that are known to be questions."""
    directory: str = ""
    machine: str = ""
    flavor: str = ""
    pinned: bool = False


def present_list(sessions: Sequence[Listed], page: int, trouble: str = "") -> Card:
    """One page of the sessions, in the order given; a button opens each (act ``open``), others turn the page (act
    ``sessions``). ``trouble``: why the list may be out of date. A page that is not there any more is the last one."""
    if not sessions:
        nothing = plain(tr("No sessions yet. /new starts one, or `hapi` on your computer."))
        start = Button(label=tr("New session"), style="primary", act=Act(do="new"))
        return note_card(*([plain(trouble)] if trouble else []), nothing, buttons=((start,),))
    last = (len(sessions) - 1) // PAGE
    page = max(0, min(page, last))
    shown = sessions[page * PAGE : (page + 1) * PAGE]
    head = trn("{n} session", "{n} sessions", len(sessions))
    if last:
        head = tr("{sessions} · page {page} of {pages}", sessions=head, page=page + 1, pages=last + 1)
    lines: list[Line] = [(Span(text=head, bold=True),)]
    if trouble:
        lines.append(plain(f"🔴 {brief(trouble, 200)}"))
    for each in shown:
        lines += list_lines(each)
    rows = [(Button(label=label_of(each), act=Act(do="open", session=each.id, data={"page": page})),) for each in shown]
    turns = []
    if page:
        turns.append(Button(label=tr("‹ Newer"), act=Act(do="sessions", data={"page": page - 1})))
    if page < last:
        turns.append(Button(label=tr("Older ›"), act=Act(do="sessions", data={"page": page + 1})))
    foot = (
        Button(label=tr("Refresh"), act=Act(do="sessions", choice="refresh", data={"page": page})),
        Button(label=tr("New session"), act=Act(do="new")),
    )
    buttons = (*rows, *((tuple(turns),) if turns else ()), foot)
    return Card(
        pieces=(Text(lines=tuple(lines), spill="sessions.txt"),), buttons=buttons, summary=head, one_message=True
    )


def present_which(question: str, sessions: Sequence[Listed], do: str, data: Mapping[str, Any] | None = None) -> Card:
    """Which session is meant: a button each, all with the same act."""
    rows = tuple(
        (Button(label=label_of(each), act=Act(do=do, session=each.id, data=dict(data or {}))),)
        for each in sessions[:PAGE]
    )
    more = [plain(tr("Others are in /sessions."))] if len(sessions) > PAGE else []
    return note_card(plain(question), *more, buttons=rows)


def list_lines(each: Listed) -> list[Line]:
    """A session's lines: how it is, and where."""
    head = [Span(text=f"{mark_of(each)} "), Span(text=brief(each.title, 80) or each.id[:8], bold=True)]
    head.append(Span(text=f" · {state_words(each)}" + (" · 📌" if each.pinned else "")))
    parts = (brief(each.directory, 80), brief(each.machine, 40), brief(each.flavor, 20))
    where = " · ".join(part for part in parts if part)
    return [tuple(head), plain(f"   {where}")] if where else [tuple(head)]


def mark_of(each: Listed) -> str:
    """The colour of a session's state."""
    if not each.active:
        return "·"
    return "🟠" if each.waiting or each.running else "🟢"


def state_words(each: Listed) -> str:
    """A session's state in words."""
    if not each.active:
        return tr("ended")
    if each.waiting:
        return counted(each.waiting, each.answers)
    return tr("working") if each.running else tr("idle")


def label_of(each: Listed) -> str:
    """What a session's button says."""
    mark = mark_of(each)
    return f"{mark} {brief(each.title, 50) or each.id[:8]}" if mark != "·" else brief(each.title, 50) or each.id[:8]

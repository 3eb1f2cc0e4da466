"""What waits for a decision, across all sessions: a line and a button each; the button shows the request's own card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bridge.cards.layout import show
from bridge.cards.model import Act, Button, Card, Line, Span, Text, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.request.question import numeral
from bridge.cards.turn.tool_names import telling_argument
from bridge.cards.turn.waiting import asked_words, awaited
from bridge.cards.words import brief
from bridge.language import tr, trn

PAGE: Final = 8
"""Requests on a page: as many as a phone shows with their buttons."""
_LINE: Final = 100
_BUTTON: Final = 48


@dataclass(frozen=True, slots=True)
class PendingView:
    """A request that waits."""

    session_id: str
    request_id: str
    argument_hash: str
    session_title: str
    tool: str
    arguments: Any
    danger: str = ""
    sure: str = ""
    """Who has tapped first, where a second tap is waited for."""


def present_pending(waiting: Sequence[PendingView], page: int = 0) -> Card:
    """One page of what waits. Acts ``show_request``, and ``pending`` to turn the page.

    Nothing is decided from here: the whole of what would run is on the request's own card (invariant 4).
    """
    if not waiting:
        return note_card(plain(tr("Nothing waits for your decision.")))
    last = (len(waiting) - 1) // PAGE
    page = max(0, min(page, last))
    if awaited([each.tool for each in waiting]) == "answer":
        head = trn("{n} question waits for an answer", "{n} questions wait for an answer", len(waiting))
    else:
        head = trn("{n} request waits for a decision", "{n} requests wait for a decision", len(waiting))
    if last:
        head = tr("{requests} · page {page} of {pages}", requests=head, page=page + 1, pages=last + 1)
    lines: list[Line] = [(Span(text=head, bold=True),)]
    rows: list[tuple[Button, ...]] = []
    for at, each in enumerate(waiting[page * PAGE : (page + 1) * PAGE]):
        what = brief(show(telling_argument(each.tool, each.arguments, _LINE)), _LINE)
        asked = show(asked_words(each.tool))
        lines.append((Span(text=f"{numeral(at)} "), Span(text=asked, bold=True), Span(text=" "), *_code(what)))
        told = [brief(each.session_title, 60)]
        told += [f"⚠️ {brief(each.danger, 80)}"] if each.danger else []
        told += [tr("a second tap is waited for after {name}'s", name=brief(each.sure, 40))] if each.sure else []
        lines.append(plain(f"   {' · '.join(told)}"))
        act = Act(
            do="show_request",
            session=each.session_id,
            request=each.request_id,
            argument_hash=each.argument_hash,
        )
        label = brief(f"{numeral(at)} {asked} · {each.session_title}", _BUTTON)
        rows.append((Button(label=label, act=act),))
    turns = []
    if page:
        turns.append(Button(label=tr("‹ Back"), act=Act(do="pending", data={"page": page - 1})))
    if page < last:
        turns.append(Button(label=tr("More ›"), act=Act(do="pending", data={"page": page + 1})))
    rows += [tuple(turns)] if turns else []
    return Card(
        pieces=(Text(lines=tuple(lines), spill="pending.txt"),), buttons=tuple(rows), summary=head, one_message=True
    )


def _code(text: str) -> tuple[Span, ...]:
    return (Span(text=text, code=True),) if text else ()

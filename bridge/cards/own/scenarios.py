"""Choosing scenarios, several at once, and what is said of them afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.turn.user_text import tag_line
from bridge.cards.words import brief
from bridge.language import tr, trn
from bridge.transcript.content import Scenario

PAGE: Final = 8
_TITLE: Final = 60


def present_scenarios(scenarios: Sequence[Scenario], chosen: Sequence[str], session: str, page: int = 0) -> Card:
    """The scenarios to choose from. ``chosen``: file names. Acts ``scenario_pick`` and ``scenario_send``, which asks
    for the text that goes with them."""
    if not scenarios:
        return note_card(plain(tr("There are no scenarios yet: Markdown files in the directory that is configured.")))
    names = {each.filepath for each in scenarios}
    picked = [name for name in chosen if name in names]
    lines: list[Line] = [(Span(text=tr("Scenarios that go with your next message"), bold=True),)]
    lines.append(plain(trn("{n} chosen", "{n} chosen", len(picked))))
    rows: list[tuple[Button, ...]] = []
    for each in scenarios[page * PAGE : (page + 1) * PAGE]:
        mark = "✓ " if each.filepath in picked else ""
        data = {"file": each.filepath, "chosen": picked, "page": page}
        act = Act(do="scenario_pick", session=session, data=data)
        rows.append((Button(label=f"{mark}{brief(each.title, _TITLE)}", act=act),))
    turns = []
    for label, to in ((tr("‹ Back"), page - 1), (tr("More ›"), page + 1)):
        if 0 <= to * PAGE < len(scenarios):
            act = Act(do="scenario_pick", session=session, data={"chosen": picked, "page": to})
            turns.append(Button(label=label, act=act))
    if turns:
        rows.append(tuple(turns))
    if picked:
        act = Act(do="scenario_send", session=session, data={"chosen": picked})
        rows.append((Button(label=tr("Write the message…"), style="primary", act=act, asks=True),))
    return note_card(*lines, buttons=tuple(rows))


def present_scenarios_sent(titles: Sequence[str], text: str = "") -> Card:
    """The tags of a message that went with scenarios; ``text``: quoted, where no message of the person's shows it."""
    lines: list[Line] = [tag_line(titles)]
    if text:
        lines.append((Span(text=f"“{brief(text, 200)}”", italic=True),))
    return note_card(*lines)

"""The home post: what waits, what runs, what has finished, with links. One per person, kept current.

It tells a teammate only of the sessions they may hear of, and has only the buttons they may press.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.turn.waiting import asked_words, awaited
from bridge.cards.words import brief
from bridge.language import tr, trn

State = Literal["waiting", "undecided", "running", "finished"]
"""``waiting``: for the reader; ``undecided``: for others, who may decide."""
MOST: Final = 8
"""Sessions of one kind that are named."""
_TITLE: Final = 60


@dataclass(frozen=True, slots=True)
class HomeRow:
    """A session on the home post. ``link``: where it is shown; ``None`` where the platform has no address for that."""

    id: str
    title: str
    state: State
    link: str | None = None
    waits: int = 0
    """Requests that wait."""
    asked: str = ""
    """What the first of them is about, in a few words."""


def present_home(
    rows: Sequence[HomeRow],
    may: Sequence[str] = ("pending", "sessions", "new", "help"),
    *,
    owns: bool = True,
) -> Card:
    """Waiting first, then running, then finished; where there is none, what this is and, for the owner, how to begin.

    Acts ``sessions``, ``pending``, ``new`` and ``help``, as far as ``may`` has them, all answered below it.
    """
    lines: list[Line] = []
    by_state: dict[State, list[HomeRow]] = {"waiting": [], "undecided": [], "running": [], "finished": []}
    for row in rows:
        by_state[row.state].append(row)
    heads: dict[State, str] = {
        "waiting": trn("🟠 {n} waits for you", "🟠 {n} wait for you", len(by_state["waiting"])),
        "undecided": trn("🟠 {n} waits for others", "🟠 {n} wait for others", len(by_state["undecided"])),
        "running": trn("⚙️ {n} at work", "⚙️ {n} at work", len(by_state["running"])),
        "finished": trn("🟢 {n} finished", "🟢 {n} finished", len(by_state["finished"])),
    }
    for state, found in by_state.items():
        if not found:
            continue
        lines.append((Span(text=heads[state], bold=True),))
        lines += [_line(row) for row in found[:MOST]]
        if len(found) > MOST:
            lines.append(plain(trn("   and {n} more", "   and {n} more", len(found) - MOST)))
    if not lines:
        begin = _how_to_begin() if owns else (tr("Of the sessions you may see, what waits and runs will stand here."),)
        lines = [(Span(text=tr("Nothing waits and nothing runs."), bold=True),), *map(plain, begin)]
    waits = bool(by_state["waiting"] or by_state["undecided"])
    return note_card(*lines, buttons=_buttons(may, waits=waits))


def _buttons(may: Sequence[str], *, waits: bool) -> tuple[tuple[Button, ...], ...]:
    """Two in a row of a phone where there are four."""
    fresh = {"fresh": True}
    labels = {"sessions": tr("Sessions"), "new": tr("New session"), "help": tr("Help")}
    others = [Button(label=label, act=Act(do=do, data=fresh)) for do, label in labels.items() if do in may]
    if not waits or "pending" not in may:
        return (tuple(others),) if others else ()
    pending = Button(label=tr("What waits"), style="primary", act=Act(do="pending", data=fresh))
    rows = ((pending, *others[:1]), tuple(others[1:]))
    return tuple(row for row in rows if row)


def present_home_over() -> Card:
    """The same once its reader has no role any more."""
    return note_card(plain(tr("You have no role with this bot any more, so nothing is shown here.")))


def _how_to_begin() -> tuple[str, ...]:
    return (
        tr(
            "What your coding agents do appears here, each session in a place of its own, as soon as something is said."
        ),
        tr("Start one below, or with `hapi` on your computer. What waits for you will stand in this post."),
    )


def _line(row: HomeRow) -> Line:
    title = brief(row.title, _TITLE) or row.id[:8]
    spans = [Span(text="   "), Span(text=title, link=row.link)]
    if row.waits > 1:
        spans.append(Span(text=" · " + trn("{n} request", "{n} requests", row.waits)))
    if row.asked:
        spans.append(Span(text=f" · {brief(row.asked, 60)}"))
    return tuple(spans)


def present_reminder_over() -> Card:
    """The same once the request is over: the card it replies to says what became of it."""
    return note_card(plain(tr("Reminded of this. It is over now.")))


def present_reminder(title: str, tool: str, minutes: int, *, elsewhere: str = "") -> Card:
    """A request has waited for a while. ``elsewhere``: where it was asked now as well."""
    waited = trn("{n} minute", "{n} minutes", minutes)
    if awaited([tool]) == "answer":
        words = tr("⏰ {title} still waits for your answer, for {time}.", title=title, time=waited)
    else:
        about = asked_words(tool)
        words = tr(
            "⏰ {title} still waits for your decision: {tool}, for {time}.", title=title, tool=about, time=waited
        )
    more = [plain(tr("It was asked in {place} as well.", place=elsewhere))] if elsewhere else []
    return note_card(plain(words), *more)

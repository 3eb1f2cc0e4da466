"""The agent's own slash commands and skills, offered to be sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.words import brief
from bridge.language import tr

PAGE: Final = 8


@dataclass(frozen=True, slots=True)
class Offered:
    """A command: as it is written, and what it does."""

    written: str
    """With its mark: ``/compact``, ``$review``."""
    does: str = ""


def present_commands(session: str, title: str, offered: Sequence[Offered], at: int) -> Card:
    """A page of the commands (act ``agent_commands``); each opens its own card (act ``agent_command``)."""
    if not offered:
        return note_card(plain(tr("The agent of “{title}” tells of no commands.", title=brief(title, 60))))
    last = (len(offered) - 1) // PAGE
    at = max(0, min(at, last))
    shown = offered[at * PAGE : (at + 1) * PAGE]
    lines: list[Line] = [(Span(text=tr("Commands of “{title}”", title=brief(title, 60)), bold=True),)]
    for each in shown:
        does = f" · {brief(each.does, 100)}" if each.does else ""
        lines.append((Span(text=brief(each.written, 60), code=True), Span(text=does)))
    buttons = [_open(session, each, at) for each in shown]
    rows = [tuple(buttons[start : start + 2]) for start in range(0, len(buttons), 2)]
    turns = []
    if at:
        turns.append(Button(label=tr("‹ Back"), act=_page(session, at - 1)))
    if at < last:
        turns.append(Button(label=tr("More ›"), act=_page(session, at + 1)))
    return note_card(*lines, buttons=(*rows, *((tuple(turns),) if turns else ())))


def present_command(session: str, title: str, one: Offered, at: int) -> Card:
    """One command: sent as it is, or with words after it. Nothing is sent by opening it."""
    data = {"written": one.written, "does": one.does, "at": at}
    send = Button(
        label=tr("Send {command}", command=brief(one.written, 40)),
        style="primary",
        act=Act(do="agent_send", session=session, data=data),
    )
    more = Button(label=tr("With words…"), act=Act(do="agent_words", session=session, data=data), asks=True)
    back = Button(label=tr("‹ Commands"), act=_page(session, at))
    does = [plain(brief(one.does, 600))] if one.does else []
    return note_card(
        (Span(text=brief(one.written, 100), code=True), Span(text=f" · {brief(title, 60)}")),
        *does,
        buttons=((back,), (send, more)),
    )


def present_sent(text: str, title: str) -> Card:
    """It was sent."""
    words = tr("Sent to “{title}”:", title=brief(title, 60))
    return note_card((Span(text=f"{words} "), Span(text=brief(text, 300), code=True)))


def _open(session: str, each: Offered, at: int) -> Button:
    data = {"written": each.written, "does": brief(each.does, 600), "at": at}
    return Button(label=brief(each.written, 40), act=Act(do="agent_command", session=session, data=data))


def _page(session: str, at: int) -> Act:
    return Act(do="agent_commands", session=session, data={"at": at})

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


def like(offered: Sequence[Offered], words: str) -> list[Offered]:
    """Those that fit what was begun to be written, as a completion has them: whose name begins so, then whose name
    holds it, then which tell of it. All of them for no words. Upper and lower case are one."""
    wanted = words.strip().lstrip("/$").casefold()
    names = [(each.written[1:].casefold(), each) for each in offered]
    begin = [each for name, each in names if name.startswith(wanted)]
    hold = [each for name, each in names if wanted in name and each not in begin]
    tell = [each for name, each in names if wanted in each.does.casefold() and wanted not in name]
    return [*begin, *hold, *tell]


def present_commands(session: str, title: str, offered: Sequence[Offered], at: int, words: str = "") -> Card:
    """A page of the commands (act ``agent_commands``); each opens its own card (act ``agent_command``). ``words``: what
    they are like."""
    if not offered and words:
        every = Button(label=tr("All commands"), act=_page(session, 0, ""))
        none = tr("No command of “{title}” is like “{words}”.", title=brief(title, 60), words=brief(words, 60))
        return note_card(plain(none), buttons=((every,),))
    if not offered:
        return note_card(plain(tr("The agent of “{title}” tells of no commands.", title=brief(title, 60))))
    last = (len(offered) - 1) // PAGE
    at = max(0, min(at, last))
    shown = offered[at * PAGE : (at + 1) * PAGE]
    head = tr("Commands of “{title}”", title=brief(title, 60))
    if words:
        head = tr("Commands of “{title}” like “{words}”", title=brief(title, 60), words=brief(words, 60))
    lines: list[Line] = [(Span(text=head, bold=True),)]
    for each in shown:
        does = f" · {brief(each.does, 100)}" if each.does else ""
        lines.append((Span(text=brief(each.written, 60), code=True), Span(text=does)))
    buttons = [_open(session, each, at, words) for each in shown]
    rows = [tuple(buttons[start : start + 2]) for start in range(0, len(buttons), 2)]
    turns = []
    if at:
        turns.append(Button(label=tr("‹ Back"), act=_page(session, at - 1, words)))
    if at < last:
        turns.append(Button(label=tr("More ›"), act=_page(session, at + 1, words)))
    return note_card(*lines, buttons=(*rows, *((tuple(turns),) if turns else ())))


def present_command(session: str, title: str, one: Offered, at: int, words: str = "") -> Card:
    """One command: sent as it is, or with words after it. Nothing is sent by opening it. ``at`` and ``words``: the page
    that it was on."""
    data = {"written": one.written, "does": one.does, "at": at}
    send = Button(
        label=tr("Send {command}", command=brief(one.written, 40)),
        style="primary",
        act=Act(do="agent_send", session=session, data=data),
    )
    more = Button(label=tr("With words…"), act=Act(do="agent_words", session=session, data=data), asks=True)
    back = Button(label=tr("‹ Commands"), act=_page(session, at, words))
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


def _open(session: str, each: Offered, at: int, words: str) -> Button:
    data = {"written": each.written, "does": brief(each.does, 600), "at": at, "words": words}
    return Button(label=brief(each.written, 40), act=Act(do="agent_command", session=session, data=data))


def _page(session: str, at: int, words: str) -> Act:
    return Act(do="agent_commands", session=session, data={"at": at, "words": words})

"""Cards about a person's own messages: came too late, waiting in the queue, planned for later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.words import brief
from bridge.language import tr, trn

_QUOTE: Final = 200
_ROW: Final = 120


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A message that waits: its id, its text, its session, in words when it goes, and whether it can be steered."""

    local_id: str
    text: str
    session: str
    title: str
    when: str = ""
    """``Mon 18:30``; empty for one that only waits for its turn."""
    steers: bool = False


def present_too_late(
    text: str = "", *, why: str = "", session: str = "", message: str = "", local_id: str = ""
) -> Card:
    """A change came too late to count. With ``text``, the changed words can be sent as a correction: act ``correct``.

    ``message``, ``local_id``: the platform's and the hub's id of the message that was changed.
    """
    words = why or tr("Too late: the agent has taken this message already.")
    if not text:
        return note_card(plain(words))
    act = Act(do="correct", session=session, data={"text": text, "message": message, "local_id": local_id})
    button = Button(label=tr("Send as correction"), act=act)
    return note_card(plain(words), _quote(text), buttons=((button,),))


def present_corrected(text: str) -> Card:
    """The same card once the correction was sent."""
    return note_card(
        plain(tr("Sent as a correction.")), _quote(text), buttons=((Button(label=tr("Sent as a correction.")),),)
    )


def present_scheduled(message: OwnMessage, zone: str) -> Card:
    """A message is planned for later. Act ``unsay`` cancels it."""
    line = tr(
        "🕒 Will be sent {when} ({zone}) to {title}.", when=message.when, zone=zone, title=brief(message.title, 80)
    )
    return note_card(plain(line), _quote(message.text), buttons=((_cancel(message, tr("Cancel")),),))


def present_unsaid(text: str, *, scheduled: bool = False) -> Card:
    """The same card once it was cancelled."""
    words = tr("Cancelled. It will not be sent.") if scheduled else tr("Taken back before the agent saw it.")
    return note_card(plain(words), _quote(text), buttons=((Button(label=tr("Cancelled")),),))


def present_matured(text: str) -> Card:
    """The same card once its time had come and the agent took it."""
    return note_card(plain(tr("The planned message was sent.")), _quote(text), buttons=((Button(label=tr("Sent")),),))


def present_own_messages(messages: Sequence[OwnMessage], more: int = 0) -> Card:
    """The messages that wait, each with its own buttons: acts ``unsay`` and, where the agent can, ``steer``."""
    if not messages:
        return note_card(plain(tr("None of your messages waits.")))
    head = trn("{n} message waits", "{n} messages wait", len(messages) + more)
    lines: list[Line] = [(Span(text=head, bold=True),)]
    rows: list[tuple[Button, ...]] = []
    for number, message in enumerate(messages, start=1):
        when = f"🕒 {message.when}" if message.when else "👀"
        lines.append(plain(f"{number}. {when} · {brief(message.title, 60)}"))
        lines.append((Span(text=f"   {brief(message.text, _ROW)}", italic=True),))
        row = [_cancel(message, tr("Cancel {number}", number=number))]
        if message.steers:
            act = Act(do="steer", session=message.session, data={"local_id": message.local_id})
            row.append(Button(label=tr("Steer {number} in now", number=number), act=act))
        rows.append(tuple(row))
    if more:
        lines.append(plain(trn("and {n} more", "and {n} more", more)))
    return note_card(*lines, buttons=tuple(rows))


def _cancel(message: OwnMessage, label: str) -> Button:
    return Button(label=label, act=Act(do="unsay", session=message.session, data={"local_id": message.local_id}))


def _quote(text: str) -> Line:
    return (Span(text=f"“{brief(text, _QUOTE)}”", italic=True),)

"""Cards for what came late: an old press or text is shown back with what happened since, to be done now or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bridge.cards.model import Act, Button, Card, Line, Span, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.words import brief
from bridge.language import tr, trn

QUOTE: Final = 200


def happened(counts: Mapping[str, int], ended: str = "") -> str:
    """What happened since, in words. ``counts``: new posts by kind; ``ended``: what became of the request meant."""
    parts = []
    if turns := counts.get("turn", 0):
        parts.append(trn("{n} turn began", "{n} turns began", turns))
    if answers := counts.get("answer", 0):
        parts.append(trn("{n} answer came", "{n} answers came", answers))
    if requests := counts.get("approval", 0):
        parts.append(trn("{n} request came", "{n} requests came", requests))
    since = tr("Since then: {what}.", what=tr(", ").join(parts)) if parts else tr("Nothing was shown since then.")
    return f"{since} {ended}" if ended else since


def present_stale_press(label: str, name: str, minutes: int, since: str, now: Act | None, drop: Act | None) -> Card:
    """A press that may be old. Without ``now`` it can't be done any more."""
    values = {"label": brief(label, 60), "name": brief(name, 60)}
    asked = trn(
        "{name} pressed “{label}” when I could not hear it, up to {n} minute ago. It was not carried out.",
        "{name} pressed “{label}” when I could not hear it, up to {n} minutes ago. It was not carried out.",
        minutes,
        **values,
    )
    return note_card(plain(asked), plain(since), buttons=_buttons(now, drop))


def present_stale_text(text: str, minutes: int, since: str, now: Act, drop: Act) -> Card:
    """A text whose session has moved on since it was written."""
    asked = trn(
        "This was written {n} minute ago, and the session has moved on. It was not passed on yet.",
        "This was written {n} minutes ago, and the session has moved on. It was not passed on yet.",
        minutes,
    )
    return note_card(plain(asked), _quote(text), plain(since), buttons=_buttons(now, drop))


def present_stale_command(text: str, minutes: int, since: str, now: Act, drop: Act) -> Card:
    """A command whose session has moved on since it was said."""
    asked = trn(
        "This was written {n} minute ago, and the session has moved on. It was not carried out.",
        "This was written {n} minutes ago, and the session has moved on. It was not carried out.",
        minutes,
    )
    return note_card(plain(asked), _quote(text), plain(since), buttons=_buttons(now, drop))


def present_stale_over(words: str, text: str = "") -> Card:
    """The same card once it was done or dropped."""
    return note_card(plain(words), *([_quote(text)] if text else []), buttons=((Button(label=words),),))


def _buttons(now: Act | None, drop: Act | None) -> tuple[tuple[Button, ...], ...]:
    if now is None or drop is None:
        return ()
    return ((Button(label=tr("Do it now"), act=now), Button(label=tr("Drop"), act=drop)),)


def _quote(text: str) -> Line:
    return (Span(text=f"“{brief(text, QUOTE)}”", italic=True),)

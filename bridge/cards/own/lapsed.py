"""Cards for what nobody decided on: what was kept back is given up after a while, and stands there whole."""

from __future__ import annotations

from bridge.cards.model import Card, Text, plain
from bridge.cards.words import brief


def present_lapsed(words: str, text: str) -> Card:
    """A note that asked, once it is given up: ``words`` on that, and the person's own text, all of it.

    What does not fit comes as a file (invariant 2). It has no buttons: there is nothing left to press.
    """
    said = Text(lines=(plain(words),), spill="note.txt")
    written = Text(lines=tuple(plain(line) for line in text.split("\n")), spill="message.txt")
    return Card(pieces=(said, written) if text else (said,), summary=brief(words, 120), one_message=True)

"""A list that others read along names only what is shown in their place; one line says that there is more."""

from __future__ import annotations

from bridge.cards.model import Card, Text, plain
from bridge.language import tr


def with_more_in_private(card: Card) -> Card:
    """The list, and that the reader finds others in their own chat with the bot."""
    more = Text(lines=(plain(tr("More in your private chat with me.")),))
    return card.model_copy(update={"pieces": (*card.pieces, more)})

"""The digest: many texts that came while the bridge was away, as one card with all of them in its file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridge.cards.model import Card, Code, File, Fold, Line, Markdown, Panel, Piece, Span, Text, plain
from bridge.language import tr, trn

_SHOWN = 3
_EXCERPT = 200


def present_digest(cards: Sequence[Card]) -> Card:
    """What was missed: how much, the newest few in short, and everything in ``missed.md``, oldest first."""
    texts = ["\n\n".join(_texts(card.pieces)).strip() for card in cards]
    newest = [" ".join(text.split()) for text in texts if text][-_SHOWN:]
    came = trn(
        "{n} message came while the bridge was away.", "{n} messages came while the bridge was away.", len(cards)
    )
    lines: list[Line] = [
        (Span(text=came, bold=True),),
        plain(tr("All of them are in {name}. The newest:", name="missed.md")),
        *(plain(f"• {text[:_EXCERPT]}{'…' if len(text) > _EXCERPT else ''}") for text in newest),
    ]
    whole = File(name="missed.md", text="\n\n---\n\n".join(texts), media_type="text/markdown")
    return Card(
        pieces=(Text(lines=tuple(lines)),),
        files=(whole,),
        summary=trn("{n} message missed", "{n} messages missed", len(cards)),
        one_message=True,
    )


def _texts(pieces: Iterable[Piece]) -> Iterable[str]:
    """The words of a card's pieces, in order."""
    for piece in pieces:
        match piece:
            case Markdown() | Code():
                yield piece.source
            case Text():
                yield "\n".join("".join(span.text for span in line) for line in piece.lines)
            case Fold():
                yield from _texts(piece.pieces)
            case Panel():
                for section in piece.sections:
                    yield from _texts(section.pieces)

"""What people said elsewhere, shown silently in its place."""

from __future__ import annotations

from typing import Final

from bridge.cards.model import Card, Line, Piece, Span, Text, plain
from bridge.cards.words import brief, size
from bridge.transcript.blocks import Attachment, UserText

_ORIGINS: Final = {"webapp": "web", "cli": "terminal", "telegram-bot": "Telegram", "slack-bot": "Slack"}


def origin_words(sent_from: str | None) -> str:
    """``web`` for ``webapp`` and so on; an unknown word as it is."""
    return _ORIGINS.get(sent_from or "", brief(sent_from, 30))


def present_user_text(block: UserText, origin: str = "") -> Card:
    """``You · web: …`` with the text as written, and its attachments. ``origin`` as in ``meta.sentFrom``."""
    where = origin_words(origin or block.sent_from)
    head = Span(text=f"You · {where}: " if where else "You: ", bold=True)
    first, *rest = block.text.split("\n")
    pieces: list[Piece] = [Text(lines=((head, Span(text=first)), *(plain(line) for line in rest)), spill="message.txt")]
    files = tuple(_attachment(each) for each in block.attachments)
    if files:
        pieces.append(Text(lines=files, spill="attachments.txt"))
    return Card(pieces=tuple(pieces), summary=brief(f"{head.text}{block.text}", 120))


def _attachment(attachment: Attachment) -> Line:
    facts = " · ".join(part for part in (brief(attachment.mime_type, 60), size(attachment.size)) if part)
    line = [Span(text="File: "), Span(text=brief(attachment.filename, 120) or "unnamed", code=True)]
    if facts:
        line.append(Span(text=f" · {facts}"))
    return tuple(line)

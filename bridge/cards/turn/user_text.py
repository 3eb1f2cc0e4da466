"""What people said elsewhere, shown silently in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from bridge.cards.model import Card, Line, Piece, Span, Text, code, plain
from bridge.cards.phrase import phrase
from bridge.cards.words import brief, size
from bridge.language import N_, tr
from bridge.transcript.blocks import Attachment, UserText
from bridge.transcript.content import FileReference, recognise_user_message
from bridge.transcript.scenarios import split_scenarios

_ORIGINS: Final = {"webapp": N_("web"), "cli": N_("terminal"), "telegram-bot": "Telegram", "slack-bot": "Slack"}


def origin_words(sent_from: str | None) -> str:
    """``web`` for ``webapp`` and so on; an unknown word as it is."""
    known = _ORIGINS.get(sent_from or "")
    return tr(known) if known else brief(sent_from, 30)


def present_user_text(block: UserText, origin: str = "") -> Card:
    """``You · web: …`` with the text as written, its scenario tags and its attachments.

    ``origin`` as in ``meta.sentFrom``; the block's own where empty.
    """
    message = recognise_user_message(block.text)
    text, scenarios = (message.text, message.scenarios) if message else split_scenarios(block.text)
    where = origin_words(origin or block.sent_from)
    head = Span(text=tr("You · {where}: ", where=where) if where else tr("You: "), bold=True)
    first, *rest = text.split("\n")
    pieces: list[Piece] = [Text(lines=((head, Span(text=first)), *(plain(line) for line in rest)), spill="message.txt")]
    under = [_attachment(each) for each in block.attachments]
    if message:
        under += [_file(each) for each in message.files]
    if scenarios:
        pieces.append(Text(lines=(tag_line([each.title for each in scenarios]),), spill="scenarios.txt"))
    if under:
        pieces.append(Text(lines=tuple(under), spill="attachments.txt"))
    return Card(pieces=tuple(pieces), summary=brief(f"{head.text}{text}", 120))


def _attachment(attachment: Attachment) -> Line:
    return _file_line(attachment.filename, attachment.mime_type, attachment.size)


def _file(reference: FileReference) -> Line:
    return _file_line(reference.name, reference.mime_type, reference.extra.get("size"))


def _file_line(name: str, media_type: str, bytes_: Any) -> Line:
    facts = " · ".join(part for part in (brief(media_type, 60), size(bytes_)) if part)
    line = [*phrase(tr("File: {name}"), name=code(brief(name, 120) or tr("unnamed")))]
    if facts:
        line.append(Span(text=f" · {facts}"))
    return tuple(line)


def tag_line(titles: Sequence[str]) -> Line:
    """Scenarios as tags."""
    spans = [Span(text="🏷 ")]
    for title in titles:
        spans += [Span(text=brief(title, 80), code=True), Span(text=" ")]
    return tuple(spans[:-1])

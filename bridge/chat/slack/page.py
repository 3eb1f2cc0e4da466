"""The App Home: cards one below the other. Pure and total (invariant 5).

A card that does not fit whole is only named there, without its buttons: nothing can be approved unseen. Home tabs take
no attachments and no ``markdown`` blocks; there agents' Markdown is shown as it was written.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge.cards.model import Card, Code, Markdown, Piece
from bridge.chat.slack.lines import Json
from bridge.chat.slack.payload import INERT
from bridge.chat.slack.render import render
from bridge.chat.surface import Place
from bridge.language import N_, tr

MOST_BLOCKS = 100
_KINDS = frozenset(("actions", "context", "divider", "header", "rich_text", "section"))
_LEFT_OUT = N_("Not all of it fits here. The rest is in the sessions' own threads.")
_ELSEWHERE = N_("This one is too long for this page: read it and decide it in its session's own thread.")


def page_view(items: Sequence[tuple[str, Card]]) -> Json:
    """The view that shows cards; each comes with its post's key, from which its buttons' tokens are made."""
    blocks: list[Json] = []
    for key, card in items:
        drawn = _drawn(key, card)
        if len(blocks) + len(drawn) + 2 > MOST_BLOCKS:
            blocks.append(_words(tr(_LEFT_OUT)))
            break
        blocks += [{"type": "divider"}, *drawn] if blocks else drawn
    return {"type": "home", "blocks": blocks}


def _drawn(key: str, card: Card) -> list[Json]:
    plain = card.model_copy(update={"pieces": tuple(map(_plain, card.pieces))})
    parts = render(key, plain, Place(0, ""))
    payload = parts[0].payload
    blocks = payload.get("blocks", [])
    whole = len(parts) == 1 and not payload.get("attachments") and all(block["type"] in _KINDS for block in blocks)
    if not whole:
        return [_words(card.summary), _words(tr(_ELSEWHERE))]
    return [kept for block in blocks if (kept := _acting(block)) is not None]


def _plain(piece: Piece) -> Piece:
    return Code(source=piece.source, spill=piece.spill, keep=piece.keep) if isinstance(piece, Markdown) else piece


def _acting(block: Json) -> Json | None:
    """A block without the buttons that only say something, whose ids would come twice on a page."""
    if block["type"] != "actions":
        return block
    elements = [each for each in block["elements"] if not each["action_id"].startswith(INERT)]
    return {**block, "elements": elements} if elements else None


def _words(text: str) -> Json:
    return {"type": "section", "text": {"type": "plain_text", "text": text[:3000] or "…", "emoji": False}}

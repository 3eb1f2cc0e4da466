"""Cards as Telegram messages: text with entities, never markup (invariant 6).

Pure and total (invariant 5). The steps: pieces become blocks of measured lines (``render_blocks``), long pieces are
shortened (``shorten``), blocks are cut into messages (``split``), lines become text and entities (``entities``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bridge.cards.model import Button, Card, File
from bridge.cards.spill import media_type, merged, shortened_words, whole_text
from bridge.cards.text import has_visible, utf16_len
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.buttons import forced_reply, keyboard
from bridge.chat.telegram.entities import PLAIN, Line, compose, line
from bridge.chat.telegram.render_blocks import Flow, flows_of
from bridge.chat.telegram.render_runs import text_lines
from bridge.chat.telegram.shorten import shorten, shorten_flow
from bridge.chat.telegram.split import MAX_UNITS, Block, cut, pack
from bridge.language import trn

MAX_CAPTION = 1024
PHOTOS = frozenset({"image/png", "image/jpeg", "image/webp"})
"""What is sent as a photo, seen at once, as long as it is small enough; anything else is a file."""
DULL = "⋯"
"""Shown where a card has nothing visible: no post is ever empty."""
_OPENING_UNITS = 1_600
_OUTLINE_UNITS = 1_800
_LIVE_BREAK = "\u2060"


def render(key: str, card: Card, place: Place) -> list[Part]:
    """Draw a card as Telegram messages: at least one part, every one within the platform's limits.

    Text parts hold ``text``, ``entities``, ``link_preview_options`` and, on the last one, ``reply_markup``; file
    parts hold ``caption`` and ``caption_entities`` if the place has a header.
    """
    flows = list(flows_of(card.pieces, table_files=not card.one_message))
    header = Flow([Block(list(text_lines([place.header])), glue=True)]) if place.header else Flow([])
    buttons: tuple[tuple[Button, ...], ...] = card.buttons
    spilled: list[File] = []
    if card.one_message:
        spilled = shorten([header, *flows], card)
    else:
        for flow in flows:
            files = shorten_flow(flow, card, MAX_UNITS * 3 // 4)
            spilled += files if card.spill_now else []
    messages = pack(_spaced([header, *flows]))
    if card.long_after is not None and len(messages) > card.long_after:
        whole = "\n\n".join(whole_text(flow.leaf) for flow in flows if flow.leaf is not None)
        spilled = [File(name=card.long_file, text=whole, media_type=media_type(card.long_file))]
        flows = [_opening(flows, card.long_file)]
        messages = pack(_spaced([header, *flows]))
        buttons = (*buttons, (card.long_button,)) if card.long_button else buttons
    else:
        spilled += [file for flow in flows for file in flow.files]
    texts = [text_part(*compose(lines)) for lines in messages]
    if not any(flow.blocks and any(has_visible(item.text) for item in flow.lines) for flow in flows):
        dull = Flow([Block([line([(card.summary if has_visible(card.summary) else DULL, PLAIN)])])])
        texts = [text_part(*compose(lines)) for lines in pack(_spaced([header, dull]))]
    markup = keyboard(key, buttons)
    if markup is None and card.wants_reply is not None:
        markup = forced_reply(card.wants_reply)
    if markup:
        texts[-1].payload["reply_markup"] = markup
    attached = [_file_part(file, place) for file in merged([*spilled, *card.files])]
    if card.captioned and (captioned := _captioned(texts, attached)):
        return captioned
    return [*attached, *texts] if card.files_first else [*texts, *attached]


def text_part(text: str, entities: list[dict[str, Any]]) -> Part:
    """One message. Previews are off in every one: an address in a text is never fetched (invariant 6)."""
    payload: dict[str, Any] = {"text": text, "link_preview_options": {"is_disabled": True}}
    if entities:
        payload["entities"] = entities
    return Part("text", payload)


def duller(part: Part) -> Part | None:
    """A plainer form of a rejected part, or ``None`` if there is none left.

    First without what Telegram is most particular about: links, times, styles and buttons that only copy or open
    something; code stays, since it keeps mentions dead. Then without any entity, mentions and commands broken by an
    invisible character. Buttons that act, and inert ones, stay always.
    """
    key = "caption_entities" if part.kind == "file" else "entities"
    payload = dict(part.payload)
    markup = _acting_only(payload.pop("reply_markup", None))
    entities = payload.pop(key, [])
    plainer = [
        {"type": "code", "offset": entity["offset"], "length": entity["length"]}
        for entity in entities
        if entity["type"] in ("code", "pre", "text_link")
    ]
    if markup:
        payload["reply_markup"] = markup
    field, most = ("caption", MAX_CAPTION) if part.kind == "file" else ("text", MAX_UNITS)
    if plainer and (plainer != entities or markup != part.payload.get("reply_markup")):
        payload[key] = plainer
    elif plainer:
        payload[field] = _unlinked(payload[field], most)
    if payload != part.payload:
        return replace(part, payload=payload)
    if part.file is not None and part.file.source is not None and part.file.media_type in PHOTOS:
        return replace(part, file=part.file.model_copy(update={"media_type": "application/octet-stream"}))
    return None


def _captioned(texts: Sequence[Part], files: Sequence[Part]) -> list[Part] | None:
    """A text and a file in one message; None where they are not one of each, or the text is no caption."""
    if len(texts) != 1 or len(files) != 1:
        return None
    payload = texts[0].payload
    if "reply_markup" in payload or utf16_len(payload["text"]) > MAX_CAPTION:
        return None
    caption = {"caption": payload["text"]}
    if "entities" in payload:
        caption["caption_entities"] = payload["entities"]
    return [replace(files[0], payload=caption)]


def _acting_only(markup: dict[str, Any] | None) -> dict[str, Any] | None:
    if markup is None or "inline_keyboard" not in markup:
        return None
    rows = [
        [
            {"text": button["text"], "callback_data": button["callback_data"]}
            for button in row
            if "callback_data" in button
        ]
        for row in markup["inline_keyboard"]
    ]
    return {"inline_keyboard": kept} if (kept := [row for row in rows if row]) else None


def _unlinked(text: str, most: int) -> str:
    broken = text.replace("@", f"@{_LIVE_BREAK}").replace("/", f"/{_LIVE_BREAK}")
    return broken if utf16_len(broken) <= most else text.replace("@", "＠").replace("/", "∕")


def _spaced(flows: Iterable[Flow]) -> list[Block]:
    """Blocks in order, with the gaps between them: an empty line, but none after a heading or beside a box."""
    blocks: list[Block] = []
    before: Block | None = None
    for block in (block for flow in flows for block in flow.blocks if block.lines):
        first = block.lines[0]
        if before is not None:
            last = before.lines[-1]
            one_boxed = bool(last.boxes) != bool(first.boxes)
            first.gap = 1 if before.glue or one_boxed else 2
        blocks.append(block)
        before = block
    return blocks


def _opening(flows: Sequence[Flow], name: str) -> Flow:
    """The first blocks of a long answer, then its headings, then where the whole is; always one message."""
    blocks = [block for flow in flows for block in flow.blocks]
    kept: list[Block] = []
    units, entities = _OPENING_UNITS, 40
    rest = 0
    for rest, block in enumerate(blocks):  # noqa: B007
        units -= sum(item.units + 2 for item in block.lines)
        entities -= sum(len(item.entities) + len(item.boxes) for item in block.lines)
        if units < 0 or entities < 0:
            break
        kept.append(block)
    if not kept and blocks:
        kept = [Block(_opening_lines(blocks[0]))]
    while kept and kept[-1].heading:
        kept.pop()
    outline = [line([("⋯", PLAIN)])]
    left = _OUTLINE_UNITS
    headings = [block for block in blocks[len(kept) :] if block.heading]
    for index, block in enumerate(headings):
        text = " ".join(item.text for item in block.lines)
        drawn = next(cut(line([(f"• {text}", PLAIN)]), 160, 10), None)
        if drawn is None or left - drawn.units - 1 < 0 or index >= 40 or len(drawn.entities) > 1:
            more = trn("⋯ and {n} more heading", "⋯ and {n} more headings", len(headings) - index)
            outline.append(line([(more, PLAIN)]))
            break
        left -= drawn.units + 1
        outline.append(drawn)
    outline.append(line([(shortened_words(name, now=True), PLAIN)]))
    return Flow([*kept, Block(outline)])


def _opening_lines(block: Block) -> list[Line]:
    kept: list[Line] = []
    units, entities = _OPENING_UNITS, 40
    for item in block.lines:
        entities -= len(item.entities) + len(item.boxes)
        if item.units + 1 > units or entities < 0:
            if not kept:
                kept = [next(cut(item, units, 30))]
            break
        units -= item.units + 1
        kept.append(item)
    return kept


def _file_part(file: File, place: Place) -> Part:
    payload: dict[str, Any] = {}
    if place.header:
        captions = pack([Block(list(text_lines([place.header])))], MAX_CAPTION)
        if captions:
            caption, entities = compose(captions[0])
            payload["caption"] = caption
            if entities:
                payload["caption_entities"] = entities
    return Part("file", payload, file)

"""Cards as Slack messages: arguments of ``chat.postMessage`` without address.

Pure and total (invariant 5). The steps: pieces become blocks of measured lines (``render_blocks``), long pieces are
shortened (``shorten``), blocks are cut into messages (``split``), and only then drawn (``blocks``): an agent's answer
as native ``markdown`` blocks where those show exactly what was written, everything else as rich text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bridge.cards.model import Button, Card, File
from bridge.cards.spill import media_type, merged, shortened_words, whole_text
from bridge.cards.text import has_visible, reach
from bridge.chat.slack.blocks import compose
from bridge.chat.slack.buttons import actions, weight
from bridge.chat.slack.dull import dull_payload, plain_text
from bridge.chat.slack.lines import MAX_BLOCKS, MAX_WEIGHT, PLAIN, Block, Flow, Json, Line, cut, line
from bridge.chat.slack.live import live_form
from bridge.chat.slack.mrkdwn import escape
from bridge.chat.slack.render_blocks import TableRule, flows_of, header_flow
from bridge.chat.slack.shorten import shorten, shorten_flow
from bridge.chat.slack.split import SPARE_BLOCKS, Room, pack
from bridge.chat.surface import Part, Place
from bridge.language import trn

DULL = "⋯"
"""Shown where a card has nothing visible: no post is ever empty."""
_OPENING_BLOCKS = 20
"""Far below what a message holds: many are small, and the outline and the buttons come on top."""
_OPENING_WEIGHT = 3_000
_OUTLINE_WEIGHT = 4_000
_MOST_HEADINGS = 40
_NOTIFIED_UNITS = 300


def render(key: str, card: Card, place: Place) -> list[Part]:
    """Draw a card as Slack messages: at least one part, every one within the platform's limits.

    Text parts hold ``text`` (for notifications, never empty), ``blocks``, ``attachments`` (empty where there are
    none, so that an edit takes away what was there), ``unfurl_links`` and ``unfurl_media``. File parts hold
    ``initial_comment`` if the place has a header. Buttons' ``action_id`` is ``button_token(key, act)``.
    """
    buttons: tuple[tuple[Button, ...], ...] = card.buttons
    long_buttons = (*buttons, (card.long_button,)) if card.long_button else buttons
    room = _room(actions(key, long_buttons if card.long_after is not None else buttons))
    flows = list(flows_of(card.pieces, TableRule(0 if card.one_message else room.weight - 1_000, not card.one_message)))
    header = header_flow(place.header)
    spilled: list[File] = []
    if card.one_message:
        spilled = shorten([header, *flows], card, room)
    else:
        for flow in flows:
            files = shorten_flow(flow, card, room.weight * 3 // 4)
            spilled += files if card.spill_now else []
    messages = pack(_blocks([header, *flows]), room)
    if card.long_after is not None and len(messages) > card.long_after:
        whole = "\n\n".join(whole_text(flow.leaf) for flow in flows if flow.leaf is not None)
        spilled = [File(name=card.long_file, text=whole, media_type=media_type(card.long_file))]
        flows = [_opening(flows, card.long_file)]
        messages = pack(_blocks([header, *flows]), room)
        buttons = long_buttons
    else:
        spilled += [file for flow in flows for file in flow.files]
    if not any(_shows(flow) for flow in flows):
        dull = Flow([Block([line([(card.summary if has_visible(card.summary) else DULL, PLAIN)])])])
        messages = pack(_blocks([header, dull]), room)
    texts = [_text_part(message, card, place, index) for index, message in enumerate(messages)]
    drawn = actions(key, buttons)
    _add_actions(texts[-1].payload, drawn)
    if len(texts) == 1 and (live := live_form(card, drawn)) is not None:
        texts = [replace(texts[0], live=live)]
    attached = [_file_part(file, place) for file in merged([*spilled, *card.files])]
    if card.captioned and len(texts) == len(attached) == 1 and not card.buttons:
        words = plain_text(texts[0].payload["blocks"])
        return [replace(attached[0], payload={"initial_comment": escape(words)})]
    return [*attached, *texts] if card.files_first else [*texts, *attached]


def duller(part: Part) -> Part | None:
    """A plainer form of a rejected part, or ``None`` if there is none left.

    First the same words as plain text, without attachments and tables, with the buttons that act; then, if no such
    button needs blocks, as ``text`` alone. A file's comment goes at once.
    """
    if part.kind == "file":
        return replace(part, payload={}) if part.payload else None
    plainer = dull_payload(part.payload)
    return Part(part.kind, plainer, part.file) if plainer is not None else None


def _room(buttons: Sequence[Json]) -> Room:
    return Room(MAX_WEIGHT - weight(buttons), MAX_BLOCKS - SPARE_BLOCKS - len(buttons))


def _blocks(flows: Iterable[Flow]) -> list[Block]:
    return [block for flow in flows for block in flow.blocks if block.lines]


def _shows(flow: Flow) -> bool:
    return any(block.table or block.mode == "rule" for block in flow.blocks) or any(
        item.lead or has_visible(item.text) for item in flow.lines
    )


def _text_part(message: Sequence[Block], card: Card, place: Place, index: int) -> Part:
    blocks, attachments = compose(message)
    words = plain_text([*blocks, *(block for one in attachments for block in one["blocks"])])
    header = "".join(span.text for span in place.header)
    if index == 0 and has_visible(card.summary):
        words = f"{header}: {card.summary}" if has_visible(header) else card.summary
    words = " ".join(words.split())
    words = words[: reach(words, 0, _NOTIFIED_UNITS, force=True)] if has_visible(words) else DULL
    payload: Json = {
        "text": escape(words if has_visible(words) else DULL),
        "blocks": blocks,
        "attachments": attachments,
        "unfurl_links": False,
        "unfurl_media": False,
    }
    return Part("text", payload)


def _add_actions(payload: Json, drawn: list[Json]) -> None:
    """Buttons come last; below attachments only an attachment can be."""
    if drawn and payload["attachments"]:
        payload["attachments"] = [*payload["attachments"], {"blocks": drawn}]
    else:
        payload["blocks"] = [*payload["blocks"], *drawn]


def _opening(flows: Sequence[Flow], name: str) -> Flow:
    """The first blocks of a long answer, then its headings, then where the whole is; always one message."""
    blocks = [block for flow in flows for block in flow.blocks]
    kept: list[Block] = []
    left = _OPENING_WEIGHT
    for block in blocks:
        left -= block.weight
        if left < 0 or len(kept) >= _OPENING_BLOCKS:
            break
        kept.append(block)
    if not kept and blocks:
        kept = [blocks[0].part(_opening_lines(blocks[0]))]
        kept[0].table = None
        kept[0].mode = "rich" if kept[0].mode == "table" else kept[0].mode
    while kept and kept[-1].heading:
        kept.pop()
    outline = [line([("⋯", PLAIN)], gap=True)]
    left = _OUTLINE_WEIGHT
    headings = [block for block in blocks[len(kept) :] if block.heading]
    for index, block in enumerate(headings):
        text = " ".join(item.text for item in block.lines)
        drawn = next(cut(line([(f"• {text}", PLAIN)]), 300))
        left -= drawn.weight
        if left < 0 or index >= _MOST_HEADINGS:
            more = trn("⋯ and {n} more heading", "⋯ and {n} more headings", len(headings) - index)
            outline.append(line([(more, PLAIN)]))
            break
        outline.append(drawn)
    outline.append(line([(shortened_words(name, now=True), PLAIN)]))
    last = kept[-1] if kept else Block([])
    return Flow([*kept, Block(outline, box=last.box, group=last.group)])


def _opening_lines(block: Block) -> list[Line]:
    kept: list[Line] = []
    left = _OPENING_WEIGHT
    for item in block.lines:
        cost = item.weight + item.extra
        if cost > left:
            return kept or [next(cut(item, left))]
        left -= cost
        kept.append(item)
    return kept


def _file_part(file: File, place: Place) -> Part:
    header = " ".join("".join(span.text for span in place.header).split())
    payload: Json = {"initial_comment": escape(header)} if has_visible(header) else {}
    return Part("file", payload, file)

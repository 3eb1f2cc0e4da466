"""A message's blocks of lines as Slack's blocks and attachments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge.cards.text import utf16_len
from bridge.chat.slack.lines import BLOCK_WEIGHT, MAX_WEIGHT, Block, Box, Json
from bridge.chat.slack.native import markdown_or_none
from bridge.chat.slack.render_markdown import read_markdown
from bridge.chat.slack.rich import rich_text

CONTINUES: Json = {"type": "context", "elements": [{"type": "plain_text", "text": "⋯", "emoji": False}]}
"""Stands above a message's attachments where nothing else does: Slack would show the notification's text there."""


def compose(message: Sequence[Block]) -> tuple[list[Json], list[Json]]:
    """``blocks`` and ``attachments`` of one message. There is a block at least."""
    body: list[Block] = []
    boxes: list[tuple[Box, list[Block]]] = []
    for block in message:
        if block.box is None:
            body.append(block)
        elif boxes and boxes[-1][0] is block.box:
            boxes[-1][1].append(block)
        else:
            boxes.append((block.box, [block]))
    if not body and boxes:
        body = _title_of(boxes[0][1])
    blocks = list(_drawn(body)) or [CONTINUES]
    attachments = []
    for box, inside in boxes:
        drawn = list(_drawn(inside))
        if drawn:
            attachments.append({"color": box.color, "blocks": drawn} if box.color else {"blocks": drawn})
    return blocks, attachments


def _title_of(inside: list[Block]) -> list[Block]:
    """Take the title (not a section's label) from an attachment that begins a message."""
    end = 0
    while end < len(inside) and inside[end].glue and inside[end].group == 0:
        end += 1
    title, inside[:] = inside[:end], inside[end:]
    return title


def _drawn(blocks: Sequence[Block]) -> Iterator[Json]:
    start = 0
    while start < len(blocks):
        end = start + 1
        while end < len(blocks) and blocks[end].joins(blocks[end - 1]):
            end += 1
        drawn = _together(blocks[start:end])
        if drawn is not None:
            yield drawn
        start = end


def _together(blocks: Sequence[Block]) -> Json | None:
    """One Slack block of blocks that join. A cut may have made Markdown inexact: then it is rich text."""
    first = blocks[0]
    if first.table is not None:
        return first.table
    if first.mode == "rule":
        return {"type": "divider"}
    lines = [item for block in blocks for item in block.lines]
    if first.mode == "markdown":
        text = markdown_or_none(lines, read_markdown)
        if text and utf16_len(text) <= min(MAX_WEIGHT, sum(block.weight for block in blocks) + BLOCK_WEIGHT):
            return {"type": "markdown", "text": text}
    return rich_text(lines)

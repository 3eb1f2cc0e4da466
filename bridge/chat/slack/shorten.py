"""Making a card fit into one message: pieces with a ``spill`` are shortened, visibly; their whole becomes a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridge.cards.model import Card, File
from bridge.cards.spill import FALLBACK_NAME, share, shortened_words, whole_file
from bridge.chat.slack.lines import PLAIN, Block, Flow, Line, cut, line
from bridge.chat.slack.split import Room, measure

_LEAST_WEIGHT = 400
_PARTIAL_WEIGHT = 300
_NOTE_WEIGHT = 300


def shorten(flows: Sequence[Flow], card: Card, room: Room) -> list[File]:
    """Shorten flows in place until they make one message; the files that carry the wholes.

    Pieces share the room fairly: short ones stay whole, long ones get equal parts. If even that does not fit (too
    much that may not be shortened), the end is cut off visibly and the card's whole text is a file of its own.
    """
    if _fit(flows, room):
        return []
    spilling = [flow for flow in flows if flow.leaf is not None and flow.leaf.spill]
    fixed = sum(_weight(flow) for flow in flows if flow not in spilling)
    given = share([_weight(flow) for flow in spilling], room.weight - fixed, _LEAST_WEIGHT)
    files: list[File] = []
    for flow, most in zip(spilling, given, strict=True):
        files += shorten_flow(flow, card, most)
    if not _fit(flows, room):
        text = "\n".join(item.text for flow in flows for item in flow.lines)
        files.append(File(name=FALLBACK_NAME, text=text))
        _cut_off(flows, card.spill_now, room)
    return files if card.spill_now else []


def shorten_flow(flow: Flow, card: Card, most: int) -> list[File]:
    """Shorten one flow in place, if it is larger; the file with its whole (the caller decides whether it is sent)."""
    if flow.leaf is None or not flow.leaf.spill or not flow.blocks or _weight(flow) <= most:
        return []
    name = flow.leaf.spill
    note = line([(shortened_words(name, now=card.spill_now), PLAIN)], gap=True)
    first = flow.blocks[0]
    native = all(block.mode == "markdown" for block in flow.blocks)
    short = Block([], mode="markdown" if native else "rich", box=first.box, group=first.group)
    room = most - _NOTE_WEIGHT - note.weight
    if flow.leaf.keep == "end":
        kept = [note, *reversed(_fitting(short, reversed(flow.lines), room, from_end=True))]
        if len(kept) > 1 and kept[1].frame.kind == "pre":
            kept[1].gap = True
    else:
        kept = [*_fitting(short, flow.lines, room), note]
    flow.blocks = [short.part(kept)]
    return [whole_file(flow.leaf, name)]


def _weight(flow: Flow) -> int:
    return measure(flow.blocks).weight


def _fit(flows: Sequence[Flow], room: Room) -> bool:
    return measure(block for flow in flows for block in flow.blocks).fits(room)


def _fitting(block: Block, lines: Iterable[Line], weight: int, *, from_end: bool = False) -> list[Line]:
    """Lines from the front, as many as fit into a block of this kind; of the next one, as much as there is room for."""
    kept: list[Line] = []
    for item in lines:
        if block.cost(item) <= weight:
            kept.append(item)
            weight -= block.cost(item)
            continue
        if weight > _PARTIAL_WEIGHT:
            pieces = cut(item, weight)
            kept.append(list(pieces)[-1] if from_end else next(pieces))
        break
    return kept


def _cut_off(flows: Sequence[Flow], now: bool, room: Room) -> None:
    """The last resort: keep the beginning of everything."""
    note = line([(shortened_words(FALLBACK_NAME, now=now), PLAIN)], gap=True)
    kept: list[Block] = []
    limit = Room(room.weight - _NOTE_WEIGHT - note.weight, room.blocks - 1)
    full = False
    for flow in flows:
        blocks, flow.blocks = flow.blocks, []
        for block in blocks:
            if full:
                break
            if not measure([*kept, block]).fits(limit):
                full = True
                lines, left = block.lines, limit.weight - measure([*kept, block.part([])]).weight
                block = block.part([])
                block.table, block.mode = None, "markdown" if block.mode == "markdown" else "rich"
                block.lines = _fitting(block, lines, left)
                if not block.lines or not measure([*kept, block]).fits(limit):
                    break
            kept.append(block)
            flow.blocks.append(block)
    last = kept[-1] if kept else Block([])
    flows[-1].blocks.append(Block([note], box=last.box, group=last.group))

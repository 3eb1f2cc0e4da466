"""Making a card fit into one message: pieces with a ``spill`` are shortened, visibly; their whole becomes a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridge.cards.model import Card, File
from bridge.cards.spill import FALLBACK_NAME, share, shortened_words, whole_file
from bridge.chat.telegram.entities import PLAIN, Line, line
from bridge.chat.telegram.render_blocks import Flow
from bridge.chat.telegram.split import MAX_ENTITIES, MAX_UNITS, Block, cut, measure

_LEAST_UNITS = 160
_LEAST_ENTITIES = 4
_PARTIAL_UNITS = 200


def shorten(flows: Sequence[Flow], card: Card) -> list[File]:
    """Shorten flows in place until they make one message; the files that carry the wholes.

    Pieces share the room fairly: short ones stay whole, long ones get equal parts. If even that does not fit (too
    much that may not be shortened), the end is cut off visibly and the card's whole text is a file of its own.
    """
    # A card in one message has few blocks; counting two newlines for each is safe and close.
    if _total(flows)[0] <= MAX_UNITS and _total(flows)[1] <= MAX_ENTITIES:
        return []
    spilling = [flow for flow in flows if flow.leaf is not None and flow.leaf.spill]
    fixed = _total([flow for flow in flows if flow not in spilling])
    units = share([_total([flow])[0] for flow in spilling], MAX_UNITS - fixed[0], _LEAST_UNITS)
    entities = share([_total([flow])[1] + 2 for flow in spilling], MAX_ENTITIES - fixed[1], _LEAST_ENTITIES)
    files: list[File] = []
    for flow, most_units, most_entities in zip(spilling, units, entities, strict=True):
        files += shorten_flow(flow, card, most_units, most_entities)
    if _total(flows)[0] > MAX_UNITS or _total(flows)[1] > MAX_ENTITIES:
        files.append(File(name=FALLBACK_NAME, text="\n".join(item.text for flow in flows for item in flow.lines)))
        _cut_off(flows, FALLBACK_NAME, card.spill_now)
    return files if card.spill_now else []


def shorten_flow(flow: Flow, card: Card, max_units: int, max_entities: int = MAX_ENTITIES) -> list[File]:
    """Shorten one flow in place, if it is larger; the file with its whole (the caller decides whether it is sent)."""
    lines = flow.lines
    units, entities = _total([flow])
    if flow.leaf is None or not flow.leaf.spill or (units <= max_units and entities <= max_entities):
        return []
    name = flow.leaf.spill
    note = _note(name, card.spill_now, lines[0] if lines else None)
    room = max_units - note.units - 4
    if flow.leaf.keep == "end":
        kept = [note, *reversed(_fitting(reversed(lines), room, max_entities - 1, from_end=True))]
        if len(kept) > 1:
            kept[1].gap = 1
    else:
        kept = [*_fitting(lines, room, max_entities - 1), note]
    flow.blocks = [Block(kept)]
    return [whole_file(flow.leaf, name)]


def _note(name: str, now: bool, beside: Line | None) -> Line:
    outer = beside.boxes[:1] if beside and beside.boxes and not beside.boxes[0].verbatim else ()
    return line([(shortened_words(name, now=now), PLAIN)], outer)


def _total(flows: Sequence[Flow]) -> tuple[int, int]:
    """An upper bound of what flows take in one message: every block with the widest gap."""
    units, entities = measure(item for flow in flows for item in flow.lines)
    return units + 2 * sum(len(flow.blocks) for flow in flows), entities


def _fitting(lines: Iterable[Line], units: int, entities: int, *, from_end: bool = False) -> list[Line]:
    """Lines from the front, as many as fit; of the first that does not, as much as there is room for."""
    kept: list[Line] = []
    for item in lines:
        cost = item.units + max(2, item.gap)
        entities -= len(item.entities) + (len(item.boxes) if not kept or kept[-1].boxes != item.boxes else 0)
        if cost <= units and entities >= 0:
            kept.append(item)
            units -= cost
            continue
        if units > _PARTIAL_UNITS and entities >= 0:
            pieces = cut(item, units - 2, MAX_ENTITIES, units - 2)
            kept.append(list(pieces)[-1] if from_end else next(pieces))
        break
    return kept


def _cut_off(flows: Sequence[Flow], name: str, now: bool) -> None:
    """The last resort: keep the beginning of everything."""
    note = _note(name, now, None)
    units, entities = MAX_UNITS - note.units - 4, MAX_ENTITIES - 1
    full = False
    for flow in flows:
        blocks: list[Block] = []
        for block in flow.blocks:
            cost = measure(block.lines)
            if full or cost[0] + 4 > units or cost[1] > entities:
                block.lines = [] if full else _fitting(block.lines, units, entities)
                full = True
            units -= cost[0] + 4
            entities -= cost[1]
            if block.lines:
                blocks.append(block)
        flow.blocks = blocks
    flows[-1].blocks.append(Block([note]))

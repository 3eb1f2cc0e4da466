"""What to do next in a conversation. Pure: from rows and rendered parts to one step.

A lane is a conversation; one call is under way in it at most, so that an unknown outcome concerns one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from bridge.cards.model import Card, Code, Fold, Markdown, Panel, Piece, Section, Text
from bridge.chat.surface import Part
from bridge.store.records import PartRecord, Urgency
from bridge.store.work import Head

ORDER: dict[Urgency, int] = {"approval": 0, "answer": 1, "notice": 2, "preview": 3}
"""Invariant 9: approvals overtake everything, previews yield to everything."""


@dataclass(frozen=True, slots=True)
class Send:
    """Post a part. ``before``: the row in its place, left by a send of unknown outcome."""

    index: int
    part: Part
    ring: bool
    before: PartRecord | None = None
    first: bool = False
    """Nothing of the post stands there yet."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Change a message in place."""

    record: PartRecord
    message: str
    part: Part


@dataclass(frozen=True, slots=True)
class Delete:
    """Take a surplus message away."""

    record: PartRecord
    message: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A send's outcome is unknown and the platform can be asked."""

    record: PartRecord


@dataclass(frozen=True, slots=True)
class Forget:
    """A send of unknown outcome that is not wanted any more, where the platform can't be asked."""

    record: PartRecord


@dataclass(frozen=True, slots=True)
class Wait:
    """Everything left is a change that came too soon."""

    until_ms: int


@dataclass(frozen=True, slots=True)
class Hold:
    """What comes next is a picture that is not there yet: come back when something changed."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """The conversation shows what it should."""


Step = Send | Edit | Delete | Ask | Forget | Wait | Nothing


@dataclass(frozen=True, slots=True)
class Situation:
    """What bears on the next step besides the parts."""

    now_ms: int
    can_find: bool
    """The platform can be asked about a send of unknown outcome (and was not asked just now)."""
    rings: bool
    """The post is one that rings, once."""
    rung: bool
    """It rang here, or may have."""
    approval: bool = False
    resend_gone: bool = False
    """A message somebody deleted is posted anew: an open approval, a final answer never seen in its final form."""
    edit_interval_ms: int = 0
    """Least time between two changes of a message; 0 unless the post is a preview."""
    edits_from_ms: int = 0
    """No message may be changed before."""


def step(wanted: Sequence[Part], records: Sequence[PartRecord], now: Situation) -> Step:
    """The next call that brings ``records`` (what stands there) closer to ``wanted``, in order of the parts.

    The n-th text is matched with the n-th text that stands there, files likewise: neither can become the other.
    """
    matched, surplus = _match(wanted, records)
    used = {record.index for record in records}
    first = not any(record.state == "sent" for record in records)
    text_stands = any(record.kind == "text" and record.state == "sent" for record in records)
    wait: int | None = None
    for position, (part, record) in enumerate(zip(wanted, matched, strict=True)):
        ring = now.rings and part.kind == "text" and not text_stands
        if record is None:
            index = position if position not in used else max(used) + 1
            return Send(index, part, ring and not now.rung, first=first)
        if record.state == "gone":
            if now.resend_gone:
                return Send(record.index, part, ring=False)
            continue
        if record.state == "sending" or record.message is None:
            if now.can_find:
                return Ask(record)
            # It may have rung. An answer is not rung twice for that; a question nobody heard is worse than two rings.
            return Send(record.index, part, ring and (now.approval or not now.rung), before=record, first=first)
        if record.digest != part.digest:
            if now.edits_from_ms > now.now_ms:
                wait = now.edits_from_ms if wait is None else min(wait, now.edits_from_ms)
                continue
            due = (record.changed_ms or 0) + now.edit_interval_ms
            # A time too far ahead is from before the clock was set back.
            if now.edit_interval_ms and now.now_ms < due <= now.now_ms + now.edit_interval_ms:
                wait = due if wait is None else min(wait, due)
                continue
            return Edit(record, record.message, part)
    for record in surplus:
        if record.state == "sending" or record.message is None:
            return Ask(record) if now.can_find else Forget(record)
        return Delete(record, record.message)
    return Nothing() if wait is None else Wait(wait)


def _match(wanted: Sequence[Part], records: Sequence[PartRecord]) -> tuple[list[PartRecord | None], list[PartRecord]]:
    left: dict[str, list[PartRecord]] = {"text": [], "file": []}
    for record in sorted(records, key=lambda one: one.index):
        if record.state != "deleting":
            left[record.kind].append(record)
    matched = [left[part.kind].pop(0) if left[part.kind] else None for part in wanted]
    surplus = [record for rest in left.values() for record in rest if record.state != "gone"]
    surplus += [record for record in records if record.state == "deleting"]
    return matched, sorted(surplus, key=lambda one: -one.index)


def posted(wanted: Sequence[Part], records: Sequence[PartRecord]) -> bool:
    """Whether every part has its message, whatever it shows: all that is left are changes."""
    matched, _ = _match(wanted, records)
    return all(record is not None and record.state != "sending" for record in matched)


def outgrows(wanted: Sequence[Part], records: Sequence[PartRecord]) -> bool:
    """Whether a post wants more text messages than it has."""
    have = sum(record.kind == "text" and record.state != "deleting" for record in records)
    return sum(part.kind == "text" for part in wanted) > have


def in_one_message(card: Card) -> Card:
    """The card as one message, with the whole of whatever is shortened as a file.

    Only the newest post of a conversation may gain text messages; an older one would get them in the wrong place.
    """
    return card.model_copy(
        update={
            "one_message": True,
            "spill_now": True,
            "long_after": None,
            "pieces": tuple(_spilling(piece, str(number)) for number, piece in enumerate(card.pieces, 1)),
        }
    )


def _spilling(piece: Piece, number: str) -> Piece:
    match piece:
        case Fold():
            inner = tuple(_spilling(one, f"{number}-{n}") for n, one in enumerate(piece.pieces, 1))
            return piece.model_copy(update={"pieces": inner})
        case Panel():
            sections = tuple(_section(section, f"{number}-{n}") for n, section in enumerate(piece.sections, 1))
            return piece.model_copy(update={"sections": sections})
        case Text() | Markdown() | Code():
            name = f"part-{number}.{'md' if isinstance(piece, Markdown) else 'txt'}"
            return piece.model_copy(update={"spill": piece.spill or name})


def _section(section: Section, number: str) -> Section:
    inner = tuple(_spilling(one, f"{number}-{n}") for n, one in enumerate(section.pieces, 1))
    return section.model_copy(update={"pieces": inner})


@dataclass(frozen=True, slots=True)
class Lane:
    """A conversation with something to do: the posts to try, in order, and how urgent the lane is."""

    conversation_id: int
    chat: str
    urgency: Urgency
    heads: tuple[Head, ...]


def may_wait(head: Head) -> bool:
    """Whether a post's changes keep to the edit interval."""
    return not head.final and head.urgency != "approval"


def lanes(
    heads: Iterable[Head],
    waits: dict[tuple[str, int], int],
    now_ms: int,
    *,
    edits_closed: bool = False,
    held: frozenset[tuple[str, int]] = frozenset(),
) -> list[Lane]:
    """Group heads (in the store's order) into lanes. ``waits``: preview edits that are not due before a time (ms).
    ``held``: posts that wait for their picture, and hold nothing else up.

    ``edits_closed``: no message may be changed now, so posts of which only changes are left are passed over.
    """
    found = []
    for id, group in groupby(heads, key=lambda head: head.conversation_id):
        due = [
            head
            for head in group
            if (head.post_key, head.conversation_id) not in held
            and not (may_wait(head) and waits.get((head.post_key, head.conversation_id), 0) > now_ms)
            and not (edits_closed and head.shown)
        ]
        if due:
            found.append(Lane(id, due[0].chat, _urgency(due), tuple(due)))
    return found


def _urgency(heads: Sequence[Head]) -> Urgency:
    """A lane is as urgent as its first post, or as what waits behind it to be sent, for order binds."""
    first = heads[0]
    if first.urgency == "approval":
        return "approval"
    if first.shown:
        return "preview" if may_wait(first) else first.urgency
    return min((head.urgency for head in heads if not head.shown), key=ORDER.__getitem__)

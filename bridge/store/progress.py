"""The courier's notes: what it is about to do with a message, and what became of it.

A part's row is written before the call that makes or changes a message, and again after it. So after a crash the
rows tell which message is in doubt: one that is ``sending``, or one whose digest is unknown.
"""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, exists, select, update

from bridge.store import placing
from bridge.store import posts as post_queries
from bridge.store.records import PartRecord
from bridge.store.sql import Tx, upsert
from bridge.store.tables import conversations, deliveries, parts


def here(key: str, conversation_id: int) -> ColumnElement[bool]:
    """Condition: the delivery of a post in a conversation."""
    return and_(deliveries.c.post_key == key, deliveries.c.conversation_id == conversation_id)


def _slot(key: str, conversation_id: int, index: int) -> ColumnElement[bool]:
    return and_(parts.c.post_key == key, parts.c.conversation_id == conversation_id, parts.c.index == index)


async def lost(tx: Tx, key: str, conversation_id: int) -> None:
    """The messages of a post are gone, and so is all that could hang under them."""
    here = and_(parts.c.post_key == key, parts.c.conversation_id == conversation_id)
    await tx.execute(update(parts).where(here).values(state="gone", digest=None, message=None))


async def sending(
    tx: Tx,
    key: str,
    conversation_id: int,
    index: int,
    kind: Literal["text", "file"],
    digest: str,
    rings: bool,
    now: int,
    hung_on: str | None = None,
) -> None:
    """A message is about to be sent, perhaps to the thread of another. Commit before the call."""
    values: dict[str, Any] = {"kind": kind, "message": None, "digest": digest, "state": "sending", "sent_ms": now}
    values["hung_on"] = hung_on
    await _write(tx, key, conversation_id, index, values)
    await doubt(tx, key, conversation_id)
    if rings:
        await tx.execute(update(deliveries).where(here(key, conversation_id)).values(rung=True))


async def not_sent(
    tx: Tx, key: str, conversation_id: int, index: int, before: PartRecord | None, rung_before: bool
) -> None:
    """The call certainly posted nothing: as if it had not been made."""
    if before is None:
        await drop(tx, key, conversation_id, index)
    else:
        values = {name: getattr(before, name) for name in ("kind", "message", "digest", "state", "sent_ms", "hung_on")}
        await _write(tx, key, conversation_id, index, values)
    await tx.execute(update(deliveries).where(here(key, conversation_id)).values(rung=rung_before))
    if not rung_before:
        await _unring_where_it_moved(tx, key, conversation_id)


async def _unring_where_it_moved(tx: Tx, key: str, conversation_id: int) -> None:
    """Another place took over while the call was under way: what goes there instead was taken for rung, and was not."""
    moved = exists().where(here(key, conversation_id), deliveries.c.state == "skipped")
    if not (await tx.execute(select(moved))).scalar_one():
        return
    surface = select(conversations.c.surface).where(conversations.c.id == conversation_id).scalar_subquery()
    there = select(conversations.c.id).where(conversations.c.surface == surface)
    unseen = and_(deliveries.c.post_key == key, deliveries.c.state == "open", ~deliveries.c.shown)
    await tx.execute(update(deliveries).where(unseen, deliveries.c.conversation_id.in_(there)).values(rung=False))


async def sent(
    tx: Tx,
    key: str,
    conversation_id: int,
    index: int,
    kind: Literal["text", "file"],
    digest: str | None,
    message: str,
    now: int,
) -> None:
    """A message stands there. ``digest``: of what it shows."""
    values: dict[str, Any] = {"kind": kind, "message": message, "digest": digest, "state": "sent"}
    await _write(tx, key, conversation_id, index, {**values, "sent_ms": now, "changed_ms": now})


async def changing(tx: Tx, key: str, conversation_id: int, index: int, now: int) -> None:
    """A message is about to be changed. Commit before the call: it may stand there changed before the answer comes."""
    await tx.execute(update(parts).where(_slot(key, conversation_id, index)).values(digest=None, changed_ms=now))
    await doubt(tx, key, conversation_id)


async def deleting(tx: Tx, key: str, conversation_id: int, index: int) -> None:
    """A message is about to be deleted. Commit before the call: if its outcome stays unknown, it is no message to
    change any more, lest our own deleting be taken for somebody else's.
    """
    await tx.execute(update(parts).where(_slot(key, conversation_id, index)).values(digest=None, state="deleting"))
    await doubt(tx, key, conversation_id)


async def changed(tx: Tx, key: str, conversation_id: int, index: int, digest: str, now: int) -> None:
    """A message was changed."""
    await tx.execute(
        update(parts).where(_slot(key, conversation_id, index)).values(digest=digest, changed_ms=now, state="sent")
    )


async def gone(tx: Tx, key: str, conversation_id: int, index: int) -> None:
    """A message was deleted by somebody else; it is not missed."""
    await tx.execute(update(parts).where(_slot(key, conversation_id, index)).values(state="gone", digest=None))


async def drop(tx: Tx, key: str, conversation_id: int, index: int) -> None:
    """A message does not exist (any more); if it is wanted, it is to be sent."""
    await tx.execute(parts.delete().where(_slot(key, conversation_id, index)))


async def supersede(tx: Tx, key: str, conversation_id: int, index: int) -> None:
    """A message stays there, but is no part of the post any more (see :func:`bridge.store.placing.supersede`)."""
    await placing.supersede(tx, key, conversation_id, index)


async def doubt(tx: Tx, key: str, conversation_id: int) -> None:
    """From now on a delivery does not count as being in step."""
    await tx.execute(update(deliveries).where(here(key, conversation_id)).values(digest=None))


async def delivered(tx: Tx, key: str, conversation_id: int, digest: str) -> bool:
    """A card stands there in full. True if that settled the post."""
    values = {"digest": digest, "shown": True, "error": None}
    await tx.execute(update(deliveries).where(here(key, conversation_id)).values(**values))
    return await post_queries.settle(tx, key)


async def shown(tx: Tx, key: str, conversation_id: int) -> None:
    """All parts are posted, though they may show an older card: from now on there are only changes."""
    await tx.execute(update(deliveries).where(here(key, conversation_id)).values(shown=True))


async def failed(tx: Tx, key: str, conversation_id: int, error: str) -> None:
    """A card can't be shown there in any form."""
    await tx.execute(update(deliveries).where(here(key, conversation_id)).values(state="failed", error=error))
    await post_queries.settle(tx, key)


async def _write(tx: Tx, key: str, conversation_id: int, index: int, values: dict[str, Any]) -> None:
    row = {"post_key": key, "conversation_id": conversation_id, "index": index, **values}
    await upsert(tx, parts, row, ["post_key", "conversation_id", "index"])

"""What people did, as the platforms told it: stored before it is confirmed, deduplicated by the platform's id."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import delete, select, update

from bridge.chat.surface import RawUpdate
from bridge.store.records import InboxRow
from bridge.store.sql import Tx, insert_new
from bridge.store.tables import inbox


async def put(
    tx: Tx, surface: str, updates: Iterable[RawUpdate], now_ms: int, *, late_since_ms: int | None = None
) -> int:
    """Keep a batch in the order given; how many were new. Confirm to the platform after the commit (invariant 1).

    ``late_since_ms``: since when the platform was not heard, if the batch may be that old.
    """
    new = 0
    for one in updates:
        values = {
            "surface": surface,
            "update_id": one.id,
            "payload": one.payload,
            "received_ms": now_ms,
            "state": "new",
            "attempts": 0,
            "late_since_ms": late_since_ms,
        }
        new += await insert_new(tx, inbox, values)
    return new


async def next(tx: Tx, surface: str, *, after: int = 0, limit: int = 100) -> list[InboxRow]:
    """The oldest updates that were not carried out yet, in order; ``after``: only those with a greater id."""
    query = select(inbox).where(inbox.c.surface == surface, inbox.c.state == "new", inbox.c.id > after)
    return [InboxRow(**row._mapping) for row in await tx.execute(query.order_by(inbox.c.id).limit(limit))]


async def tried(tx: Tx, id: int) -> int:
    """Count one more attempt before it is made; the number of attempts so far. A crash is then an attempt too."""
    statement = update(inbox).where(inbox.c.id == id).values(attempts=inbox.c.attempts + 1).returning(inbox.c.attempts)
    return int((await tx.execute(statement)).scalar_one())


async def done(tx: Tx, id: int) -> None:
    """An update was carried out."""
    await tx.execute(update(inbox).where(inbox.c.id == id).values(state="done", error=None))


async def failed(tx: Tx, id: int, error: str) -> None:
    """An update will never be carried out; the words say why."""
    await tx.execute(update(inbox).where(inbox.c.id == id).values(state="failed", error=error))


async def prune(tx: Tx, before_ms: int) -> int:
    """Forget updates received before that time, except those still to be carried out; how many went."""
    query = delete(inbox).where(inbox.c.received_ms < before_ms, inbox.c.state != "new")
    return (await tx.execute(query)).rowcount

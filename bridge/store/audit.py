"""The audit log: lines are added, read, and after their time forgotten; none is ever changed, but for a count."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict

from sqlalchemy import delete, func, insert, select, update

from bridge.store.records import AuditEntry
from bridge.store.sql import Tx
from bridge.store.tables import audit

AT_ONCE = 500


async def add(tx: Tx, entry: AuditEntry) -> None:
    """Add a line, in the transaction of what it tells of (invariant 1)."""
    values = asdict(entry)
    del values["id"]
    await tx.execute(insert(audit).values(values))


async def add_or_count(tx: Tx, entry: AuditEntry, since_ms: int) -> None:
    """Add a line, or count it where one since a time tells the same of the same person and request: else somebody who
    presses without end would fill the log. For one that is about no request the act must be the same, too."""
    same = ["surface", "person_id", "outcome", "role", "session_id", "request_id", "argument_hash"]
    same += ["act", "choice"] if entry.request_id is None else []
    query = select(audit.c.id).where(*[audit.c[name].is_not_distinct_from(getattr(entry, name)) for name in same])
    query = query.where(audit.c.at_ms > since_ms).order_by(audit.c.id.desc()).limit(1)
    found = (await tx.execute(query)).scalar()
    if found is None:
        await add(tx, entry)
    else:
        await tx.execute(update(audit).where(audit.c.id == found).values(times=audit.c.times + 1))


async def page(tx: Tx, *, before: int | None, limit: int, session_id: str | None = None) -> list[AuditEntry]:
    """Lines, the newest first; ``before``: only those with a smaller id."""
    query = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit.c.id < before)
    if session_id is not None:
        query = query.where(audit.c.session_id == session_id)
    return [AuditEntry(**row._mapping) for row in await tx.execute(query)]


async def since(tx: Tx, at_ms: int, *, session_id: str | None = None) -> AsyncIterator[AuditEntry]:
    """All lines from a time on, the oldest first."""
    last = 0
    while True:
        query = select(audit).where(audit.c.at_ms >= at_ms, audit.c.id > last).order_by(audit.c.id).limit(AT_ONCE)
        if session_id is not None:
            query = query.where(audit.c.session_id == session_id)
        rows = [AuditEntry(**row._mapping) for row in await tx.execute(query)]
        for entry in rows:
            yield entry
        if len(rows) < AT_ONCE:
            return
        last = rows[-1].id


async def count(tx: Tx, session_id: str | None = None) -> int:
    """How many lines there are."""
    query = select(func.count(audit.c.id))
    if session_id is not None:
        query = query.where(audit.c.session_id == session_id)
    return int((await tx.execute(query)).scalar_one())


async def prune(tx: Tx, before_ms: int) -> int:
    """Forget lines from before a time; how many went."""
    return (await tx.execute(delete(audit).where(audit.c.at_ms < before_ms))).rowcount

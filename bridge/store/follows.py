"""Which sessions are followed. A lineage joins the sessions that resume, reopen and supersede one another."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, select
from sqlalchemy import update as sql_update

from bridge.store.records import Follow
from bridge.store.sql import Tx, upsert
from bridge.store.tables import aliases, follows


def _follow(row: Row[Any]) -> Follow:
    return Follow(**row._mapping)


async def follow(tx: Tx, new: Follow) -> None:
    """Store a follow, anew or in place of the one of its lineage; its session id becomes an alias too."""
    values = {name: getattr(new, name) for name in Follow.__slots__}
    await upsert(tx, follows, values, ["lineage"])
    await alias(tx, new.session_id, new.lineage)


async def get(tx: Tx, lineage: str) -> Follow | None:
    """The follow of a lineage."""
    row = (await tx.execute(select(follows).where(follows.c.lineage == lineage))).first()
    return _follow(row) if row else None


async def of_session(tx: Tx, session_id: str) -> Follow | None:
    """The follow a session belongs to, also by one of its former ids."""
    join = follows.join(aliases, aliases.c.lineage == follows.c.lineage)
    row = (await tx.execute(select(follows).select_from(join).where(aliases.c.session_id == session_id))).first()
    return _follow(row) if row else None


async def all_live(tx: Tx) -> list[Follow]:
    """Every follow in state ``live``, by lineage."""
    rows = await tx.execute(select(follows).where(follows.c.state == "live").order_by(follows.c.lineage))
    return [_follow(row) for row in rows]


async def update(tx: Tx, lineage: str, **fields: Any) -> None:
    """Set fields of a follow. A new ``session_id`` becomes an alias as well."""
    await tx.execute(sql_update(follows).where(follows.c.lineage == lineage).values(**fields))
    if "session_id" in fields:
        await alias(tx, fields["session_id"], lineage)


async def aliases_of_all(tx: Tx) -> dict[str, str]:
    """Every session id ever known, with its lineage."""
    return {row.session_id: row.lineage for row in await tx.execute(select(aliases))}


async def alias(tx: Tx, session_id: str, lineage: str) -> None:
    """Say that a session id belongs to a lineage."""
    await upsert(tx, aliases, {"session_id": session_id, "lineage": lineage}, ["session_id"])

"""Named positions in other people's streams: the hub's event cursor, Telegram's update offset, what a place shows."""

from __future__ import annotations

from sqlalchemy import select

from bridge.store.sql import Tx, upsert
from bridge.store.tables import cursors


async def get(tx: Tx, name: str) -> str | None:
    """The stored position, or ``None``."""
    value: str | None = (await tx.execute(select(cursors.c.value).where(cursors.c.name == name))).scalar()
    return value


async def put(tx: Tx, name: str, value: str) -> None:
    """Move a position. Do so in the transaction that stores what came before it (invariant 1)."""
    await upsert(tx, cursors, {"name": name, "value": value}, ["name"])

"""Pairing codes, and who tried how often. A code is found by its first part; of the rest a hash is kept."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import delete, func, insert, select, update

from bridge.store.records import Pairing
from bridge.store.sql import Tx, insert_new
from bridge.store.tables import pairing_tries, pairings


async def add(tx: Tx, pairing: Pairing) -> bool:
    """Keep a code. False if its first part is taken."""
    return await insert_new(tx, pairings, asdict(pairing))


async def get(tx: Tx, code_id: str) -> Pairing | None:
    """A code by its first part. On PostgreSQL its row is held until the transaction's end: it is used once."""
    row = (await tx.execute(select(pairings).where(pairings.c.code_id == code_id).with_for_update())).first()
    return Pairing(**row._mapping) if row else None


async def missed(tx: Tx, code_id: str) -> None:
    """Count a wrong try at a code."""
    await tx.execute(update(pairings).where(pairings.c.code_id == code_id).values(tries=pairings.c.tries + 1))


async def forget(tx: Tx, code_id: str) -> None:
    """A code was used, or is void."""
    await tx.execute(delete(pairings).where(pairings.c.code_id == code_id))


async def tried(tx: Tx, surface: str, platform_id: str, now_ms: int) -> None:
    """Note a wrong try."""
    await tx.execute(insert(pairing_tries).values(surface=surface, platform_id=platform_id, at_ms=now_ms))


async def tries(tx: Tx, surface: str, since_ms: int, platform_id: str | None = None) -> int:
    """How many wrong tries there were on a surface since a time: of one person, or of everybody."""
    query = select(func.count(pairing_tries.c.id)).where(
        pairing_tries.c.surface == surface, pairing_tries.c.at_ms >= since_ms
    )
    if platform_id is not None:
        query = query.where(pairing_tries.c.platform_id == platform_id)
    return int((await tx.execute(query)).scalar_one())


async def prune(tx: Tx, before_ms: int) -> None:
    """Forget codes that expired and tries that were made before a time."""
    await tx.execute(delete(pairings).where(pairings.c.expires_ms < before_ms))
    await tx.execute(delete(pairing_tries).where(pairing_tries.c.at_ms < before_ms))

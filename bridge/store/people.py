"""People, their roles, and who was told once that they may not use the bot."""

from __future__ import annotations

from sqlalchemy import select, update

from bridge.store.records import PersonRecord
from bridge.store.sql import Tx, insert_new, upsert
from bridge.store.tables import people


async def get(tx: Tx, surface: str, platform_id: str) -> PersonRecord | None:
    """One person."""
    query = select(people).where(people.c.surface == surface, people.c.platform_id == platform_id)
    row = (await tx.execute(query)).first()
    return PersonRecord(**row._mapping) if row else None


async def put(tx: Tx, surface: str, platform_id: str, name: str, role: str | None) -> None:
    """Store a person's name and role (``None``: has none)."""
    values = {"surface": surface, "platform_id": platform_id, "name": name, "role": role}
    await upsert(tx, people, values, ["surface", "platform_id"])


async def role(tx: Tx, surface: str, platform_id: str) -> str | None:
    """A person's role now, or ``None``."""
    person = await get(tx, surface, platform_id)
    return person.role if person else None


async def everybody(tx: Tx, surface: str) -> list[PersonRecord]:
    """All known people of a surface who have a role."""
    query = select(people).where(people.c.surface == surface, people.c.role.is_not(None)).order_by(people.c.platform_id)
    return [PersonRecord(**row._mapping) for row in await tx.execute(query)]


async def refuse_once(tx: Tx, surface: str, platform_id: str, name: str, now_ms: int) -> bool:
    """Note that a person was refused. True the first time, when it should be said; False ever after."""
    key = {"surface": surface, "platform_id": platform_id}
    await insert_new(tx, people, {**key, "name": name})
    query = (
        update(people)
        .where(people.c.surface == surface, people.c.platform_id == platform_id, people.c.refused_ms.is_(None))
        .values(refused_ms=now_ms)
    )
    return (await tx.execute(query)).rowcount == 1

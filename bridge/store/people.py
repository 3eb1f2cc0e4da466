"""People, their roles, and who was told once that they may not use the bot."""

from __future__ import annotations

from sqlalchemy import delete, exists, select, update

from bridge.store.records import PersonRecord, RoleHere
from bridge.store.sql import Tx, insert_new, upsert
from bridge.store.tables import people, roles

RANKS = ("none", "viewer", "member", "approver")
"""The roles the store may hold, from least to most; ``none`` only in single conversations."""


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


async def everybody(tx: Tx, surface: str | None = None) -> list[PersonRecord]:
    """All known people (of a surface) who have a role, everywhere or in some conversation, by name."""
    theirs = (roles.c.surface == people.c.surface) & (roles.c.platform_id == people.c.platform_id)
    query = select(people).where(people.c.role.is_not(None) | exists().where(theirs))
    if surface is not None:
        query = query.where(people.c.surface == surface)
    query = query.order_by(people.c.name, people.c.platform_id)
    return [PersonRecord(**row._mapping) for row in await tx.execute(query)]


async def all_roles(tx: Tx) -> list[RoleHere]:
    """All roles that hold in single conversations."""
    return [RoleHere(**row._mapping) for row in await tx.execute(select(roles))]


async def named(tx: Tx, surface: str, platform_id: str, name: str) -> None:
    """Keep somebody's name up to date, without touching their role."""
    key = {"surface": surface, "platform_id": platform_id}
    if not await insert_new(tx, people, {**key, "name": name}):
        mine = (people.c.surface == surface) & (people.c.platform_id == platform_id)
        await tx.execute(update(people).where(mine, people.c.name != name).values(name=name))


async def stands(tx: Tx, surface: str, platform_id: str, standing: str) -> None:
    """Keep up to date what somebody is to their workspace; of who is not known, nothing is kept."""
    mine = (people.c.surface == surface) & (people.c.platform_id == platform_id)
    await tx.execute(update(people).where(mine, people.c.standing != standing).values(standing=standing))


async def give_here(tx: Tx, surface: str, platform_id: str, conversation_id: int, role: str | None) -> None:
    """Give a role in one conversation, whatever it is elsewhere; ``None``: as elsewhere."""
    key = {"surface": surface, "platform_id": platform_id, "conversation_id": conversation_id}
    if role is not None:
        await upsert(tx, roles, {**key, "role": role}, list(key))
        return
    here = (roles.c.surface == surface) & (roles.c.platform_id == platform_id)
    await tx.execute(delete(roles).where(here, roles.c.conversation_id == conversation_id))


async def here(tx: Tx, surface: str, platform_id: str) -> dict[int, str]:
    """Somebody's roles in single conversations, by the conversations' ids."""
    query = select(roles).where(roles.c.surface == surface, roles.c.platform_id == platform_id)
    return {row.conversation_id: row.role for row in await tx.execute(query)}


async def all_in(tx: Tx, conversation_id: int) -> list[RoleHere]:
    """The roles that hold in one conversation alone."""
    query = select(roles).where(roles.c.conversation_id == conversation_id).order_by(roles.c.platform_id)
    return [RoleHere(**row._mapping) for row in await tx.execute(query)]


async def remove(tx: Tx, surface: str, platform_id: str) -> None:
    """Take all roles from somebody. They may be told once more that they have none."""
    mine = (people.c.surface == surface) & (people.c.platform_id == platform_id)
    await tx.execute(update(people).where(mine).values(role=None, refused_ms=None))
    await tx.execute(delete(roles).where(roles.c.surface == surface, roles.c.platform_id == platform_id))


async def move_roles(tx: Tx, old_id: int, new_id: int, *, widens: bool) -> None:
    """One conversation takes another's place: what held there holds here, where nothing else was said yet.

    ``widens``: the new one is the whole chat of the old one. What somebody may do in a part of a chat is not what they
    may do in all of it: then only roles that are less than somebody has elsewhere go along.
    """
    for one in await all_in(tx, old_id):
        elsewhere = await role(tx, one.surface, one.platform_id)
        if widens and (elsewhere not in RANKS or RANKS.index(one.role) >= RANKS.index(elsewhere)):
            continue
        row = {"surface": one.surface, "platform_id": one.platform_id, "conversation_id": new_id, "role": one.role}
        await insert_new(tx, roles, row)
    await tx.execute(delete(roles).where(roles.c.conversation_id == old_id))


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

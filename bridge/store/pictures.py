"""Pictures that agents made, on their way from the hub to the chats.

A picture is wanted in the transaction that wishes its post (invariant 1), and fetched as soon as can be: the hub hands
it out only while the agent's own process is there. The courier sends it from here.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, select, update

from bridge.language import tr
from bridge.store.sql import Tx, insert_new
from bridge.store.tables import pictures

MOST_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture that is still to be fetched."""

    source: str
    session_id: str
    image: str
    wanted_ms: int


@dataclass(frozen=True, slots=True)
class Picture:
    """What is known of a picture: its bytes, or why they will never be had; neither while they are still fetched."""

    data: bytes | None
    missing: str | None


async def want(tx: Tx, source: str, session_id: str, image: str, now_ms: int) -> None:
    """A post shows this picture. Told again, nothing happens."""
    values = {"source": source, "session_id": session_id, "image": image, "wanted_ms": now_ms}
    await insert_new(tx, pictures, values)


async def wanted(tx: Tx) -> list[Wanted]:
    """The pictures to fetch, the longest wanted first."""
    query = select(pictures.c.source, pictures.c.session_id, pictures.c.image, pictures.c.wanted_ms)
    query = query.where(pictures.c.data.is_(None), pictures.c.missing.is_(None))
    rows = await tx.execute(query.order_by(pictures.c.wanted_ms, pictures.c.source).limit(MOST_AT_ONCE))
    return [Wanted(*row) for row in rows]


async def fetched(tx: Tx, source: str, data: bytes) -> None:
    """Keep a picture's bytes."""
    await tx.execute(update(pictures).where(pictures.c.source == source).values(data=data))


async def missing(tx: Tx, source: str, why: str) -> None:
    """A picture can't be had, and why, in words for people."""
    await tx.execute(update(pictures).where(pictures.c.source == source).values(missing=why))


async def get(tx: Tx, source: str) -> Picture:
    """A picture as far as it is here; one that was never wanted, or forgotten since, is missing."""
    row = (await tx.execute(select(pictures.c.data, pictures.c.missing).where(pictures.c.source == source))).first()
    return Picture(*row) if row else Picture(None, tr("it is no longer kept here"))


async def prune(tx: Tx, before_ms: int) -> None:
    """Forget pictures wanted before a time."""
    await tx.execute(delete(pictures).where(pictures.c.wanted_ms < before_ms))

"""What was found out about a workspace: which of its platform's features it has."""

from __future__ import annotations

from sqlalchemy import delete, select

from bridge.chat.capabilities import Learnt
from bridge.store.sql import Tx, upsert
from bridge.store.tables import learnt


async def known(tx: Tx, surface: str) -> list[Learnt]:
    """All that is known of a surface's workspace, by feature."""
    query = select(learnt).where(learnt.c.surface == surface).order_by(learnt.c.feature)
    rows = (row._mapping for row in await tx.execute(query))
    return [Learnt(row["feature"], row["state"], row["why"], row["at_ms"]) for row in rows]


async def learn(tx: Tx, surface: str, found: Learnt) -> None:
    """Note what was found out last."""
    values = {"surface": surface, "feature": found.feature, "state": found.state, "why": found.why}
    await upsert(tx, learnt, {**values, "at_ms": found.at_ms}, ["surface", "feature"])


async def forget_refusals(tx: Tx, surface: str) -> None:
    """What was refused is unknown again, so it will be tried."""
    await tx.execute(delete(learnt).where(learnt.c.surface == surface, learnt.c.state == "refused"))

"""Who decided what. One claim per request and arguments, taken before anything is sent to the hub.

A claim goes claimed, sent, settled; it is resumed at start, and released when the hub refused without deciding.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Select, select, update

from bridge.store.records import Decision
from bridge.store.sql import Tx, insert_new
from bridge.store.tables import decisions


def _key(session_id: str, request_id: str, argument_hash: str) -> str:
    return json.dumps([session_id, request_id, argument_hash])


async def _all(tx: Tx, query: Select[Any]) -> list[Decision]:
    return [Decision(**row._mapping) for row in await tx.execute(query.order_by(decisions.c.id))]


async def claim(
    tx: Tx,
    *,
    session_id: str,
    request_id: str,
    argument_hash: str,
    surface: str,
    person_id: str,
    person_name: str,
    choice: dict[str, Any],
    now_ms: int,
) -> Decision | None:
    """Take the right to decide, or ``None`` when somebody holds it (or it is settled). Atomic across processes."""
    key = _key(session_id, request_id, argument_hash)
    values = {
        "session_id": session_id,
        "request_id": request_id,
        "argument_hash": argument_hash,
        "claim_key": key,
        "surface": surface,
        "person_id": person_id,
        "person_name": person_name,
        "choice": choice,
        "state": "claimed",
        "claimed_ms": now_ms,
    }
    if not await insert_new(tx, decisions, values):
        return None
    return await holder(tx, session_id, request_id, argument_hash)


async def get(tx: Tx, id: int) -> Decision | None:
    """One decision."""
    found = await _all(tx, select(decisions).where(decisions.c.id == id))
    return found[0] if found else None


async def sent(tx: Tx, id: int) -> None:
    """The decision is on its way to the hub."""
    await tx.execute(update(decisions).where(decisions.c.id == id).values(state="sent"))


async def unsent(tx: Tx, id: int) -> None:
    """It certainly did not reach the hub: it is only claimed again."""
    await tx.execute(update(decisions).where(decisions.c.id == id).values(state="claimed"))


async def settle(tx: Tx, id: int, outcome: str, now_ms: int) -> None:
    """The hub has said what became of it. The claim stays: nobody decides the same request again."""
    values = {"state": "settled", "outcome": outcome, "settled_ms": now_ms}
    await tx.execute(update(decisions).where(decisions.c.id == id).values(**values))


async def release(tx: Tx, id: int, why: str, now_ms: int) -> None:
    """The hub did not take it: somebody may decide again."""
    values = {"state": "released", "claim_key": None, "outcome": why, "settled_ms": now_ms}
    await tx.execute(update(decisions).where(decisions.c.id == id).values(**values))


async def holder(tx: Tx, session_id: str, request_id: str, argument_hash: str) -> Decision | None:
    """Who holds the claim (claimed, sent or settled), if anybody."""
    key = _key(session_id, request_id, argument_hash)
    found = await _all(tx, select(decisions).where(decisions.c.claim_key == key))
    return found[0] if found else None


async def unfinished(tx: Tx) -> list[Decision]:
    """Decisions claimed or sent but not settled, oldest first: what a start must take up again."""
    return await _all(tx, select(decisions).where(decisions.c.state.in_(("claimed", "sent"))))

"""Sessions that people asked for, from the press to the session. A row is stored before the hub is asked: a press
starts one session, whatever breaks in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select, update

from bridge.store.records import StartRecord, StartState
from bridge.store.sql import Tx, insert_new
from bridge.store.tables import starts


async def want(tx: Tx, key: str, conversation_id: int, plan: dict[str, Any], now_ms: int) -> bool:
    """Somebody pressed Start on the card ``key``. False, and nothing changed, if that is being done, or was."""
    fresh = {
        "conversation_id": conversation_id,
        "plan": plan,
        "state": "wanted",
        "session_id": None,
        "asked_ms": now_ms,
    }
    if await insert_new(tx, starts, {"key": key, **fresh}):
        return True
    again = update(starts).where(starts.c.key == key, starts.c.state == "failed")
    return bool((await tx.execute(again.values(**fresh))).rowcount)


async def unfinished(tx: Tx) -> list[StartRecord]:
    """Those on their way, oldest first."""
    query = select(starts).where(starts.c.state.in_(("wanted", "sent"))).order_by(starts.c.asked_ms, starts.c.key)
    return [StartRecord(**row._mapping) for row in await tx.execute(query)]


async def move(tx: Tx, key: str, state: StartState, **fields: Any) -> None:
    """Move a start on; ``session_id``, ``plan`` or ``asked_ms`` may go along."""
    await tx.execute(update(starts).where(starts.c.key == key).values(state=state, **fields))


async def taken(tx: Tx, session_ids: Sequence[str]) -> set[str]:
    """Which of these sessions are those of some start already."""
    query = select(starts.c.session_id).where(starts.c.session_id.in_(session_ids))
    return set((await tx.execute(query)).scalars())


async def prune(tx: Tx, before_ms: int) -> None:
    """Forget what came to its end long ago."""
    over = starts.c.state.in_(("done", "failed")) & (starts.c.asked_ms < before_ms)
    await tx.execute(delete(starts).where(over))

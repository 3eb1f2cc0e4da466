"""People's messages on their way to the hub. ``local_id`` is the hub's ``localId``: a repeat is harmless there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select, update

from bridge.store.records import SayRecord, SayState
from bridge.store.sql import Tx, insert_new
from bridge.store.tables import says


async def _all(tx: Tx, query: Select[Any]) -> list[SayRecord]:
    rows = await tx.execute(query.order_by(says.c.created_ms, says.c.local_id))
    return [SayRecord(**row._mapping) for row in rows]


async def add(tx: Tx, say: SayRecord) -> bool:
    """Keep a message. False, and nothing changed, if its ``local_id`` is known."""
    return await insert_new(tx, says, {name: getattr(say, name) for name in SayRecord.__slots__})


async def get(tx: Tx, local_id: str) -> SayRecord | None:
    """One message."""
    found = await _all(tx, select(says).where(says.c.local_id == local_id))
    return found[0] if found else None


async def set_state(tx: Tx, local_ids: Sequence[str], state: SayState, now_ms: int, **fields: Any) -> None:
    """Move messages to a state; further fields (``attempts``, ``next_try_ms``, ``text``, ``data``) may go along."""
    values = {"state": state, "updated_ms": now_ms, **fields}
    await tx.execute(update(says).where(says.c.local_id.in_(local_ids)).values(**values))


async def due(tx: Tx, now_ms: int, limit: int = 100) -> list[SayRecord]:
    """Messages in state ``kept`` whose next try is due, oldest first (those without ``next_try_ms`` wait for more)."""
    return await _all(tx, select(says).where(says.c.state == "kept", says.c.next_try_ms <= now_ms).limit(limit))


async def in_state(tx: Tx, states: Sequence[SayState]) -> list[SayRecord]:
    """All messages in any of these states, oldest first."""
    return await _all(tx, select(says).where(says.c.state.in_(states)))


def is_undecided(say: SayRecord) -> bool:
    """Whether a message goes nowhere by itself: it is kept without a time for its next try, or could not be sent."""
    return say.state in ("failed", "indeterminate") or (say.state == "kept" and say.next_try_ms is None)


async def undecided(tx: Tx, before_ms: int) -> list[SayRecord]:
    """Messages that go nowhere by themselves (see :func:`is_undecided`), and did not change since a time."""
    held = (says.c.state == "kept") & says.c.next_try_ms.is_(None)
    waits = held | says.c.state.in_(("failed", "indeterminate"))
    return await _all(tx, select(says).where(waits, says.c.updated_ms < before_ms))


async def of_message(tx: Tx, conversation_id: int, message: str) -> list[SayRecord]:
    """What became of one platform message, oldest first (a message edited and sent again has several)."""
    return await _all(tx, select(says).where(says.c.conversation_id == conversation_id, says.c.message == message))


async def kept_in(tx: Tx, conversation_id: int, person_id: str) -> list[SayRecord]:
    """A person's messages in a place that have not left, oldest first."""
    here = (says.c.conversation_id == conversation_id) & (says.c.person_id == person_id)
    return await _all(tx, select(says).where(here, says.c.state == "kept"))


async def since(tx: Tx, conversation_id: int, person_id: str, created_ms: int) -> list[SayRecord]:
    """A person's messages in a place since a time, whatever became of them, oldest first."""
    here = (says.c.conversation_id == conversation_id) & (says.c.person_id == person_id)
    return await _all(tx, select(says).where(here, says.c.created_ms >= created_ms))


async def wait_longer(tx: Tx, local_id: str, next_try_ms: int | None, now_ms: int) -> bool:
    """Let a kept message wait for what else belongs to it. False, and nothing changed, if it has left; true holds
    until the transaction ends: whoever sends it waits for that."""
    still = update(says).where(says.c.local_id == local_id, says.c.state == "kept")
    return bool((await tx.execute(still.values(next_try_ms=next_try_ms, updated_ms=now_ms))).rowcount)


async def by_lineage(tx: Tx, lineage: str, states: Sequence[SayState]) -> list[SayRecord]:
    """A lineage's messages in any of these states, oldest first."""
    return await _all(tx, select(says).where(says.c.lineage == lineage, says.c.state.in_(states)))


async def join(tx: Tx, head: SayRecord, members: Sequence[SayRecord], now_ms: int) -> None:
    """Let messages, and what was joined to them, go to the hub as part of another one, ``head``, whose fate is theirs
    from now on."""
    for member in members:
        for each in [member, *await joined_to(tx, member)]:
            await set_state(tx, [each.local_id], "joined", now_ms, data={**each.data, "joined": head.local_id})


async def joined_to(tx: Tx, head: SayRecord) -> list[SayRecord]:
    """The messages that went as part of ``head``, oldest first, without itself."""
    return [say for say in await by_lineage(tx, head.lineage, ["joined"]) if say.data.get("joined") == head.local_id]


async def head_of(tx: Tx, say: SayRecord) -> SayRecord:
    """The message that a joined one went with; any other is its own."""
    head = await get(tx, str(say.data.get("joined"))) if say.state == "joined" else None
    return head or say

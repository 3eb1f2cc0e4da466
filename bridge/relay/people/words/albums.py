"""Albums: what a person sent as one thing arrives message by message, and is one message to the agent.

The first of its messages is kept as any; the others join it as they come, whatever became of it meanwhile: on its way
after a pause, asked about, shown back. What comes after it left is a message of its own: late, but not lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bridge.relay.attached import ALBUM
from bridge.store import says
from bridge.store.engine import Tx
from bridge.store.records import SayRecord

PAUSE_MS: Final = 1_500
"""How long the next message of an album is waited for: platforms deliver them at once, networks do not."""
LATEST_MS: Final = 10 * 60_000
"""How long after an album's first message another one may come and still be known as one of it."""


def pause_of(record: SayRecord, pause_ms: int) -> int:
    """How long a message waits for what belongs to it; ``pause_ms``: as quick texts do."""
    return max(pause_ms, PAUSE_MS) if ALBUM in record.data else pause_ms


async def joined(tx: Tx, record: SayRecord, now_ms: int, pause_ms: int) -> SayRecord | None:
    """Put a new message to the album it belongs to; that album's first message, or ``None`` where this is the first,
    or the others have left. Told again, nothing changes."""
    album = record.data.get(ALBUM)
    if album is None:
        return None
    for head in await says.kept_in(tx, record.conversation_id, record.person_id):
        if head.data.get(ALBUM) != album or head.local_id == record.local_id:
            continue
        waits = None if head.next_try_ms is None else now_ms + pause_of(record, pause_ms)
        if not await says.wait_longer(tx, head.local_id, waits, now_ms):
            return None  # it leaves at this moment
        data = {**record.data, "joined": head.local_id}
        piece = replace(record, state="joined", lineage=head.lineage, session_id=head.session_id, data=data)
        await says.add(tx, piece)
        return replace(head, next_try_ms=waits)
    return None


async def began(tx: Tx, record: SayRecord, now_ms: int) -> bool:
    """Whether a message belongs to an album of which one was taken already. Only the one with the caption says whom the
    album is for."""
    album = record.data.get(ALBUM)
    if album is None:
        return False
    earlier = await says.since(tx, record.conversation_id, record.person_id, now_ms - LATEST_MS)
    return any(say.data.get(ALBUM) == album for say in earlier)

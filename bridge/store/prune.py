"""Forgetting: what was settled long ago leaves the store, so that it does not grow for ever."""

from __future__ import annotations

from sqlalchemy import delete, select

from bridge.store import audit, inbox, pairing, pictures, starts
from bridge.store.sql import Tx
from bridge.store.tables import buttons, deliveries, parts, posts, says

DAY_MS = 86_400_000
UPDATES_KEPT_MS = 7 * DAY_MS
"""Longer than any platform sends an update again."""
POSTS_KEPT_MS = 90 * DAY_MS
"""Replies to older posts, and presses on their buttons, are answered as unknown."""
PICTURES_KEPT_MS = 2 * DAY_MS
"""Long enough for a chat that can't be reached; the hub has the picture longer than that."""
AUDIT_KEPT_MS = 365 * DAY_MS
AT_ONCE = 500
"""Posts per transaction: nobody shall wait for long."""


async def prune(tx: Tx, now_ms: int, *, audit_kept_ms: int = AUDIT_KEPT_MS) -> int:
    """Forget old updates, ended messages, and settled posts; how many posts went. Call again while it is ``AT_ONCE``.

    Decisions stay: they are the record of who allowed what. Lines of the audit log go after ``audit_kept_ms``.
    """
    await inbox.prune(tx, now_ms - UPDATES_KEPT_MS)
    await pictures.prune(tx, now_ms - PICTURES_KEPT_MS)
    await pairing.prune(tx, now_ms - DAY_MS)
    await audit.prune(tx, now_ms - audit_kept_ms)
    await starts.prune(tx, now_ms - POSTS_KEPT_MS)
    ended = says.c.state.in_(("taken", "cancelled", "joined")) & (says.c.updated_ms < now_ms - POSTS_KEPT_MS)
    await tx.execute(delete(says).where(ended))
    old = select(posts.c.key).where(posts.c.settled, posts.c.updated_ms < now_ms - POSTS_KEPT_MS).limit(AT_ONCE)
    keys = list((await tx.execute(old)).scalars())
    for table in (buttons, parts, deliveries):
        await tx.execute(delete(table).where(table.c.post_key.in_(keys)))
    await tx.execute(delete(posts).where(posts.c.key.in_(keys)))
    return len(keys)

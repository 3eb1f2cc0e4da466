"""What the store holds of posts, for tests to look at."""

from __future__ import annotations

from sqlalchemy import not_, select

from bridge.cards.model import Card
from bridge.store import posts
from bridge.store.records import Post
from bridge.store.sql import Tx
from bridge.store.tables import posts as posts_table


async def unsettled(tx: Tx) -> list[Post]:
    """All posts that are not settled, in order."""
    query = select(posts_table).where(not_(posts_table.c.settled)).order_by(posts_table.c.position)
    return [posts.post_of(row) for row in await tx.execute(query)]


async def card_of(tx: Tx, key: str) -> Card | None:
    """A post's newest card; ``None`` if there is no such post, or its card was not kept."""
    post = await posts.get(tx, key)
    return post.card if post else None

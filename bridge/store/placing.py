"""Where posts go: which conversations a wish is for, and what happens when a place goes away."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, case, exists, literal, not_, or_, select, update

from bridge.cards.levels import LEVELS, Level
from bridge.store.records import Wish
from bridge.store.sql import Tx, insert_new
from bridge.store.tables import bindings, conversations, deliveries, parts, posts


def admitting(min_level: Level) -> ColumnElement[bool]:
    """Condition: a conversation's level shows posts that ask for ``min_level``."""
    return conversations.c.level.in_(LEVELS[LEVELS.index(min_level) :])


async def deliver_to(tx: Tx, key: str, conversation_id: int, *, rung: bool = False) -> bool:
    """Have a post delivered in a conversation. False if it has a delivery there already."""
    values = {
        "post_key": key,
        "conversation_id": conversation_id,
        "state": "open",
        "shown": False,
        "rung": rung,
    }
    return await insert_new(tx, deliveries, values)


async def has_place(tx: Tx, lineage: str) -> bool:
    """Whether a lineage is bound anywhere."""
    bound = select(bindings.c.lineage).where(bindings.c.lineage == lineage, bindings.c.active)
    return (await tx.execute(bound.limit(1))).first() is not None


async def spread(tx: Tx, wish: Wish, *, rung: bool = False) -> int:
    """Give a post its deliveries where it has none; how many were added.

    A post goes to every conversation its lineage is bound to that admits its level (or to those it names), a detail
    to rooms alone. One that stands somewhere on a surface already is not posted there again, unless all its places
    there are gone.
    """
    key, only = wish.key, wish.conversations
    live = conversations.c.state != "gone"
    query = select(conversations.c.surface).select_from(
        deliveries.join(conversations, conversations.c.id == deliveries.c.conversation_id)
    )
    covered = set((await tx.execute(query.where(deliveries.c.post_key == key, live))).scalars())
    wanted = select(conversations.c.id, conversations.c.surface).where(live)
    if wish.detail:
        wanted = wanted.where(conversations.c.kind == "room")
    targets = []
    if only:
        targets = list(await tx.execute(wanted.where(conversations.c.id.in_(only))))
    if not targets:
        join = conversations.join(bindings, bindings.c.conversation_id == conversations.c.id)
        bound = wanted.select_from(join).where(bindings.c.lineage == wish.lineage, bindings.c.active)
        targets = list(await tx.execute(bound.where(admitting(wish.min_level)).order_by(conversations.c.id)))
    added = 0
    for id, surface in targets:
        if surface not in covered:
            added += await deliver_to(tx, key, id, rung=rung)
    return added


async def place_waiting(tx: Tx, lineage: str, conversation_id: int) -> None:
    """Place what a lineage wished for while it had no place at all."""
    placed = exists().where(deliveries.c.post_key == posts.c.key)
    admits = exists().where(conversations.c.id == conversation_id, _admits_post())
    query = select(posts.c.key).where(posts.c.lineage == lineage, not_(posts.c.settled), not_(placed), admits)
    for key in list((await tx.execute(query.order_by(posts.c.position))).scalars()):
        await deliver_to(tx, key, conversation_id)


def _admits_post() -> ColumnElement[bool]:
    """Condition: a conversation admits a post, by its level and its kind, all taken from their rows."""
    rank = {name: literal(number) for number, name in enumerate(LEVELS)}
    level = case(rank, value=posts.c.min_level) <= case(rank, value=conversations.c.level)
    return and_(level, or_(not_(posts.c.detail), conversations.c.kind == "room"))


async def move_deliveries(tx: Tx, old_id: int, new_id: int) -> None:
    """Deliver elsewhere what had not arrived in a place that is gone, and post open approvals anew.

    What had not arrived: posts not posted in full, and those whose newest card never got there. They keep whether
    they rang, so that nothing rings twice. Details go to rooms alone: elsewhere what they hang under shows them.
    """
    hangs = exists().where(conversations.c.id == new_id, conversations.c.kind == "room")
    open_here = and_(deliveries.c.conversation_id == old_id, deliveries.c.state == "open")
    query = (
        select(posts.c.key, deliveries.c.rung)
        .select_from(deliveries.join(posts, posts.c.key == deliveries.c.post_key))
        .where(
            open_here,
            or_(not_(posts.c.detail), hangs),
            or_(
                deliveries.c.digest.is_distinct_from(posts.c.digest),
                and_(posts.c.urgency == "approval", not_(posts.c.final)),
            ),
        )
        .order_by(posts.c.position)
    )
    for key, rung in list(await tx.execute(query)):
        await deliver_to(tx, key, new_id, rung=rung)
    await tx.execute(update(deliveries).where(open_here).values(state="skipped"))
    await tx.execute(update(parts).where(parts.c.conversation_id == old_id).values(state="gone"))


async def supersede(tx: Tx, key: str, conversation_id: int, index: int | None = None) -> None:
    """Keep messages on record that are no part of the post any more, so that a reply to one still finds its post.

    They get indexes below zero. Without ``index``, all of the post's messages there.
    """
    here = and_(parts.c.post_key == key, parts.c.conversation_id == conversation_id)
    indexes = sorted((await tx.execute(select(parts.c.index).where(here))).scalars())
    lowest = min([0, *indexes])
    for old in [one for one in indexes if one >= 0 and index in (None, one)]:
        lowest -= 1
        row = update(parts).where(here, parts.c.index == old)
        await tx.execute(row.values(index=lowest, state="gone", digest=None))

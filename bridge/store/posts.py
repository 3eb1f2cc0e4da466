"""Posts: what should be seen. A wish says how a post should look now; the courier closes the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, and_, func, not_, select, update

from bridge.cards.model import Act, Card, button_token
from bridge.cards.text import clean
from bridge.store import placing
from bridge.store.records import Delivery, PartRecord, Post, Wish
from bridge.store.sql import Tx, insert_new, upsert
from bridge.store.tables import buttons, conversations, deliveries, parts, posts

_NAMES = ("key", "lineage", "session_id", "reply_to", "under")


def post_of(row: Row[Any]) -> Post:
    """A row of ``posts`` as a record. Further columns of the row are left alone."""
    values = {name: row._mapping[posts.c[name]] for name in Post.__slots__}
    if values["card"] is not None:
        values["card"] = Card.model_validate(values["card"])
    return Post(**values)


async def get(tx: Tx, key: str) -> Post | None:
    """One post."""
    row = (await tx.execute(select(posts).where(posts.c.key == key))).first()
    return post_of(row) if row else None


async def wish(tx: Tx, new: Wish, now_ms: int) -> bool:
    """Say how a post should look now. True if that changed anything.

    The newest wish wins. The same wish twice is nothing. A settled post whose card is wished differently is taken up
    again (a decision that turned out otherwise).
    """
    # As the columns would: so that what is wished equals what is stored, and tokens are made from the stored key.
    new = replace(new, **{name: clean(getattr(new, name)) for name in _NAMES})
    card = new.card.model_dump(mode="json")
    digest = new.card.digest()
    values: dict[str, Any] = {
        "lineage": new.lineage,
        "session_id": new.session_id,
        "kind": new.kind,
        "urgency": new.urgency,
        "digest": digest,
        "ring": new.ring,
        "final": new.final,
        "keep_card": new.keep_card,
        "min_level": new.min_level,
        "reply_to": new.reply_to,
        "under": new.under,
        "detail": new.detail,
        "withdrawn": False,
    }
    fresh = {**values, "key": new.key, "card": card, "settled": False, "created_ms": now_ms, "updated_ms": now_ms}
    if await insert_new(tx, posts, fresh):
        await placing.spread(tx, new)
        await _register_buttons(tx, new.key, new.card)
        await settle(tx, new.key)
        return True
    row = (await tx.execute(select(posts).where(posts.c.key == new.key).with_for_update())).one()
    old = post_of(row)
    if all(getattr(old, name) == value for name, value in values.items()):
        added = 0
        if not old.settled:
            added = await placing.spread(tx, new)
        return bool(added)
    changed = {**values, "card": card, "settled": False, "updated_ms": now_ms}
    await tx.execute(update(posts).where(posts.c.key == new.key).values(**changed))
    await placing.spread(tx, new, rung=await _rang(tx, new.key))
    await _reopen(tx, new.key, digest)
    await _register_buttons(tx, new.key, new.card)
    await settle(tx, new.key)
    return True


async def _rang(tx: Tx, key: str) -> bool:
    query = select(deliveries.c.post_key).where(deliveries.c.post_key == key, deliveries.c.rung)
    return (await tx.execute(query.limit(1))).first() is not None


async def _reopen(tx: Tx, key: str, digest: str) -> None:
    live = select(conversations.c.id).where(conversations.c.state != "gone")
    stale = and_(
        deliveries.c.post_key == key,
        deliveries.c.digest.is_distinct_from(digest),
        deliveries.c.conversation_id.in_(live),
    )
    await tx.execute(update(deliveries).where(stale).values(state="open", error=None))


async def _register_buttons(tx: Tx, key: str, card: Card) -> None:
    await tx.execute(update(buttons).where(buttons.c.post_key == key).values(on_card=False))
    for act in card.acts():
        values = {"token": button_token(key, act), "post_key": key, "act": act.model_dump(mode="json"), "on_card": True}
        await upsert(tx, buttons, values, ["token"])


async def settle(tx: Tx, key: str) -> bool:
    """Close the deliveries of a final post that are in step; if none is left open, forget its card.

    True if the post is settled now. A post that has no place yet waits for one.
    """
    row = (await tx.execute(select(posts).where(posts.c.key == key))).one()
    if not row.final:
        return False
    in_step = and_(
        deliveries.c.post_key == key, deliveries.c.state == "open", deliveries.c.digest.is_not_distinct_from(row.digest)
    )
    await tx.execute(update(deliveries).where(in_step).values(state="closed"))
    states = set(
        (await tx.execute(select(deliveries.c.state).where(deliveries.c.post_key == key).distinct())).scalars()
    )
    if "open" in states or (not states and not await placing.has_place(tx, row.lineage)):
        return False
    await _forget(tx, key, keep_card=row.keep_card)
    return True


async def _forget(tx: Tx, key: str, *, keep_card: bool) -> None:
    values: dict[str, Any] = {"settled": True}
    if not keep_card:
        values["card"] = None
    await tx.execute(update(posts).where(posts.c.key == key).values(**values))


async def withdraw(tx: Tx, key: str) -> None:
    """A post is not wanted any more (a preview overtaken): what is not sent is skipped, what was sent stays."""
    await tx.execute(update(posts).where(posts.c.key == key).values(withdrawn=True))
    open_ones = and_(deliveries.c.post_key == key, deliveries.c.state == "open")
    await tx.execute(update(deliveries).where(open_ones).values(state="skipped"))
    await tx.execute(update(buttons).where(buttons.c.post_key == key).values(on_card=False))
    await _forget(tx, key, keep_card=False)


async def button(tx: Tx, token: str) -> tuple[str, Act, bool] | None:
    """What a button stands for: post key, act, and whether the act is still on the post's newest card."""
    row = (await tx.execute(select(buttons).where(buttons.c.token == token))).first()
    return (row.post_key, Act.model_validate(row.act), bool(row.on_card)) if row else None


async def part_at(tx: Tx, surface: str, chat: str, message: str) -> PartRecord | None:
    """The part that a platform message is, and with it the post."""
    join = parts.join(conversations, conversations.c.id == parts.c.conversation_id)
    query = select(parts).select_from(join).where(parts.c.message == message)
    query = query.where(conversations.c.surface == surface, conversations.c.chat == chat)
    row = (await tx.execute(query)).first()
    return PartRecord(**row._mapping) if row else None


async def in_doubt(tx: Tx, surface: str, chat: str, key: str) -> bool:
    """Whether a message of a post may stand in a chat without its id being known (yet): no answer came to its send."""
    join = parts.join(conversations, conversations.c.id == parts.c.conversation_id)
    query = select(parts.c.index).select_from(join).where(parts.c.post_key == key, parts.c.state == "sending")
    query = query.where(conversations.c.surface == surface, conversations.c.chat == chat)
    return (await tx.execute(query.limit(1))).first() is not None


async def parts_of(tx: Tx, key: str, conversation_id: int) -> list[PartRecord]:
    """A post's messages in one conversation, by index."""
    query = select(parts).where(parts.c.post_key == key, parts.c.conversation_id == conversation_id)
    return [PartRecord(**row._mapping) for row in await tx.execute(query.order_by(parts.c.index))]


async def parts_of_all(tx: Tx, keys: Sequence[str]) -> list[PartRecord]:
    """The messages of many posts, wherever they stand; those of one post and place by index."""
    found = []
    for start in range(0, len(keys), 500):
        query = select(parts).where(parts.c.post_key.in_(keys[start : start + 500])).order_by(parts.c.index)
        found += [PartRecord(**row._mapping) for row in await tx.execute(query)]
    return found


async def deliveries_of(tx: Tx, key: str) -> list[Delivery]:
    """Where a post goes and how far it has come there."""
    query = select(deliveries).where(deliveries.c.post_key == key).order_by(deliveries.c.conversation_id)
    return [Delivery(**row._mapping) for row in await tx.execute(query)]


async def open_posts(tx: Tx, lineage: str, kind: str | None = None) -> list[Post]:
    """A lineage's posts that are neither final nor withdrawn, in order."""
    query = select(posts).where(posts.c.lineage == lineage, not_(posts.c.settled), not_(posts.c.final))
    if kind is not None:
        query = query.where(posts.c.kind == kind)
    return [post_of(row) for row in await tx.execute(query.order_by(posts.c.position))]


async def open_notes(tx: Tx, part: str) -> list[Post]:
    """Notes whose key holds ``part``, and that are neither final nor withdrawn, in order."""
    query = select(posts).where(posts.c.kind == "note", not_(posts.c.settled), not_(posts.c.final))
    query = query.where(posts.c.key.contains(part, autoescape=True))
    return [post_of(row) for row in await tx.execute(query.order_by(posts.c.position))]


async def asking_since(tx: Tx, part: str, before_ms: int) -> list[Post]:
    """Notes whose key holds ``part``, that still have buttons to press, and did not change since a time."""
    pressable = select(buttons.c.token).where(buttons.c.post_key == posts.c.key, buttons.c.on_card).exists()
    query = select(posts).where(posts.c.kind == "note", posts.c.updated_ms < before_ms, pressable)
    query = query.where(posts.c.key.contains(part, autoescape=True))
    return [post_of(row) for row in await tx.execute(query.order_by(posts.c.position))]


async def act_on(tx: Tx, key: str) -> Act | None:
    """An act of a post's newest card, whichever comes first; ``None`` if it has no buttons (any more)."""
    query = select(buttons.c.act).where(buttons.c.post_key == key, buttons.c.on_card).limit(1)
    found = (await tx.execute(query)).scalar()
    return Act.model_validate(found) if found is not None else None


async def known(tx: Tx, keys: Sequence[str]) -> set[str]:
    """Which of these posts were ever wished for."""
    found: set[str] = set()
    for start in range(0, len(keys), 500):
        query = select(posts.c.key).where(posts.c.key.in_(keys[start : start + 500]))
        found.update((await tx.execute(query)).scalars())
    return found


async def new_since(tx: Tx, lineage: str, since_ms: int) -> dict[str, int]:
    """How many posts of each kind a lineage got since a time."""
    query = select(posts.c.kind, func.count(posts.c.key)).where(posts.c.lineage == lineage)
    query = query.where(posts.c.created_ms > since_ms, not_(posts.c.withdrawn)).group_by(posts.c.kind)
    return {kind: int(count) for kind, count in await tx.execute(query)}


async def undelivered(tx: Tx) -> int:
    """How many posts are on their way to some conversation."""
    query = select(func.count(deliveries.c.post_key.distinct())).where(
        deliveries.c.state == "open", deliveries.c.digest.is_(None)
    )
    return int((await tx.execute(query)).scalar_one())


async def place_again(tx: Tx, key: str, conversation_id: int, *, ring: bool = False) -> bool:
    """Post something anew in a conversation: as new messages, even if it stood there before. Old ones stay.

    It rings only if asked to, and if the post is one that rings. False if the post is settled and its card is gone.
    """
    post = await get(tx, key)
    if post is None or post.card is None:
        return False
    if not await placing.deliver_to(tx, key, conversation_id, rung=not ring):
        here = and_(deliveries.c.post_key == key, deliveries.c.conversation_id == conversation_id)
        again = {"state": "open", "digest": None, "shown": False, "rung": not ring, "error": None}
        await tx.execute(update(deliveries).where(here).values(**again))
        await placing.supersede(tx, key, conversation_id)
    await tx.execute(update(posts).where(posts.c.key == key).values(settled=False))
    return True

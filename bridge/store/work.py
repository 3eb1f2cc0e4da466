"""The courier's questions: what is to be done where. What it did is written down in ``progress.py``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, or_, select

from bridge.store import posts as post_queries
from bridge.store.progress import here
from bridge.store.records import Conversation, Delivery, PartRecord, Post, Urgency
from bridge.store.sql import Tx
from bridge.store.tables import conversations, deliveries, follows, parts, posts


@dataclass(frozen=True, slots=True)
class Head:
    """A post that is out of step with what stands in a conversation: little enough to choose by."""

    conversation_id: int
    chat: str
    post_key: str
    urgency: Urgency
    final: bool
    shown: bool


@dataclass(frozen=True, slots=True)
class Job:
    """Everything needed to take a post one step further in a conversation."""

    conversation: Conversation
    post: Post
    delivery: Delivery
    parts: Sequence[PartRecord]
    newest: bool
    """No later post has a message in this conversation yet (under the same post, where posts hang)."""
    title: str
    """Of the lineage."""
    under: str | None = None
    """In a room, the message under which the post hangs; ``None`` if it hangs under none, or that one is lost."""
    early: bool = False
    """The post it is to hang under is still to be sent."""


def _in_work() -> ColumnElement[bool]:
    return and_(deliveries.c.state == "open", deliveries.c.digest.is_distinct_from(posts.c.digest))


ROOMS_TO_MAKE = "rooms to be made"
"""What stands in place of a chat for rooms that are to be made: however slowly the platform makes them, no chat's
messages wait for it."""


def budget_chat(conversation: Conversation) -> str:
    """The chat whose budget a conversation's calls count against."""
    unmade = conversation.kind == "room" and conversation.state == "wanted"
    return ROOMS_TO_MAKE if unmade else conversation.chat


def _heads_query() -> Select[Any]:
    unmade = and_(conversations.c.kind == "room", conversations.c.state == "wanted")
    rank = case((posts.c.urgency == "approval", 0), (~deliveries.c.shown, 1), (posts.c.final, 2), else_=3)
    number = func.row_number().over(partition_by=deliveries.c.conversation_id, order_by=(rank, posts.c.position))
    ranked = (
        select(
            deliveries.c.conversation_id,
            case((unmade, ROOMS_TO_MAKE), else_=conversations.c.chat).label("chat"),
            deliveries.c.post_key,
            posts.c.urgency,
            posts.c.final,
            deliveries.c.shown,
            number.label("number"),
        )
        .select_from(
            deliveries.join(posts, posts.c.key == deliveries.c.post_key).join(
                conversations, conversations.c.id == deliveries.c.conversation_id
            )
        )
        .where(
            _in_work(), conversations.c.surface == bindparam("surface"), conversations.c.state.in_(("open", "wanted"))
        )
        .subquery()
    )
    query = select(ranked).where(ranked.c.number <= bindparam("per_lane"))
    return query.order_by(ranked.c.conversation_id, ranked.c.number)


_HEADS = _heads_query()  # asked after every call, so it is built once


async def heads(tx: Tx, surface: str, per_lane: int) -> list[Head]:
    """The first posts to work on in each conversation that is open or wanted, in the order to do them.

    Approvals first; then posts not yet sent, in order; then changes to what is final; then changes to previews.
    """
    rows = await tx.execute(_HEADS, {"surface": surface, "per_lane": per_lane})
    return [Head(*row[:-1]) for row in rows]


async def waiting(tx: Tx, surface: str) -> dict[Urgency, int]:
    """How many deliveries are to be made or changed, by urgency; places that are blocked included."""
    query = (
        select(posts.c.urgency, func.count())
        .select_from(
            deliveries.join(posts, posts.c.key == deliveries.c.post_key).join(
                conversations, conversations.c.id == deliveries.c.conversation_id
            )
        )
        .where(_in_work(), conversations.c.surface == surface, conversations.c.state != "gone")
        .group_by(posts.c.urgency)
    )
    return {row[0]: row[1] for row in await tx.execute(query)}


def _job_query() -> Select[Any]:
    other = posts.alias("other")
    later = (
        exists()
        .where(
            parts.c.post_key == other.c.key,
            parts.c.conversation_id == deliveries.c.conversation_id,
            other.c.position > posts.c.position,
            or_(conversations.c.kind != "room", other.c.under.is_not_distinct_from(posts.c.under)),
        )
        .correlate(deliveries, posts, conversations)
    )
    return (
        select(deliveries, conversations, posts, follows.c.title.label("lineage_title"), later.label("overtaken"))
        .select_from(
            deliveries.join(posts, posts.c.key == deliveries.c.post_key)
            .join(conversations, conversations.c.id == deliveries.c.conversation_id)
            .outerjoin(follows, follows.c.lineage == posts.c.lineage)
        )
        .where(
            deliveries.c.post_key == bindparam("post_key"),
            deliveries.c.conversation_id == bindparam("conversation_id"),
            _in_work(),
            conversations.c.state.in_(("open", "wanted")),
        )
    )


_JOB = _job_query()


async def job(tx: Tx, key: str, conversation_id: int) -> Job | None:
    """A post's state in a conversation as it is now, or ``None`` if nothing is to be done any more."""
    row = (await tx.execute(_JOB, {"post_key": key, "conversation_id": conversation_id})).first()
    if row is None or row._mapping[posts.c.card] is None:
        return None
    conversation = Conversation(**{name: row._mapping[conversations.c[name]] for name in Conversation.__slots__})
    post = post_queries.post_of(row)
    under, early = None, False
    if post.under is not None and conversation.kind == "room":
        under, early = await _parent(tx, post.under, conversation_id)
    return Job(
        conversation=conversation,
        post=post,
        delivery=Delivery(**{name: row._mapping[deliveries.c[name]] for name in Delivery.__slots__}),
        parts=[part for part in await post_queries.parts_of(tx, key, conversation_id) if part.index >= 0],
        newest=not row._mapping["overtaken"],
        title=row._mapping["lineage_title"] or "",
        under=under,
        early=early,
    )


async def _parent(tx: Tx, key: str, conversation_id: int) -> tuple[str | None, bool]:
    """The first message of the post that another is to hang under, and whether it is still to be sent."""
    for part in await post_queries.parts_of(tx, key, conversation_id):
        if part.index >= 0 and part.message is not None and part.kind == "text":
            return part.message, False
    to_come = select(deliveries.c.shown).where(here(key, conversation_id), deliveries.c.state == "open")
    return None, (await tx.execute(to_come)).scalar_one_or_none() is False

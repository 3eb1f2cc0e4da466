"""Texts that are kept until it is clear what becomes of them: the row, and the question to the person."""

from __future__ import annotations

import uuid

from bridge.cards.own.bridge_notes import present_interject, present_offer_over
from bridge.cards.request.question import is_question
from bridge.chat.intents import Say
from bridge.relay.attached import files_of, stored, whole_shown
from bridge.relay.follow.follower import Follower
from bridge.relay.notes import note
from bridge.store import conversations, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation, SayRecord

NAMESPACE = uuid.UUID("6f6b5dd1-6f0e-5a4c-9c9e-6b9f3b1f8f21")
"""Namespace of the ids that are made from a platform's own."""

FOLLOWS = "follows"
"""In a message's data: the request whose denial it is to follow, by itself."""


async def keep_or_send(
    tx: Tx, place: Conversation, record: SayRecord, follower: Follower, now_ms: int, *, pause_ms: int = 0
) -> None:
    """A kept text for a session: on its way after a pause, or, while a request waits, offered to the person again."""
    if not await offer(tx, place, record, follower, now_ms):
        await says.set_state(tx, [record.local_id], "kept", now_ms, next_try_ms=now_ms + pause_ms)


async def offer(tx: Tx, place: Conversation, record: SayRecord, follower: Follower, now_ms: int) -> bool:
    """Ask what a text is that came while a request waits. False, and nothing asked, if none does (any more)."""
    pending = [request for request in follower.requests.waiting() if request.state == "pending"]
    if not pending:
        return False
    request = pending[-1]
    card = present_interject(
        await whole_shown(tx, record),
        session=request.session,
        request=request.id,
        argument_hash=request.argument_hash,
        text_id=record.local_id,
        question=is_question(request.tool),
        files=bool(files_of(record)),
    )
    await note(tx, place, text_note(record.local_id), card, now_ms, reply_to=record.message, open_=True)
    return True


async def close_offers(tx: Tx, follower: Follower, now_ms: int) -> None:
    """A request is over: texts that were kept because of it are asked about anew, or whether they shall still go."""
    for say in await says.by_lineage(tx, follower.lineage, ["kept"]):
        place = await conversations.get(tx, say.conversation_id)
        if (
            say.next_try_ms is not None
            or FOLLOWS in say.data  # see ``claims``
            or "stale" in say.data  # asked about already, see ``stale``
            or place is None
        ):
            continue
        await ask_again(tx, place, say, follower, now_ms)


async def ask_again(tx: Tx, place: Conversation, say: SayRecord, follower: Follower, now_ms: int) -> None:
    """Ask anew what a kept text is: about the request that waits now, or, where none does, whether it shall go."""
    if await offer(tx, place, say, follower, now_ms):
        return
    card = present_offer_over(await whole_shown(tx, say), session=say.session_id, text_id=say.local_id)
    await note(tx, place, text_note(say.local_id), card, now_ms, reply_to=say.message, open_=True)


def reason_note(local_id: str) -> str:
    """The note that says back why somebody denies a request."""
    return f"reason/{local_id}"


def text_note(local_id: str) -> str:
    """The note that asks what a kept text is for."""
    return f"text/{local_id}"


def say_record(surface: str, place: Conversation, said: Say, follower: Follower | None, now: int) -> SayRecord:
    """The message as it is kept. Its ``localId`` comes from the platform's ids, so a repeated update is one text."""
    unique = uuid.uuid5(NAMESPACE, f"{surface}/{place.chat}/{said.message}")
    return SayRecord(
        local_id=f"{surface}-bot-{unique}",
        lineage=follower.lineage if follower is not None else "",
        session_id=follower.session.id if follower is not None else "",
        conversation_id=place.id,
        message=said.message,
        person_id=said.person.id,
        person_name=said.person.name,
        text=said.text,
        state="kept",
        created_ms=now,
        updated_ms=now,
        data={"sent_from": f"{surface}-bot", "written_ms": said.sent_at_ms, **stored(said.files, said.album)},
    )

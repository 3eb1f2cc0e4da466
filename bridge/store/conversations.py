"""Chats, topics and threads, and which lineages are shown in them."""

from __future__ import annotations

from dataclasses import replace as replace_record
from typing import Any

from sqlalchemy import Select, case, select, update

from bridge.cards.levels import Level
from bridge.store import people, placing
from bridge.store.records import Conversation, ConversationState
from bridge.store.sql import Tx, insert_new, upsert
from bridge.store.tables import bindings, conversations


async def _all(tx: Tx, query: Select[Any]) -> list[Conversation]:
    return [Conversation(**row._mapping) for row in await tx.execute(query.order_by(conversations.c.id))]


async def get(tx: Tx, id: int) -> Conversation | None:
    """One conversation."""
    found = await _all(tx, select(conversations).where(conversations.c.id == id))
    return found[0] if found else None


async def find(tx: Tx, surface: str, chat: str, thread: str | None = None) -> Conversation | None:
    """The conversation at a platform's place; without ``thread``, the chat itself, be it shared or a room."""
    query = select(conversations).where(conversations.c.surface == surface, conversations.c.chat == chat)
    if thread is None:
        room = (conversations.c.kind == "room") & conversations.c.state.in_(("open", "blocked"))
        query = query.where((conversations.c.kind == "chat") | room).order_by(conversations.c.kind.desc())
    else:
        query = query.where(conversations.c.thread == thread)
    found = await _all(tx, query)
    return found[0] if found else None


async def _make(tx: Tx, **values: Any) -> bool:
    return await insert_new(tx, conversations, {"level": "normal", **values})


async def ensure_chat(tx: Tx, surface: str, chat: str, now_ms: int, *, title: str = "") -> Conversation:
    """The conversation of a chat itself, made if need be. Posts in it carry a header line."""
    found = await find(tx, surface, chat)
    if found is not None and found.kind == "room":
        return found
    values = {"surface": surface, "chat": chat, "thread": None, "title": title, "created_ms": now_ms}
    await _make(tx, **values, kind="chat", state="open")
    there = (conversations.c.surface == surface) & (conversations.c.chat == chat) & (conversations.c.kind == "chat")
    await tx.execute(update(conversations).where(there, conversations.c.state == "gone").values(state="open"))
    found = await find(tx, surface, chat)
    assert found is not None
    return found


async def ensure_topic(tx: Tx, surface: str, chat: str, thread: str, now_ms: int, *, title: str = "") -> Conversation:
    """The conversation of a topic or thread that exists on the platform already, made if need be."""
    values = {"surface": surface, "chat": chat, "thread": thread, "title": title, "created_ms": now_ms}
    await _make(tx, **values, kind="topic", state="open")
    found = await find(tx, surface, chat, thread)
    assert found is not None
    if found.state == "gone":
        await mark(tx, found.id, "open")  # somebody writes there, so it is there again
        found = replace_record(found, state="open")
    return found


async def want_topic(tx: Tx, surface: str, chat: str, title: str, now_ms: int) -> Conversation:
    """A new topic or thread, which the courier makes on the platform before it sends the first post there."""
    values = {"surface": surface, "chat": chat, "thread": None, "title": title, "created_ms": now_ms}
    await _make(tx, **values, kind="topic", state="wanted")
    query = select(conversations).where(conversations.c.surface == surface, conversations.c.chat == chat)
    return (await _all(tx, query))[-1]


async def want_room(tx: Tx, surface: str, home: str, title: str, now_ms: int, *, about: str = "") -> Conversation:
    """A new room, which the courier makes on the platform before it sends the first post there; ``home``: the chat
    that takes its part if there can be none."""
    values = {"surface": surface, "chat": home, "home": home, "title": title, "about": about, "created_ms": now_ms}
    await _make(tx, **values, thread=None, kind="room", state="wanted")
    query = select(conversations).where(conversations.c.surface == surface, conversations.c.home == home)
    return (await _all(tx, query))[-1]


async def room_opened(tx: Tx, id: int, chat: str) -> None:
    """The platform has made the room. If it was heard of so soon that its chat is known already, that row gives way."""
    row = await get(tx, id)
    known = await find(tx, row.surface, chat) if row else None
    await tx.execute(update(conversations).where(conversations.c.id == id).values(chat=chat, state="open"))
    if known is not None and known.id != id:
        await replace(tx, known.id, id)


async def rooms(tx: Tx, surface: str) -> list[str]:
    """The chats of a surface that are or were rooms."""
    query = select(conversations.c.chat).where(conversations.c.surface == surface, conversations.c.kind == "room")
    return list((await tx.execute(query.where(conversations.c.state.in_(("open", "blocked", "gone"))))).scalars())


async def any_room(tx: Tx) -> bool:
    """Whether any lineage is shown in a room."""
    live = select(conversations.c.id).where(conversations.c.kind == "room", conversations.c.state != "gone")
    return (await tx.execute(live.limit(1))).first() is not None


async def opened(tx: Tx, id: int, thread: str) -> None:
    """The platform has made the topic. If somebody wrote in it so soon that it is known already, that row goes on."""
    row = await get(tx, id)
    known = await find(tx, row.surface, row.chat, thread) if row else None
    if known is not None and known.id != id:
        await replace(tx, id, known.id)
        return
    await tx.execute(update(conversations).where(conversations.c.id == id).values(thread=thread, state="open"))


async def mark(tx: Tx, id: int, state: ConversationState) -> None:
    """Set a conversation's state."""
    await tx.execute(update(conversations).where(conversations.c.id == id).values(state=state))


async def block(tx: Tx, surface: str, chat: str) -> None:
    """A chat takes no messages: pause it and its topics. Everything for it is kept. Rooms still to be made are not
    there."""
    there = (conversations.c.surface == surface) & (conversations.c.chat == chat)
    unmade = (conversations.c.kind == "room") & (conversations.c.state == "wanted")
    live = conversations.c.state.in_(("open", "wanted")) & ~unmade
    await tx.execute(update(conversations).where(there, live).values(state="blocked"))


async def unblock(tx: Tx, surface: str, chat: str) -> None:
    """A chat takes messages again: go on where :func:`block` paused."""
    there = (conversations.c.surface == surface) & (conversations.c.chat == chat)
    unmade = (conversations.c.kind == "topic") & conversations.c.thread.is_(None)
    state = case((unmade, "wanted"), else_="open")
    await tx.execute(update(conversations).where(there, conversations.c.state == "blocked").values(state=state))


async def set_level(tx: Tx, id: int, level: Level) -> None:
    """Show more or less from now on. What was posted stays."""
    await tx.execute(update(conversations).where(conversations.c.id == id).values(level=level))


async def rename(tx: Tx, id: int, title: str) -> None:
    """Store a title; renaming on the platform is :meth:`Surface.rename_place`."""
    await tx.execute(update(conversations).where(conversations.c.id == id).values(title=title))


async def bind(tx: Tx, lineage: str, id: int) -> None:
    """Show a lineage's posts here from now on. Posts wished while there was no place at all are placed here."""
    await upsert(
        tx, bindings, {"lineage": lineage, "conversation_id": id, "active": True}, ["lineage", "conversation_id"]
    )
    await placing.place_waiting(tx, lineage, id)


async def unbind(tx: Tx, lineage: str, id: int) -> None:
    """Show no new posts of a lineage here. Those already here stay, and are still kept up to date."""
    query = update(bindings).where(bindings.c.lineage == lineage, bindings.c.conversation_id == id)
    await tx.execute(query.values(active=False))


async def bound(tx: Tx, lineage: str, surface: str | None = None) -> list[Conversation]:
    """Where a lineage is shown now (places that are gone left out)."""
    join = conversations.join(bindings, bindings.c.conversation_id == conversations.c.id)
    query = select(conversations).select_from(join)
    query = query.where(bindings.c.lineage == lineage, bindings.c.active, conversations.c.state != "gone")
    if surface is not None:
        query = query.where(conversations.c.surface == surface)
    return await _all(tx, query)


async def all_bound(tx: Tx) -> list[tuple[str, Conversation]]:
    """Where every lineage is shown now, as :func:`bound` tells it of one."""
    join = conversations.join(bindings, bindings.c.conversation_id == conversations.c.id)
    query = select(bindings.c.lineage, conversations).select_from(join)
    query = query.where(bindings.c.active, conversations.c.state != "gone")
    rows = [row._mapping for row in await tx.execute(query.order_by(bindings.c.lineage, conversations.c.id))]
    columns = [(name, conversations.c[name]) for name in Conversation.__slots__]
    return [(row[bindings.c.lineage], Conversation(**{name: row[each] for name, each in columns})) for row in rows]


async def all_chats(tx: Tx) -> list[Conversation]:
    """The chats themselves, and the rooms that are there: what :func:`find` may find without a thread."""
    room = (conversations.c.kind == "room") & conversations.c.state.in_(("open", "blocked"))
    return await _all(tx, select(conversations).where((conversations.c.kind == "chat") | room))


async def paused(tx: Tx, surface: str, home: str) -> list[str]:
    """Chats besides ``home`` that take no messages, though a lineage is to be shown in them."""
    join = conversations.join(bindings, bindings.c.conversation_id == conversations.c.id)
    query = select(conversations.c.chat).distinct().select_from(join).where(bindings.c.active)
    there = (conversations.c.surface == surface) & (conversations.c.chat != home)
    return list((await tx.execute(query.where(there, conversations.c.state == "blocked"))).scalars())


async def former(tx: Tx, lineage: str, surface: str, chat: str) -> Conversation | None:
    """The newest place of a chat in which a lineage is or was shown, if it is still there; its room counts, too."""
    join = conversations.join(bindings, bindings.c.conversation_id == conversations.c.id)
    query = select(conversations).select_from(join).where(bindings.c.lineage == lineage)
    here = (conversations.c.chat == chat) | (conversations.c.home == chat)
    found = await _all(tx, query.where(conversations.c.surface == surface, here, conversations.c.state != "gone"))
    return found[-1] if found else None


async def lineages_in(tx: Tx, conversation_id: int) -> list[str]:
    """The lineages shown in a conversation now."""
    query = select(bindings.c.lineage).where(bindings.c.conversation_id == conversation_id, bindings.c.active)
    return list((await tx.execute(query.order_by(bindings.c.lineage))).scalars())


async def in_chat(tx: Tx, surface: str, chat: str) -> list[Conversation]:
    """Every conversation of a chat: the chat itself and its topics, also those that are gone."""
    return await _all(tx, select(conversations).where(conversations.c.surface == surface, conversations.c.chat == chat))


async def moved(tx: Tx, surface: str, old_chat: str, new_chat: str) -> None:
    """The platform gave a chat a new id. Where the new chat is known already, what was bound and unsent goes there."""
    for old in await in_chat(tx, surface, old_chat):
        known = None
        if old.kind == "chat" or old.thread is not None:
            known = await find(tx, surface, new_chat, None if old.kind == "chat" else old.thread)
        if known is None:
            await tx.execute(update(conversations).where(conversations.c.id == old.id).values(chat=new_chat))
        else:
            await replace(tx, old.id, known.id)


async def replace(tx: Tx, old_id: int, new_id: int) -> None:
    """A place is gone and another takes over: bindings, unsent posts and open approvals go there, nothing is dropped.

    What was posted in the old one stays on record there.
    """
    lineages = await lineages_in(tx, old_id)
    old, new = await get(tx, old_id), await get(tx, new_id)
    await mark(tx, old_id, "gone")
    await tx.execute(update(bindings).where(bindings.c.conversation_id == old_id).values(active=False))
    await placing.move_deliveries(tx, old_id, new_id)
    widens = old is not None and new is not None and (old.kind, new.kind) == ("topic", "chat")
    await people.move_roles(tx, old_id, new_id, widens=widens)
    for lineage in lineages:
        await bind(tx, lineage, new_id)

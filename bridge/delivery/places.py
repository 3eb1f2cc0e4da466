"""Places: making topics, replacing those that are gone, falling back to the chat itself."""

from __future__ import annotations

import structlog
from sqlalchemy import select

from bridge.cards.model import bold
from bridge.cards.own.bridge_notes import present_said
from bridge.chat.capabilities import Room, Roomed
from bridge.chat.errors import PlaceGone, Rejected
from bridge.chat.surface import Place, Surface
from bridge.delivery.calls import Calls, Turn
from bridge.language import tr
from bridge.store import conversations, posts
from bridge.store.engine import Store
from bridge.store.records import Conversation, Wish
from bridge.store.sql import Tx
from bridge.store.tables import parts

log = structlog.get_logger(__name__)


def place_of(conversation: Conversation, title: str) -> Place:
    """Where a post goes. In a chat that sessions share, a line names the session."""
    header = (bold(title),) if conversation.kind == "chat" and title else ()
    return Place(conversation.id, conversation.chat, conversation.thread, header, conversation.kind == "room")


class Places:
    """Opens and replaces the places of one surface."""

    def __init__(self, store: Store, surface: Surface, calls: Calls) -> None:
        self._store = store
        self._surface = surface
        self._calls = calls

    async def open(self, wanted: Conversation, turn: Turn, now_ms: int) -> None:
        """Make a wanted topic or room on the platform; where it has none (any more), the chat itself takes a topic's
        part, and a topic that of a room."""
        if wanted.kind == "room":
            await self._open_room(wanted, turn, now_ms)
            return
        thread: str | None = None
        try:
            mark, since = f"{wanted.id}/{wanted.created_ms}", wanted.created_ms
            making = self._surface.open_place(wanted.chat, wanted.title, mark=mark, wanted_ms=since)
            thread = await self._calls.make(turn, "open", making)
        except (PlaceGone, Rejected) as error:
            log.warning("courier.no_topic", chat=wanted.chat, reason=str(error))
        async with self._store.begin() as tx:
            if thread is None:
                await self._to_chat(tx, wanted, now_ms)
            else:
                await conversations.opened(tx, wanted.id, thread)

    async def _open_room(self, wanted: Conversation, turn: Turn, now_ms: int) -> None:
        home = wanted.home or wanted.chat
        async with self._store.read() as tx:
            lineages = await conversations.lineages_in(tx, wanted.id)
            taken = frozenset(await conversations.rooms(tx, wanted.surface))
        mark = lineages[0] if lineages else f"conversation/{wanted.id}"
        room = Room(wanted.title, wanted.about or "", mark, taken)
        chat, why = "", tr("this platform has no channels")
        try:
            if isinstance(self._surface, Roomed):
                chat = await self._calls.make(turn, "open", self._surface.open_room(home, room))
        except Rejected as error:
            why = str(error)
        async with self._store.begin() as tx:
            if chat:
                await conversations.room_opened(tx, wanted.id, chat)
                return
            log.warning("courier.no_room", home=home, title=wanted.title, reason=why)
            await self._to_home(tx, wanted, now_ms)
            words = tr("A session can't have a channel of its own, so it is a thread here: {why}.", why=why)
            chat_itself = await conversations.ensure_chat(tx, wanted.surface, home, now_ms)
            await self._say(tx, chat_itself, "no-room", words, now_ms)

    async def gone(self, old: Conversation, now_ms: int) -> None:
        """A place is gone: another one takes over, and everything that had not arrived goes there.

        A topic that was lost before anything arrived in it is not made again, lest topics be made for ever. Nor is a
        room: a person did not want it.
        """
        async with self._store.begin() as tx:
            current = await conversations.get(tx, old.id)
            if current is None or current.state == "gone":
                return  # the platform's own word of it came first, and was followed
            if old.kind == "room":
                new = await self._to_home(tx, old, now_ms)
                words = tr("{title} is shown here again: its channel takes no messages any more.", title=old.title)
                await self._say(tx, new, f"home/{old.id}", words, now_ms)
            elif old.kind == "chat":
                await conversations.block(tx, old.surface, old.chat)
            elif await self._was_used(tx, old.id):
                new = await conversations.want_topic(tx, old.surface, old.chat, old.title, now_ms)
                await conversations.set_level(tx, new.id, old.level)
                await conversations.replace(tx, old.id, new.id)
            else:
                await self._to_chat(tx, old, now_ms)
        log.warning("courier.place_gone", surface=old.surface, chat=old.chat, thread=old.thread)

    async def _to_home(self, tx: Tx, room: Conversation, now_ms: int) -> Conversation:
        """A topic at home takes a room's part."""
        new = await conversations.want_topic(tx, room.surface, room.home or room.chat, room.title, now_ms)
        await conversations.set_level(tx, new.id, room.level)
        await conversations.replace(tx, room.id, new.id)
        return new

    async def _say(self, tx: Tx, where: Conversation, what: str, words: str, now_ms: int) -> None:
        wish = Wish(
            key=f"conversation/{where.id}/{what}",
            lineage=f"conversation/{where.id}",
            kind="note",
            urgency="notice",
            card=present_said(words),
            final=True,
            conversations=(where.id,),
        )
        await posts.wish(tx, wish, now_ms)

    async def _to_chat(self, tx: Tx, old: Conversation, now_ms: int) -> None:
        known = await conversations.find(tx, old.surface, old.chat)
        chat = await conversations.ensure_chat(tx, old.surface, old.chat, now_ms)
        if known is None:
            await conversations.set_level(tx, chat.id, old.level)
        await conversations.replace(tx, old.id, chat.id)

    async def _was_used(self, tx: Tx, conversation_id: int) -> bool:
        query = select(parts.c.message).where(parts.c.conversation_id == conversation_id, parts.c.message.is_not(None))
        return (await tx.execute(query.limit(1))).first() is not None

"""Places: making topics, replacing those that are gone, falling back to the chat itself."""

from __future__ import annotations

import structlog
from sqlalchemy import select

from bridge.cards.model import bold
from bridge.chat.surface import Place, PlaceGone, Rejected, Surface
from bridge.delivery.calls import Calls, Turn
from bridge.store import conversations
from bridge.store.engine import Store
from bridge.store.records import Conversation
from bridge.store.sql import Tx
from bridge.store.tables import parts

log = structlog.get_logger(__name__)


def place_of(conversation: Conversation, title: str) -> Place:
    """Where a post goes. In a chat that sessions share, a line names the session."""
    header = (bold(title),) if conversation.kind == "chat" and title else ()
    return Place(conversation.id, conversation.chat, conversation.thread, header)


class Places:
    """Opens and replaces the places of one surface."""

    def __init__(self, store: Store, surface: Surface, calls: Calls) -> None:
        self._store = store
        self._surface = surface
        self._calls = calls

    async def open(self, wanted: Conversation, turn: Turn, now_ms: int) -> None:
        """Make a wanted topic on the platform; where it has none (any more), the chat itself takes its part."""
        thread: str | None = None
        try:
            thread = await self._calls.make(turn, "open", self._surface.open_place(wanted.chat, wanted.title))
        except (PlaceGone, Rejected) as error:
            log.warning("courier.no_topic", chat=wanted.chat, reason=str(error))
        async with self._store.begin() as tx:
            if thread is None:
                await self._to_chat(tx, wanted, now_ms)
            else:
                await conversations.opened(tx, wanted.id, thread)

    async def gone(self, old: Conversation, now_ms: int) -> None:
        """A place is gone: another one takes over, and everything that had not arrived goes there.

        A topic that was lost before anything arrived in it is not made again, lest topics be made for ever.
        """
        async with self._store.begin() as tx:
            if old.kind == "chat":
                await conversations.block(tx, old.surface, old.chat)
            elif await self._was_used(tx, old.id):
                new = await conversations.want_topic(tx, old.surface, old.chat, old.title, now_ms)
                await conversations.set_level(tx, new.id, old.level)
                await conversations.replace(tx, old.id, new.id)
            else:
                await self._to_chat(tx, old, now_ms)
        log.warning("courier.place_gone", surface=old.surface, chat=old.chat, thread=old.thread)

    async def _to_chat(self, tx: Tx, old: Conversation, now_ms: int) -> None:
        known = await conversations.find(tx, old.surface, old.chat)
        chat = await conversations.ensure_chat(tx, old.surface, old.chat, now_ms)
        if known is None:
            await conversations.set_level(tx, chat.id, old.level)
        await conversations.replace(tx, old.id, chat.id)

    async def _was_used(self, tx: Tx, conversation_id: int) -> bool:
        query = select(parts.c.message).where(parts.c.conversation_id == conversation_id, parts.c.message.is_not(None))
        return (await tx.execute(query.limit(1))).first() is not None

"""The bridge's own words in a conversation: answers to commands, refusals, what became of a text.

They are posts like any other, so they survive a crash, keep their order and are sent once; they hang on the
conversation instead of a session.
"""

from __future__ import annotations

from bridge.cards.model import Card
from bridge.chat.intents import Where
from bridge.store import conversations, posts
from bridge.store.engine import Tx
from bridge.store.records import Conversation, Urgency, Wish


def note_key(conversation: Conversation, what: str) -> str:
    """The key of a note: ``what`` tells it from all others of the conversation."""
    return f"conversation/{conversation.id}/{what}"


async def note(
    tx: Tx,
    conversation: Conversation,
    what: str,
    card: Card,
    now_ms: int,
    *,
    reply_to: str | None = None,
    ring: bool = False,
    open_: bool = False,
    urgency: Urgency = "notice",
    keep_card: bool = False,
) -> None:
    """Wish for a note.

    ``open_``: it will certainly be changed by what happens; not one whose buttons may never be pressed, since a start
    reads what is open. ``urgency``, ``keep_card``: see :class:`Wish`.
    """
    key = note_key(conversation, what)
    wish = Wish(
        key=key,
        lineage=f"conversation/{conversation.id}",
        kind="note",
        urgency=urgency,
        card=card,
        ring=ring,
        final=not open_,
        keep_card=keep_card,
        conversations=(conversation.id,),
        reply_to=reply_to if reply_to is not None and is_message(reply_to) else None,
    )
    await posts.wish(tx, wish, now_ms)


async def place_at(tx: Tx, surface: str, where: Where, now_ms: int) -> Conversation:
    """The conversation where something was said, made if it is new to us. A thread in a room that is not a place of
    its own hangs under a post there, and belongs to the room."""
    if where.thread is None:
        return await conversations.ensure_chat(tx, surface, where.chat, now_ms)
    if await conversations.find(tx, surface, where.chat, where.thread) is None:
        chat = await conversations.find(tx, surface, where.chat)
        if chat is not None and chat.kind == "room":
            return chat
    return await conversations.ensure_topic(tx, surface, where.chat, where.thread, now_ms)


def is_message(message: str) -> bool:
    """Whether what a text came from is a message in the chat: words from a form, or a button's own, have none."""
    return not message.startswith(("form.", "press."))

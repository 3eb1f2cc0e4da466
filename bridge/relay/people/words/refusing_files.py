"""Files where none can go along: said in words, and nothing of the message is passed on, of an album no part."""

from __future__ import annotations

from bridge.cards.own.bridge_notes import present_command_error
from bridge.chat.intents import Command, Say
from bridge.relay.desk import Desk
from bridge.relay.notes import note, note_key, place_at
from bridge.relay.people.received import Received
from bridge.store import posts
from bridge.store.engine import Tx
from bridge.store.records import Conversation


async def refuse_files(desk: Desk, received: Received, said: Say | Command, why: str) -> None:
    """Say why a message with files was not taken, once for an album."""
    async with desk.store.begin() as tx:
        place = await place_at(tx, received.link.surface.name, said.where, desk.clock())
        what = _note(said.album or received.update_id)
        if await posts.get(tx, note_key(place, what)) is None:
            await note(tx, place, what, present_command_error(why), desk.clock(), reply_to=said.message)
    desk.nudge()


async def was_refused(tx: Tx, place: Conversation, said: Say) -> bool:
    """Whether a message belongs to an album that was not taken."""
    return said.album != "" and await posts.get(tx, note_key(place, _note(said.album))) is not None


def _note(of: str) -> str:
    return f"files/{of}"

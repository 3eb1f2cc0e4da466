"""The answer to a command."""

from __future__ import annotations

from bridge.cards.model import Card
from bridge.relay.desk import Desk
from bridge.relay.notes import note
from bridge.relay.people.commands.table import Asked


async def answer(desk: Desk, asked: Asked, card: Card, *, apart: bool = False) -> None:
    """Answer a command where it was said, as a reply to it; ``apart``: in ``asked.place``, as a post that replies to
    nothing."""
    async with desk.store.begin() as tx:
        what, reply_to = f"command/{asked.received.update_id}", None if apart else asked.command.message or None
        # Final, whatever buttons it has: most are never pressed, and a start would read them for ever.
        await note(tx, asked.place, what, card, desk.clock(), reply_to=reply_to)
    desk.nudge()

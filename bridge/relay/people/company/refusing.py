"""Refusing, politely: a presser alone, somebody who belongs here in reply, anybody else once and only in private.

Also who addressed the bot in a group is told in their own chat with it, never before others.

Every refusal is a line of the audit log; of somebody who has no role only the first, and those of presses.
"""

from __future__ import annotations

import structlog

from bridge.cards.own.bridge_notes import present_command_error, present_stranger
from bridge.chat.intents import Command, Deleted, Edited, Press, Say, Unsupported
from bridge.relay.desk import Desk
from bridge.relay.notes import note, place_at
from bridge.relay.people.beside import Later
from bridge.relay.people.company.audit import record_counted, record_token
from bridge.relay.people.presses.acknowledging import acknowledge
from bridge.relay.people.received import Received
from bridge.store import conversations, people

Refusable = Press | Command | Say | Edited | Deleted | Unsupported

log = structlog.get_logger(__name__)


async def refuse(desk: Desk, received: Received, intent: Refusable, why: str) -> Later | None:
    """Tell somebody why they may not do what they tried to; a presser in the answer that comes back as a ``Later``."""
    link, person, role, now = received.link, intent.person, received.leave.role, desk.clock()
    name = link.surface.name
    told = isinstance(intent, Press) and intent.replied is None  # in the answer to the press
    async with desk.store.begin() as tx:
        first = not told and role is None and await people.refuse_once(tx, name, person.id, person.name, now)
        if isinstance(intent, Press):
            await record_token(tx, received, now, intent.token, f"refused: {why}")
        elif role is not None or first:
            what = intent.name if isinstance(intent, Command) else "say"
            await record_counted(tx, received, now, what, f"refused: {why}")
        if role is not None and not told:
            place = await place_at(tx, name, intent.where, now)
            card, message = present_command_error(why), message_of(intent)
            await note(tx, place, f"refused/{received.update_id}", card, now, reply_to=message or None)
        elif first and (intent.where.private or intent.where.chat != person.id):
            # In their own chat with us, which bears their id; where the platform does not let us, the note waits there
            # until they write. Anonymous administrators have no such chat.
            chat = intent.where.chat if intent.where.private else person.id
            place = await conversations.ensure_chat(tx, name, chat, now)
            await note(tx, place, f"stranger/{person.id}", present_stranger(), now)
    log.info("person.refused", surface=name, person=person.id, role=role)
    desk.nudge()
    return Later(lambda: acknowledge(link, intent, why, alert=True)) if isinstance(intent, Press) and told else None


def message_of(intent: Refusable) -> str:
    """The message that somebody wrote, or whose button they pressed."""
    return intent.replied.message if isinstance(intent, Press) and intent.replied is not None else intent.message

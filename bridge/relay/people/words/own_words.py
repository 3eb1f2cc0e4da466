"""``/at``, ``/in``, ``/queue``, ``/cancel``: one's own messages, planned for later or still waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error, present_said
from bridge.cards.own.elsewhere import with_more_in_private
from bridge.cards.own.own_words import OwnMessage, present_own_messages, present_scheduled, present_unsaid
from bridge.chat.intents import Say
from bridge.hub.flavors import steers
from bridge.language import locale, tr
from bridge.relay.attached import shown
from bridge.relay.desk import Desk
from bridge.relay.keeping import say_record
from bridge.relay.manners import Manners
from bridge.relay.notes import note
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.company.audit import record as note_down
from bridge.relay.people.company.audit import trying
from bridge.relay.people.naming import named
from bridge.relay.people.presses.pressed import Refused
from bridge.relay.people.roles.roles import Leave
from bridge.relay.people.when import NotUnderstood, Planned, planned_at, planned_in, said_moment
from bridge.relay.people.words.sending import Sender
from bridge.relay.people.words.unsaying import Unsaying
from bridge.store import says
from bridge.store.engine import Tx
from bridge.store.records import SayRecord, SayState

MOST_LISTED: Final = 8
WAITING: Final[tuple[SayState, ...]] = ("kept", "sending", "queued")


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Plans, lists and cancels messages."""

    desk: Desk
    sender: Sender
    unsaying: Unsaying
    manners: Manners

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "at": Known(self._at, logs=True),
            "in": Known(self._in, logs=True),
            "queue": Known(self._queue),
            "cancel": Known(self._cancel, waits=True, logs=True),
        }

    async def _at(self, asked: Asked) -> Card | None:
        return await self._plan(asked, planned_at)

    async def _in(self, asked: Asked) -> Card | None:
        return await self._plan(asked, planned_in)

    async def _plan(self, asked: Asked, read: Callable[[str, int, ZoneInfo], Planned]) -> Card | None:
        """Keep a message for later, and say when it goes, in one transaction: the hub holds it until then."""
        command, now = asked.command, self.desk.clock()
        try:
            planned = read(command.arguments.strip(), now, self.manners.zone)
        except NotUnderstood as error:
            return present_command_error(str(error))
        follower = asked.target.follower
        if follower is None:
            return present_command_error(tr("Say it in the session's own place, or as a reply to one of its messages."))
        said = Say(command.person, command.where, command.message, planned.text, sent_at_ms=command.sent_at_ms)
        kept = say_record(asked.received.link.surface.name, asked.place, said, follower, now)
        record = replace(kept, next_try_ms=now, data={**kept.data, "scheduled_ms": planned.at_ms})
        async with self.desk.store.begin() as tx:
            record = await named(tx, asked.received.link, asked.place, record)
            if await says.add(tx, record):
                card = present_scheduled(own_message(self.desk, record, self.manners.zone), str(self.manners.zone))
                session, when = follower.session.id, said_moment(planned.at_ms, self.manners.zone, locale())
                await note_down(tx, asked.received, now, command.name, session=session, detail=when)
                what = plan_note(record.local_id)
                await note(tx, asked.place, what, card, now, reply_to=command.message or None, open_=True)
        self.sender.nudge()
        self.desk.nudge()
        return None

    async def _queue(self, asked: Asked) -> Card:
        async with self.desk.store.read() as tx:
            name, leave = asked.received.link.surface.name, asked.received.leave
            return await self.listed(tx, name, asked.command.person.id, leave)

    async def listed(self, tx: Tx, surface: str, person: str, leave: Leave) -> Card:
        """The messages of a person that wait, of all sessions that may be named where they ask."""
        every = await waiting_of(tx, self.desk, surface, person)
        waiting = [say for say in every if leave.names(say.lineage)]
        shown = [own_message(self.desk, say, self.manners.zone) for say in waiting[:MOST_LISTED]]
        card = present_own_messages(shown, len(waiting) - len(shown))
        return with_more_in_private(card) if len(waiting) < len(every) else card

    async def _cancel(self, asked: Asked) -> Card:
        """The message replied to, else the last one that waits in this place's session."""
        command, surface = asked.command, asked.received.link.surface.name
        async with self.desk.store.read() as tx:
            if command.reply_to is not None:
                found = await says.of_message(tx, asked.place.id, command.reply_to)
            else:
                follower = asked.target.follower
                mine = await waiting_of(tx, self.desk, surface, command.person.id)
                found = [say for say in mine if follower is None or say.lineage == follower.lineage]
        if not found:
            return present_said(tr("None of your messages waits here."))
        try:
            async with trying(self.desk, asked.received, "cancel", session=found[-1].session_id):
                if words := await self.unsaying.unsay(found[-1], surface, command.person.id):
                    raise Refused(words)
        except Refused as error:
            return present_command_error(str(error))
        return present_unsaid(shown(found[-1]), scheduled="scheduled_ms" in found[-1].data)


async def waiting_of(tx: Tx, desk: Desk, surface: str, person: str) -> list[SayRecord]:
    """A person's messages that the agent has not taken, and that are for a session, oldest first."""
    waiting = [say for say in await says.in_state(tx, WAITING) if say.person_id == person and say.lineage]
    return [say for say in waiting if str(say.data["sent_from"]) == f"{surface}-bot"]


def own_message(desk: Desk, say: SayRecord, zone: ZoneInfo) -> OwnMessage:
    """A message for a card."""
    follower = desk.followers.get(say.lineage)
    at = say.data.get("scheduled_ms")
    return OwnMessage(
        local_id=say.local_id,
        text=shown(say),
        session=say.session_id,
        title=follower.session.title if follower is not None else "",
        when=said_moment(at, zone, locale()) if isinstance(at, int) else "",
        steers=at is None and say.state == "queued" and follower is not None and steers(follower.session.flavor),
    )


def plan_note(local_id: str) -> str:
    """The note that tells when a message goes."""
    return f"plan/{local_id}"

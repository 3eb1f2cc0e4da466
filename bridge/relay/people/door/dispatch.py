"""Dispatch: every intent to the one who carries it out, after asking who acts.

Who may do what is asked here (see ``rights``), at the moment of the act, and nowhere earlier: nobody without the right
reaches anything behind this module (invariant 4).
"""

from __future__ import annotations

from dataclasses import replace

import structlog

from bridge.cards.own.bridge_notes import present_command_error, present_unsupported
from bridge.chat.intents import (
    Command,
    Deleted,
    Edited,
    HomeOpened,
    Intent,
    Person,
    PlaceChanged,
    Press,
    Say,
    Unsupported,
)
from bridge.language import tr
from bridge.relay.desk import Desk, Link
from bridge.relay.notes import note, place_at
from bridge.relay.people.beside import Later
from bridge.relay.people.company.refusing import Refusable, message_of, refuse
from bridge.relay.people.door.commands import Commands
from bridge.relay.people.door.presses import Presses
from bridge.relay.people.places.homing import Homing
from bridge.relay.people.places.pages import Pages
from bridge.relay.people.presses.acknowledging import acknowledge
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.received import Received
from bridge.relay.people.roles.rights import Rights
from bridge.relay.people.words.editing import Editing
from bridge.relay.people.words.refusing_files import refuse_files
from bridge.relay.people.words.texts import Texts, is_sessions_own
from bridge.store import conversations, people, says

log = structlog.get_logger(__name__)


def broken() -> str:
    """What somebody is told whose words or press met with a fault of ours."""
    return tr(
        "This met with an error of the bridge's own, which its log has, and may not have been carried out. Look before "
        "you try it again."
    )


class Dispatch:
    """Hands intents on."""

    def __init__(
        self,
        desk: Desk,
        rights: Rights,
        texts: Texts,
        editing: Editing,
        presses: Presses,
        commands: Commands,
        homing: Homing,
        pages: Pages,
        askings: Askings,
    ) -> None:
        self._desk = desk
        self._rights = rights
        self._texts = texts
        self._editing = editing
        self._presses = presses
        self._commands = commands
        self._homing = homing
        self._pages = pages
        self._askings = askings

    async def handle(self, received: Received) -> Later | None:
        """Carry out an intent; what takes its time comes back as a :class:`Later`."""
        received = await self._with_words(received)
        intent, link = received.intent, received.link
        if isinstance(intent, PlaceChanged):
            await self._place_changed(link, intent)
            return None
        leave = await self._rights.of(link, intent)
        if leave.refusal is not None and await self._is_overheard(link, intent):
            return None  # people talk among themselves
        if isinstance(intent, HomeOpened):
            return Later(lambda: self._pages.opened(link, intent.person))
        received = replace(received, leave=leave, again=lambda: self.handle(received))
        if intent.where.private:
            await self._heard_from(link, intent.person, intent.where.chat)
        if leave.refusal is not None:
            return await refuse(self._desk, received, intent, leave.refusal)
        if isinstance(intent, Say) and intent.files and await self._askings.of_reply(received) is not None:
            words = tr("Words are asked for here, and no file can go along. Reply again without one.")
            await refuse_files(self._desk, received, intent, words)
            return None
        return self._if_still_allowed(received, await self._hand_on(received, intent))

    async def _hand_on(self, received: Received, intent: Refusable) -> Later | None:
        link = received.link
        match intent:
            case Press():
                return await self._presses.press(received, intent)
            case Command():
                return await self._commands.command(received, intent)
            case Say():
                return await self._texts.say(received, intent)
            case Edited():
                return await self._editing.edited(received, intent)
            case Deleted():
                return await self._editing.deleted(received, intent)
            case Unsupported():
                async with self._desk.store.begin() as tx:
                    place = await place_at(tx, link.surface.name, intent.where, self._desk.clock())
                    if not intent.addressed and not await is_sessions_own(tx, place):
                        return None
                    what = f"unsupported/{received.update_id}"
                    card = present_unsupported(intent.what)
                    await note(tx, place, what, card, self._desk.clock(), reply_to=intent.message)
                self._desk.nudge()
                return None

    def _if_still_allowed(self, received: Received, later: Later | None) -> Later | None:
        """What waits for its turn may wait for minutes: whoever asked must still have the right then (invariant 4)."""
        if later is None or later.about is None or later.refuse is None:
            return later
        run, refused = later.run, later.refuse

        async def once_its_turn() -> None:
            leave = await self._rights.of(received.link, received.intent)
            await (run() if leave.refusal is None else refused(leave.refusal))

        return replace(later, run=once_its_turn)

    async def mishap(self, received: Received) -> None:
        """Tell whoever did something that met with a fault of ours, perhaps midway; nobody whom we don't serve."""
        received = await self._with_words(received)
        intent, link, words = received.intent, received.link, broken()
        if isinstance(intent, (PlaceChanged, HomeOpened)):
            return
        leave = await self._rights.of(link, intent)
        if leave.role is None or await self._is_overheard(link, intent):
            return
        if isinstance(intent, Press) and intent.replied is None:
            await acknowledge(link, intent, words, alert=True)
            return
        async with self._desk.store.begin() as tx:
            now = self._desk.clock()
            place = await place_at(tx, link.surface.name, intent.where, now)
            what, card = f"broken/{received.update_id}", present_command_error(words)
            await note(tx, place, what, card, now, reply_to=message_of(intent) or None)
        self._desk.nudge()

    async def _is_overheard(self, link: Link, intent: Intent) -> bool:
        """Whether something was said or changed that nobody said to us."""
        match intent:
            case Say() | Unsupported():
                return not intent.addressed
            case Command():
                return not intent.addressed and not self._commands.knows(intent.name)
            case Edited() | Deleted() if not intent.where.private:
                async with self._desk.store.begin() as tx:
                    place = await place_at(tx, link.surface.name, intent.where, self._desk.clock())
                    return not await says.of_message(tx, place.id, intent.message)
        return False

    async def _with_words(self, received: Received) -> Received:
        """A reply to a note that asked for words is the press it was asked for; everything else is what it is."""
        intent = received.intent
        if isinstance(intent, Command) and self._commands.knows(intent.name):
            return received
        if isinstance(intent, Say | Command) and intent.files:
            return received
        press = await self._askings.of_reply(received)
        return replace(received, intent=press) if press is not None else received

    async def _heard_from(self, link: Link, person: Person, chat: str) -> None:
        """Somebody who writes to us has not blocked us (any more), whether or not we were told. What they are to their
        workspace is noted: a member may have become a guest."""
        name = link.surface.name
        async with self._desk.store.read() as tx:
            places = await conversations.in_chat(tx, name, chat)
            known = await people.get(tx, name, person.id)
        if any(place.state == "blocked" for place in places):
            await link.courier.resume(chat)
        if known is not None and known.standing != person.standing:
            async with self._desk.store.begin() as tx:
                await people.stands(tx, name, person.id, person.standing)

    async def _place_changed(self, link: Link, intent: PlaceChanged) -> None:
        name, chat = link.surface.name, intent.where.chat
        match intent.change:
            case "blocked":
                log.warning("chat.blocked", surface=name, chat=chat, why=intent.detail)
                await self._homing.take(link, chat)
            case "unblocked":
                await link.courier.resume(chat)
            case "moved":
                async with self._desk.store.begin() as tx:
                    await conversations.moved(tx, name, chat, intent.detail)
                self._desk.nudge()
            case other:
                log.info("place.changed", surface=name, chat=chat, change=other)

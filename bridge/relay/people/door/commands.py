"""Slash commands: each to the group that knows it. What is not one of ours is the agent's own (``/compact``)."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.cards.own.bridge_notes import present_command_error
from bridge.chat.intents import Command, Say
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.notes import place_at
from bridge.relay.people.beside import Later
from bridge.relay.people.commands.answering import answer
from bridge.relay.people.commands.table import Asked, Group, Known
from bridge.relay.people.company.refusing import refuse
from bridge.relay.people.received import Received
from bridge.relay.people.roles.roles import Right
from bridge.relay.people.target import Target
from bridge.relay.people.words.refusing_files import refuse_files
from bridge.relay.people.words.stale import Stale
from bridge.relay.people.words.texts import Texts


class Commands:
    """Carries out commands."""

    def __init__(self, desk: Desk, texts: Texts, stale: Stale, groups: Sequence[Group]) -> None:
        self._desk = desk
        self._stale = stale
        self._texts = texts
        self.table: dict[str, Known] = {}
        """Every command, by name."""
        for group in groups:
            self.table |= group.commands()

    def knows(self, name: str) -> bool:
        """Whether a command is the bridge's own; any other is the agent's."""
        return name in self.table

    def right(self, name: str) -> Right | None:
        """What a person needs for a command. One that is not ours is something to say to the agent."""
        known = self.table.get(name)
        return known.right if known is not None else "talk"

    async def command(self, received: Received, command: Command) -> Later | None:
        """Carry out a command; the answer is a reply to it."""
        known = self.table.get(command.name)
        if known is None:
            text = command.text or f"/{command.name} {command.arguments}".rstrip()
            where = (command.person, command.where, command.message, text, command.reply_to, command.sent_at_ms)
            rest = (command.addressed, command.files, command.album)
            return await self._texts.say(received, Say(*where, *rest))
        if command.files:
            await refuse_files(self._desk, received, command, _why_without_files(command.name))
            return None
        surface = received.link.surface.name
        async with self._desk.store.begin() as tx:
            place = await place_at(tx, surface, command.where, self._desk.clock())
            target = await self._texts.target(tx, surface, place, command.reply_to, received.leave)
            late = known.right not in ("view", None)  # a code to pair with is no thing to show again
            why = None
            if target.follower is not None and known.right is not None:
                why = received.leave.refusal_for(known.right, target.follower.lineage)
            if why is None and late and await self._stale.hold_command(tx, received, place, command, target.follower):
                self._desk.nudge()
                return None
        if why is not None:
            return await refuse(self._desk, received, command, why)
        asked = Asked(received, command, place, target)
        if not known.waits:
            await self._carry(known, asked)
            return None
        of = target.follower.session.id if target.follower is not None else f"place/{place.id}"
        about = f"{of}/{command.name}"
        return Later(
            lambda: self._carry(known, asked),
            about,
            lambda why: answer(self._desk, asked, present_command_error(why)),
        )

    async def once_more(self, received: Received, command: Command, follower: Follower) -> None:
        """Carry out a command that came late, about the very session it was said to."""
        async with self._desk.store.begin() as tx:
            place = await place_at(tx, received.link.surface.name, command.where, self._desk.clock())
        await self._carry(self.table[command.name], Asked(received, command, place, Target(follower)))

    async def _carry(self, known: Known, asked: Asked) -> None:
        card = await known.run(asked)
        if card is not None:
            await answer(self._desk, asked, card)


def _why_without_files(name: str) -> str:
    if name in ("at", "in"):
        return tr("HAPI plans no messages with files, so nothing was planned. Send it when it is time.")
    return tr("A command takes no files, so nothing was done. Send /{name} without them.", name=name)

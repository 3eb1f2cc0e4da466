"""Old commands that were shown back: *Do it now* carries one out as if it were said at that moment, *Drop* forgets it.

It needs what the command needs, of whoever presses, then; it is about the session it was said to, or about none
(invariant 4). Only who said it and the owner may press (see ``rights``).
"""

from __future__ import annotations

from typing import Any

from bridge.chat.intents import Command, Where
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.people.door.commands import Commands
from bridge.relay.people.presses.pressed import Known, Pressed, Refused, Words
from bridge.relay.people.words.stale import HELD_COMMAND, Stale
from bridge.store import posts


class StaleCommands:
    """Carries out the presses on such cards."""

    def __init__(self, desk: Desk, commands: Commands, stale: Stale) -> None:
        self._desk = desk
        self._commands = commands
        self._stale = stale
        self._under_way: set[str] = set()
        """Cards whose command is being carried out: two taps are one."""

    def handlers(self) -> dict[str, Known]:
        """By the act's name."""
        return {HELD_COMMAND: Known(self._pressed, waits=True)}

    async def _pressed(self, pressed: Pressed) -> Words:
        if pressed.act.choice != "now":
            return await self._over(pressed, tr("Dropped."))
        if pressed.key in self._under_way:
            raise Refused(tr("This is being done already."))
        self._under_way.add(pressed.key)
        try:
            return await self._now(pressed)
        finally:
            self._under_way.discard(pressed.key)

    async def _now(self, pressed: Pressed) -> Words:
        async with self._desk.store.read() as tx:
            found = await posts.button(tx, pressed.press.token)
        if found is None or not found[2]:
            raise Refused(tr("This was dealt with already."))
        follower = self._desk.of_session(pressed.act.session or "")
        if follower is None or not pressed.received.leave.sees(follower.lineage):
            raise Refused(tr("That session is gone."))
        await self._commands.once_more(pressed.received, _command(pressed), follower)
        return await self._over(pressed, tr("Done: see the answer below."))

    async def _over(self, pressed: Pressed, words: Words) -> Words:
        async with self._desk.store.begin() as tx:
            await self._stale.close(tx, pressed, words)
        return words


def _command(pressed: Pressed) -> Command:
    """The command as it was said, by whoever wants it now; it is as new as the press."""
    data: dict[str, Any] = pressed.act.data
    chat, thread, private = data["where"]
    where, reply_to = Where(str(chat), thread, private=bool(private)), data.get("reply_to")
    name, arguments, text = (str(data.get(field, "")) for field in ("name", "arguments", "label"))
    return Command(pressed.press.person, where, str(data["message"]), name, arguments, reply_to, text=text)

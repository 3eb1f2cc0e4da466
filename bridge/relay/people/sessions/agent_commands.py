"""``/commands``: the slash commands and skills of this session's agent, to be tapped instead of remembered.

A tap opens a command and sends nothing; the second one sends it, as a message of the person's.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error
from bridge.cards.session.agent_commands import Offered, like, present_command, present_commands, present_sent
from bridge.cards.words import brief
from bridge.chat.intents import Say
from bridge.hub.errors import ComputerUnreachable, HubError
from bridge.hub.machines import read_commands
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.keeping import keep_or_send, say_record
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.naming import named
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.in_place import change, place_of_press, redraw
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.sessions.which import ask_which_running
from bridge.relay.people.words.sending import Sender
from bridge.store import says

MOST_WORDS = 60
"""Characters of what commands are looked for by, kept in their buttons."""


@dataclass(frozen=True, slots=True)
class AgentCommands:
    """Offers and sends them."""

    desk: Desk
    api: HubApi
    askings: Askings
    sender: Sender

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {"commands": Known(self._command, waits=True)}

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "agent_commands": presses.Known(self._list, waits=True),
            "agent_command": presses.Known(self._open),
            "agent_send": presses.Known(self._send),
            "agent_words": presses.Known(self._words, asks=True),
        }

    async def _command(self, asked: Asked) -> Card:
        follower = asked.target.follower
        if follower is None:
            return await ask_which_running(self.desk, self.api, asked, "agent_commands")
        try:
            return await self._page(follower, 0, brief(asked.command.arguments, MOST_WORDS))
        except HubError as error:
            return present_command_error(hub_words(error))

    async def _list(self, pressed: Pressed) -> Words:
        at = pressed.act.data.get("at")
        words = str(pressed.act.data.get("words", ""))
        try:
            card = await self._page(self._follower(pressed), at if isinstance(at, int) else 0, words)
        except HubError as error:
            raise Refused(hub_words(error)) from error
        await redraw(self.desk, pressed, card)
        return ""

    async def _page(self, follower: Follower, at: int, words: str) -> Card:
        session_id = follower.session.id
        offered: dict[str, Offered] = {}
        for view, key in (("slash-commands", "commands"), ("skills", "skills")):
            try:
                body = await self.api.look(session_id, view)
            except ComputerUnreachable:
                if key == "commands":
                    raise
                continue  # an agent without skills
            for each in read_commands(body, key):
                mark = "$" if each.skill and follower.session.flavor != "claude" else "/"
                offered.setdefault(f"{mark}{each.name}", Offered(f"{mark}{each.name}", each.does))
        fitting = like(list(offered.values()), words)
        return present_commands(session_id, follower.session.title, fitting, at, words)

    async def _open(self, pressed: Pressed) -> Words:
        data, follower = pressed.act.data, self._follower(pressed)
        one = Offered(str(data["written"]), str(data.get("does", "")))
        at, words = int(data.get("at", 0)), str(data.get("words", ""))
        card = present_command(follower.session.id, follower.session.title, one, at, words)
        await redraw(self.desk, pressed, card)
        return ""

    async def _send(self, pressed: Pressed) -> Words:
        return await self._say(pressed, str(pressed.act.data["written"]))

    async def _words(self, pressed: Pressed) -> Words:
        written = str(pressed.act.data["written"])
        if pressed.press.text is None:
            label = tr("What follows {command}", command=written)
            return await self.askings.ask(pressed, title=written, label=label)
        return await self._say(pressed, f"{written} {pressed.press.text.strip()}")

    async def _say(self, pressed: Pressed, text: str) -> Words:
        """Send a text as the presser's, once for a press: kept first, as any text, then on its way."""
        press, received, now = pressed.press, pressed.received, self.desk.clock()
        async with self.desk.lock:
            follower = self._follower(pressed)
            async with self.desk.store.begin() as tx:
                place = await place_of_press(tx, self.desk, pressed)
                said = Say(press.person, press.where, f"press.{received.update_id}", text, sent_at_ms=now)
                record = say_record(received.link.surface.name, place, said, follower, now)
                record = await named(tx, received.link, place, record)
                if await says.add(tx, record):
                    await keep_or_send(tx, place, record, follower, now)
                await change(tx, self.desk, pressed, present_sent(text, follower.session.title))
        self.sender.nudge()
        return tr("Sent to {title}.", title=follower.session.title)

    def _follower(self, pressed: Pressed) -> Follower:
        follower = self.desk.of_session(pressed.act.session or "")
        if follower is None:
            raise Refused(tr("That session is gone."))
        if not follower.session.active:
            raise Refused(tr("This session has ended. Resume it first."))
        return follower

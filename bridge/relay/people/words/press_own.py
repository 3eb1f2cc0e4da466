"""Presses about one's own messages: cancel, steer in now, send as a correction."""

from __future__ import annotations

from dataclasses import replace

from bridge.cards.own.own_words import present_corrected
from bridge.chat.intents import Say
from bridge.hub.errors import HubError
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.keeping import keep_or_send, say_record
from bridge.relay.notes import note
from bridge.relay.people.naming import named
from bridge.relay.people.presses.in_place import place_of_card
from bridge.relay.people.presses.pressed import Known, Pressed, Refused, Words
from bridge.relay.people.words.own_words import OwnWords
from bridge.relay.people.words.sending import Sender
from bridge.relay.people.words.unsaying import Unsaying
from bridge.store import posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation


class OwnPresses:
    """Carries out presses about one's own messages."""

    def __init__(self, desk: Desk, api: HubApi, sender: Sender, unsaying: Unsaying, words: OwnWords) -> None:
        self._desk = desk
        self._api = api
        self._sender = sender
        self._unsaying = unsaying
        self._words = words

    def handlers(self) -> dict[str, Known]:
        """By the act's name."""
        return {
            "unsay": Known(self.unsay, waits=True, audited=True),
            "steer": Known(self.steer, waits=True, audited=True),
            "correct": Known(self.correct),
        }

    async def unsay(self, pressed: Pressed) -> Words:
        """Cancel a message that waits; a list it was on is drawn anew."""
        surface, person = pressed.received.link.surface.name, pressed.press.person.id
        async with self._desk.store.read() as tx:
            say = await says.get(tx, str(pressed.act.data["local_id"]))
        if say is None:
            raise Refused(tr("This message is not known here any more."))
        words = await self._unsaying.unsay(say, surface, person)
        if words:
            raise Refused(words)
        async with self._desk.store.begin() as tx:
            if (found := await self._card_note(tx, pressed)) and found[1].startswith("command/"):
                place, what, reply_to = found
                card = await self._words.listed(tx, surface, person, pressed.received.leave)
                await note(tx, place, what, card, self._desk.clock(), reply_to=reply_to)
        return tr("Cancelled.")

    async def steer(self, pressed: Pressed) -> Words:
        """Push a queued message into the running turn."""
        async with self._desk.store.read() as tx:
            say = await says.get(tx, str(pressed.act.data["local_id"]))
        if say is None or say.state != "queued":
            raise Refused(tr("This message does not wait any more."))
        try:
            status = (await self._api.steer_message(say.session_id, say.local_id)).get("status")
        except HubError as error:
            raise Refused(error.spoken()) from error
        if status == "invoked":
            return tr("The agent has it already.")
        if status != "steered":
            raise Refused(tr("This agent could not take it in now. It stays in the queue."))
        return tr("Steered in.")

    async def correct(self, pressed: Pressed) -> Words:
        """Send what a message was changed to, after the agent had taken it."""
        act, press, link, now = pressed.act, pressed.press, pressed.received.link, self._desk.clock()
        async with self._desk.lock, self._desk.store.begin() as tx:
            found = await self._card_note(tx, pressed)
            follower = self._desk.of_session(act.session) if act.session else None
            if found is None or follower is None:
                raise Refused(tr("That session is gone."))
            place, what, reply_to = found
            text, message = str(act.data["text"]), str(act.data.get("message") or "")
            said = Say(press.person, press.where, f"correction.{what}", tr("Correction: {text}", text=text))
            record = say_record(link.surface.name, place, said, follower, now)
            record = await named(tx, link, place, replace(record, message=message))
            if await says.add(tx, record):
                await keep_or_send(tx, place, record, follower, now)
            await note(tx, place, what, present_corrected(text), now, reply_to=reply_to)
        self._sender.nudge()
        return tr("Sent as a correction.")

    async def _card_note(self, tx: Tx, pressed: Pressed) -> tuple[Conversation, str, str | None] | None:
        """The note that the pressed card is: its place, its name there, and what it replies to."""
        place = await place_of_card(tx, pressed)
        post = await posts.get(tx, pressed.key)
        if place is None or post is None:
            return None
        return place, pressed.key.removeprefix(f"conversation/{place.id}/"), post.reply_to

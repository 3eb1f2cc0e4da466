"""Presses on request cards that ask for words first: a reason to deny, an answer of one's own.

The first press asks for them; they come as the same press again, with the text. In between the card may have changed:
then the words are said back, so that they are not lost, and nothing is decided.
"""

from __future__ import annotations

from dataclasses import replace

from bridge.cards.own.bridge_notes import present_said
from bridge.cards.request.question import parse_questions
from bridge.chat.intents import Say
from bridge.hub.flavors import is_plan
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.requests import Request
from bridge.relay.keeping import FOLLOWS, reason_note, say_record
from bridge.relay.notes import note
from bridge.relay.people.naming import named
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.in_place import place_of_card
from bridge.relay.people.presses.pressed import Known, Pressed, Refused, Words, unknown, waiting_request
from bridge.relay.people.requests import answers
from bridge.relay.people.requests.claims import Claims
from bridge.relay.people.requests.press_requests import RequestPresses
from bridge.store import conversations, posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation


class FormPresses:
    """Carries out presses on request cards that need words."""

    def __init__(self, desk: Desk, requests: RequestPresses, claims: Claims, askings: Askings) -> None:
        self._desk = desk
        self._requests = requests
        self._claims = claims
        self._askings = askings

    def handlers(self) -> dict[str, Known]:
        """By the act's name."""
        return {
            "deny_because": Known(self.deny, asks=True, logs=True),
            "other": Known(self.other, asks=True, logs=True),
        }

    async def deny(self, pressed: Pressed) -> Words:
        """Deny, with a reason that follows as a message: the hub itself forgets reasons."""
        act, text = pressed.act, pressed.press.text
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            if text == "":
                return await self._requests.claim(pressed, request, "deny")
            if text is not None:
                return await self._deny(pressed, request, text, await self._place(pressed))
        if is_plan(request.tool):
            title, label = tr("Keep planning"), tr("What should change? The agent gets this as your message.")
        else:
            title, label = tr("Deny"), tr("Why not? The agent gets this as your message, after the denial.")
        return await self._askings.ask(pressed, title=title, label=label, submit=title, needed=False)

    async def other(self, pressed: Pressed) -> Words:
        """Answer the question that the card shows in one's own words."""
        act, text = pressed.act, pressed.press.text
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            questions = parse_questions(request.tool, request.arguments)
            if act.data.get("question") != request.question or request.question >= len(questions):
                raise Refused(tr("Another question is being asked by now."))
            if text == "":
                raise Refused(tr("An empty answer was not sent."))
            if text is not None:
                words = await answers.answer_in_words(self._desk, request, text, pressed.received, pressed.press.person)
            question = questions[act.data["question"]].text
        if text is None:
            return await self._askings.ask(pressed, title=tr("Your answer"), label=question)
        self._claims.nudge()
        return words if pressed.press.replied else answers.sending()

    async def _deny(self, pressed: Pressed, request: Request, text: str, place: Conversation) -> Words:
        press, now, name = pressed.press, self._desk.clock(), pressed.received.link.surface.name
        message = press.replied.message if press.replied is not None else ""
        said = Say(press.person, press.where, message or f"form.{pressed.received.update_id}", text)
        kept = say_record(name, place, said, self._desk.of_session(request.session), now)
        record = replace(kept, data={**kept.data, FOLLOWS: request.id})

        async def with_it(tx: Tx) -> None:
            await says.add(tx, await named(tx, pressed.received.link, place, record))
            card = present_said(tr("Denied, and sent to the agent: {text}", text=text))
            await note(tx, place, reason_note(record.local_id), card, now, reply_to=message or None)

        words = await self._requests.claim(pressed, request, "deny", then=record.local_id, with_it=with_it)
        return "" if message else words

    async def _place(self, pressed: Pressed) -> Conversation:
        """Where the card stands on which the button is; for a press on the bot's own page, where its session is."""
        surface = pressed.received.link.surface.name
        async with self._desk.store.read() as tx:
            place = await place_of_card(tx, pressed)
            post = await posts.get(tx, pressed.key)
            places = await conversations.bound(tx, post.lineage, surface) if post is not None else []
        if place is None and not places:
            raise Refused(unknown())
        return place or places[0]

"""Presses that ask for words first: a reason to deny, an answer of one's own. Only surfaces with forms have them.

The first press opens the form; what is written there comes as the same press again, with the text. In between the card
may have changed: then the words are said back, so that they are not lost, and nothing is decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bridge.cards.bridge_notes import present_said
from bridge.cards.model import Act
from bridge.cards.question import parse_questions
from bridge.chat.intents import Say
from bridge.chat.surface import Asking, Form, SurfaceError
from bridge.relay.desk import Desk
from bridge.relay.follow.requests import Request
from bridge.relay.keeping import say_record
from bridge.relay.notes import note
from bridge.relay.people import answers
from bridge.relay.people.claims import Claims
from bridge.relay.people.press_requests import RequestPresses
from bridge.relay.people.pressed import UNKNOWN, Handler, Pressed, Refused, Words, waiting_request
from bridge.store import conversations, posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation

TOO_OLD: Final = "The form could not be opened. Press again."
CHANGED: Final = "Another question is being asked by now."
ASKED: Final[Mapping[str, tuple[str, str, str]]] = {
    "decide": ("Deny", "Why not? The agent gets this as your message, after the denial.", "Deny"),
    "other": ("Your answer", "Your answer", "Send"),
}
"""Title, label and the button of the form, by act."""


class FormPresses:
    """Carries out presses that need words."""

    def __init__(self, desk: Desk, requests: RequestPresses, claims: Claims) -> None:
        self._desk = desk
        self._requests = requests
        self._claims = claims

    def handlers(self) -> dict[str, Handler]:
        """By the act's name."""
        return {"other": self.other}

    async def decide(self, pressed: Pressed) -> Words:
        """Deny, with a reason that follows as a message: the hub itself forgets reasons."""
        act, text = pressed.act, pressed.press.text
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            if text == "":
                return await self._requests.claim(pressed, request, "deny")
            if text is not None:
                return await self._deny(pressed, request, text, await self._place(pressed))
        return await self._ask(pressed, "")

    async def other(self, pressed: Pressed) -> Words:
        """Answer the question that the card shows in one's own words."""
        act, text = pressed.act, pressed.press.text
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            questions = parse_questions(request.tool, request.arguments)
            if act.data.get("question") != request.question or request.question >= len(questions):
                raise Refused(CHANGED)
            if text == "":
                raise Refused("An empty answer was not sent.")
            if text is not None:
                await answers.answer_in_words(self._desk, request, text, pressed.received, pressed.press.person)
            question = questions[act.data["question"]].text
        if text is None:
            return await self._ask(pressed, question)
        self._claims.nudge()
        return answers.SENDING

    async def _deny(self, pressed: Pressed, request: Request, text: str, place: Conversation) -> Words:
        press, now, name = pressed.press, self._desk.clock(), pressed.received.link.surface.name
        said = Say(press.person, press.where, f"form.{pressed.received.update_id}", text)
        kept = say_record(name, place, said, self._desk.of_session(request.session), now)
        record = replace(kept, data={**kept.data, "follows": request.id})

        async def with_it(tx: Tx) -> None:
            await says.add(tx, record)
            card = present_said(f"Denied, and sent to the agent: {text}")
            await note(tx, place, f"reason/{record.local_id}", card, now)

        return await self._requests.claim(pressed, request, "deny", then=record.local_id, with_it=with_it)

    async def _ask(self, pressed: Pressed, label: str) -> Words:
        surface, press = pressed.received.link.surface, pressed.press
        title, words, submit = ASKED[pressed.act.do]
        form = Form(press.token, title, label or words, submit=submit, needed=pressed.act.do == "other")
        if not isinstance(surface, Asking):
            raise Refused(UNKNOWN)
        try:
            await surface.ask(press.press, form)
        except SurfaceError as error:
            raise Refused(TOO_OLD) from error
        return ""

    async def _place(self, pressed: Pressed) -> Conversation:
        """Where the card stands on which the button is; for a press on the bot's own page, where its session is."""
        surface, press = pressed.received.link.surface.name, pressed.press
        async with self._desk.store.read() as tx:
            part = await posts.part_at(tx, surface, press.where.chat, press.message)
            place = await conversations.get(tx, part.conversation_id) if part is not None else None
            post = await posts.get(tx, pressed.key)
            places = await conversations.bound(tx, post.lineage, surface) if post is not None else []
        if place is None and not places:
            raise Refused(UNKNOWN)
        return place or places[0]


def needs_words(act: Act) -> bool:
    """Whether a button for this act opens a form."""
    return act.do == "other" or (act.do == "decide" and act.choice == "deny_because")

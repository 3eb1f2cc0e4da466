"""Asking for words: a form where the surface has forms, elsewhere a note to which one replies.

Either way the words come back as the press of the same button, with the text, and pass the same checks as any press:
the card's message, the act on it, the request's arguments, the presser's role at that moment. The note's card carries
what the reply is for, so it survives a restart; once it was carried out, the note is withdrawn and counts no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from bridge.cards.model import Act
from bridge.cards.own.asking import present_asking
from bridge.cards.own.bridge_notes import present_said
from bridge.chat.capabilities import Asking, Form
from bridge.chat.errors import SurfaceError
from bridge.chat.intents import Command, Press, Replied, Say
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.notes import note, place_at
from bridge.relay.people.presses.in_place import place_of_press
from bridge.relay.people.presses.pressed import Pressed, Refused, Words
from bridge.relay.people.received import Received
from bridge.store import posts

ASKED: Final = "asked"
"""What the keys of the notes that ask have in common, after their conversation's."""


class Askings:
    """Asks the presser of a button for words, and knows a reply that brings them."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._under_way: set[str] = set()
        """Notes whose reply is being carried out."""

    async def ask(
        self, pressed: Pressed, *, title: str, label: str, hint: str = "", submit: str = "", needed: bool = True
    ) -> Words:
        """Ask for the words that a press needs. They come as the same press again, with ``Press.text``.

        ``title``, ``label``, ``hint``, ``submit``, ``needed``: see :class:`bridge.chat.capabilities.Form`. What is not
        needed comes as the empty text where a form was sent empty. Raises :class:`Refused` if a form can't be opened.
        Returns what the presser is told. Say of the handler that it ``asks`` (:class:`.pressed.Known`).
        """
        surface, press = pressed.received.link.surface, pressed.press
        if isinstance(surface, Asking):
            form = Form(press.token, title, label, hint, submit or tr("Send"), needed)
            try:
                await surface.ask(press.press, form)
            except SurfaceError as error:
                raise Refused(tr("The form could not be opened. Press again.")) from error
            return ""
        name = "" if press.where.private else press.person.name
        act = Act(do="words", data={"token": press.token, "message": press.message})
        card, now = present_asking(title, label, hint, name=name, act=act), self._desk.clock()
        async with self._desk.store.begin() as tx:
            place = await place_of_press(tx, self._desk, pressed)
            what = f"{ASKED}/{pressed.received.update_id}"
            # Final, so that a start need not read it; kept, because the reply needs what its card says.
            await note(tx, place, what, card, now, reply_to=press.message, urgency="approval", keep_card=True)
        self._desk.nudge()
        return tr("Write it as a reply to the message below.")

    async def of_reply(self, received: Received) -> Press | None:
        """The press that a reply to such a note stands for, with its text; ``None`` for any other message.

        To a note that was answered before it is a press without a token, which counts for nothing.
        """
        said, surface = received.intent, received.link.surface.name
        if not isinstance(said, (Say, Command)) or said.reply_to is None:
            return None
        async with self._desk.store.read() as tx:
            part = await posts.part_at(tx, surface, said.where.chat, said.reply_to)
            post = await posts.get(tx, part.post_key) if part is not None and _asks(part.post_key) else None
        if post is None:
            return None
        replied = Replied(said.message, post.key)
        wanted = post.card.wants_reply if post.card is not None and not post.withdrawn else None
        press = Press(said.person, said.where, "", "", "", text=said.text, replied=replied)
        if wanted is None or post.key in self._under_way:
            return press
        return replace(press, message=str(wanted.act.data["message"]), token=str(wanted.act.data["token"]))

    @contextmanager
    def one_at_a_time(self, press: Press) -> Iterator[None]:
        """Around carrying a press out, however that ends: meanwhile no second reply to the same note counts."""
        asked = press.replied.asked if press.replied is not None and press.token else None
        if asked is not None:
            self._under_way.add(asked)
        try:
            yield
        finally:
            if asked is not None:
                self._under_way.discard(asked)

    async def end(self, received: Received, press: Press, words: Words, *, done: bool) -> None:
        """The answer to a reply, as a reply to it; and if it was carried out (``done``), the note counts no more.

        After words that did not count the note may be replied to again, for as long as its button stands.
        """
        if press.replied is None:
            return
        async with self._desk.store.begin() as tx:
            if done:
                await posts.withdraw(tx, press.replied.asked)
            if words:
                now = self._desk.clock()
                place = await place_at(tx, received.link.surface.name, press.where, now)
                what, card = f"words/{received.update_id}", present_said(words)
                await note(tx, place, what, card, now, reply_to=press.replied.message)
        self._desk.nudge()


def _asks(key: str) -> bool:
    return key.startswith("conversation/") and key.split("/")[2:3] == [ASKED]

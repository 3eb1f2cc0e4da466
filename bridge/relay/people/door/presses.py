"""Presses: a button acts on exactly what its card showed, once, or says in words why it does not (invariant 4).

What a button stands for is looked up in the store by its opaque token. It counts only if the message it was pressed on
is a message of that very post (or the bot's own page), the act is still on the post's newest card, the card has not
changed for :data:`STEADY_MS`, and the request still waits with the same arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import structlog

from bridge.cards.model import Act
from bridge.cards.own.bridge_notes import present_said
from bridge.cards.request.question import parse_questions
from bridge.chat.capabilities import Capability
from bridge.chat.errors import SurfaceError
from bridge.chat.intents import Press
from bridge.delivery.places import place_of
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.people.beside import Later, Run
from bridge.relay.people.company.audit import TRIED, record_act, record_refused, record_token
from bridge.relay.people.places.pages import Pages
from bridge.relay.people.presses.acknowledging import acknowledge
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.pressed import (
    SURE,
    Group,
    Known,
    Pressed,
    Refused,
    Words,
    out_of_date,
    request_of,
    unknown,
)
from bridge.relay.people.received import Received
from bridge.relay.people.requests.answers import NotTaken
from bridge.relay.people.words.stale import HELD, Stale
from bridge.store import conversations, posts

STEADY_MS = 800
"""A card that appeared or changed less than this before the press: the thumb was aimed at what stood there before."""

log = structlog.get_logger(__name__)


class Presses:
    """Takes button presses."""

    def __init__(self, desk: Desk, pages: Pages, askings: Askings, stale: Stale, groups: Sequence[Group]) -> None:
        self._desk = desk
        self._stale = stale
        self._pages = pages
        self._askings = askings
        self.table: dict[str, Known] = {}
        """Every act, by name."""
        for group in (stale, *groups):
            self.table |= group.handlers()

    async def press(self, received: Received, press: Press) -> Later | None:
        """Carry out a press at once. The answer to the presser, and what asks the hub first, run beside the rest."""
        with ExitStack() as first:
            first.enter_context(self._askings.one_at_a_time(press))
            later = await self._begin(received, press)
            rest = first.pop_all()

        async def to_its_end(run: Run) -> None:
            with rest:
                await run()

        refuse = later.refuse
        return Later(
            lambda: to_its_end(later.run),
            later.about,
            (lambda why: to_its_end(partial(refuse, why))) if refuse is not None else None,
        )

    async def _begin(self, received: Received, press: Press) -> Later:
        def told(words: Words, *, alert: bool = True) -> Later:
            return Later(lambda: self._answer(received, press, words, alert=alert))

        if not press.token and press.replied is not None:
            return told(f"{tr('This was answered already.')} {_said_back(press)}")
        if not press.token or press.token.startswith("-"):
            return told("", alert=False)
        held = await self._stale.hold_press(received, press) if press.replied is None else None
        if held is not None:
            return told(held)
        try:
            pressed = await self._meant(received, press)
            if pressed.act.do == HELD and pressed.act.choice == "now":
                press = self._stale.meant(pressed)
                pressed = replace(await self._meant(received, press), repeats=pressed)
        except Refused as refusal:
            async with self._desk.store.begin() as tx:
                await record_token(tx, received, self._desk.clock(), press.token, f"refused: {refusal}")
            return told(_with_text(refusal, press))
        known = self.table.get(pressed.act.do)
        if known is None:
            return told(unknown())
        if known.beside(press):
            of = pressed.act.session or f"place/{press.where.chat}/{press.where.thread}"
            about = f"{of}/{pressed.act.do}"
            run, refuse = partial(self._carry_and_answer, pressed, known), partial(self._refuse, pressed)
            return Later(run, about, refuse) if known.waits and not known.only_asks(press) else Later(run)
        words, alert = await self._carry(pressed, known)
        return told(words, alert=alert)

    async def _refuse(self, pressed: Pressed, why: Words) -> None:
        """A press whose turn does not come, or came too late."""
        async with self._desk.store.begin() as tx:
            await record_refused(tx, pressed.received, self._desk.clock(), pressed.act, f"refused: {why}")
        await self._answer(pressed.received, pressed.press, _with_text(why, pressed.press), alert=True)

    async def _carry_and_answer(self, pressed: Pressed, known: Known) -> None:
        words, alert = await self._carry(pressed, known)
        await self._answer(pressed.received, pressed.press, words, alert=alert)

    async def _carry(self, pressed: Pressed, known: Known) -> tuple[Words, bool]:
        """Carry out a press; what to tell the presser, and whether it must be read."""
        received, now, audits = pressed.received, self._desk.clock, known.audits(pressed)
        try:
            if audits:
                async with self._desk.store.begin() as tx:
                    await record_act(tx, received, now(), pressed.act, TRIED, detail=_detail(pressed))
            words = await known.run(pressed)
        except (Refused, NotTaken) as refusal:
            async with self._desk.store.begin() as tx:
                # What was tried has its own line, which the next one tells the outcome of.
                line = record_act if audits else record_refused
                await line(tx, received, now(), pressed.act, f"refused: {refusal}")
            return _with_text(refusal, pressed.press), True
        else:
            if pressed.repeats is not None:
                await self._stale.done(pressed.repeats, words)
            if audits:
                async with self._desk.store.begin() as tx:
                    await record_act(tx, received, now(), pressed.act, detail=_detail(pressed))
            return words, False
        finally:
            self._desk.nudge()

    async def _meant(self, received: Received, press: Press) -> Pressed:
        """The post and the act a press is for. Raises :class:`Refused`."""
        surface = received.link.surface
        async with self._desk.store.read() as tx:
            found = await posts.button(tx, press.token)
            part = await posts.part_at(tx, surface.name, press.where.chat, press.message)
            doubt = found is not None and await posts.in_doubt(tx, surface.name, press.where.chat, found[0])
        paged = Capability.PAGE in surface.capabilities and not press.message
        if found is not None and part is None and not paged:
            if doubt:  # it may be the very message whose send was not answered yet, thus the only one
                raise Refused(_just_changed())
            await self._retire_twin(received, press, found[0])
            raise Refused(tr("This message appeared twice here, or is not ours. Press on the other one."))
        if found is None or (part is not None and part.post_key != found[0]):
            raise Refused(unknown())
        key, act, on_card = found
        if paged and act.request is None:
            raise Refused(unknown())  # only requests have their buttons on a page
        if not on_card:
            raise Refused(out_of_date(self._desk, act))
        weighs = act.request is not None or act.choice == SURE
        aimed = press.text is None and weighs and not self._toggles(act)
        changed_ms = part.changed_ms if part is not None else self._pages.changed_ms(surface.name, press.person.id)
        if aimed and not (paged and changed_ms is None) and _unsteady(changed_ms, received.received_ms):
            raise Refused(_just_changed())
        return Pressed(received, press, key, act)

    async def _retire_twin(self, received: Received, press: Press, key: str) -> None:
        """A send whose answer was lost may stand twice (invariant 3); the one that is not kept up loses its buttons.

        Decoration: the press counts for nothing either way.
        """
        surface, chat = received.link.surface, press.where.chat
        async with self._desk.store.read() as tx:
            places = [await conversations.get(tx, one.conversation_id) for one in await posts.deliveries_of(tx, key)]
        place = next((one for one in places if one and (one.surface, one.chat) == (surface.name, chat)), None)
        if place is None:
            return
        where = place_of(place, "")
        try:
            stub = present_said(tr("This message appeared twice. The other one counts."))
            await surface.edit(where, press.message, surface.render(key, stub, where)[-1])
        except SurfaceError as error:
            log.info("twin.not_retired", error=str(error))

    def _toggles(self, act: Act) -> bool:
        """Whether an act only ticks one of several choices, which Submit has yet to send: several taps may be quick."""
        request = request_of(self._desk, act)
        if request is None or act.do not in ("pick", "back"):
            return False
        questions = parse_questions(request.tool, request.arguments)
        at = act.data.get("question")
        return act.do == "back" or (isinstance(at, int) and at < len(questions) and questions[at].several)

    async def _answer(self, received: Received, press: Press, words: Words, *, alert: bool = False) -> None:
        """Tell the presser; ``alert``: it did not count."""
        if press.replied is not None:
            await self._askings.end(received, press, words, done=not alert)
        else:
            await acknowledge(received.link, press, words, alert=alert)


def _just_changed() -> Words:
    return tr("The card has just changed. Look at it, then press again.")


def _with_text(refusal: Exception | Words, press: Press) -> Words:
    """Why a press does not count; what was written into a form is said back, so that it can be used again."""
    return f"{refusal} {_said_back(press)}" if press.text else str(refusal)


def _said_back(press: Press) -> Words:
    return tr("You wrote: {text}", text=press.text)


def _unsteady(changed_ms: int | None, received_ms: int) -> bool:
    """Whether a card had not stood for long enough. A clock that was set back must not lock all buttons."""
    return changed_ms is None or 0 <= received_ms - changed_ms < STEADY_MS


def _detail(pressed: Pressed) -> str | None:
    """What was chosen or typed, for the log."""
    data = pressed.act.data
    said = [str(data[name]) for name in ("setting", "label", "words") if data.get(name)]
    return " ".join([*said, *([pressed.press.text] if pressed.press.text else [])]) or None

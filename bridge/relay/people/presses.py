"""Presses: a button acts on exactly what its card showed, once, or says in words why it does not (invariant 4).

What a button stands for is looked up in the store by its opaque token. It counts only if the message it was pressed on
is a message of that very post (or the bot's own page), the act is still on the post's newest card, the card has not
changed for :data:`STEADY_MS`, and the request still waits with the same arguments.
"""

from __future__ import annotations

import structlog

from bridge.cards.bridge_notes import present_said
from bridge.cards.model import Act
from bridge.cards.question import parse_questions
from bridge.chat.intents import Press
from bridge.chat.surface import Capability, SurfaceError
from bridge.delivery.places import place_of
from bridge.hub.rest import HubApi
from bridge.relay.desk import Desk
from bridge.relay.people.answers import NotTaken
from bridge.relay.people.attaching import Attaching
from bridge.relay.people.claims import Claims
from bridge.relay.people.inbox import Later, Received
from bridge.relay.people.pages import Pages
from bridge.relay.people.press_forms import FormPresses, needs_words
from bridge.relay.people.press_requests import RequestPresses
from bridge.relay.people.press_texts import TextPresses
from bridge.relay.people.pressed import UNKNOWN, Handler, Pressed, Refused, Words, request_of, what_became
from bridge.relay.people.sending import Sender
from bridge.relay.people.stopping import stop_session
from bridge.store import conversations, posts

STEADY_MS = 800
"""A card that appeared or changed less than this before the press: the thumb was aimed at what stood there before."""
STALE = "This button belongs to an older state of the card. Look at the card, it has changed."
TWIN = "This message appeared twice here, or is not ours. Press on the other one."
TWIN_STUB = "This message appeared twice. The other one counts."
JUST_CHANGED = "The card has just changed. Look at it, then press again."
ASKS_THE_HUB = frozenset({"stop", "retry"})
"""Acts whose answer must wait for the hub; they run beside the rest of the inbox."""

log = structlog.get_logger(__name__)


class Presses:
    """Takes button presses."""

    def __init__(
        self, desk: Desk, api: HubApi, claims: Claims, sender: Sender, attaching: Attaching, pages: Pages
    ) -> None:
        self._desk = desk
        self._pages = pages
        self._api = api
        requests = RequestPresses(desk, claims)
        texts = TextPresses(desk, api, requests, claims, sender, attaching)
        self._forms = forms = FormPresses(desk, requests, claims)
        self._handlers: dict[str, Handler] = {
            **requests.handlers(),
            **texts.handlers(),
            **forms.handlers(),
            "stop": self._stop,
        }

    async def press(self, received: Received, press: Press) -> Later | None:
        """Carry out a press at once. The answer to the presser, and what asks the hub first, run beside the rest."""
        if not press.token or press.token.startswith("-"):
            return lambda: self._answer(received, press, "")
        try:
            pressed = await self._meant(received, press)
        except Refused as refusal:
            refused = _with_text(refusal, press)
            return lambda: self._answer(received, press, refused, alert=True)
        handler = self._handlers.get(pressed.act.do)
        if pressed.act.do == "decide" and needs_words(pressed.act):
            handler = self._forms.decide
        if handler is None:
            return lambda: self._answer(received, press, UNKNOWN, alert=True)
        if pressed.act.do in ASKS_THE_HUB or (needs_words(pressed.act) and press.text is None):
            return lambda: self._carry_and_answer(pressed, handler)
        words, alert = await self._carry(pressed, handler)
        return lambda: self._answer(received, press, words, alert=alert)

    async def _carry_and_answer(self, pressed: Pressed, handler: Handler) -> None:
        words, alert = await self._carry(pressed, handler)
        await self._answer(pressed.received, pressed.press, words, alert=alert)

    async def _carry(self, pressed: Pressed, handler: Handler) -> tuple[Words, bool]:
        """Carry out a press; what to tell the presser, and whether it must be read."""
        try:
            return await handler(pressed), False
        except (Refused, NotTaken) as refusal:
            return _with_text(refusal, pressed.press), True
        finally:
            self._desk.nudge()

    async def _meant(self, received: Received, press: Press) -> Pressed:
        """The post and the act a press is for. Raises :class:`Refused`."""
        surface = received.link.surface
        async with self._desk.store.read() as tx:
            found = await posts.button(tx, press.token)
            part = await posts.part_at(tx, surface.name, press.where.chat, press.message)
        paged = Capability.PAGE in surface.capabilities and not press.message
        if found is not None and part is None and not paged:
            await self._retire_twin(received, press, found[0])
            raise Refused(TWIN)
        if found is None or (part is not None and part.post_key != found[0]):
            raise Refused(UNKNOWN)
        key, act, on_card = found
        if paged and act.request is None:
            raise Refused(UNKNOWN)  # only requests have their buttons on a page
        if not on_card:
            raise Refused(what_became(self._desk, act) or STALE)
        aimed = press.text is None and act.request is not None and not self._toggles(act)
        changed_ms = part.changed_ms if part is not None else self._pages.changed_ms(surface.name)
        if aimed and not (paged and changed_ms is None) and _unsteady(changed_ms, received.received_ms):
            raise Refused(JUST_CHANGED)
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
            await surface.edit(where, press.message, surface.render(key, present_said(TWIN_STUB), where)[-1])
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

    async def _stop(self, pressed: Pressed) -> Words:
        words = await stop_session(self._desk, self._api, pressed.act.session or "")
        if words is not None:
            raise Refused(f"Not stopped: {words}")
        return "Stopping…"

    async def _answer(self, received: Received, press: Press, words: Words, *, alert: bool = False) -> None:
        try:
            await received.link.surface.acknowledge_press(press.press, words, alert=alert)
        except SurfaceError as error:
            log.info("press.not_answered", error=str(error))


def _with_text(refusal: Exception, press: Press) -> Words:
    """Why a press does not count; what was written into a form is said back, so that it can be used again."""
    return f"{refusal} You wrote: {press.text}" if press.text else str(refusal)


def _unsteady(changed_ms: int | None, received_ms: int) -> bool:
    """Whether a card had not stood for long enough. A clock that was set back must not lock all buttons."""
    return changed_ms is None or 0 <= received_ms - changed_ms < STEADY_MS

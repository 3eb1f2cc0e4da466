"""Presses: a button acts on exactly what its card showed, once, or says in words why it does not (invariant 4).

What a button stands for is looked up in the store by its opaque token. It counts only if the message it was pressed on
is a message of that very post, the act is still on the post's newest card, the card has not changed for
:data:`STEADY_MS`, and the request still waits with the same arguments.
"""

from __future__ import annotations

import structlog

from bridge.cards.model import Act
from bridge.cards.question import parse_questions
from bridge.chat.intents import Press
from bridge.chat.surface import SurfaceError
from bridge.hub.rest import HubApi
from bridge.relay.answers import NotTaken
from bridge.relay.claims import Claims
from bridge.relay.desk import Desk
from bridge.relay.inbox import Later, Received
from bridge.relay.press_requests import RequestPresses
from bridge.relay.press_texts import TextPresses
from bridge.relay.pressed import UNKNOWN, Handler, Pressed, Refused, Words, request_of, what_became
from bridge.relay.sending import Sender
from bridge.relay.stopping import stop_session
from bridge.store import posts
from bridge.store.records import PartRecord

STEADY_MS = 800
"""A card that appeared or changed less than this before the press: the thumb was aimed at what stood there before."""
STALE = "This button belongs to an older state of the card. Look at the card, it has changed."
JUST_CHANGED = "The card has just changed. Look at it, then press again."
ASKS_THE_HUB = frozenset({"stop", "retry"})
"""Acts whose answer must wait for the hub; they run beside the rest of the inbox."""

log = structlog.get_logger(__name__)


class Presses:
    """Takes button presses."""

    def __init__(self, desk: Desk, api: HubApi, claims: Claims, sender: Sender) -> None:
        self._desk = desk
        self._api = api
        requests = RequestPresses(desk, claims)
        texts = TextPresses(desk, api, requests, claims, sender)
        self._handlers: dict[str, Handler] = {**requests.handlers(), **texts.handlers(), "stop": self._stop}

    async def press(self, received: Received, press: Press) -> Later | None:
        """Carry out a press and answer it. Only a press that must ask the hub first comes back as a ``Later``."""
        if not press.token or press.token.startswith("-"):
            await self._answer(received, press, "")
            return None
        try:
            pressed = await self._meant(received, press)
        except Refused as refusal:
            await self._answer(received, press, str(refusal), alert=True)
            return None
        handler = self._handlers.get(pressed.act.do)
        if handler is None:
            await self._answer(received, press, UNKNOWN, alert=True)
            return None
        if pressed.act.do in ASKS_THE_HUB:
            return lambda: self._carry(pressed, handler)
        await self._carry(pressed, handler)
        return None

    async def _carry(self, pressed: Pressed, handler: Handler) -> None:
        try:
            words = await handler(pressed)
        except (Refused, NotTaken) as refusal:
            await self._answer(pressed.received, pressed.press, str(refusal), alert=True)
        else:
            await self._answer(pressed.received, pressed.press, words)
        self._desk.nudge()

    async def _meant(self, received: Received, press: Press) -> Pressed:
        """The post and the act a press is for. Raises :class:`Refused`."""
        surface = received.link.surface.name
        async with self._desk.store.read() as tx:
            found = await posts.button(tx, press.token)
            part = await posts.part_at(tx, surface, press.where.chat, press.message)
        if found is None or part is None or part.post_key != found[0]:
            raise Refused(UNKNOWN)
        key, act, on_card = found
        if not on_card:
            raise Refused(what_became(self._desk, act) or STALE)
        if act.request is not None and not self._toggles(act) and _unsteady(part, received.received_ms):
            raise Refused(JUST_CHANGED)
        return Pressed(received, press, key, act)

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


def _unsteady(part: PartRecord, received_ms: int) -> bool:
    return part.changed_ms is None or received_ms - part.changed_ms < STEADY_MS

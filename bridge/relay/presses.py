"""Presses: a button acts on exactly what its card showed, once, or says in words why it does not (invariant 4).

What a button stands for is looked up in the store by its opaque token. It counts only if the message it was pressed on
is a message of that very post, the act is still on the post's newest card, the card has not changed for
:data:`STEADY_MS`, and the request still waits with the same arguments.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from bridge.cards.answer import present_whole_answer
from bridge.cards.bridge_notes import present_attached, present_interjected, present_routed
from bridge.cards.decision import STATES
from bridge.cards.model import Act, Markdown
from bridge.cards.question import is_question
from bridge.chat.intents import Press
from bridge.chat.surface import SurfaceError
from bridge.hub.errors import HubError
from bridge.hub.flavors import session_grant
from bridge.hub.rest import HubApi
from bridge.relay import answers
from bridge.relay.claims import Claims, claim
from bridge.relay.desk import Desk
from bridge.relay.inbox import Later, Received
from bridge.relay.notes import note
from bridge.relay.requests import Request
from bridge.relay.sending import Sender
from bridge.relay.texts import keep_or_send, text_note
from bridge.store import conversations, posts, says
from bridge.store.records import PartRecord, SayRecord, Wish

STEADY_MS = 800
"""A card that appeared or changed less than this before the press: the thumb was aimed at what stood there before."""
UNKNOWN = "This button is not known here any more."
STALE = "This button belongs to an older state of the card. Look at the card, it has changed."
NOT_PENDING = "This request is not waiting any more."
JUST_CHANGED = "The card has just changed. Look at it, then press again."
SENDING = answers.SENDING
TAKEN = answers.TAKEN

log = structlog.get_logger(__name__)

Words = str
"""What the presser is told."""


class Refused(Exception):
    """The press does not count; ``str()`` says why."""


class Presses:
    """Takes button presses."""

    def __init__(self, desk: Desk, api: HubApi, claims: Claims, sender: Sender) -> None:
        self._desk = desk
        self._api = api
        self._claims = claims
        self._sender = sender
        self._acts: dict[str, Callable[[Received, Press, str, Act], Awaitable[Words]]] = {
            "decide": self._decide,
            "pick": self._pick,
            "submit": self._submit,
            "back": self._back,
            "stop": self._stop,
            "retry": self._retry,
            "route": self._route,
            "interject": self._interject,
            "send_all": self._send_all,
            "attach": self._attach,
        }

    async def press(self, received: Received, press: Press) -> Later | None:
        """Carry out a press and answer it. Only a press that must ask the hub first comes back as a ``Later``."""
        if not press.token or press.token == "-":
            await self._answer(received, press, "")
            return None
        try:
            key, act = await self._meant(received, press)
        except Refused as refusal:
            await self._answer(received, press, str(refusal), alert=True)
            return None
        work = self._acts.get(act.do)
        if work is None:
            await self._answer(received, press, UNKNOWN, alert=True)
            return None
        if act.do == "stop":
            return lambda: self._carry(received, press, key, act, self._stop)
        await self._carry(received, press, key, act, work)
        return None

    async def _carry(
        self,
        received: Received,
        press: Press,
        key: str,
        act: Act,
        work: Callable[[Received, Press, str, Act], Awaitable[Words]],
    ) -> None:
        try:
            words = await work(received, press, key, act)
        except Refused as refusal:
            await self._answer(received, press, str(refusal), alert=True)
        else:
            await self._answer(received, press, words)
        self._desk.nudge()

    async def _meant(self, received: Received, press: Press) -> tuple[str, Act]:
        """The post and the act a press is for. Raises :class:`Refused`."""
        surface = received.link.surface.name
        async with self._desk.store.read() as tx:
            found = await posts.button(tx, press.token)
            part = await posts.part_at(tx, surface, press.where.chat, press.message)
        if found is None or part is None or part.post_key != found[0]:
            raise Refused(UNKNOWN)
        key, act, on_card = found
        if not on_card:
            raise Refused(self._what_became(act) or STALE)
        if act.request is not None and _unsteady(part, received.received_ms):
            raise Refused(JUST_CHANGED)
        return key, act

    def _what_became(self, act: Act) -> Words:
        """Why a button of a request's card is out of date, as far as we know."""
        follower = self._desk.of_session(act.session) if act.session else None
        request = follower.requests.get(act.request) if follower is not None and act.request else None
        if request is None or request.state == "pending":
            return ""
        by = f" by {request.decided_by}" if request.decided_by else ""
        return f"{STATES[request.state].title}{by} already." if request.state != "sending" else TAKEN

    def _waiting(self, act: Act, key: str | None = None) -> Request:
        """The request an act is bound to, if it waits with the very arguments the card showed."""
        follower = self._desk.of_session(act.session) if act.session else None
        request = follower.requests.get(act.request) if follower is not None and act.request else None
        if request is None or request.argument_hash != act.argument_hash or (key is not None and request.key != key):
            raise Refused(NOT_PENDING)
        if request.state != "pending":
            raise Refused(self._what_became(act) or NOT_PENDING)
        return request

    async def _decide(self, received: Received, press: Press, key: str, act: Act) -> Words:
        async with self._desk.lock:
            request = self._waiting(act, key)
            return await self._claim(received, press, request, act.choice or "")

    async def _claim(self, received: Received, press: Press, request: Request, choice: str) -> Words:
        call = self._call(request, choice)
        name = received.link.surface.name
        made = await claim(
            self._desk,
            request,
            surface=name,
            where=name.capitalize(),
            person_id=press.person.id,
            person_name=press.person.name,
            choice={**call, "choice": choice},
        )
        if made is None:
            raise Refused(TAKEN)
        self._claims.nudge()
        return SENDING

    def _call(self, request: Request, choice: str) -> dict[str, object]:
        """The hub call a choice stands for."""
        match choice:
            case "allow" if not is_question(request.tool):
                return {"call": "approve", "with": {}}
            case "allow_session":
                follower = self._desk.of_session(request.session)
                flavor = follower.session.flavor if follower is not None else None
                grant = session_grant(flavor, request.tool, request.arguments)
                if grant is None:
                    raise Refused("This can't be allowed for the whole session.")
                return {"call": "approve", "with": dict(grant.approve)}
            case "deny":
                return {"call": "deny", "with": {}}
            case "abort":
                return {"call": "deny", "with": {"decision": "abort"}, "stop": True}
            case _:
                raise Refused(UNKNOWN)

    async def _pick(self, received: Received, press: Press, key: str, act: Act) -> Words:
        async with self._desk.lock:
            request = self._waiting(act, key)
            question, option = int(act.data["question"]), int(act.data["option"])
            words = await answers.pick(self._desk, request, question, option, received, press.person)
        self._claims.nudge()
        return words

    async def _submit(self, received: Received, press: Press, key: str, act: Act) -> Words:
        async with self._desk.lock:
            request = self._waiting(act, key)
            words = await answers.submit(self._desk, request, int(act.data["question"]), received, press.person)
        self._claims.nudge()
        return words

    async def _back(self, received: Received, press: Press, key: str, act: Act) -> Words:
        async with self._desk.lock:
            return await answers.back(self._desk, self._waiting(act, key), int(act.data["question"]))

    async def _stop(self, received: Received, press: Press, key: str, act: Act) -> Words:
        return await stop_session(self._desk, self._api, act.session or "")

    async def _retry(self, received: Received, press: Press, key: str, act: Act) -> Words:
        now = self._desk.clock()
        local_id = str(act.data["local_id"])
        async with self._desk.store.begin() as tx:
            say = await says.get(tx, local_id)
            if say is None or say.state not in ("failed", "indeterminate"):
                raise Refused("This message is on its way already.")
            if say.state == "failed":
                await says.set_state(tx, [local_id], "kept", now, attempts=0, next_try_ms=now)
        if say.state == "indeterminate":
            try:
                await self._api.retry_message(say.session_id, local_id)
            except HubError as error:
                raise Refused(str(error)) from error
        self._sender.nudge()
        return "Trying again…"

    async def _route(self, received: Received, press: Press, key: str, act: Act) -> Words:
        now, local_id = self._desk.clock(), str(act.data["text"])
        async with self._desk.lock, self._desk.store.begin() as tx:
            say = await says.get(tx, local_id)
            place = await conversations.get(tx, say.conversation_id) if say is not None else None
            if say is None or place is None or say.state != "kept" or say.lineage:
                raise Refused("This text was dealt with already.")
            follower = self._desk.of_session(act.session) if act.session else None
            if act.choice == "discard":
                await says.set_state(tx, [local_id], "cancelled", now)
                await note(tx, place, text_note(local_id), present_routed(say.text, None), now)
                return "Discarded."
            if follower is None:
                raise Refused("That session is gone. Choose another one.")
            lineage, session_id = follower.lineage, follower.session.id
            await says.set_state(tx, [local_id], "kept", now, lineage=lineage, session_id=session_id)
            card = present_routed(say.text, follower.session.title)
            await note(tx, place, text_note(local_id), card, now)
            await keep_or_send(tx, place, replace(say, lineage=lineage, session_id=session_id), follower, now)
        self._sender.nudge()
        return f"Sent to {follower.session.title}."

    async def _interject(self, received: Received, press: Press, key: str, act: Act) -> Words:
        now, local_id, choice = self._desk.clock(), str(act.data["text"]), act.choice or ""
        async with self._desk.lock:
            async with self._desk.store.read() as tx:
                say = await says.get(tx, local_id)
                place = await conversations.get(tx, say.conversation_id) if say is not None else None
            if say is None or place is None or say.state != "kept":
                raise Refused("This text was dealt with already.")
            words = await self._first(received, press, act, say)
            async with self._desk.store.begin() as tx:
                used = choice == "use_as_answer"
                if used:
                    await says.set_state(tx, [local_id], "cancelled", now)
                else:
                    await says.set_state(tx, [local_id], "kept", now, next_try_ms=now)
                rows = 3 if key and act.request and self._asks(act) else 2
                card = present_interjected(say.text, choice, rows=rows)
                await note(tx, place, text_note(local_id), card, now)
        self._sender.nudge()
        self._claims.nudge()
        return words

    def _asks(self, act: Act) -> bool:
        follower = self._desk.of_session(act.session) if act.session else None
        request = follower.requests.get(act.request) if follower is not None and act.request else None
        return request is not None and is_question(request.tool)

    async def _first(self, received: Received, press: Press, act: Act, say: SayRecord) -> Words:
        """What must happen to the request before the text may go; nothing where it is over already."""
        if act.choice == "keep_queued":
            return "Sent, it waits in the queue."
        try:
            request = self._waiting(act)
        except Refused:
            if act.choice == "use_as_answer":
                raise
            return "Sent. The request was over already."
        if act.choice == "use_as_answer":
            return await answers.answer_in_words(self._desk, request, say.text, received, press.person)
        await self._claim(received, press, request, "deny")
        return "Denied, and sent."

    async def _send_all(self, received: Received, press: Press, key: str, act: Act) -> Words:
        """The whole of a long answer, as a post of its own, since an older post may not grow."""
        now = self._desk.clock()
        async with self._desk.store.begin() as tx:
            post = await posts.get(tx, key)
            part = await posts.part_at(tx, received.link.surface.name, press.where.chat, press.message)
            source = (
                [piece.source for piece in post.card.pieces if isinstance(piece, Markdown)]
                if post and post.card
                else []
            )
            if post is None or part is None or not source:
                raise Refused("The text is not here any more: it is in the file above.")
            wish = Wish(
                key=f"{key}/whole",
                lineage=post.lineage,
                session_id=post.session_id,
                kind="answer",
                urgency="answer",
                card=present_whole_answer(source[0]),
                final=True,
                conversations=(part.conversation_id,),
            )
            await posts.wish(tx, wish, now)
        return "Sending all of it."

    async def _attach(self, received: Received, press: Press, key: str, act: Act) -> Words:
        now, link = self._desk.clock(), received.link
        async with self._desk.lock, self._desk.store.begin() as tx:
            follower = self._desk.of_session(act.session) if act.session else None
            if follower is None:
                raise Refused("That session is gone.")
            if not await conversations.bound(tx, follower.lineage, link.surface.name):
                await self._desk.attach(tx, link, follower, now)
            chat = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now)
            card = present_attached(follower.session.title)
            await note(tx, chat, f"offer/{follower.lineage}", card, now)
        return "Shown from now on."

    async def _answer(self, received: Received, press: Press, words: Words, *, alert: bool = False) -> None:
        try:
            await received.link.surface.acknowledge_press(press.press, words, alert=alert)
        except SurfaceError as error:
            log.info("press.not_answered", error=str(error))


async def stop_session(desk: Desk, api: HubApi, session_id: str) -> Words:
    """Ask the hub to stop a session's turn. Returns words for the person who asked."""
    try:
        await api.abort(session_id)
    except HubError as error:
        return f"Not stopped: {error}"
    async with desk.lock:
        follower = desk.of_session(session_id)
        if follower is not None:
            follower.stop_asked()
    return "Stopping…"


def _unsteady(part: PartRecord, received_ms: int) -> bool:
    return part.changed_ms is None or received_ms - part.changed_ms < STEADY_MS

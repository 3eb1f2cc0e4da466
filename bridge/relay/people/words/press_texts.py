"""Presses that are about texts: a message that did not arrive, one that was kept, a long answer, a session on offer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bridge.cards.model import Markdown
from bridge.cards.own.bridge_notes import (
    present_attached,
    present_attached_here,
    present_interjected,
    present_routed,
    present_sent_after_all,
)
from bridge.cards.turn.answer import present_whole_answer
from bridge.hub.errors import HubError
from bridge.hub.rest import HubApi
from bridge.language import N_, tr
from bridge.relay.attached import files_of, whole_shown, with_files
from bridge.relay.desk import Desk
from bridge.relay.follow.requests import Request
from bridge.relay.keeping import FOLLOWS, keep_or_send, text_note
from bridge.relay.notes import note
from bridge.relay.people.company.audit import record, record_act
from bridge.relay.people.places.attaching import Attaching
from bridge.relay.people.presses.pressed import Known, Pressed, Refused, Words, waiting_request
from bridge.relay.people.requests import answers
from bridge.relay.people.requests.claims import Claims
from bridge.relay.people.requests.press_requests import RequestPresses
from bridge.relay.people.words.sending import Sender
from bridge.store import conversations, posts, says
from bridge.store.engine import Tx
from bridge.store.records import SayRecord, SayState, Wish

RETRIED: dict[str, tuple[SayState, str]] = {
    "retried": ("queued", N_("Sent again.")),
    "already-queued": ("queued", N_("It is in the queue.")),
    "invoked": ("taken", N_("The agent has it already.")),
}
"""What the hub says to a retry, and what that makes of a message of unknown fate."""


class TextPresses:
    """Carries out presses about texts."""

    def __init__(
        self,
        desk: Desk,
        api: HubApi,
        requests: RequestPresses,
        claims: Claims,
        sender: Sender,
        attaching: Attaching,
    ) -> None:
        self._desk = desk
        self._api = api
        self._requests = requests
        self._claims = claims
        self._sender = sender
        self._attaching = attaching

    def handlers(self) -> dict[str, Known]:
        """By the act's name."""
        return {
            "retry": Known(self.retry, waits=True),
            "route": Known(self.route, logs=True),
            "interject": Known(self.interject, logs=True),
            "send_all": Known(self.send_all),
            "attach": Known(self.attach, logs=True),
            "attach_here": Known(self.attach_here, logs=True),
        }

    async def retry(self, pressed: Pressed) -> Words:
        """Send a message again that did not arrive, or of which nobody knows; perhaps without the files that were to
        blame, or not at all."""
        act = pressed.act
        now = self._desk.clock()
        local_id = str(act.data["local_id"])
        async with self._desk.store.begin() as tx:
            say = await says.get(tx, local_id)
            if say is None or say.state not in ("failed", "indeterminate"):
                raise Refused(tr("This message is on its way already."))
            if act.choice == "discard":
                return await self._discard(tx, say, now)
            if act.choice == "without":
                await _leave_out(tx, say, now)
            if say.state == "failed":
                await says.set_state(tx, [local_id], "kept", now, attempts=0, next_try_ms=now)
        if say.state == "indeterminate":
            try:
                status = (await self._api.retry_message(say.session_id, local_id)).get("status")
            except HubError as error:
                raise Refused(error.spoken()) from error
            if status not in RETRIED:
                raise Refused(tr("HAPI can't send this message again. Write it anew if it is still wanted."))
            async with self._desk.store.begin() as tx:
                state, done = RETRIED[str(status)]
                await says.set_state(tx, [local_id], state, self._desk.clock())
                place = await conversations.get(tx, say.conversation_id)
                if place is not None:
                    await note(
                        tx,
                        place,
                        f"say/{local_id}",
                        present_sent_after_all(await whole_shown(tx, say)),
                        self._desk.clock(),
                    )
            return tr(done)
        self._sender.nudge()
        return tr("Trying again…")

    async def _discard(self, tx: Tx, say: SayRecord, now: int) -> Words:
        await says.set_state(tx, [say.local_id], "cancelled", now, next_try_ms=None)
        if (place := await conversations.get(tx, say.conversation_id)) is not None:
            card = present_routed(await whole_shown(tx, say), None)
            await note(tx, place, f"say/{say.local_id}", card, now)
        return tr("Discarded.")

    async def route(self, pressed: Pressed) -> Words:
        """Say which session a kept text is for."""
        act = pressed.act
        now, local_id = self._desk.clock(), str(act.data["text"])
        async with self._desk.lock, self._desk.store.begin() as tx:
            say = await says.get(tx, local_id)
            place = await conversations.get(tx, say.conversation_id) if say is not None else None
            if say is None or place is None or say.state != "kept" or say.lineage:
                raise Refused(tr("This text was dealt with already."))
            follower = self._desk.of_session(act.session) if act.session else None
            if act.choice == "discard":
                await says.set_state(tx, [local_id], "cancelled", now)
                await note(tx, place, text_note(local_id), present_routed(await whole_shown(tx, say), None), now)
                return tr("Discarded.")
            if follower is None:
                raise Refused(tr("That session is gone. Choose another one."))
            lineage, session_id = follower.lineage, follower.session.id
            belong = [each.local_id for each in await says.joined_to(tx, say)]
            await says.set_state(tx, [local_id], "kept", now, lineage=lineage, session_id=session_id)
            await says.set_state(tx, belong, "joined", now, lineage=lineage, session_id=session_id)
            if act.data.get("here"):
                await self._attaching.move(tx, pressed.received.link, follower, place)
                await record(tx, pressed.received, now, "attach", session=session_id)
            card = present_routed(await whole_shown(tx, say), follower.session.title)
            await note(tx, place, text_note(local_id), card, now)
            await keep_or_send(tx, place, replace(say, lineage=lineage, session_id=session_id), follower, now)
        self._sender.nudge()
        return tr("Sent to {title}.", title=follower.session.title)

    async def interject(self, pressed: Pressed) -> Words:
        """Say what a text is that came while a request waited."""
        act = pressed.act
        now, local_id, choice = self._desk.clock(), str(act.data["text"]), act.choice or ""
        async with self._desk.lock:
            async with self._desk.store.read() as tx:
                say = await says.get(tx, local_id)
                place = await conversations.get(tx, say.conversation_id) if say is not None else None
            if say is None or place is None or say.state != "kept":
                raise Refused(tr("This text was dealt with already."))
            words, request = self._meant(pressed)

            async def become(tx: Tx, *, follows: str | None = None) -> None:
                if choice in ("use_as_answer", "discard"):
                    await says.set_state(tx, [local_id], "cancelled", now)
                elif follows is not None:
                    await says.set_state(tx, [local_id], "kept", now, data={**say.data, FOLLOWS: follows})
                else:
                    await says.set_state(tx, [local_id], "kept", now, next_try_ms=now)
                card = present_interjected(await whole_shown(tx, say), choice)
                await note(tx, place, text_note(local_id), card, now)

            if choice == "use_as_answer" and request is not None:
                received, person = pressed.received, pressed.press.person
                words = await answers.answer_in_words(self._desk, request, say.text, received, person, become)
            elif choice == "deny_and_send" and request is not None:
                # The denial goes first. If it does not count, it is asked again what the text is.
                with_it = partial(become, follows=request.id)
                await self._requests.claim(pressed, request, "deny", then=local_id, with_it=with_it)
            else:
                async with self._desk.store.begin() as tx:
                    await become(tx)
        self._sender.nudge()
        self._claims.nudge()
        return words

    def _meant(self, pressed: Pressed) -> tuple[Words, Request | None]:
        """What the presser is told of a text that came while a request waited; and the request, if it is to be decided
        first, and still waits."""
        act = pressed.act
        if act.choice == "keep_queued":
            return tr("Sent, it waits in the queue."), None
        if act.choice == "discard":
            return tr("Discarded."), None
        try:
            return tr("Denied, and sent."), waiting_request(self._desk, act)
        except Refused:
            if act.choice == "use_as_answer":
                raise
            return tr("Sent. The request was over already."), None

    async def send_all(self, pressed: Pressed) -> Words:
        """The whole of a long answer, as a post of its own, since an older post may not grow."""
        now, surface = self._desk.clock(), pressed.received.link.surface.name
        async with self._desk.store.begin() as tx:
            post = await posts.get(tx, pressed.key)
            part = await posts.part_at(tx, surface, pressed.press.where.chat, pressed.press.message)
            pieces = post.card.pieces if post is not None and post.card is not None else ()
            source = [piece.source for piece in pieces if isinstance(piece, Markdown)]
            if post is None or part is None or not source:
                raise Refused(tr("The text is not here any more: it is in the file above."))
            wish = Wish(
                key=f"{pressed.key}/whole",
                lineage=post.lineage,
                session_id=post.session_id,
                kind="answer",
                urgency="answer",
                card=present_whole_answer(source[0]),
                final=True,
                conversations=(part.conversation_id,),
            )
            await posts.wish(tx, wish, now)
        return tr("Sending all of it.")

    async def attach(self, pressed: Pressed) -> Words:
        """Show a session that was offered."""
        act = pressed.act
        now, link = self._desk.clock(), pressed.received.link
        async with self._desk.lock, self._desk.store.begin() as tx:
            follower = self._desk.of_session(act.session) if act.session else None
            if follower is None:
                raise Refused(tr("That session is gone."))
            if not await conversations.bound(tx, follower.lineage, link.surface.name):
                await self._desk.attach(tx, link, follower, now)
            chat = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now)
            card = present_attached(follower.session.title)
            await note(tx, chat, f"offer/{follower.lineage}", card, now)
            await record_act(tx, pressed.received, now, act)
        return tr("Shown from now on.")

    async def attach_here(self, pressed: Pressed) -> Words:
        """Show a session in the place of the card that asked which."""
        act, press, link = pressed.act, pressed.press, pressed.received.link
        async with self._desk.lock, self._desk.store.begin() as tx:
            follower = self._desk.of_session(act.session) if act.session else None
            part = await posts.part_at(tx, link.surface.name, press.where.chat, press.message)
            place = await conversations.get(tx, part.conversation_id) if part is not None else None
            post = await posts.get(tx, pressed.key)
            if follower is None or place is None or post is None:
                raise Refused(tr("That session is gone. Choose another one."))
            await self._attaching.move(tx, link, follower, place)
            await record_act(tx, pressed.received, self._desk.clock(), act)
            what = pressed.key.removeprefix(f"conversation/{place.id}/")
            card = present_attached_here(follower.session.title)
            await note(tx, place, what, card, self._desk.clock(), reply_to=post.reply_to)
        return tr("Shown here from now on.")


async def _leave_out(tx: Tx, say: SayRecord, now: int) -> None:
    """Let a message go without the files that did not arrive. Raises :class:`Refused` if nothing would be left."""
    pieces = [say, *await says.joined_to(tx, say)]
    left = {piece.local_id: [one for one in files_of(piece) if not one.get("lost")] for piece in pieces}
    if not any(left.values()) and not any(piece.text for piece in pieces):
        raise Refused(tr("Without its files there is nothing to send."))
    for piece in pieces:
        data = with_files(piece, left[piece.local_id])
        await says.set_state(tx, [piece.local_id], piece.state, now, data=data)

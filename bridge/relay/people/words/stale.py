"""What came late: presses of the first batch after a silence, and texts older than their session's last word.

They are not carried out but shown back with what happened since, to be done now or dropped. *Do it now* is the same
press again, with every check of a press: it acts on exactly what the old card showed, or refuses (invariant 4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from bridge.cards.model import Act
from bridge.cards.own.stale import (
    happened,
    present_stale_command,
    present_stale_over,
    present_stale_press,
    present_stale_text,
)
from bridge.cards.request.outcome import label_of
from bridge.chat.intents import Command, Press, Say
from bridge.language import tr
from bridge.relay.attached import whole_shown
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.requests import Request
from bridge.relay.keeping import keep_or_send, text_note
from bridge.relay.notes import note, place_at
from bridge.relay.people.company.audit import record, record_act, record_refused
from bridge.relay.people.presses.pressed import Known, Pressed, Refused, Words, request_of, what_became
from bridge.relay.people.received import Received
from bridge.relay.people.requests.answers import answer_in_words
from bridge.relay.people.requests.claims import Claims
from bridge.relay.people.roles.roles import needed_for
from bridge.relay.people.words.sending import Sender
from bridge.store import conversations, posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation, SayRecord

LATE_MS = 120_000
"""A press this old, or of the first batch after a silence this long, was aimed at what stood there then."""
OLD_TEXT_MS = 900_000
"""A text this old was written before whatever its session said since."""
MINUTE_MS: Final = 60_000
HELD: Final = "stale"
"""Act of the buttons on a press that was shown back."""
HELD_COMMAND: Final = "stale_command"
"""And on a command (see ``stale_commands``)."""


def press_since(received: Received, press: Press, now_ms: int) -> int | None:
    """Since when a press may have been on its way, if that is long (epoch ms)."""
    if received.late_since_ms is not None:
        return received.late_since_ms
    made = press.sent_at_ms or received.received_ms
    return made if now_ms - made >= LATE_MS else None


def is_old(said: Say | Command, now_ms: int) -> bool:
    """Whether a text is so old that its session may have moved on."""
    return said.sent_at_ms > 0 and now_ms - said.sent_at_ms >= OLD_TEXT_MS


@dataclass(frozen=True, slots=True)
class Stale:
    """Holds what came late, and lets it go."""

    desk: Desk
    sender: Sender
    claims: Claims

    def handlers(self) -> dict[str, Known]:
        """By the act's name. Of :data:`HELD` only *Drop* comes here; *Do it now* is another press (see ``presses``)."""
        return {HELD: Known(self._drop), "stale_text": Known(self._text)}

    async def hold_press(self, received: Received, press: Press) -> Words | None:
        """Show a press back if it is late and would change something; what to tell who pressed. ``None``: carry it out
        as ever."""
        now = self.desk.clock()
        since = press_since(received, press, now)
        if since is None:
            return None
        surface = received.link.surface.name
        async with self.desk.store.begin() as tx:
            found = await posts.button(tx, press.token)
            if found is None or needed_for(found[1]) == "view":
                return None
            key, act, on_card = found
            if act.do == HELD and on_card:
                # It stands there with its buttons; a card about that card would help nobody.
                await record_refused(tx, received, now, act, "refused: it came late")
                return tr("That came late, and was not done. Press again if you still want it.")
            follower = self.desk.of_session(act.session) if act.session else None
            over = "" if on_card else what_became(self.desk, act) or tr("Its card has changed.")
            over = over or (what_became(self.desk, act) if act.request else "")
            post = await posts.get(tx, key)
            # A card that is over is not kept; then the act must tell what its button was called.
            rows = post.card.buttons if post is not None and post.card is not None else ()
            labels = [button.label for row in rows for button in row if button.act == act]
            request = request_of(self.desk, act)
            label = labels[0] if labels else label_of(act, request.tool if request is not None else "")
            kept = {"token": press.token, "message": press.message, "person": press.person.id, "text": press.text}
            held = act.model_copy(update={"do": HELD, "data": {**kept, "update": received.update_id, "label": label}})
            now_act, drop = held.model_copy(update={"choice": "now"}), held.model_copy(update={"choice": "drop"})
            words = happened(await _counts(tx, follower, since), over)
            minutes = max(1, (now - since) // MINUTE_MS)
            doable = on_card and not over
            card = present_stale_press(
                label, press.person.name, minutes, words, now_act if doable else None, drop if doable else None
            )
            place = await place_at(tx, surface, press.where, now)
            what, reply_to = f"{HELD}/{received.update_id}", press.message or None
            await note(tx, place, what, card, now, reply_to=reply_to)
            await record_act(tx, received, now, act, "refused: it came late, and was shown back")
            await received.settle(tx)
        self.desk.nudge()
        return tr("That came late. It is shown again below.")

    def meant(self, pressed: Pressed) -> Press:
        """The press that *Do it now* repeats."""
        data = pressed.act.data
        text = data["text"] if isinstance(data.get("text"), str) else None
        return replace(pressed.press, token=str(data["token"]), message=str(data["message"]), text=text)

    async def done(self, pressed: Pressed, words: Words) -> None:
        """*Do it now* was carried out: its buttons go."""
        async with self.desk.store.begin() as tx:
            await self.close(tx, pressed, words)
        self.desk.nudge()

    async def _drop(self, pressed: Pressed) -> Words:
        async with self.desk.store.begin() as tx:
            await self.close(tx, pressed, tr("Dropped."))
        return tr("Dropped.")

    async def close(self, tx: Tx, pressed: Pressed, words: Words) -> None:
        """Let the buttons go from a card that was shown back, and say on it what became of it."""
        place = await self._place(tx, pressed)
        if place is None:
            return
        what = pressed.key.removeprefix(f"conversation/{place.id}/")
        label = str(pressed.act.data.get("label", ""))
        post = await posts.get(tx, pressed.key)
        card = present_stale_over(words or tr("Done."), label)
        await note(tx, place, what, card, self.desk.clock(), reply_to=post.reply_to if post is not None else None)

    async def _place(self, tx: Tx, pressed: Pressed) -> Conversation | None:
        number = pressed.key.split("/")[1]
        return await conversations.get(tx, int(number)) if number.isdigit() else None

    async def hold_text(
        self,
        tx: Tx,
        place: Conversation,
        record: SayRecord,
        said: Say,
        follower: Follower,
        question: Request | None,
    ) -> bool:
        """Show a text back if it is old and its session has moved on. False: it goes as ever. Hold the desk's lock."""
        now = self.desk.clock()
        if not is_old(said, now) or follower.last_at <= said.sent_at_ms:
            return False
        answers = {"request": question.id, "hash": question.argument_hash} if question is not None else {}
        kept = replace(record, data={**record.data, HELD: answers}, next_try_ms=None)
        if await says.add(tx, kept):
            await self._draw(tx, place, kept, follower)
        return True

    async def holds(self, tx: Tx, place: Conversation, record: SayRecord, follower: Follower | None) -> bool:
        """Whether a text was shown back; then it is shown anew, with what belongs to it by now."""
        if HELD not in record.data:
            return False
        await self._draw(tx, place, record, follower)
        return True

    async def _draw(self, tx: Tx, place: Conversation, record: SayRecord, follower: Follower | None) -> None:
        now, written_ms = self.desk.clock(), int(record.data["written_ms"])
        data = {"text": record.local_id}
        act = Act(do="stale_text", session=record.session_id, choice="now", data=data)
        since = happened(await _counts(tx, follower, written_ms))
        minutes, drop = max(1, (now - written_ms) // MINUTE_MS), act.model_copy(update={"choice": "drop"})
        card = present_stale_text(await whole_shown(tx, record), minutes, since, act, drop)
        await note(tx, place, text_note(record.local_id), card, now, reply_to=record.message, open_=True)

    async def hold_command(
        self, tx: Tx, received: Received, place: Conversation, command: Command, follower: Follower | None
    ) -> bool:
        """Show a command back if it is old and the session it is about has moved on."""
        now = self.desk.clock()
        if not is_old(command, now) or follower is None or follower.last_at <= command.sent_at_ms:
            return False
        since = happened(await _counts(tx, follower, command.sent_at_ms))
        minutes = max(1, (now - command.sent_at_ms) // MINUTE_MS)
        text = command.text or f"/{command.name} {command.arguments}".rstrip()
        where = [command.where.chat, command.where.thread, command.where.private]
        kept = {"name": command.name, "arguments": command.arguments, "message": command.message, "where": where}
        data = {**kept, "reply_to": command.reply_to, "label": text, "person": command.person.id}
        act = Act(do=HELD_COMMAND, session=follower.session.id, choice="now", data=data)
        card = present_stale_command(text, minutes, since, act, act.model_copy(update={"choice": "drop"}))
        what = f"{HELD_COMMAND}/{received.update_id}"
        await note(tx, place, what, card, now, reply_to=command.message or None, open_=True)
        why = "refused: it came late, and was shown back"
        await record(tx, received, now, command.name, why, session=follower.session.id)
        await received.settle(tx)
        return True

    async def _text(self, pressed: Pressed) -> Words:
        """Pass a text on after all, or drop it. An answer answers the very question it was written to, or nothing."""
        act, now = pressed.act, self.desk.clock()
        local_id = str(act.data["text"])
        async with self.desk.lock:
            async with self.desk.store.read() as tx:
                say = await says.get(tx, local_id)
                place = await conversations.get(tx, say.conversation_id) if say is not None else None
            if say is None or place is None or say.state != "kept" or HELD not in say.data:
                raise Refused(tr("This text was dealt with already."))
            follower = self.desk.followers.get(say.lineage)
            if act.choice == "now" and follower is None:
                raise Refused(tr("That session is gone."))
            question = self._question(say, follower) if act.choice == "now" and follower is not None else None
            words = tr("Dropped.") if act.choice != "now" else tr("Used as the answer.") if question else tr("Sent.")

            async def become(tx: Tx) -> None:
                card = present_stale_over(words, await whole_shown(tx, say))
                await note(tx, place, text_note(local_id), card, now)
                if act.choice != "now" or question is not None or follower is None:
                    await says.set_state(tx, [local_id], "cancelled", now)
                else:
                    data = {name: value for name, value in say.data.items() if name != HELD}
                    await says.set_state(tx, [local_id], "kept", now, data=data)
                    await keep_or_send(tx, place, replace(say, data=data), follower, now)

            if question is not None:
                received, person = pressed.received, pressed.press.person
                await answer_in_words(self.desk, question, say.text, received, person, become)
            else:
                async with self.desk.store.begin() as tx:
                    await become(tx)
        self.sender.nudge()
        self.claims.nudge()
        return words

    def _question(self, say: SayRecord, follower: Follower) -> Request | None:
        """The very question a text was written to, which must still wait; ``None``: it answers none."""
        meant = say.data[HELD]
        if not meant:
            return None
        request = follower.requests.get(str(meant["request"]))
        if request is None or request.state != "pending" or request.argument_hash != meant["hash"]:
            raise Refused(tr("The question it answered is over."))
        return request


async def _counts(tx: Tx, follower: Follower | None, since_ms: int) -> dict[str, int]:
    return await posts.new_since(tx, follower.lineage, since_ms) if follower is not None else {}

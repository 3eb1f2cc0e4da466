"""Messages that people change or delete after they sent them.

Still here: changed here. Still queued in the hub: taken back, and sent anew as it reads now. Taken: too late, and the
changed words can be sent as a correction. Messages that went as one (see ``merging``) are taken back as one.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace

from bridge.cards.own.own_words import present_too_late
from bridge.chat.intents import Deleted, Edited
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.keeping import NAMESPACE, offer
from bridge.relay.notes import note, place_at
from bridge.relay.people.beside import Later
from bridge.relay.people.received import Received
from bridge.relay.people.words.sending import Sender
from bridge.relay.people.words.taking_back import TakingBack
from bridge.store import says
from bridge.store.engine import Tx
from bridge.store.records import Conversation, SayRecord


@dataclass(frozen=True, slots=True)
class Editing:
    """Takes edits and deletions of people's messages."""

    desk: Desk
    taking_back: TakingBack
    sender: Sender

    async def edited(self, received: Received, edit: Edited) -> Later | None:
        """A message was changed."""
        now = self.desk.clock()
        async with self.desk.store.begin() as tx:
            place = await place_at(tx, received.link.surface.name, edit.where, now)
            sent = await says.of_message(tx, place.id, edit.message)
            if not sent or sent[-1].text == edit.text or sent[-1].person_id != edit.person.id:
                return None  # what somebody else changed is not what its writer said
            say = sent[-1]
            head = await says.head_of(tx, say)
            ours = head.data.get("replacing") == received.update_id  # taken up again after a crash
            if head.state in ("kept", "failed"):
                await says.set_state(tx, [say.local_id], say.state, now, text=edit.text)
                follower = self.desk.followers.get(head.lineage)
                if head.state == "kept" and head.next_try_ms is None and follower is not None:
                    await offer(tx, place, await says.get(tx, head.local_id) or head, follower, now)
            elif head.state in ("taken", "cancelled") and not ours:
                await self._too_late(tx, place, say, edit.text, received.update_id, now)
            else:
                data = {**head.data, "replacing": received.update_id}
                await says.set_state(tx, [head.local_id], head.state, now, data=data)
                return self._later(place, head, say, edit.text, received.update_id)
        self.desk.nudge()
        return None

    async def deleted(self, received: Received, gone: Deleted) -> Later | None:
        """A message was taken back: what has not left yet, or is still queued, is withdrawn; what was taken stays."""
        now = self.desk.clock()
        async with self.desk.store.begin() as tx:
            place = await place_at(tx, received.link.surface.name, gone.where, now)
            sent = await says.of_message(tx, place.id, gone.message)
            if not sent or sent[-1].person_id != gone.person.id:
                return None
            say = sent[-1]
            head = await says.head_of(tx, say)
            if head.state in ("taken", "cancelled"):
                return None
            if head.state in ("kept", "failed"):
                await self._anew(tx, head, say, None, received.update_id, now)
                return None
        return self._later(place, head, say, None, received.update_id)

    def _later(self, place: Conversation, head: SayRecord, say: SayRecord, text: str | None, update_id: str) -> Later:
        async def stays(_: str) -> None:
            async with self.desk.store.begin() as tx:
                await self._stays(tx, place, say, text, update_id)
            self.desk.nudge()

        return Later(lambda: self._replace(place, head, say, text, update_id), f"{head.session_id}/edit", stays)

    async def _replace(
        self, place: Conversation, head: SayRecord, say: SayRecord, text: str | None, update_id: str
    ) -> None:
        """Take a queued message back and send it as it reads now (``None``: without this piece), or say why not."""
        outcome = await self.taking_back.take_back(head)
        now = self.desk.clock()
        async with self.desk.store.begin() as tx:
            if outcome == "back":
                await self._anew(tx, head, say, text, update_id, now)
            elif text is not None and outcome == "taken":
                await self._too_late(tx, place, say, text, update_id, now)
            else:
                await self._stays(tx, place, say, text, update_id)
        self.sender.nudge()
        self.desk.nudge()

    async def _stays(self, tx: Tx, place: Conversation, say: SayRecord, text: str | None, update_id: str) -> None:
        """A change did not count; of a message that was deleted there is nothing to reply to."""
        if text is not None:
            why = tr("The change did not reach HAPI; the message stays as it was.")
            card = present_too_late(why=why)
            await note(tx, place, f"edit/{update_id}", card, self.desk.clock(), reply_to=say.message)

    async def _too_late(self, tx: Tx, place: Conversation, say: SayRecord, text: str, update_id: str, now: int) -> None:
        card = present_too_late(text, session=say.session_id, message=say.message, local_id=say.local_id)
        await note(tx, place, f"edit/{update_id}", card, now, reply_to=say.message)

    async def _anew(
        self, tx: Tx, head: SayRecord, changed: SayRecord, text: str | None, update_id: str, now: int
    ) -> None:
        """The pieces of a message again, under new ids, as they read now; the old ones count no more."""
        pieces = [head, *await says.joined_to(tx, head)]
        await says.set_state(tx, [piece.local_id for piece in pieces], "cancelled", now)
        kept = [
            _again(piece, text if piece.local_id == changed.local_id else piece.text, head, update_id, now + place)
            for place, piece in enumerate(pieces)
            if piece.local_id != changed.local_id or text is not None
        ]
        for piece in kept:
            await says.add(tx, piece)
        if len(kept) > 1:
            await says.join(tx, kept[0], kept[1:], now)


def _again(say: SayRecord, text: str | None, head: SayRecord, update_id: str, now: int) -> SayRecord:
    """A message under an id of its own for this change, so that a repeat of the change is the same message.

    Their order hangs on ``now``, so it differs from piece to piece.
    """
    unique = uuid.uuid5(NAMESPACE, f"{say.local_id}/{update_id}")
    data = {name: value for name, value in say.data.items() if name not in ("joined", "replacing", "failed")}
    waits = None if head.state == "kept" and head.next_try_ms is None else now
    return replace(
        say,
        local_id=f"{data['sent_from']}-{unique}",
        text=say.text if text is None else text,
        state="kept",
        attempts=0,
        next_try_ms=waits,
        created_ms=now,
        updated_ms=now,
        data=data,
    )

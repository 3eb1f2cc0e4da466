"""Cancelling one's own messages, wherever they are, until the agent has taken them."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.cards.own.own_words import present_unsaid
from bridge.language import tr
from bridge.relay.attached import whole_shown
from bridge.relay.desk import Desk
from bridge.relay.notes import note
from bridge.relay.people.words.marks import Marks
from bridge.relay.people.words.taking_back import TakingBack
from bridge.store import conversations, says
from bridge.store.engine import Tx
from bridge.store.records import SayRecord


@dataclass(frozen=True, slots=True)
class Unsaying:
    """Cancels messages."""

    desk: Desk
    taking_back: TakingBack
    marks: Marks

    async def unsay(self, say: SayRecord, surface: str, person: str) -> str:
        """Cancel a message for its author or the surface's owner; empty if it was done, else words on why not.

        May take as long as the hub takes to say.
        """
        link = self.desk.links_by_name.get(surface)
        if person != say.person_id and (link is None or person != link.home.owner_id):
            return tr("Only who wrote it can cancel it.")
        now = self.desk.clock()
        async with self.desk.store.begin() as tx:
            found = await says.get(tx, say.local_id)
            head = await says.head_of(tx, found or say)
            if head.state == "cancelled":
                return ""
            if head.state == "taken":
                return tr("Too late: the agent has taken this message already.")
            if head.state in ("kept", "failed"):
                await self._cancelled(tx, head, now)
        if head.state not in ("kept", "failed"):
            outcome = await self.taking_back.take_back(head)
            if outcome == "taken":
                return tr("Too late: the agent has taken this message already.")
            if outcome == "unknown":
                return tr("HAPI could not say whether it can be taken back. The message stays as it was.")
            async with self.desk.store.begin() as tx:
                await self._cancelled(tx, head, self.desk.clock())
        self.marks.want([head.local_id], "cancelled")
        self.desk.nudge()
        return ""

    async def _cancelled(self, tx: Tx, head: SayRecord, now: int) -> None:
        await says.set_state(tx, [head.local_id], "cancelled", now, next_try_ms=None)
        place = await conversations.get(tx, head.conversation_id)
        if place is not None and "scheduled_ms" in head.data:
            card = present_unsaid(head.text, scheduled=True)
            await note(tx, place, f"plan/{head.local_id}", card, now, reply_to=head.message or None)
        elif place is not None and head.data.get("failed"):
            await note(
                tx,
                place,
                f"say/{head.local_id}",
                present_unsaid(await whole_shown(tx, head)),
                now,
                reply_to=head.message,
            )

"""``/attach`` and ``/detach``: show a session in the place where it was said, or no longer."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.relay.desk import Desk
from bridge.relay.notes import note
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.company.audit import record
from bridge.relay.people.places.attaching import Attaching
from bridge.relay.people.session_rows import session_row


@dataclass(frozen=True, slots=True)
class Placing:
    """Moves sessions to places. What changes and the answer are one transaction."""

    desk: Desk
    attaching: Attaching

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "attach": Known(self._attach, right="own", logs=True),
            "detach": Known(self._detach, right="own", logs=True),
        }

    async def _attach(self, asked: Asked) -> None:
        await self._carry(asked, attach=True)

    async def _detach(self, asked: Asked) -> None:
        await self._carry(asked, attach=False)

    async def _carry(self, asked: Asked, *, attach: bool) -> None:
        link, command, place, now = asked.received.link, asked.command, asked.place, self.desk.clock()
        async with self.desk.lock, self.desk.store.begin() as tx:
            if attach:
                rows = [session_row(follower) for follower in self.desk.live()]
                card, moved = await self.attaching.attach(tx, link, place, command.arguments, rows)
            else:
                card, moved = await self.attaching.detach(tx, link, place)
            for follower in moved:  # what only asks which one, or was so already, changes nothing
                session = follower.session.id
                await record(tx, asked.received, now, command.name, session=session, detail=command.arguments or None)
            what = f"command/{asked.received.update_id}"
            await note(tx, place, what, card, now, reply_to=command.message or None)
        self.desk.nudge()

"""``/sessions``: which there are."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.cards.bridge_notes import present_sessions
from bridge.cards.model import Card
from bridge.relay.desk import Desk
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.texts import session_row

MOST_ENDED = 10
"""Ended sessions that are listed, the last ones first."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Lists sessions."""

    desk: Desk

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {"sessions": Known(self._sessions, right="view")}

    async def _sessions(self, asked: Asked) -> Card:
        leave = asked.received.leave
        everybody = [follower for follower in self.desk.followers.values() if leave.sees(follower.lineage)]
        ended = sorted((one for one in everybody if not one.session.active), key=lambda one: -one.anchor.at)
        rows = [
            session_row(follower)
            for follower in [*(one for one in everybody if one.session.active), *ended[:MOST_ENDED]]
        ]
        return present_sessions(rows)

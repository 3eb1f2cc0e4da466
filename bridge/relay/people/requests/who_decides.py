"""Who may decide, as cards say it: kept true on the cards that stand, as people get and lose roles and sessions move.

What a press counts for is looked up when it is made (invariant 4); this is only what is said.
"""

from __future__ import annotations

import asyncio
from typing import Final

from bridge.relay.desk import Desk
from bridge.relay.people.roles.everyone import Company, Everyone
from bridge.relay.people.roles.roles import allows

LOOK_S: Final = 1.0


class WhoDecides:
    """Tells the followers whether others than the owner may decide. A look asks the store only after a change."""

    def __init__(self, desk: Desk, company: Company) -> None:
        self._desk = desk
        self._company = company
        self._looked: tuple[Everyone, frozenset[str]] | None = None

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Have the cards drawn anew of which it is no longer true."""
        everyone = await self._company.now()
        if self._looked == (everyone, frozenset(self._desk.followers)):
            return
        async with self._desk.lock:
            people = [(link, person) for link in self._desk.links for person in everyone.on(link)]
            self._desk.approvers = any(allows(everyone.role_at(link, one, ()), "approve") for link, one in people)
            for follower in self._desk.followers.values():
                roles = (everyone.role_for(link, one, follower.lineage) for link, one in people)
                follower.may_decide(any(allows(role, "approve") for role in roles))
            await self._desk.commit()
            self._looked = (everyone, frozenset(self._desk.followers))

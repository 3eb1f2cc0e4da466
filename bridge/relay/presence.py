"""Presence: a typing action where an agent is at work, and topics called as their sessions are. Decoration only."""

from __future__ import annotations

import asyncio

import structlog

from bridge.chat.surface import Capability, SurfaceError
from bridge.delivery.places import place_of
from bridge.relay.desk import Desk
from bridge.store import conversations

TYPING_EVERY_S = 4.5
"""A typing action is shown for about five seconds."""

log = structlog.get_logger(__name__)


class Presence:
    """Shows who is at work."""

    def __init__(self, desk: Desk, *, every_s: float = TYPING_EVERY_S) -> None:
        self._desk = desk
        self._every_s = every_s

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self._show()
            await asyncio.sleep(self._every_s)

    async def _show(self) -> None:
        for follower in list(self._desk.followers.values()):
            async with self._desk.store.read() as tx:
                places = await conversations.bound(tx, follower.lineage)
            for place in places:
                if place.state != "open":
                    continue
                link = self._desk.link(place.surface)
                where = place_of(place, "")
                try:
                    waits = follower.requests.waiting()
                    if follower.running and not waits and Capability.TYPING in link.surface.capabilities:
                        await link.surface.typing(where)
                    if place.kind == "topic" and place.title != follower.session.title:
                        await link.surface.rename_place(where, follower.session.title)
                        async with self._desk.store.begin() as tx:
                            await conversations.rename(tx, place.id, follower.session.title)
                except SurfaceError as error:
                    log.info("presence.not_shown", surface=place.surface, error=str(error))

"""Presence: a typing action where an agent is at work, and topics called as their sessions are. Decoration only."""

from __future__ import annotations

import asyncio

import structlog

from bridge.chat.surface import Capability, RetryAfter, SurfaceError
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
        self._closed: dict[str, int] = {}
        """Until when (epoch ms) a surface asked to be left alone."""

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
                link = self._desk.links_by_name.get(place.surface)
                if link is None or self._closed.get(place.surface, 0) > self._desk.clock():
                    continue
                where = place_of(place, "")
                try:
                    waits = follower.requests.waiting()
                    if follower.running and not waits and Capability.TYPING in link.surface.capabilities:
                        await link.surface.typing(where)
                    # A place without a title is not of our making, and keeps its name.
                    if place.kind in ("topic", "room") and place.title and place.title != follower.session.title:
                        # Stored first: a platform that refuses a name is not asked for it again and again.
                        async with self._desk.store.begin() as tx:
                            await conversations.rename(tx, place.id, follower.session.title)
                        await link.surface.rename_place(where, follower.session.title)
                except RetryAfter as wait:
                    self._closed[place.surface] = self._desk.clock() + int(wait.seconds * 1000)
                except SurfaceError as error:
                    log.info("presence.not_shown", surface=place.surface, error=str(error))

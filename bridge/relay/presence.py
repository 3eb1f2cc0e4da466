"""Presence: who is at work, how sessions stand, and topics called as their sessions are. Decoration only."""

from __future__ import annotations

import asyncio

import structlog

from bridge.chat.capabilities import Capability, Standing, State
from bridge.chat.errors import RetryAfter, SurfaceError
from bridge.chat.surface import Place
from bridge.delivery.places import place_of
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.store import conversations, cursors

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
        self._busy: dict[int, bool] = {}
        """Whether a place (its conversation's id) may show its session as working or waiting."""

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
                    if Capability.STATES in link.surface.capabilities and isinstance(link.surface, Standing):
                        await self._stand(link.surface, place.id, where, follower)
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

    async def _stand(self, surface: Standing, id: int, place: Place, follower: Follower) -> None:
        """Show how a session stands. That it may be shown as busy is stored before it is, and taken back after it no
        longer is: so a state that a former process left is put right."""
        name = f"stands/{id}"
        left = False
        if id not in self._busy:
            async with self._desk.store.read() as tx:
                self._busy[id] = left = bool(await cursors.get(tx, name))
        state: State = "waiting" if follower.requests.waiting() else "working" if follower.running else "idle"
        busy = state != "idle"
        if busy and not self._busy[id]:
            await self._note(id, name, busy)
        await surface.stand(place, state, follower.session.title, left=left)
        if not busy and self._busy[id]:
            await self._note(id, name, busy)

    async def _note(self, id: int, name: str, busy: bool) -> None:
        async with self._desk.store.begin() as tx:
            await cursors.put(tx, name, "busy" if busy else "")
        self._busy[id] = busy

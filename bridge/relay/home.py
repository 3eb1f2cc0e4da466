"""Keeps each owner's home post: pinned in their own chat, edited as sessions begin to wait, run and finish."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from bridge.cards.own.home import HomeRow, State, present_home
from bridge.cards.turn.waiting import asked_words
from bridge.chat.capabilities import Capability, Linking, Pinning
from bridge.chat.errors import SurfaceError
from bridge.delivery.places import place_of
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.follower import Follower
from bridge.relay.notes import note, note_key
from bridge.store import conversations, cursors, posts
from bridge.store.engine import Tx

LOOK_S: Final = 2.0
FINISHED_MS: Final = 24 * 3_600_000
"""A session that ended its turn longer ago is no news any more."""
WHAT: Final = "home"

log = structlog.get_logger(__name__)


class HomePosts:
    """One post per surface, in its owner's chat."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._shown: dict[str, str] = {}
        """Surface to the digest of what was wished last."""
        self._pinned: set[str] = set()

    async def run(self) -> None:
        """Work until cancelled."""
        await self._desk.heard.wait()
        while True:
            for link in self._desk.links:
                await self._keep(link)
            await asyncio.sleep(LOOK_S)

    async def _keep(self, link: Link) -> None:
        name, now = link.surface.name, self._desk.clock()
        async with self._desk.store.begin() as tx:
            card = present_home(await self._rows(tx, link))
            place = await conversations.ensure_chat(tx, name, link.home.chat, now)
            if self._shown.get(name) != card.digest():
                await note(tx, place, WHAT, card, now, open_=True, urgency="preview")
            parts = await posts.parts_of(tx, note_key(place, WHAT), place.id)
            message = next((part.message for part in parts if part.message and part.state == "sent"), None)
            known = await cursors.get(tx, _cursor(link))
        if self._shown.get(name) != card.digest():
            self._shown[name] = card.digest()
            self._desk.nudge()
        if message is not None and message != known and name not in self._pinned:
            await self._pin(link, message)

    async def _pin(self, link: Link, message: str) -> None:
        """Pin the post once; whoever unpins it means it."""
        if Capability.PINS not in link.surface.capabilities or not isinstance(link.surface, Pinning):
            return
        name = link.surface.name
        async with self._desk.store.read() as tx:
            place = await conversations.find(tx, name, link.home.chat)
        if place is None:
            return
        try:
            await link.surface.pin(place_of(place, ""), message)
        except SurfaceError as error:
            log.info("home.not_pinned", surface=name, error=str(error))
            self._pinned.add(name)  # decoration: once per start is enough
            return
        async with self._desk.store.begin() as tx:
            await cursors.put(tx, _cursor(link), message)

    async def _rows(self, tx: Tx, link: Link) -> list[HomeRow]:
        rows = []
        for follower in list(self._desk.followers.values()):  # sessions come and go while the links are looked up
            state = self._state(follower)
            if state is None:
                continue
            waiting = [request for request in follower.requests.waiting() if request.state == "pending"]
            rows.append(
                HomeRow(
                    id=follower.session.id,
                    title=follower.session.title,
                    state=state,
                    link=await self._link(tx, link, follower),
                    waits=len(waiting),
                    asked=asked_words(waiting[0].tool) if waiting else "",
                )
            )
        return sorted(rows, key=lambda row: row.title.casefold())

    def _state(self, follower: Follower) -> State | None:
        if follower.requests.waiting():
            return "waiting"
        if follower.running:
            return "running"
        recent = self._desk.clock() - follower.anchor.at < FINISHED_MS
        return "finished" if recent and follower.shown else None

    async def _link(self, tx: Tx, link: Link, follower: Follower) -> str | None:
        """The address of the card that waits, else of the place."""
        if not isinstance(link.surface, Linking):
            return None
        for place in await conversations.bound(tx, follower.lineage, link.surface.name):
            if place.state != "open":
                continue
            waiting = follower.requests.waiting()
            parts = await posts.parts_of(tx, waiting[0].key, place.id) if waiting else []
            message = next((part.message for part in reversed(parts) if part.message), None)
            return link.surface.address(place_of(place, ""), message)
        return None


def _cursor(link: Link) -> str:
    return f"{link.surface.name}/home"

"""The bot's own page, where a surface has one: what waits for a decision, with its buttons, and the sessions.

Shown from the first time its owner opened it; afterwards it follows what happens, once a second at most. Its buttons
are those of the requests' cards, so a press means the same there as here (invariant 4).
"""

from __future__ import annotations

import asyncio
import hashlib

import structlog

from bridge.cards.bridge_notes import present_command_error, present_said, present_sessions, present_stranger
from bridge.cards.model import Card
from bridge.chat.intents import Person
from bridge.chat.surface import Paged, RetryAfter, SurfaceError
from bridge.observe.health import Health
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.request_posts import request_wish
from bridge.relay.people.texts import session_row
from bridge.store import cursors

LOOK_S = 1.0
TROUBLE_S = 30.0
MOST = 15
"""Requests that are shown at once."""
OPENED = "opened"

log = structlog.get_logger(__name__)

Items = list[tuple[str, Card]]


class Pages:
    """Keeps the owners' pages up to date."""

    def __init__(self, desk: Desk, health: Health) -> None:
        self._desk = desk
        self._health = health
        self._bell = asyncio.Event()
        self._open: set[str] = set()
        self._shown: dict[str, str] = {}
        """Surface to the digest of what its page shows."""
        self._requests: dict[str, str] = {}
        self._changed_ms: dict[str, int] = {}
        self._closed_ms: dict[str, int] = {}
        """Until when (epoch ms) a surface asked to be left alone."""

    async def run(self) -> None:
        """Work until cancelled."""
        async with self._desk.store.read() as tx:
            for link in self._desk.links:
                if await cursors.get(tx, _cursor(link)) == OPENED:
                    self._open.add(link.surface.name)
        while True:
            self._bell.clear()
            for link in self._desk.links:
                if link.surface.name in self._open:
                    await self._refresh(link)
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._bell.wait()
            except TimeoutError:
                continue

    async def opened(self, link: Link, person: Person) -> None:
        """Somebody opened the page: the owner sees everything, anybody else a polite word."""
        name = link.surface.name
        if person.id != link.home.owner_id:
            await self._publish(link, person.id, [("", present_stranger())])
            return
        async with self._desk.store.begin() as tx:
            await cursors.put(tx, _cursor(link), OPENED)
        self._open.add(name)
        self._shown.pop(name, None)
        self._bell.set()

    def changed_ms(self, surface: str) -> int | None:
        """When the requests on a surface's page last changed (epoch ms); ``None`` if not since the start."""
        return self._changed_ms.get(surface)

    async def _refresh(self, link: Link) -> None:
        name, now = link.surface.name, self._desk.clock()
        requests = self._waiting()
        items = [*requests, *self._rest(len(requests))]
        digest = _digest(items)
        if self._shown.get(name) == digest or self._closed_ms.get(name, 0) > now:
            return
        if not await self._publish(link, link.home.owner_id, items):
            return
        self._shown[name] = digest
        if self._requests.get(name) != (drawn := _digest(requests)):
            self._requests[name] = drawn
            self._changed_ms[name] = self._desk.clock()

    def _waiting(self) -> Items:
        """The cards of the requests that wait, the oldest of each session first."""
        waiting = [
            (request.key, request_wish(follower, request).card)
            for follower in self._desk.followers.values()
            for request in follower.requests.waiting()
        ]
        return waiting[:MOST]

    def _rest(self, shown: int) -> Items:
        live = self._desk.live()
        more = sum(len(follower.requests.waiting()) for follower in self._desk.followers.values()) - shown
        items: Items = []
        if more > 0:
            items.append(("page/more", present_said(f"And {more} more, each in its session's own place.")))
        if not shown:
            items.append(("page/nothing", present_said("Nothing waits for your decision.")))
        hub = self._health.report()["hub"]
        if hub["state"] == "failing":
            items.append(("page/hub", present_command_error(f"HAPI can't be heard: {hub['words']}")))
        return [*items, ("page/sessions", present_sessions([session_row(follower) for follower in live]))]

    async def _publish(self, link: Link, person: str, items: Items) -> bool:
        name = link.surface.name
        if not isinstance(link.surface, Paged):
            return False
        try:
            await link.surface.publish(person, items)
        except RetryAfter as wait:
            self._closed_ms[name] = self._desk.clock() + int(wait.seconds * 1000)
        except SurfaceError as error:
            self._closed_ms[name] = self._desk.clock() + int(TROUBLE_S * 1000)
            log.warning("page.not_shown", surface=name, error=str(error))
        else:
            return True
        return False


def _cursor(link: Link) -> str:
    return f"{link.surface.name}/page"


def _digest(items: Items) -> str:
    return hashlib.sha256("\n".join(f"{key} {card.digest()}" for key, card in items).encode()).hexdigest()

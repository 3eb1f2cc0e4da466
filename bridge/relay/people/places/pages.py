"""The bot's own page, where a surface has one: what waits for a decision, with its buttons, and the sessions.

Shown from the first time somebody opened theirs; afterwards it follows what happens, once a second at most. Its buttons
are those of the requests' cards, so a press means the same there as here (invariant 4).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error, present_said, present_sessions, present_stranger
from bridge.chat.capabilities import Paged
from bridge.chat.errors import RetryAfter, SurfaceError
from bridge.chat.intents import Person
from bridge.language import tr, trn
from bridge.observe.health import Health
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.request_posts import request_wish
from bridge.relay.people.roles.everyone import Company, Everyone
from bridge.relay.people.roles.roles import Role, allows
from bridge.relay.people.session_rows import session_row
from bridge.store import cursors

LOOK_S = 1.0
TROUBLE_S = 30.0
MOST = 15
"""Requests that are shown at once."""
OPENED = "opened"

log = structlog.get_logger(__name__)

NO_BUTTONS: Final = {"buttons": (), "long_button": None}
MOST_VIEWERS: Final = 50
"""Teammates whose pages are kept up to date at once; of the others each is drawn when it is opened."""

Items = list[tuple[str, Card]]


@dataclass(frozen=True, slots=True)
class Look:
    """All that pages are drawn of, little enough to compare."""

    everyone: Everyone
    hub: tuple[str, str]
    """Its state and words."""
    sessions: tuple[tuple[str | int | bool, ...], ...]
    """Of each: lineage, revision of its requests, and what the list tells of it."""


@dataclass(slots=True)
class Viewer:
    """Somebody whose page is kept up to date."""

    link: Link
    person: Person
    looked: Look | None = None
    """Of what their page was drawn last; ``None``: it is to be drawn anew, whatever has changed."""
    shown: str = ""
    """Digest of what their page shows."""
    requests: str = ""
    changed_ms: int | None = None


class Pages:
    """Keeps people's pages up to date: the owner's, and those teammates opened since the start.

    A look asks the store only after people, roles or places were written, and draws only what has changed.
    """

    def __init__(self, desk: Desk, health: Health, company: Company) -> None:
        self._desk = desk
        self._health = health
        self._company = company
        self._bell = asyncio.Event()
        self._viewers: dict[tuple[str, str], Viewer] = {}
        """By surface and person."""
        self._closed_ms: dict[str, int] = {}
        """Until when (epoch ms) a surface asked to be left alone."""

    async def run(self) -> None:
        """Work until cancelled."""
        async with self._desk.store.read() as tx:
            for link in self._desk.links:
                if await cursors.get(tx, _cursor(link)) == OPENED:
                    self._view(link, Person(link.home.owner_id, ""))
        while True:
            self._bell.clear()
            await self.look()
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._bell.wait()
            except TimeoutError:
                continue

    async def look(self) -> None:
        """Draw the pages whose sessions, requests or people have changed since they were drawn."""
        if not self._viewers:
            return
        hub = self._health.report()["hub"]
        drawn = tuple((one.lineage, one.requests.revision, *_of_session(one)) for one in self._desk.followers.values())
        look = Look(await self._company.now(), (hub["state"], hub["words"]), drawn)
        for viewer in list(self._viewers.values()):
            if viewer.looked != look:
                await self._refresh(viewer, look)

    async def opened(self, link: Link, person: Person) -> None:
        """Somebody opened the page: the owner sees everything, a teammate what their role allows, anybody else a
        polite word."""
        if person.id == link.home.owner_id:
            async with self._desk.store.begin() as tx:
                await cursors.put(tx, _cursor(link), OPENED)
        self._view(link, person)
        self._bell.set()

    def changed_ms(self, surface: str, person: str) -> int | None:
        """When the requests on somebody's page last changed (epoch ms); ``None`` if not since the start."""
        viewer = self._viewers.get((surface, person))
        return viewer.changed_ms if viewer is not None else None

    def _view(self, link: Link, person: Person) -> None:
        key = (link.surface.name, person.id)
        viewer = self._viewers.pop(key, None) or Viewer(link, person)
        viewer.person, viewer.shown, viewer.looked = person, "", None
        self._viewers[key] = viewer
        teammates = [one for one, other in self._viewers.items() if other.person.id != other.link.home.owner_id]
        for one in teammates[:-MOST_VIEWERS]:
            del self._viewers[one]

    async def _refresh(self, viewer: Viewer, look: Look) -> None:
        link, person = viewer.link, viewer.person
        name, now = link.surface.name, self._desk.clock()
        if self._closed_ms.get(name, 0) > now:
            return
        roles = self._roles(link, person, look.everyone)
        requests = self._waiting(roles)
        items = [*requests, *self._rest(roles, len(requests))] if roles is not None else [("", present_stranger())]
        digest = _digest(items)
        if viewer.shown != digest:
            if not await self._publish(link, person.id, items):
                return
            viewer.shown = digest
            if viewer.requests != (drawn := _digest(requests)):
                viewer.requests = drawn
                viewer.changed_ms = self._desk.clock()
        viewer.looked = look
        if roles is None:
            self._viewers.pop((name, person.id), None)

    def _roles(self, link: Link, person: Person, everyone: Everyone) -> dict[str, Role] | None:
        """What somebody is to each lineage they may hear of; ``None`` for somebody who has no role."""
        if person.id == link.home.owner_id:
            return dict.fromkeys(self._desk.followers, "owner")
        if everyone.role_at(link, person, ()) is None:
            return None
        found = [(lineage, everyone.role_for(link, person, lineage)) for lineage in self._desk.followers]
        return {lineage: role for lineage, role in found if role is not None}

    def _waiting(self, roles: Mapping[str, Role] | None) -> Items:
        """The cards of the requests that wait, the oldest of each session first; with buttons for who may decide."""
        waiting: Items = []
        for lineage, role in (roles or {}).items():
            follower = self._desk.followers.get(lineage)
            if follower is None:
                continue
            for request in follower.requests.waiting()[: MOST - len(waiting)]:
                card = request_wish(follower, request).card
                waiting.append((request.key, card if allows(role, "approve") else card.model_copy(update=NO_BUTTONS)))
        return waiting

    def _rest(self, roles: Mapping[str, Role] | None, shown: int) -> Items:
        mine = [follower for lineage, follower in self._desk.followers.items() if lineage in (roles or {})]
        live = [follower for follower in mine if follower.session.active]
        more = sum(len(follower.requests.waiting()) for follower in mine) - shown
        items: Items = []
        if more > 0:
            items.append(
                (
                    "page/more",
                    present_said(
                        trn(
                            "And {n} more, each in its session's own place.",
                            "And {n} more, each in its session's own place.",
                            more,
                        )
                    ),
                )
            )
        if not shown:
            items.append(("page/nothing", present_said(tr("Nothing waits for your decision."))))
        hub = self._health.report()["hub"]
        if hub["state"] == "failing":
            items.append(("page/hub", present_command_error(tr("HAPI can't be heard: {why}", why=tr(hub["words"])))))
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


def _of_session(follower: Follower) -> tuple[str | int | bool, ...]:
    """What a page tells of a session."""
    session = follower.session
    told = (session.id, session.title, session.directory, session.machine, session.flavor, session.mode)
    return (*told, session.active, follower.running)


def _cursor(link: Link) -> str:
    return f"{link.surface.name}/page"


def _digest(items: Items) -> str:
    return hashlib.sha256("\n".join(f"{key} {card.digest()}" for key, card in items).encode()).hexdigest()

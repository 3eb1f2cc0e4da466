"""The desk: all followers, and the one door through which what they wish reaches the store.

Whoever changes a follower holds :attr:`Desk.lock`, and calls :meth:`Desk.commit` before letting go: wishes, the
follower's own record and whatever must be true together with them are one transaction (invariant 1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from bridge.cards.levels import Level
from bridge.cards.own.bridge_notes import present_offer
from bridge.cards.request.danger import ALL_RULES
from bridge.cards.request.danger_rules import DangerRules
from bridge.chat.capabilities import Capability, Roomed
from bridge.chat.surface import Surface
from bridge.delivery.courier import Courier
from bridge.hub.wire import Position
from bridge.relay.counts import RelayCounts
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.sessions import SessionCache, SessionView
from bridge.relay.keeping import close_offers
from bridge.relay.notes import note
from bridge.store import conversations, follows, pictures, posts
from bridge.store.engine import Store, Tx
from bridge.store.records import Follow, Wish

UTC: Final = ZoneInfo("UTC")
Clock = Callable[[], int]
"""Epoch ms."""
Also = Callable[[Tx], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Home:
    """Where a surface shows sessions by itself: the owner's private chat."""

    owner_id: str
    chat: str
    topics: bool = True
    rooms: bool = False
    """Each session gets a room of its own, where the surface can make one."""
    level: Level = "normal"
    admits: Callable[[SessionView], str] = lambda session: "all"
    """``all``: show the session by itself; ``ask``: offer it; ``none``: leave it out."""
    admitted: frozenset[str] = frozenset()
    """Ids of guests and people of other workspaces who may be given a role."""


@dataclass(frozen=True, slots=True)
class Link:
    """One surface with its courier and its home."""

    surface: Surface
    courier: Courier
    home: Home


class Desk:
    """Followers by lineage, sessions by id, and the store behind them."""

    def __init__(
        self,
        store: Store,
        links: Sequence[Link],
        clock: Clock,
        *,
        settle_ms: int = 3000,
        rules: DangerRules = ALL_RULES,
        zone: ZoneInfo = UTC,
    ) -> None:
        """``zone``: the people's time, in which moments are said to them."""
        self.store = store
        self.links = list(links)
        self.links_by_name = {link.surface.name: link for link in self.links}
        """Places of a surface that is no longer configured have no link."""
        self.clock = clock
        self.lock = asyncio.Lock()
        self.counts = RelayCounts()
        self.pictures_wanted = asyncio.Event()
        """Set when a post was wished that shows a picture which is still to be fetched."""
        self.heard = asyncio.Event()
        """Set once the hub has told, since the start, which sessions there are."""
        self.sessions = SessionCache()
        self.followers: dict[str, Follower] = {}
        self.rules = rules
        self.zone = zone
        self._settle_ms = settle_ms
        self._lineages: dict[str, str] = {}
        self._rooms = False
        self.approvers = False
        """Whether anybody besides the owner may decide requests wherever they are asked: what is taken for a session's
        first card, until its places are known (``who_decides.py``)."""

    async def restore(self) -> None:
        """Take up the lineages that were followed before."""
        async with self.store.read() as tx:
            self._rooms = any(map(_makes_rooms, self.links)) or await conversations.any_room(tx)
            for link in self.links:
                if isinstance(link.surface, Roomed):
                    link.surface.keep_rooms(await conversations.rooms(tx, link.surface.name))
            for follow in await follows.all_live(tx):
                self._adopt(follow)
            self._lineages |= await follows.aliases_of_all(tx)

    def of_session(self, session_id: str) -> Follower | None:
        """The follower of a session, by its current id or a former one."""
        lineage = self._lineages.get(session_id)
        return self.followers.get(lineage) if lineage is not None else None

    def live(self) -> list[Follower]:
        """Followers of sessions that are active now, the longest known first."""
        return [follower for follower in self.followers.values() if follower.session.active]

    async def start_following(self, session: SessionView, since: Position) -> Follower:
        """Follow a session from a position on; a session known under another id goes on in its lineage."""
        async with self.store.read() as tx:
            known = await follows.of_session(tx, session.id)
        follow = known or Follow(session.id, session.id, session.title, since.at, since.seq)
        follower = self._adopt(replace(follow, state="live", session_id=session.id))
        follower.touched = True
        return follower

    async def succeed(self, follower: Follower, successor: str) -> bool:
        """A lineage goes on as another session (resume, reopen, superseded); whether that is news.

        A successor that was met first, and has been shown in a place of its own, stays a lineage of its own.
        """
        young = self.of_session(successor)
        if young is not None and (young is follower or young.shown):
            return False
        if young is not None:
            self.followers.pop(young.lineage, None)
        async with self.store.begin() as tx:
            await follows.alias(tx, successor, follower.lineage)
        self._lineages[successor] = follower.lineage
        return True

    async def commit(self, also: Also | None = None) -> None:
        """Store what changed, in one transaction, then wake the couriers. Nothing is lost if it fails: call again."""
        now = self.clock()
        touched = [follower for follower in self.followers.values() if follower.touched]
        if not touched and also is None:
            return
        shows_pictures = False
        async with self.store.begin() as tx:
            for follower in touched:
                wishes = follower.wishes(now)
                shows_pictures = shows_pictures or any(file.source for wish in wishes for file in wish.card.files)
                if wishes:
                    await self._bind(tx, follower, now)
                for wish in wishes:
                    await self._wish(tx, follower, wish, now)
                if follower.request_ended:
                    await close_offers(tx, follower, now)
                await follows.follow(tx, follower.record())
            if also is not None:
                await also(tx)
        for follower in touched:
            follower.saved()
            if follower.follow.state == "removed":
                self.followers.pop(follower.lineage, None)
        if shows_pictures:
            self.pictures_wanted.set()
        self.nudge()

    def nudge(self) -> None:
        """Wake the couriers: wishes changed."""
        for link in self.links:
            link.courier.nudge()

    async def say(self, wish: Wish) -> None:
        """Store one wish of the bridge's own and wake the couriers."""
        async with self.store.begin() as tx:
            await posts.wish(tx, wish, self.clock())
        self.nudge()

    def wanted(self, session: SessionView) -> bool:
        """Whether any surface shows or offers a session."""
        return any(link.home.admits(session) != "none" for link in self.links)

    async def attach(self, tx: Tx, link: Link, follower: Follower, now: int, *, room: bool = True) -> None:
        """Show a lineage in a surface's home: in a room (unless not ``room``) or a topic of its own where that can be
        had, else in the chat."""
        session = follower.session
        title = session.title
        if room and _makes_rooms(link):
            about = " · ".join(filter(None, (session.directory, session.machine)))
            place = await conversations.want_room(tx, link.surface.name, link.home.chat, title, now, about=about)
        elif link.home.topics and Capability.TOPICS in link.surface.capabilities:
            place = await conversations.want_topic(tx, link.surface.name, link.home.chat, title, now)
        else:
            place = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now)
        await conversations.set_level(tx, place.id, link.home.level)
        await conversations.bind(tx, follower.lineage, place.id)

    async def _wish(self, tx: Tx, follower: Follower, wish: Wish, now: int) -> None:
        origin = follower.echoes.get(wish.key)
        if origin is not None:
            places = await conversations.bound(tx, follower.lineage)
            elsewhere = tuple(place.id for place in places if place.surface != origin)
            if not elsewhere:
                return
            wish = replace(wish, conversations=elsewhere)
        await posts.wish(tx, wish, now)
        for file in wish.card.files:
            if file.source is not None and wish.session_id is not None:
                image = file.source.removeprefix(f"{wish.lineage}/")
                await pictures.want(tx, file.source, wish.session_id, image, now)

    async def _bind(self, tx: Tx, follower: Follower, now: int) -> None:
        for link in self.links:
            if await conversations.bound(tx, follower.lineage, link.surface.name):
                continue
            match link.home.admits(follower.session):
                case "all":
                    await self.attach(tx, link, follower, now)
                case "ask":
                    chat = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now)
                    session = follower.session
                    card = present_offer(session.title, session.directory, session.machine, session.id)
                    await note(tx, chat, f"offer/{follower.lineage}", card, now)

    def _adopt(self, follow: Follow) -> Follower:
        # Until the hub tells more, a session goes by the name it had.
        remembered = {"id": follow.session_id, "metadata": {"name": follow.title}}
        session = self.sessions.get(follow.session_id) or SessionView(remembered)
        origins = tuple(f"{link.surface.name}-bot-" for link in self.links)
        follower = Follower(
            follow,
            session,
            origins,
            self.counts,
            settle_ms=self._settle_ms,
            rooms=self._rooms,
            approvers=self.approvers,
            rules=self.rules,
        )
        self.followers[follow.lineage] = follower
        self._lineages[follow.lineage] = follow.lineage
        self._lineages[follow.session_id] = follow.lineage
        return follower


def _makes_rooms(link: Link) -> bool:
    return link.home.rooms and Capability.ROOMS in link.surface.capabilities

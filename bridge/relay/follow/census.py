"""The census: which sessions there are and how each stands, asked over REST where events say too little.

Taken whole at the start and after a gap; for one session when an event about it can't be applied.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import structlog

from bridge.cards.turn.notices import present_session_moved
from bridge.hub.errors import AccessTokenRejected, HubError, HubUnreachable, NotFound
from bridge.hub.rest import HubApi
from bridge.hub.sync import MessageSync
from bridge.hub.wire import PageRequest, Position
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.sessions import SessionView
from bridge.store import posts, says
from bridge.store.records import SayState

MOST_ASKED = 1_000
"""Local ids the hub takes in one question for their state; older ones are told by their events."""

log = structlog.get_logger(__name__)

Became = list[tuple[list[str], SayState]]
"""What became of people's messages: their local ids, and the state they are in now."""


class Census:
    """Looks at sessions; every method raises ``HubUnreachable`` if the hub does not answer, and can be repeated."""

    def __init__(self, desk: Desk, api: HubApi) -> None:
        self._desk = desk
        self._api = api
        self._sync = MessageSync(api)
        self.heard_since: Position | None = None
        """From when on a session that is new to us is new altogether: when the hub was last heard. ``None`` before the
        very first census, for which only what is said from now on counts."""
        self._overlooked: dict[str, Position | None] = {}

    async def take(self, since: Position | None) -> AsyncIterator[Became]:
        """Every session as it is now, and what followed ones have said since we last heard of them.

        Gives what became of people's messages after each session, so that the caller can store as it goes. ``since``:
        when the hub was last heard; sessions that are new to us are followed from then on, at the very first census
        (``None``) from their newest message on.
        """
        listed = {str(record.get("id")): record for record in await self._api.sessions()}
        unlisted = [one.session.id for one in self._desk.followers.values() if one.session.id not in listed]
        known = [session_id for session_id in listed if self._desk.of_session(session_id) is not None]
        strangers = [name for name, one in listed.items() if one.get("active") is True and name not in known]
        begun_in = {SessionView(listed[session_id]).directory for session_id in strangers}
        # A session names the one that goes on in its place, so it is asked before that one is met as a new one, be it
        # asleep or left out of the list.
        for session_id in unlisted:
            yield await self._surely(session_id, since)
        for session_id in known:
            follower, record = self._desk.of_session(session_id), listed[session_id]
            may_go_on = SessionView(record).directory in begun_in
            if follower is not None and follower.unchanged(record) and not may_go_on:
                async with self._desk.lock:
                    follower.glance(SessionView(record))
                continue
            yield await self._surely(session_id, since)
        for session_id in strangers:
            if self._desk.of_session(session_id) is None:  # else the one before it has led to it
                yield await self._surely(session_id, since)
        yield []

    async def session(self, session_id: str, data: Any, *, speaks: bool = False) -> None:
        """An event about a session: apply what it carries, or fetch the session. ``speaks``: its agent just did."""
        if not self._desk.sessions.patch(session_id, data):
            await self._fetch(session_id)
        session = self._desk.sessions.get(session_id)
        if session is not None:
            await self._seen(session, speaks=speaks)

    async def over(self, session_id: str, reason: str) -> None:
        """A session ended, or was removed from the hub."""
        follower = self._desk.of_session(session_id)
        if reason == "removed":
            self._desk.sessions.remove(session_id)
        if follower is None or follower.session.id != session_id:
            return
        async with self._desk.lock:
            follower.session_over(reason, self._desk.clock(), say=True)
            if reason == "removed":
                follower.removed()

    async def catch_up(self, follower: Follower) -> None:
        """Everything the session said after the follower's anchor, seen before or not."""
        try:
            found = await self._sync.collect_after(follower.session.id, follower.anchor, follower.epoch)
        except NotFound:
            return
        if not found.complete:
            log.error("hub.messages_missing", session=follower.session.id, why="more than could be fetched")
        async with self._desk.lock:
            follower.epoch = found.epoch
            follower.messages(found.messages, self._desk.clock())
            if keys := follower.missed():
                async with self._desk.store.read() as tx:
                    known = await posts.known(tx, keys)
                follower.condense(known, self._desk.clock())

    async def overlooked(self) -> AsyncIterator[Became]:
        """Look again at sessions that the hub could not tell us about."""
        for session_id, since in list(self._overlooked.items()):
            yield await self._surely(session_id, since)

    def look_again(self, session_id: str) -> None:
        """Something about a session could not be taken in: look at it as a whole before long."""
        self._overlooked.setdefault(session_id, None)

    async def _surely(self, session_id: str, since: Position | None) -> Became:
        """One session; what the hub can't tell about it alone holds up no other, and is asked again later."""
        try:
            changed = await self._one(session_id, since)
        except (HubUnreachable, AccessTokenRejected):
            raise
        except HubError as error:
            log.warning("hub.session_unclear", session=session_id, error=str(error), detail=error.detail)
            self._overlooked[session_id] = since
            return []
        self._overlooked.pop(session_id, None)
        return changed

    async def _one(self, session_id: str, since: Position | None) -> Became:
        await self._fetch(session_id)
        session = self._desk.sessions.get(session_id)
        if session is None:
            return []
        if self._desk.of_session(session_id) is None and since is not None and self._desk.wanted(session):
            async with self._desk.lock:
                await self._desk.start_following(session, since)
        await self._seen(session)
        follower = self._desk.of_session(session_id)
        if follower is None:
            return []
        await self.catch_up(follower)
        return await self._ask_for_says(follower)

    async def _fetch(self, session_id: str) -> None:
        try:
            self._desk.sessions.replace(await self._api.session(session_id))
        except NotFound:
            await self.over(session_id, "removed")

    async def _seen(self, session: SessionView, *, speaks: bool = False) -> None:
        """A session as it is now: follow it if it is active (or speaks, which may be told first), tell its follower."""
        follower = self._desk.of_session(session.id)
        if follower is None:
            if not (session.active or speaks) or not self._desk.wanted(session):
                return
            since = self.heard_since
            if since is None:
                page = await self._api.messages(session.id, PageRequest(limit=1))
                since = page.snapshot_head or Position(0, 0)
            async with self._desk.lock:
                follower = await self._desk.start_following(session, since)
        successor = session.superseded_by
        if successor and follower.session.id == successor:
            return
        async with self._desk.lock:
            if session.id == follower.session.id or session.active:
                follower.session_changed(session, self._desk.clock())
            joins = bool(successor) and await self._desk.succeed(follower, successor)
        if joins:
            await self._fetch(successor)
            fresh = self._desk.sessions.get(successor) or session
            async with self._desk.lock:
                follower.say(f"moved/{successor}", present_session_moved(fresh.title))
            await self._seen(fresh)
            await self.catch_up(follower)

    async def _ask_for_says(self, follower: Follower) -> Became:
        """What became of our own queued messages while we could not hear."""
        async with self._desk.store.read() as tx:
            waiting = await says.by_lineage(tx, follower.lineage, ["queued", "indeterminate"])
        if not waiting:
            return []
        ids = [say.local_id for say in waiting][-MOST_ASKED:]
        answer = await self._api.queued_state(follower.session.id, ids)
        queued, unsure = strings(answer.get("queuedLocalIds")), strings(answer.get("indeterminateLocalIds"))
        rows = answer.get("invokedLocalMessages")
        invoked = [row.get("localId") for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
        states: Became = [
            (queued, "queued"),
            (unsure, "indeterminate"),
            ([one for one in ids if one in invoked], "taken"),
            ([one for one in ids if one not in queued and one not in unsure and one not in invoked], "cancelled"),
        ]
        return [(found, state) for found, state in states if found]


def strings(value: Any) -> list[str]:
    """The strings of a list; of anything else, none."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

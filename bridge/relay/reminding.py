"""Reminders: a request that nobody decides is said again after a while, and asked in other places after that.

Only reminds: nothing is ever decided by time (invariant 10). Per session the oldest request is reminded of, once, and
taken to each further place once. What was done is known by the posts themselves, so a restart repeats nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bridge.cards.own.home import present_reminder, present_reminder_over
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.requests import Request
from bridge.relay.notes import note, note_key
from bridge.store import conversations, posts
from bridge.store.engine import Tx

LOOK_S: Final = 5.0
REMIND: Final = "remind"
_MINUTE_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class Spot:
    """A place to escalate to: a surface, and a chat of it (``None``: the owner's own)."""

    surface: str
    chat: str | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """After how many ms a request is reminded of, and after how many it is taken to the next of ``spots``, one after
    another, as long again between them. 0: never."""

    remind_ms: int = 0
    escalate_ms: int = 0
    spots: Sequence[Spot] = ()


class Reminders:
    """Looks after the requests that wait."""

    def __init__(self, desk: Desk, patience: Patience, *, look_s: float = LOOK_S) -> None:
        self._desk = desk
        self._patience = patience
        self._look_s = look_s

    async def run(self) -> None:
        """Work until cancelled."""
        await self._desk.heard.wait()
        while self._patience.remind_ms or self._patience.escalate_ms:
            await self.look()
            await asyncio.sleep(self._look_s)

    async def look(self) -> None:
        """Remind of what has waited long enough by now."""
        for follower in list(self._desk.followers.values()):
            waiting = [request for request in follower.requests.waiting() if request.state == "pending"]
            if waiting:
                await self._consider(follower, waiting[0])
        await self._close()

    async def _consider(self, follower: Follower, request: Request) -> None:
        now, patience = self._desk.clock(), self._patience
        async with self._desk.lock, self._desk.store.begin() as tx:
            post = await posts.get(tx, request.key)
            if post is None or not request.open:
                return
            waited = now - post.created_ms
            steps = waited // patience.escalate_ms if patience.escalate_ms else 0
            changed = False
            for spot in patience.spots[: max(0, steps)]:
                changed |= await self._escalate(tx, follower, request, spot, waited)
            if not changed and patience.remind_ms and waited >= patience.remind_ms:
                changed = await self._remind(tx, follower, request, waited)
        if changed:
            self._desk.nudge()

    async def _remind(self, tx: Tx, follower: Follower, request: Request, waited: int, elsewhere: str = "") -> bool:
        """Say it again where it was asked, as a reply to the card; True if that is news."""
        told = False
        what = f"{REMIND}/{request.key}" + (f"/{elsewhere}" if elsewhere else "")
        for place in await conversations.bound(tx, follower.lineage):
            if await posts.get(tx, note_key(place, what)) is not None:
                continue
            parts = await posts.parts_of(tx, request.key, place.id)
            card_message = next((part.message for part in reversed(parts) if part.message), None)
            minutes = max(1, waited // _MINUTE_MS)
            card = present_reminder(follower.session.title, request.tool, minutes, elsewhere=elsewhere)
            # Open, so that it is found again when the request is over.
            ring = not elsewhere
            await note(tx, place, what, card, self._desk.clock(), reply_to=card_message, ring=ring, open_=True)
            told = True
        return told

    async def _close(self) -> None:
        """Say on the reminders of what is over that it is: none may look open once somebody has decided."""
        async with self._desk.lock, self._desk.store.begin() as tx:
            told = await posts.open_notes(tx, f"/{REMIND}/")
            if not told:
                return
            waiting = {request.key for one in self._desk.followers.values() for request in one.requests.waiting()}
            over = [post for post in told if not _about(post.key) & waiting]
            for post in over:
                place = await conversations.get(tx, int(post.key.split("/")[1]))
                if place is not None:
                    what = post.key.removeprefix(note_key(place, ""))
                    await note(tx, place, what, present_reminder_over(), self._desk.clock(), reply_to=post.reply_to)
        if over:
            self._desk.nudge()

    async def _escalate(self, tx: Tx, follower: Follower, request: Request, spot: Spot, waited: int) -> bool:
        """Ask in a further place; True if that is news. Who may decide there is asked when somebody presses."""
        link = self._desk.links_by_name.get(spot.surface)
        if link is None:
            return False
        chat = spot.chat or link.home.chat
        place = await conversations.ensure_chat(tx, spot.surface, chat, self._desk.clock())
        there = {delivery.conversation_id for delivery in await posts.deliveries_of(tx, request.key)}
        if place.id in there or not await posts.place_again(tx, request.key, place.id, ring=True):
            return False
        await self._remind(tx, follower, request, waited, elsewhere=link.surface.name.capitalize())
        return True


def _about(key: str) -> set[str]:
    """The keys of requests that a reminder may be about: its key ends so, or with a further place besides."""
    named = key.partition(f"/{REMIND}/")[2]
    return {named, named.rpartition("/")[0]}

"""Where a session is shown besides its surface's home: in a channel, a thread, a topic somebody attached it to.

A session is shown in one place of a surface at a time. One that moves leaves its posts where they stand, where they are
kept up to date; what comes from then on, and the requests that wait, go to the new place. Hold the desk's lock.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge.cards.levels import admits
from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import (
    SessionRow,
    present_attached_here,
    present_choose_attach,
    present_command_error,
    present_said,
)
from bridge.chat.capabilities import Capability
from bridge.language import N_, tr
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.follower import Follower
from bridge.store import conversations, posts
from bridge.store.engine import Tx
from bridge.store.records import Conversation

NONE_RUNS = N_("No session is running that could be shown here. Start one with `hapi` on your computer.")
NONE_HERE = N_("No session is shown here. `attach` shows one.")
AT_HOME = N_("This is where sessions are shown by themselves. Attach it somewhere else, then it is shown there.")
SEVERAL = N_("Several sessions are shown in here: say it in the place of the one that is meant.")


@dataclass(frozen=True, slots=True)
class Attaching:
    """Binds sessions to places."""

    desk: Desk

    async def attach(
        self, tx: Tx, link: Link, place: Conversation, words: str, rows: list[SessionRow]
    ) -> tuple[Card, list[Follower]]:
        """Asked to show a session in a place: the answer, such as a card to choose one with, and what is shown there by
        it. ``words`` are part of the title of the one that is meant; ``rows``: the sessions there are.
        """
        here = await self._shown_in(tx, place)
        if here and place.kind in ("topic", "room"):
            title = here[0].session.title
            if place.chat == link.home.chat or place.kind == "room":
                return present_said(tr("{title} is shown here already.", title=title)), []
            return present_said(tr("{title} is shown here already. `detach` ends that.", title=title)), []
        named = [row for row in rows if words.lower() in row.title.lower()]
        if words and len(named) == 1 and (follower := self.desk.of_session(named[0].id)) is not None:
            await self.move(tx, link, follower, place)
            return present_attached_here(follower.session.title), [follower]
        if not rows:
            return present_said(tr(NONE_RUNS)), []
        return present_choose_attach(named or rows), []

    async def detach(self, tx: Tx, link: Link, place: Conversation) -> tuple[Card, list[Follower]]:
        """Asked to show a session no longer in a place: it goes on at home. The answer, and what went."""
        if place.chat == link.home.chat or place.kind == "room":
            return present_command_error(tr(AT_HOME)), []
        here = await self._shown_in(tx, place)
        if not here:
            # Said beside the place, such as at the top of a channel whose thread is meant.
            rooms = await conversations.in_chat(tx, place.surface, place.chat)
            found = [(room, follower) for room in rooms for follower in await self._shown_in(tx, room)]
            if len(found) > 1:
                return present_said(tr(SEVERAL)), []
            place, here = (found[0][0], [found[0][1]]) if found else (place, [])
        for follower in here:
            await self.home(tx, link, follower)
        if not here:
            return present_said(tr(NONE_HERE)), []
        titles = tr(", ").join(follower.session.title for follower in here)
        return present_said(tr("{titles} is no longer shown here, and goes on in your own chat.", titles=titles)), here

    async def home(self, tx: Tx, link: Link, follower: Follower, *, asked: bool = False, room: bool = True) -> None:
        """Show a lineage at home again, where it was before if that is still there; else in a new place, which is no
        room unless ``room``. ``asked``: whatever the filters say."""
        now = self.desk.clock()
        former = await conversations.former(tx, follower.lineage, link.surface.name, link.home.chat)
        await self._leave(tx, link, follower)
        if former is not None:
            await self._settle_in(tx, follower, former)
        elif asked or link.home.admits(follower.session) == "all":
            await self.desk.attach(tx, link, follower, now, room=room)
            for place in await conversations.bound(tx, follower.lineage, link.surface.name):
                await self._settle_in(tx, follower, place)

    async def move(self, tx: Tx, link: Link, follower: Follower, place: Conversation) -> None:
        """Show a lineage in a place from now on. In a chat that can hold places it gets one of its own."""
        if place.kind == "chat" and Capability.TOPICS in link.surface.capabilities:
            title, now = follower.session.title, self.desk.clock()
            place = await conversations.want_topic(tx, place.surface, place.chat, title, now)
        await conversations.set_level(tx, place.id, link.home.level)
        await self._leave(tx, link, follower)
        await self._settle_in(tx, follower, place)

    async def chat_gone(self, tx: Tx, link: Link, chat: str) -> list[Follower]:
        """A chat takes no messages any more: whatever was shown in it goes home, with what had not arrived. A session
        whose own room it was gets no other one: a person did not want it."""
        moved = []
        for room in await conversations.in_chat(tx, link.surface.name, chat):
            if room.kind == "room":
                await conversations.mark(tx, room.id, "gone")
            for follower in await self._shown_in(tx, room):
                await self.home(tx, link, follower, room=room.kind != "room")
                moved.append(follower)
                for place in await conversations.bound(tx, follower.lineage, link.surface.name):
                    await conversations.replace(tx, room.id, place.id)
        return moved

    async def _shown_in(self, tx: Tx, place: Conversation) -> list[Follower]:
        lineages = await conversations.lineages_in(tx, place.id)
        return [self.desk.followers[lineage] for lineage in lineages if lineage in self.desk.followers]

    async def _leave(self, tx: Tx, link: Link, follower: Follower) -> None:
        for old in await conversations.bound(tx, follower.lineage, link.surface.name):
            await conversations.unbind(tx, follower.lineage, old.id)

    async def _settle_in(self, tx: Tx, follower: Follower, place: Conversation) -> None:
        """Bind, and bring along what goes on, unless it stands there already: the requests that wait, which ring, and
        the turn that runs."""
        await conversations.bind(tx, follower.lineage, place.id)
        kept = await conversations.get(tx, place.id) or place
        for post in await posts.open_posts(tx, follower.lineage):
            goes_on = post.kind == "turn" or (post.kind == "log" and kept.kind == "room")
            if post.urgency != "approval" and not (goes_on and admits(kept.level, post.min_level)):
                continue
            there = {delivery.conversation_id for delivery in await posts.deliveries_of(tx, post.key)}
            if place.id not in there:
                await posts.place_again(tx, post.key, place.id, ring=post.urgency == "approval")

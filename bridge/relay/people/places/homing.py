"""Homing: a channel that takes no messages any more keeps no session waiting.

Mostly the platform says so, and the dispatch asks for it. Where that word never came (it was said while nobody
listened, or the permission to hear it is missing), the courier finds out by a refusal and pauses the chat: the rows
say it then.
"""

from __future__ import annotations

import asyncio

import structlog

from bridge.cards.own.bridge_notes import present_said
from bridge.language import tr
from bridge.relay.desk import Desk, Link
from bridge.relay.notes import note
from bridge.relay.people.places.attaching import Attaching
from bridge.store import conversations

LOOK_S = 2.0

log = structlog.get_logger(__name__)


class Homing:
    """Brings sessions home."""

    def __init__(self, desk: Desk, attaching: Attaching) -> None:
        self._desk = desk
        self._attaching = attaching

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            for link in self._desk.links:
                async with self._desk.store.read() as tx:
                    chats = await conversations.paused(tx, link.surface.name, link.home.chat)
                for chat in chats:
                    log.warning("chat.left", surface=link.surface.name, chat=chat)
                    await self.take(link, chat)
            await asyncio.sleep(LOOK_S)

    async def take(self, link: Link, chat: str) -> None:
        """A channel was archived, or the bot was removed from it: its sessions go on at home, which is said there."""
        if chat == link.home.chat:
            return
        now = self._desk.clock()
        async with self._desk.lock, self._desk.store.begin() as tx:
            for follower in await self._attaching.chat_gone(tx, link, chat):
                title = follower.session.title
                words = tr("{title} is shown here again: its channel takes no messages any more.", title=title)
                for place in await conversations.bound(tx, follower.lineage, link.surface.name):
                    await note(tx, place, f"home/{follower.lineage}/{now}", present_said(words), now)
        self._desk.nudge()

"""Keeps the home posts: one per person with a role, pinned in their own chat with the bot, edited as sessions begin to
wait, run and finish.

Who may hear of what is looked up whenever a post is written, and a role that was taken away empties the post and
unpins it. Somebody with whom there is no private chat has none: a bot can't begin one. To whoever blocked the bot
nothing is sent until they write again; the newest wish is delivered then.
"""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from bridge.cards.model import Card
from bridge.cards.own.home import present_home, present_home_over
from bridge.chat.capabilities import Capability, Pinning
from bridge.chat.errors import OutcomeUnknown, RetryAfter, SurfaceError, Unreachable
from bridge.chat.intents import Person
from bridge.delivery.places import place_of
from bridge.relay.desk import Desk, Link
from bridge.relay.home_rows import Reader, Standing, may_press, rows_for, standing
from bridge.relay.notes import note, note_key
from bridge.relay.people.roles.everyone import Company, Everyone
from bridge.store import conversations, cursors, posts
from bridge.store.records import Conversation, PartRecord

LOOK_S: Final = 2.0
TROUBLE_S: Final = 30.0
"""How long a surface that could not be asked to take a pin away is left alone."""
WHAT: Final = "home"

log = structlog.get_logger(__name__)

Look = tuple[Everyone, tuple[Standing, ...], int]
"""All that home posts are written of: people, sessions, and a number that grows with every message sent."""


class HomePosts:
    """One post per person and surface. A look asks the store only after a change."""

    def __init__(self, desk: Desk, company: Company) -> None:
        self._desk = desk
        self._company = company
        self._looked: Look | None = None
        self._shown: dict[int, str] = {}
        """Conversation to the digest of what was wished last."""
        self._pinned: set[int] = set()
        """Conversations in which nothing is left to be pinned."""
        self._closed_ms: dict[str, int] = {}
        """Until when (epoch ms) a surface is left alone."""

    async def run(self) -> None:
        """Work until cancelled."""
        await self._desk.heard.wait()
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Write the posts that are to say something else now."""
        await self._ensure_homes()
        now = self._desk.clock()
        found = [standing(follower, now) for follower in self._desk.followers.values()]
        sessions = tuple(one for one in found if one is not None)
        version = self._desk.store.version("parts")  # before anything is read
        everyone = await self._company.now()
        look = (everyone, sessions, version)
        if look == self._looked:
            return
        readers = self._readers(everyone)
        parts = await self._parts(readers, sessions)
        messages = {(part.post_key, part.conversation_id): part.message for part in parts if part.message}
        cards = {
            reader.place.id: present_home(
                rows_for(reader, everyone, sessions, messages), may_press(reader, everyone), owns=reader.owns
            )
            for reader in readers
        }
        await self._write(readers, cards)
        done = self._looked is not None and self._looked[0] is everyone
        if not done:
            done = await self._end({reader.place.id for reader in readers})
        for reader in readers:
            await self._pin(reader, parts)
        self._looked = look if done else None

    async def _ensure_homes(self) -> None:
        """The owners' own chats, which we know without having been written to."""
        chats = (await self._company.now()).chats
        for link in self._desk.links:
            name, chat = link.surface.name, link.home.chat
            known = chats.get((name, chat))
            if known is None or known.state == "gone":
                async with self._desk.store.begin() as tx:
                    await conversations.ensure_chat(tx, name, chat, self._desk.clock())

    def _readers(self, everyone: Everyone) -> list[Reader]:
        """The owners, and everybody with a role and a chat of their own with the bot."""
        readers = []
        for link in self._desk.links:
            name = link.surface.name
            owner = (Person(link.home.owner_id, ""), link.home.chat)
            for person, chat in (owner, *((one, one.id) for one in everyone.on(link))):
                place = everyone.chats.get((name, chat))
                if place is not None and place.state != "gone":
                    readers.append(Reader(link, person, place))
        return readers

    async def _parts(self, readers: list[Reader], sessions: tuple[Standing, ...]) -> list[PartRecord]:
        """The messages of the cards that wait, and of the home posts."""
        keys = [one.card for one in sessions if one.card] + [note_key(reader.place, WHAT) for reader in readers]
        async with self._desk.store.read() as tx:
            return await posts.parts_of_all(tx, keys)

    async def _write(self, readers: list[Reader], cards: dict[int, Card]) -> None:
        """Wish for what is news. The same wish twice is nothing, so a start edits only what has changed."""
        now = self._desk.clock()
        places = [reader.place for reader in readers]
        news = [place for place in places if self._shown.get(place.id) != cards[place.id].digest()]
        if not news:
            return
        async with self._desk.store.begin() as tx:
            for place in news:
                await note(tx, place, WHAT, cards[place.id], now, open_=True, urgency="preview")
        self._shown |= {place.id: cards[place.id].digest() for place in news}
        self._desk.nudge()

    async def _end(self, kept: set[int]) -> bool:
        """Empty and unpin the posts of who has no role any more; False if that is still to be done for some."""
        async with self._desk.store.read() as tx:
            found = [post.key.split("/") for post in await posts.open_notes(tx, f"/{WHAT}")]
            ended = [int(id) for _, id, *what in found if what == [WHAT] and int(id) not in kept]
            places = [await conversations.get(tx, id) for id in ended]
        done = True
        for place in places:
            link = self._desk.links_by_name.get(place.surface) if place is not None else None
            if place is None or link is None:
                continue
            if not await self._unpin(link, place):
                done = False
                continue
            async with self._desk.store.begin() as tx:
                await cursors.put(tx, _cursor(link, place), "")
                await note(tx, place, WHAT, present_home_over(), self._desk.clock(), urgency="preview")
            self._shown.pop(place.id, None)
            self._pinned.discard(place.id)
            self._desk.nudge()
        return done

    async def _pin(self, reader: Reader, parts: list[PartRecord]) -> None:
        """Pin the post once; whoever unpins it means it."""
        link, place = reader.link, reader.place
        key = note_key(place, WHAT)
        sent = [part for part in parts if (part.post_key, part.conversation_id, part.state) == (key, place.id, "sent")]
        message = next((part.message for part in sent if part.message), None)
        pins = Capability.PINS in link.surface.capabilities and isinstance(link.surface, Pinning)
        if message is None or not pins or place.id in self._pinned:
            return
        async with self._desk.store.read() as tx:
            known = await cursors.get(tx, _cursor(link, place))
        if known != message:
            try:
                assert isinstance(link.surface, Pinning)
                await link.surface.pin(place_of(place, ""), message)
            except SurfaceError as error:
                log.info("home.not_pinned", surface=link.surface.name, error=str(error))
            else:
                async with self._desk.store.begin() as tx:
                    await cursors.put(tx, _cursor(link, place), message)
        self._pinned.add(place.id)  # decoration: one try per start is enough

    async def _unpin(self, link: Link, place: Conversation) -> bool:
        """Take the pin away, before the post is given up: what a crash left undone is done at the next start. False if
        the platform can't be asked now."""
        name, now = link.surface.name, self._desk.clock()
        async with self._desk.store.read() as tx:
            message = await cursors.get(tx, _cursor(link, place))
        if not message or not isinstance(link.surface, Pinning):
            return True
        if self._closed_ms.get(name, 0) > now:
            return False
        try:
            await link.surface.unpin(place_of(place, ""), message)
        except (Unreachable, OutcomeUnknown, RetryAfter) as error:
            seconds = error.seconds if isinstance(error, RetryAfter) else TROUBLE_S
            self._closed_ms[name] = now + int(seconds * 1000)
            log.info("home.unpinned_later", surface=name, error=str(error))
            return False
        except SurfaceError as error:
            log.info("home.not_unpinned", surface=name, error=str(error))
        return True


def _cursor(link: Link, place: Conversation) -> str:
    """What of a post is pinned; the owner's has kept its name since there were no others."""
    name = f"{link.surface.name}/{WHAT}"
    return name if place.chat == link.home.chat else f"{name}/{place.id}"

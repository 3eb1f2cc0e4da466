"""Everyone: what all people are to all sessions, for what is kept current for many of them at once.

Read as a whole in four queries, and again only after something of it was written; the questions are those of
:mod:`rights`, asked of memory. Who acts is never judged by this but by the store, at the moment of the act.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bridge.chat.intents import Person
from bridge.relay.desk import Desk, Link
from bridge.relay.people.roles.roles import Role, least, role_among
from bridge.store import conversations, people
from bridge.store.engine import Tx
from bridge.store.records import Conversation, PersonRecord

TABLES: Final = ("people", "roles", "conversations", "bindings")

Id = tuple[str, str]
"""Surface and platform id."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A place in which a lineage is shown now."""

    place: Conversation
    near: tuple[int, ...]
    """The conversations it belongs to: the topic or thread itself, then the whole chat."""


@dataclass(frozen=True, slots=True)
class Everyone:
    """All people, their roles, and where sessions are shown, at one moment."""

    known: Mapping[Id, PersonRecord] = field(default_factory=dict)
    """Who has a role, in whatever conversation."""
    here: Mapping[Id, Mapping[int, str]] = field(default_factory=dict)
    """Roles in single conversations, by the conversations' ids."""
    shown: Mapping[str, Sequence[Shown]] = field(default_factory=dict)
    """By lineage, on all surfaces."""
    chats: Mapping[Id, Conversation] = field(default_factory=dict)
    """The chats themselves, by surface and chat; somebody's own chat with the bot bears their id."""

    def on(self, link: Link) -> Iterator[Person]:
        """Everybody besides the owner who may hear of anything on a surface: everywhere, or in some conversation."""
        for (surface, id), one in self.known.items():
            if surface != link.surface.name or id == link.home.owner_id:
                continue
            person = Person(id, one.name, one.standing)
            here = self.here.get((surface, id), {})
            if any(self.role_at(link, person, places) is not None for places in ((), *((each,) for each in here))):
                yield person

    def role_at(self, link: Link, person: Person, places: Sequence[int]) -> Role | None:
        """See :meth:`Rights.role_at`."""
        key = (link.surface.name, person.id)
        known = self.known.get(key)
        return role_among(link.home, person, places, self.here.get(key, {}), known.role if known else None)

    def role_for(self, link: Link, person: Person, lineage: str) -> Role | None:
        """Somebody's role for a session wherever they are: the least of those it has in the places it is shown in."""
        places = [one.near for one in self.shown.get(lineage, ()) if one.place.surface == link.surface.name]
        return least([self.role_at(link, person, place) for place in places or [()]])


class Company:
    """Hands out everyone as of now."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._now = Everyone()
        self._version = -1

    async def now(self) -> Everyone:
        """Everyone; the very same object while nothing of it has changed."""
        version = self._desk.store.version(*TABLES)
        if version != self._version:
            async with self._desk.store.read() as tx:
                now = await _read(tx)
            self._now = self._now if now == self._now else now
            self._version = version
        return self._now


async def _read(tx: Tx) -> Everyone:
    here: dict[Id, dict[int, str]] = {}
    for role in await people.all_roles(tx):
        here.setdefault((role.surface, role.platform_id), {})[role.conversation_id] = role.role
    chats: dict[Id, Conversation] = {}
    for chat in await conversations.all_chats(tx):
        before = chats.get((chat.surface, chat.chat))
        if before is None or (chat.kind == "room" and before.kind == "chat"):
            chats[chat.surface, chat.chat] = chat
    shown: dict[str, list[Shown]] = {}
    for lineage, place in await conversations.all_bound(tx):
        itself = (place.id,) if place.thread is not None else ()
        whole = chats.get((place.surface, place.chat))
        near = (*itself, *((whole.id,) if whole is not None else ()))
        shown.setdefault(lineage, []).append(Shown(place, near))
    known = {(one.surface, one.platform_id): one for one in await people.everybody(tx)}
    return Everyone(known, here, shown, chats)

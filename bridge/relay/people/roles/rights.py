"""Rights: who may do what. Asked by dispatch, at the moment of the act, and nowhere else (invariant 4).

A surface's owner is the one its configuration names; everybody else's role is a row in the store. Somebody of no
standing in a Slack workspace (a guest, somebody of another one) has a role only if the configuration names them, too.
What each role may do stands in ``roles.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bridge.cards.model import Act
from bridge.chat.intents import Command, Deleted, Edited, HomeOpened, Intent, Person, PlaceChanged, Press, Where
from bridge.language import tr
from bridge.relay.desk import Desk, Link
from bridge.relay.people.roles.roles import (
    NOBODY,
    READING,
    Leave,
    Right,
    Role,
    allows,
    least,
    needed_for,
    read_role,
    refusal_of,
    role_among,
)
from bridge.store import conversations, follows, people, posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation

OWN_TEXTS: Final[Mapping[str, str]] = {
    "route": "text",
    "interject": "text",
    "retry": "local_id",
    "stale_text": "text",
    "unsay": "local_id",
    "steer": "local_id",
    "correct": "local_id",
}
"""Acts about somebody's own text, and where they name it: only its writer and the owner may say what becomes of it."""


@dataclass(frozen=True, slots=True)
class Rights:
    """Asks the store and the configuration."""

    desk: Desk
    right_of_command: Callable[[str], Right | None]
    """What a command needs; ``None``: nothing at all, it is how one comes to have a role."""

    async def of(self, link: Link, intent: Intent) -> Leave:
        """What the person behind an intent may do, and whether they may do this."""
        if isinstance(intent, PlaceChanged):
            return NOBODY
        async with self.desk.store.read() as tx:
            press = await self._meant(tx, intent)
            role = await self._role(tx, link, intent, press)
            lineages = await self._lineages(tx, link, intent, role)
            right = self._of_press(press) if isinstance(intent, Press) else self._needed(intent)
            refusal = None if right is None or allows(role, right) else refusal_of(right, role)
            if refusal is None and press is not None and role != "owner":
                refusal = await _not_own(tx, press, intent.person)
            shared = role == "owner" and not intent.where.private
            here = frozenset(await self._shown_in(tx, link, intent.where.chat)) if shared else lineages
            limits = await self._limits(tx, link, intent.person)
            leave = Leave(role, lineages, here, limits, refusal)
            if refusal is None and press is not None and await self._reads_elsewhere(tx, intent, press, leave):
                leave = replace(leave, refusal=tr("That session is not shown here. Look in your private chat with me."))
        return leave

    async def role_at(self, tx: Tx, link: Link, person: Person, places: Sequence[int]) -> Role | None:
        """Somebody's role in a conversation: the first one set for ``places`` (ids, the nearest first), else the one
        they have everywhere."""
        name = link.surface.name
        here, everywhere = await people.here(tx, name, person.id), await people.role(tx, name, person.id)
        return role_among(link.home, person, places, here, everywhere)

    def is_owner(self, surface: str, person_id: str) -> bool:
        """Whether somebody is the owner: one person, on however many surfaces."""
        link = self.desk.links_by_name.get(surface)
        return link is not None and link.home.owner_id == person_id

    def second(self, first: tuple[str, str], then: tuple[str, str], leave: Leave) -> bool:
        """Whether somebody may be the second to approve what another person approved first.

        ``first``, ``then``: surface and platform id; ``leave``: the second one's, as it came with their press. The
        owner is one person on all surfaces. Of two others on different ones nobody knows whether they are two: one
        person may have a role on each.
        """
        owners = (self.is_owner(*first), self.is_owner(*then))
        if first == then or all(owners) or (first[0] != then[0] and not any(owners)):
            return False
        return leave.may("approve")

    async def may_still(self, surface: str, person_id: str, session: str, right: Right) -> bool:
        """Whether somebody has a right to a session now, by the least of their roles where it is shown."""
        link = self.desk.links_by_name.get(surface)
        if link is None or self.is_owner(surface, person_id):
            return link is not None
        async with self.desk.store.read() as tx:
            known = await people.get(tx, surface, person_id)
            if known is None:
                return False
            rooms = await conversations.bound(tx, await self._lineage(tx, session), surface)
            places = [await _nearest(tx, surface, Where(room.chat, room.thread)) for room in rooms] or [[]]
            person = Person(person_id, known.name, known.standing)
            return allows(least([await self.role_at(tx, link, person, place) for place in places]), right)

    async def _meant(self, tx: Tx, intent: Intent) -> Act | None:
        found = await posts.button(tx, intent.token) if isinstance(intent, Press) else None
        if found is not None and found[1].do == "stale" and found[1].choice == "now":
            again = await posts.button(tx, str(found[1].data.get("token")))
            if again is not None:  # it needs what the press needs that it repeats
                return again[1].model_copy(
                    update={"data": {**again[1].data, "pressed_by": found[1].data.get("person")}}
                )
        return found[1] if found is not None else None

    async def _role(self, tx: Tx, link: Link, intent: Intent, press: Act | None) -> Role | None:
        """A press counts with the least role of where it was made and of where its session is shown."""
        assert not isinstance(intent, PlaceChanged)
        name, places = link.surface.name, []
        if press is not None and press.session:
            for room in await conversations.bound(tx, await self._lineage(tx, press.session), name):
                places.append(await _nearest(tx, name, Where(room.chat, room.thread)))
            if not places:
                places.append([])  # shown nowhere here: a role in single conversations alone says nothing about it
        on_page = isinstance(intent, Press) and not intent.message
        if not places or not on_page:
            places.append(await _nearest(tx, name, intent.where))
        return least([await self.role_at(tx, link, intent.person, place) for place in places])

    async def _lineage(self, tx: Tx, session: str) -> str:
        """What a session belongs to, also one that is not followed any more; its own id if it never was."""
        if (follower := self.desk.of_session(session)) is not None:
            return follower.lineage
        known = await follows.of_session(tx, session)
        return known.lineage if known is not None else session

    async def _lineages(self, tx: Tx, link: Link, intent: Intent, role: Role | None) -> frozenset[str] | None:
        """Before others only the sessions that are shown there are named, and in private all, to whom has a role."""
        assert not isinstance(intent, PlaceChanged)
        where, name = intent.where, link.surface.name
        if role == "owner":
            return None
        if where.private:
            return None if await self.role_at(tx, link, intent.person, ()) is not None else frozenset()
        rooms = await conversations.in_chat(tx, name, where.chat)
        allowed = [
            room
            for room in rooms
            if await self.role_at(tx, link, intent.person, await _nearest(tx, name, Where(room.chat, room.thread)))
        ]
        return frozenset([lineage for room in allowed for lineage in await conversations.lineages_in(tx, room.id)])

    async def _limits(self, tx: Tx, link: Link, person: Person) -> dict[str, Role | None]:
        """What somebody is to the sessions that are shown where they have a role of their own."""
        name, limits = link.surface.name, dict[str, Role | None]()
        if person.id == link.home.owner_id:
            return limits
        places = [await conversations.get(tx, id) for id in await people.here(tx, name, person.id)]
        for chat in {place.chat for place in places if place is not None}:
            for room in await conversations.in_chat(tx, name, chat):
                near = await _nearest(tx, name, Where(room.chat, room.thread))
                role = await self.role_at(tx, link, person, near)
                for lineage in await conversations.lineages_in(tx, room.id):
                    limits[lineage] = least([role, limits[lineage]]) if lineage in limits else role
        return limits

    async def _reads_elsewhere(self, tx: Tx, intent: Intent, press: Act, leave: Leave) -> bool:
        """Whether a press would show, before those who read along, more of a session that is not shown there (any
        more)."""
        assert not isinstance(intent, PlaceChanged)
        if press.session is None or press.do not in READING or intent.where.private:
            return False
        on_page = isinstance(intent, Press) and not intent.message
        return not on_page and not leave.names(await self._lineage(tx, press.session))

    async def _shown_in(self, tx: Tx, link: Link, chat: str) -> list[str]:
        """What is shown in a chat, its topics and threads."""
        rooms = await conversations.in_chat(tx, link.surface.name, chat)
        return [lineage for room in rooms for lineage in await conversations.lineages_in(tx, room.id)]

    def _of_press(self, act: Act | None) -> Right:
        if act is None:
            return "view"  # who belongs here is told that a button is not known
        if act.do == "stale_command" and act.choice == "now":  # it needs what the command needs
            return self.right_of_command(str(act.data.get("name"))) or "own"
        return needed_for(act)

    def _needed(self, intent: Intent) -> Right | None:
        match intent:
            case Command():
                return self.right_of_command(intent.name)
            case Edited() | Deleted():
                return "talk"
            case HomeOpened():
                return "view"
            case _:
                return "talk"


async def _not_own(tx: Tx, act: Act, person: Person) -> str | None:
    """Why an act about a text is not for this person, if it is another one's."""
    presser = act.data.get("pressed_by") or (act.data.get("person") if act.do in ("stale", "stale_command") else None)
    if presser is not None and presser != person.id:
        return tr("Only who wanted it and the owner can say what becomes of it.")
    where = OWN_TEXTS.get(act.do)
    say = await says.get(tx, str(act.data.get(where))) if where is not None else None
    if say is None or say.person_id == person.id:
        return None
    return tr("Only {name} and the owner can say what becomes of this message.", name=say.person_name)


async def several_talk(tx: Tx, link: Link, place: Conversation) -> bool:
    """Whether others than the owner may talk in a place that is not private."""
    name = link.surface.name
    near = await _nearest(tx, name, Where(place.chat, place.thread))
    for one in await people.everybody(tx, name):
        here = await people.here(tx, name, one.platform_id)
        role = next((here[id] for id in near if id in here), one.role)
        if allows(read_role(role), "talk"):
            return True
    return False


async def _nearest(tx: Tx, surface: str, where: Where) -> list[int]:
    """The conversations a place belongs to, as far as they are known: its topic or thread, then the whole chat."""
    found = [await conversations.find(tx, surface, where.chat)]
    if where.thread is not None:
        found.insert(0, await conversations.find(tx, surface, where.chat, where.thread))
    return [one.id for one in found if one is not None]

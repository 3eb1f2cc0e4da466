"""Rights: who may do what. Asked by dispatch, at the moment of the act, and nowhere else (invariant 4).

Four roles, each with the rights of those below it:

============ ========= =======================================================================
owner        ``own``      everything: sessions, places, people, settings
approver     ``approve``  decide requests, answer questions
member       ``talk``     say something to an agent, stop its turn
viewer       ``view``     read, and ask what there is
============ ========= =======================================================================

A surface's owner is the one its configuration names; everybody else's role is a row in the store. Somebody of no
standing in a Slack workspace (a guest, somebody of another one) has a role only if the configuration names them, too.
What a command needs stands in its table entry, what a press needs below; an act nobody thought of here needs ``own``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bridge.cards.model import Act
from bridge.chat.intents import Command, Deleted, Edited, HomeOpened, Intent, Person, PlaceChanged, Press, Where
from bridge.language import tr
from bridge.relay.desk import Desk, Home, Link
from bridge.store import conversations, follows, people, posts, says
from bridge.store.engine import Tx
from bridge.store.records import Conversation

Role = Literal["viewer", "member", "approver", "owner"]
Right = Literal["view", "talk", "approve", "own"]

ROLES: Final[tuple[Role, ...]] = ("viewer", "member", "approver", "owner")
"""From least to most."""
RIGHTS: Final[tuple[Right, ...]] = ("view", "talk", "approve", "own")
"""Each role has the right at its own place and all before it."""

PRESSES: Final[Mapping[str, Right]] = {
    "decide": "approve",
    "deny_because": "approve",
    "sure": "approve",
    "unsure": "approve",
    "unfold": "approve",
    "fold": "approve",
    "pick": "approve",
    "submit": "approve",
    "back": "approve",
    "other": "approve",
    "stop": "talk",
    "halt": "talk",
    "unsay": "talk",
    "steer": "talk",
    "correct": "talk",
    "route": "talk",
    "interject": "talk",
    "retry": "talk",
    "stale": "talk",
    "stale_text": "talk",
    "stale_command": "talk",
    "send_all": "view",
    "scenario_pick": "talk",
    "scenario_send": "talk",
    "work_tree": "talk",
    "work_find": "talk",
    "work_diff": "talk",
    "work_file": "talk",
    "work_list": "talk",
    "pending": "view",
    "help": "view",
    "show_request": "view",
    "sessions": "view",
    "open": "view",
    "agent_commands": "talk",
    "agent_command": "talk",
    "agent_send": "talk",
    "agent_words": "talk",
    "history": "view",
    "export": "talk",
}
"""What a press needs, by its act's name. All others need ``own``."""
DECIDING: Final = frozenset({"deny_and_send", "use_as_answer"})
"""What may become of a text that decides a request besides."""
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
class Leave:
    """What somebody may do where they act now, and whether they may do what they are about to."""

    role: Role | None = None
    """``None``: nobody we serve."""
    lineages: frozenset[str] | None = frozenset()
    """Whose sessions they may hear of where they are; ``None``: of all."""
    refusal: str | None = None
    """Why they may not, in words for them; ``None``: they may."""

    def may(self, right: Right) -> bool:
        """Whether they have a right here."""
        return allows(self.role, right)

    def sees(self, lineage: str) -> bool:
        """Whether a session may be named to them here."""
        return self.lineages is None or lineage in self.lineages


NOBODY: Final = Leave()


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
        return Leave(role, lineages, refusal)

    async def role_at(self, tx: Tx, link: Link, person: Person, places: Sequence[int]) -> Role | None:
        """Somebody's role in a conversation: the first one set for ``places`` (ids, the nearest first), else the one
        they have everywhere."""
        if person.id == link.home.owner_id:
            return "owner"
        if not is_admitted(link.home, person):
            return None
        here = await people.here(tx, link.surface.name, person.id)
        nearest = next((here[place] for place in places if place in here), None)
        if nearest is not None:
            return read_role(nearest)
        return read_role(await people.role(tx, link.surface.name, person.id))

    async def role_for(self, tx: Tx, link: Link, person: Person, lineage: str) -> Role | None:
        """Somebody's role for a session wherever they are: the least of those it has in the places it is shown in."""
        rooms = await conversations.bound(tx, lineage, link.surface.name)
        places = [await _nearest(tx, link.surface.name, Where(room.chat, room.thread)) for room in rooms]
        return least([await self.role_at(tx, link, person, place) for place in places or [[]]])

    def is_owner(self, surface: str, person_id: str) -> bool:
        """Whether somebody is the owner: one person, on however many surfaces."""
        link = self.desk.links_by_name.get(surface)
        return link is not None and link.home.owner_id == person_id

    def second(self, first: tuple[str, str], then: tuple[str, str], leave: Leave) -> bool:
        """Whether somebody may be the second to approve what another person approved first.

        ``first``, ``then``: surface and platform id; ``leave``: the second one's, as it came with their press. The
        owner is one person on all surfaces; other people count as who they are on theirs.
        """
        if first == then or (self.is_owner(*first) and self.is_owner(*then)):
            return False
        return leave.may("approve")

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


def allows(role: Role | None, right: Right) -> bool:
    """Whether a role has a right."""
    return role is not None and ROLES.index(role) >= RIGHTS.index(right)


def least(roles: Sequence[Role | None]) -> Role | None:
    """The one of several roles that may do least."""
    return min(roles, key=lambda role: -1 if role is None else ROLES.index(role))


def read_role(stored: str | None) -> Role | None:
    """A role as the store has it. Nobody is an owner by the store, and a word that is none is none."""
    return next((role for role in ROLES[:-1] if role == stored), None)


def is_admitted(home: Home, person: Person) -> bool:
    """Whether somebody may have a role at all: guests and people of other workspaces only if they are named."""
    return person.standing == "member" or person.id in home.admitted


def refusal_of(right: Right, role: Role | None) -> str:
    """Why somebody may not do what needs a right."""
    if role is None:
        return tr("This bot works for its owner and the people they invited.")
    match right:
        case "own":
            return tr("Only this bot's owner can do that.")
        case "approve":
            return tr("Only the owner and approvers can do that.")
        case _:
            return tr("You may read here. Only people whom the owner lets talk can do that.")


def needed_for(act: Act) -> Right:
    """What a press needs."""
    if act.do == "interject" and act.choice in DECIDING:
        return "approve"
    return PRESSES.get(act.do, "own")


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

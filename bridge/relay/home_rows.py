"""What a person's home post tells: of the sessions they may hear of, with links that they can open. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bridge.cards.model import Act
from bridge.cards.own.home import HomeRow, State
from bridge.cards.turn.waiting import asked_words
from bridge.chat.capabilities import Linking
from bridge.chat.intents import Person
from bridge.delivery.places import place_of
from bridge.relay.desk import Link
from bridge.relay.follow.follower import Follower
from bridge.relay.people.roles.everyone import Everyone, Shown
from bridge.relay.people.roles.roles import allows, needed_for
from bridge.store.records import Conversation

FINISHED_MS: Final = 24 * 3_600_000
"""A session that ended its turn longer ago is no news any more."""
BUTTONS: Final = ("pending", "sessions", "new", "help")
"""Acts of the home post's buttons."""

Messages = Mapping[tuple[str, int], str]
"""Post key and conversation to the post's last message there."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody with a home post, and where it stands."""

    link: Link
    person: Person
    place: Conversation

    @property
    def owns(self) -> bool:
        """Whether it is the surface's owner."""
        return self.person.id == self.link.home.owner_id


@dataclass(frozen=True, slots=True)
class Standing:
    """How a session stands that is on home posts: little enough to compare."""

    lineage: str
    session: str
    title: str
    state: State
    waits: int = 0
    asked: str = ""
    """What the first request that waits is about."""
    card: str = ""
    """The key of its card."""


def standing(follower: Follower, now_ms: int) -> Standing | None:
    """How a session stands; ``None`` for one that is no news."""
    waiting = follower.requests.waiting()
    if waiting:
        state: State = "waiting"
    elif follower.running:
        state = "running"
    elif follower.shown and now_ms - follower.anchor.at < FINISHED_MS:
        state = "finished"
    else:
        return None
    pending = [request for request in waiting if request.state == "pending"]
    asked = asked_words(pending[0].tool) if pending else ""
    session, card = follower.session, waiting[0].key if waiting else ""
    return Standing(follower.lineage, session.id, session.title, state, len(pending), asked, card)


def rows_for(reader: Reader, everyone: Everyone, sessions: tuple[Standing, ...], messages: Messages) -> list[HomeRow]:
    """The sessions that somebody may hear of, by title."""
    rows = []
    for one in sessions:
        role = everyone.role_for(reader.link, reader.person, one.lineage)
        if role is None:
            continue
        rows.append(
            HomeRow(
                id=one.session,
                title=one.title,
                state=one.state if one.state != "waiting" or allows(role, "approve") else "undecided",
                link=_address(reader, everyone, one, messages),
                waits=one.waits,
                asked=one.asked,
            )
        )
    return sorted(rows, key=lambda row: row.title.casefold())


def may_press(reader: Reader, everyone: Everyone) -> tuple[str, ...]:
    """Which of the post's buttons somebody may press there."""
    role = everyone.role_at(reader.link, reader.person, (reader.place.id,))
    return tuple(do for do in BUTTONS if allows(role, needed_for(Act(do=do))))


def _address(reader: Reader, everyone: Everyone, one: Standing, messages: Messages) -> str | None:
    """The address of the card that waits, else of the place; ``None`` where there is none that the reader can open."""
    surface = reader.link.surface
    if not isinstance(surface, Linking):
        return None
    for shown in everyone.shown.get(one.lineage, ()):
        if shown.place.surface == surface.name and shown.place.state == "open" and _opens(reader, everyone, shown):
            return surface.address(place_of(shown.place, ""), messages.get((one.card, shown.place.id)))
    return None


def _opens(reader: Reader, everyone: Everyone, shown: Shown) -> bool:
    """Whether a place is one that the reader can open: no private chat of somebody else, nor a room of a session, to
    which only its owner is invited by us; others have a role of their own there if they were."""
    place, name = shown.place, reader.link.surface.name
    if reader.owns or place.chat == reader.person.id:
        return True
    if place.chat == reader.link.home.chat or (name, place.chat) in everyone.known:
        return False
    here = everyone.here.get((name, reader.person.id), {})
    return place.kind != "room" or any(id in here for id in shown.near)

"""What a platform may do for the bridge besides the least that :class:`~bridge.chat.surface.Surface` asks of each.

A surface announces the name, and has the methods that stand beside it. The core asks for a capability, never for a
platform by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from bridge.cards.model import Card
from bridge.chat.surface import Place


class Capability:
    """Names a surface may put into :attr:`~bridge.chat.surface.Surface.capabilities`."""

    TOPICS = "topics"
    """Can make a place of its own for each session (``open_place``)."""
    TYPING = "typing"
    REACTIONS = "reactions"
    FIND = "find"
    """Can be asked whether a send of unknown outcome arrived (``find``)."""
    REPLIES = "replies"
    """A person's message can be a reply to one certain message of the bot."""
    FORMS = "forms"
    """Can ask the presser of a button for words (:class:`Asking`)."""
    STATES = "states"
    """Can show how the session of a place stands (:class:`Standing`)."""
    LEARNS = "learns"
    """Finds out what its workspace has, and wants to be reminded of it (:class:`Learning`)."""
    PINS = "pins"
    """Can keep a message in sight (:class:`Pinning`)."""
    POLLS = "polls"
    """Fetches what people did, and hears the platform every minute or so, be there news or not: how old news may be is
    known by how long the platform was not heard before them."""
    GROUPS = "groups"
    """Chats of many people have a rate of their own (:class:`Grouping`)."""
    PAGE = "page"
    """Has a page of the bot's own for each person (:class:`Paged`). A press there has an empty ``message``."""
    FILES = "files"
    """Can fetch the files of people's messages (:class:`Fetching`)."""
    COMMANDS = "commands"
    """Each command has a name of its own: ``/stop``. Elsewhere all are words after ``/hapi``, or after ``@bot``."""
    ROOMS = "rooms"
    """Can make a chat for each session, in which posts can hang under another post's message (:class:`Roomed`)."""


@dataclass(frozen=True, slots=True)
class Form:
    """A question to one person. Their answer comes as the press of ``token`` again, with ``text``."""

    token: str
    title: str
    """Shortened where the platform has little room (Slack: 24 characters)."""
    label: str
    hint: str = ""
    submit: str = ""
    """On the button that sends it; empty: *Send*."""
    needed: bool = True
    """Whether it may not be left empty."""


@runtime_checkable
class Asking(Protocol):
    """What a surface with the capability ``forms`` has besides."""

    async def ask(self, press: str, form: Form) -> None:
        """Open a form for the person whose press (``Press.press``) this was. :class:`Rejected` if it is too old."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """A chat to make for one session."""

    title: str
    about: str
    """What it is for, in words for people: the session's directory and machine."""
    mark: str
    """Stays the same for the session, whatever it is called: a room that was made, or half made, is known by it."""
    taken: frozenset[str] = frozenset()
    """Chats that are other sessions' rooms."""


@runtime_checkable
class Roomed(Protocol):
    """What a surface with the capability ``rooms`` has besides. ``rename_place`` renames rooms, too."""

    async def open_room(self, home: str, room: Room) -> str:
        """Make a room that the person of the chat ``home`` is in; its chat. One that was made before for the same
        session is taken up instead. :class:`Rejected` where there can be none, with words on what would help."""
        ...

    def keep_rooms(self, chats: Sequence[str]) -> None:
        """These chats are rooms, made earlier: whatever is written there is for their sessions."""
        ...


@runtime_checkable
class Pinning(Protocol):
    """What a surface with the capability ``pins`` has besides."""

    async def pin(self, place: Place, message: str) -> None:
        """Keep a message of ours in sight, without ringing. One that is pinned already is success."""
        ...

    async def unpin(self, place: Place, message: str) -> None:
        """Keep it in sight no longer. One that is not pinned (any more) is success."""
        ...


@runtime_checkable
class Fetching(Protocol):
    """What a surface with the capability ``files`` has besides."""

    async def fetch(self, source: str, most: int) -> bytes:
        """The bytes of a file (:attr:`~bridge.chat.intents.SentFile.source`), at most ``most``. Repeating is safe.

        Raises :class:`Rejected` for one that will never be had, and the other errors of :mod:`bridge.chat.errors`.
        """
        ...


@runtime_checkable
class Linking(Protocol):
    """What a surface has whose places and messages have addresses."""

    def address(self, place: Place, message: str | None) -> str | None:
        """An https address that leads to a message, else to the place; ``None`` where there is none."""
        ...


@runtime_checkable
class Grouping(Protocol):
    """What a surface with the capability ``groups`` has besides."""

    def is_group(self, chat: str) -> bool:
        """Whether a chat is one of many people, for which :attr:`~bridge.chat.surface.Rates.group_interval_s` holds."""
        ...


@runtime_checkable
class Paged(Protocol):
    """What a surface with the capability ``page`` has besides."""

    async def publish(self, person: str, cards: Sequence[tuple[str, Card]]) -> None:
        """Show these cards, each with its post's key, on the page of a person, in place of what was there."""
        ...


State = Literal["working", "waiting", "idle"]
"""How a session stands: its agent is at work, waits for a person's decision, or neither."""


@runtime_checkable
class Standing(Protocol):
    """What a surface with the capability ``states`` has besides."""

    async def stand(self, place: Place, state: State, title: str, *, left: bool = False) -> None:
        """Show how the place's session, called ``title``, stands. Said again and again while it is so. ``left``: a
        former process may have left another state there."""
        ...


@dataclass(frozen=True, slots=True)
class Learnt:
    """Whether a workspace has a feature of its platform that not every one has."""

    feature: str
    state: Literal["present", "refused"]
    why: str
    """The platform's words, where it refused."""
    at_ms: int
    """When it was found so (epoch ms)."""


@runtime_checkable
class Learning(Protocol):
    """What a surface with the capability ``learns`` has besides."""

    def recall(self, known: Sequence[Learnt]) -> None:
        """All that is known of the workspace; what is not among it is to be found out (again)."""
        ...

    def news(self) -> Sequence[Learnt]:
        """What was found out since this was asked last."""
        ...

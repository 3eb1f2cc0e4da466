"""Intents: what a person wants, whatever platform they said it on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Person:
    """Who acts: the platform's own id, and a name to show."""

    id: str
    name: str
    standing: Literal["member", "guest", "stranger"] = "member"
    """``guest``: of limited rights in the workspace; ``stranger``: of another one, or nobody could say who it is."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where something was said or pressed, in the platform's own ids."""

    chat: str
    thread: str | None = None
    private: bool = True


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file of a person's message, by reference: its bytes are fetched when it is passed on."""

    source: str
    """The platform's reference, which :meth:`~bridge.chat.capabilities.Fetching.fetch` takes."""
    name: str
    """As :func:`bridge.chat.file_names.file_name` leaves it: fit to be shown, and no path."""
    media_type: str
    size: int | None = None
    """Bytes, where the platform tells."""
    unfit: str = ""
    """Why it can't be had, in words for people; empty: it can, as far as is known."""


@dataclass(frozen=True, slots=True)
class Say:
    """A text for an agent, or an answer to a card. With files the text may be empty."""

    person: Person
    where: Where
    message: str
    text: str
    reply_to: str | None = None
    sent_at_ms: int = 0
    addressed: bool = True
    """False for what people say among themselves, in a place where the bot only listens: it is for the session that is
    shown there, and for nobody where none is."""
    files: tuple[SentFile, ...] = ()
    album: str = ""
    """The same for messages that the person sent as one, and the platform delivers one by one; else empty."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A person changed a message they sent earlier."""

    person: Person
    where: Where
    message: str
    text: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """A person took back a message they sent earlier."""

    person: Person
    where: Where
    message: str


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: ``/stop``; ``name`` without the slash, lower case."""

    person: Person
    where: Where
    message: str
    name: str
    arguments: str = ""
    reply_to: str | None = None
    sent_at_ms: int = 0
    text: str = ""
    """All of it as it was typed, without a bot's name: what an agent's own command is passed on as."""
    addressed: bool = True
    """False for one without our name among several bots: ours only if we know it, else as with :class:`Say`."""
    files: tuple[SentFile, ...] = ()
    """It was written below these. No command of ours takes any."""
    album: str = ""
    """As with :class:`Say`."""


@dataclass(frozen=True, slots=True)
class Replied:
    """How words for a button came where the platform has no forms: as a reply to the bridge's question."""

    message: str
    """The person's message: the answer is a reply to it."""
    asked: str
    """The key of the post that asked."""


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pressed. ``press`` is answered with :meth:`Surface.acknowledge_press`."""

    person: Person
    where: Where
    message: str
    token: str
    press: str
    text: str | None = None
    """What was written into the form that the button opened, or in reply to the note that asked."""
    replied: Replied | None = None
    """Set for words that came as a reply; there is no ``press`` to answer then."""
    sent_at_ms: int = 0
    """When it was pressed; 0 where the platform does not tell."""


@dataclass(frozen=True, slots=True)
class HomeOpened:
    """A person opened the bot's own page, where the platform has one."""

    person: Person
    where: Where


@dataclass(frozen=True, slots=True)
class PlaceChanged:
    """Something happened to a place: a topic was deleted, closed or renamed, the bot was blocked or let back in."""

    where: Where
    change: str
    """``blocked``, ``unblocked``, ``moved`` (``detail`` is the new chat id), ``topics-off``, ``topics-on``, ``renamed``
    (``detail`` is the new name)."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something that can't be passed on to an agent (a poll, a contact): said back, not swallowed."""

    person: Person
    where: Where
    message: str
    what: str = ""
    """In words; empty where there are none for it."""
    addressed: bool = True
    """As with :class:`Say`."""


Intent = Say | Edited | Deleted | Command | Press | HomeOpened | PlaceChanged | Unsupported

"""Intents: what a person wants, whatever platform they said it on."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Person:
    """Who acts: the platform's own id, and a name to show."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Where:
    """Where something was said or pressed, in the platform's own ids."""

    chat: str
    thread: str | None = None
    private: bool = True


@dataclass(frozen=True, slots=True)
class Say:
    """A text for an agent, or an answer to a card."""

    person: Person
    where: Where
    message: str
    text: str
    reply_to: str | None = None
    sent_at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Edited:
    """A person changed a message they sent earlier."""

    person: Person
    where: Where
    message: str
    text: str


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


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pressed. ``press`` is answered with :meth:`Surface.acknowledge_press`."""

    person: Person
    where: Where
    message: str
    token: str
    press: str


@dataclass(frozen=True, slots=True)
class PlaceChanged:
    """Something happened to a place: a topic was deleted, closed or renamed, the bot was blocked or let back in."""

    where: Where
    change: str
    """``blocked``, ``unblocked``, ``moved`` (``detail`` is the new chat id), ``topics-off``, ``topics-on``."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something that can't be passed on to an agent (a sticker, a voice note): said back, not swallowed."""

    person: Person
    where: Where
    message: str
    what: str = field(default="this kind of message")


Intent = Say | Edited | Command | Press | PlaceChanged | Unsupported

"""What a group of commands gives: its commands by name, and what each needs to know of where it was said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from bridge.cards.model import Card
from bridge.chat.intents import Command
from bridge.relay.people.received import Received
from bridge.relay.people.roles.roles import Right
from bridge.relay.people.target import Target
from bridge.store.records import Conversation


@dataclass(frozen=True, slots=True)
class Asked:
    """A command, where it was said, and which session it is about."""

    received: Received
    command: Command
    place: Conversation
    target: Target


Run = Callable[[Asked], Awaitable[Card | None]]
"""Carries a command out. The card is the answer, a reply to the command; ``None``: it has answered in its own way."""


@dataclass(frozen=True, slots=True)
class Known:
    """How a command is carried out. ``waits``: it asks the hub, and runs beside the rest of the inbox meanwhile.

    ``right``: what a person needs for it; ``None``: nothing, not even a role. ``logs``: it changes something, and adds
    lines to the audit log (:func:`.audit.record`, :func:`.audit.trying`).
    """

    run: Run
    waits: bool = False
    right: Right | None = "talk"
    logs: bool = False


class Group(Protocol):
    """A group of commands."""

    def commands(self) -> dict[str, Known]:
        """By name, without the slash. Every name is in ``cards.help.HELP`` as well (or is another word for one)."""
        ...

"""What the sandbox Slack tells those who watch it, and what it sends to the app."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bridge.sandbox.bus import Call
from bridge.sandbox.slack.state import Channel, Json, Message


@dataclass(slots=True, frozen=True)
class Event:
    """Something changed. ``kind`` is one of: call, fault, message, edit, delete, ephemeral, stream, press, view, home,
    reaction, status, session, channel, user, delivery, socket; ``detail`` says the rest.
    """

    kind: str
    at: float
    channel: Channel | None = None
    message: Message | None = None
    call: Call | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Attempt:
    """One try to hand something to the app. ``result`` is "acked", or why not: timeout, http_error…"""

    at: float
    number: int
    result: str


@dataclass(slots=True, eq=False)
class Delivery:
    """Something for the app: ``kind`` is events_api, interactive or slash_commands, as Socket Mode names them.

    ``state`` is waiting, acked, or failed (given up: the person sees that the app did not respond). ``response`` is
    what came with the acknowledgement; ``acked`` is called with it.
    """

    kind: str
    payload: Json
    at: float
    state: str = "waiting"
    response: Json | None = None
    attempts: list[Attempt] = field(default_factory=list)
    acked: Callable[[Json | None], None] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The event's type, the interaction's type, or the command."""
        inner = self.payload.get("event", {}).get("type") or self.payload.get("type") or self.payload.get("command")
        return str(inner)

    @property
    def event_id(self) -> str:
        """The event's id, the same in every retry and duplicate."""
        return str(self.payload.get("event_id", ""))

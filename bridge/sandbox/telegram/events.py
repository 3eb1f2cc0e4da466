"""What the sandbox Telegram tells those who watch it."""

from dataclasses import dataclass, field
from typing import Any

from bridge.sandbox.bus import Call
from bridge.sandbox.telegram.state import Chat, Message


@dataclass(slots=True, frozen=True)
class Event:
    """Something changed. ``kind`` is one of: call, poll, fault, message, edit, delete, press, answer, reaction, topic,
    action, pin, chat; ``detail`` says the rest.
    """

    kind: str
    at: float
    chat: Chat | None = None
    message: Message | None = None
    call: Call | None = None
    detail: dict[str, Any] = field(default_factory=dict)

"""An agent's voice in one session of the sandbox hub: what all steps of a scenario need."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from bridge.sandbox.hub_families import Family, Json, Wire
from bridge.sandbox.hub_session import Session
from bridge.sandbox.hub_state import HubState


@dataclass(slots=True, frozen=True)
class Waiting:
    """The agent waits for a person: ``what`` is ask, question, plan or reply; ``visitor`` what the visitor does."""

    what: str
    visitor: str
    session: str
    request: str = ""
    answers: tuple[str, ...] = ()
    """Of a question: all options the visitor takes, in order (`hub_steps.Question`); ``visitor`` is the first."""


class TurnOver(Exception):
    """The rest of the turn does not happen."""


class Actor:
    """Speaks in a session. ``speed`` 10 means ten times as fast."""

    def __init__(
        self, state: HubState, session: Session, family: Family, *, speed: float, on_wait: Callable[[Waiting], None]
    ) -> None:
        self.state = state
        self.session = session
        self.family = family
        self.said = {"reply": "", "answer": ""}
        """What texts may quote, in braces."""
        self._speed = speed
        self._on_wait = on_wait

    async def pause(self, seconds: float) -> None:
        """Let so much of the scenario's time pass."""
        await asyncio.sleep(seconds / self._speed)

    def say(self, wire: Wire) -> None:
        """A row of the agent's."""
        self.state.say(self.session, *wire)

    def call(self, tool: str, arguments: Json) -> str:
        """The call of a tool; its id."""
        call = f"call_{uuid.uuid4().hex[:16]}"
        self.say(self.family.tool_call(call, tool, arguments))
        return call

    def ready(self) -> None:
        """The turn is over."""
        self.state.think(self.session, False)
        self.say(("event", {"type": "ready"}))

    def wait_for(self, what: str, visitor: str | tuple[str, ...], request: str = "") -> None:
        """Tell that a person's turn has come."""
        acts = (visitor,) if isinstance(visitor, str) else visitor
        answers = acts if what == "question" else ()
        self._on_wait(Waiting(what, self.filled(acts[0]), self.session.id, request, answers))

    def filled(self, text: str) -> str:
        """A text with what was said before in the place of its braces."""
        for name, value in self.said.items():
            text = text.replace("{" + name + "}", value)
        return text

"""Marks on people's messages: 👀 queued, 👌 taken. Decoration: it never blocks or fails what it decorates."""

from __future__ import annotations

import asyncio
from typing import Literal

import structlog

from bridge.chat.capabilities import Capability
from bridge.chat.errors import OutcomeUnknown, RetryAfter, SurfaceError, Unreachable
from bridge.delivery.places import place_of
from bridge.relay.desk import Desk
from bridge.relay.notes import is_message
from bridge.store import conversations, says
from bridge.store.records import SayState

Mark = Literal["queued", "taken", "failed", "none"]
MARK_OF: dict[SayState, Mark] = {
    "queued": "queued",
    "taken": "taken",
    "failed": "failed",
    "indeterminate": "failed",
    "cancelled": "none",
}
MOST = 500
"""Marks that may wait; older ones give way, they are only decoration."""
LONGEST_WAIT_S = 30.0
AGAIN_S = (1.0, 3.0, 9.0)
"""Waits before a mark is set again that got no answer; then it is given up."""

log = structlog.get_logger(__name__)


class Marks:
    """Sets the newest mark of each message, one at a time."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._wanted: dict[str, Mark] = {}
        self._unanswered = 0
        """Marks in a row that got no answer."""
        self._bell = asyncio.Event()

    def want(self, local_ids: list[str], state: SayState) -> None:
        """Messages came into a state: show it on them."""
        mark = MARK_OF.get(state)
        if mark is None:
            return
        for local_id in local_ids:
            self._wanted.pop(local_id, None)
            self._wanted[local_id] = mark
        while len(self._wanted) > MOST:
            self._wanted.pop(next(iter(self._wanted)))
        self._bell.set()

    @property
    def waiting(self) -> int:
        """Marks still to be set."""
        return len(self._wanted)

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self._bell.wait()
            self._bell.clear()
            while self._wanted:
                local_id = next(iter(self._wanted))
                await self._set(local_id, self._wanted.pop(local_id))

    async def _set(self, local_id: str, mark: Mark) -> None:
        """Mark a message, and those that went as part of it."""
        async with self._desk.store.read() as tx:
            say = await says.get(tx, local_id)
            place = await conversations.get(tx, say.conversation_id) if say is not None else None
            pieces = [say, *await says.joined_to(tx, say)] if say is not None else []
        link = self._desk.links_by_name.get(place.surface) if place is not None else None
        if place is None or link is None or Capability.REACTIONS not in link.surface.capabilities:
            return
        for piece in pieces:
            if not is_message(piece.message):
                continue
            try:
                await link.surface.react(place_of(place, ""), piece.message, mark)
                self._unanswered = 0
            except RetryAfter as wait:
                self._wanted.setdefault(local_id, mark)
                await asyncio.sleep(min(wait.seconds, LONGEST_WAIT_S))
                return
            except (Unreachable, OutcomeUnknown) as error:
                # Half of it may be done: the mark before is still there, and would tell what is not so any more.
                log.info("mark.not_answered", mark=mark, error=str(error))
                if self._unanswered < len(AGAIN_S):
                    self._wanted.setdefault(local_id, mark)
                    await asyncio.sleep(AGAIN_S[self._unanswered])
                    self._unanswered += 1
                    return
            except SurfaceError as error:
                log.info("mark.not_set", mark=mark, error=str(error))

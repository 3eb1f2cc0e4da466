"""The usage limit that holds an agent up: told when it is reached, and once more when its time is over. No I/O."""

from __future__ import annotations

from typing import Any

from bridge.cards.turn.events import Notice
from bridge.cards.turn.notices import present_limit_over
from bridge.cards.words import number
from bridge.transcript.blocks import AgentEvent, Block

LONGEST_MS = 40 * 86_400_000
"""A limit that is said to last longer is not waited for."""


class LimitWatch:
    """Remembers the newest limit that was reached; ``ends_ms`` is 0 where none is waited for."""

    def __init__(self, ends_ms: Any = 0) -> None:
        """``ends_ms``: what was stored of it."""
        self.ends_ms = int(number(ends_ms) or 0)
        self._turn = ""

    def hear(self, block: Block, turn: str, now_ms: int) -> None:
        """Take an event of a turn; only a limit that is reached, and whose end (Unix seconds) is to come, matters."""
        if isinstance(block, AgentEvent) and block.type == "limit-reached":
            ends_ms = int((number(block.event.get("endsAt")) or 0) * 1000)
            self.ends_ms = ends_ms if now_ms < ends_ms < now_ms + LONGEST_MS else 0
            self._turn = turn

    def worked(self, turn: str) -> None:
        """The agent works in a turn: in another than the limit's, that says that the limit is over."""
        if turn != self._turn:
            self.ends_ms = 0

    def over(self, now_ms: int) -> tuple[str, Notice] | None:
        """The notice that the limit's time is over, once, with what it is about."""
        if not self.ends_ms or now_ms < self.ends_ms:
            return None
        name, self.ends_ms = f"limit/{self.ends_ms}", 0
        return name, present_limit_over()

"""The fold: wire messages and the session's `agentState` become blocks, one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.transcript.blocks import Block, Signal
from bridge.transcript.usage import Usage


@dataclass(slots=True, frozen=True)
class Changes:
    """What one step did to the root blocks. A change inside a child is a change of its root.

    `signals` are the events that no block shows, in order.
    """

    added: tuple[Block, ...] = ()
    changed: tuple[Block, ...] = ()
    removed: tuple[str, ...] = ()
    signals: tuple[Signal, ...] = ()


class Transcript:
    """One session's conversation. Messages are taken in the order given."""

    blocks: list[Block]
    latest_usage: Usage | None
    has_ready_event: bool
    unknown: Counter[str]

    def feed(self, message: Mapping[str, Any]) -> Changes:
        """Take one wire message; say what it changed."""
        raise NotImplementedError

    def set_agent_state(self, state: Mapping[str, Any] | None) -> Changes:
        """Take the session's `agentState`; say what it changed."""
        raise NotImplementedError

    def visible_blocks(self) -> list[Block]:
        """The root blocks with neighbouring small tools grouped."""
        raise NotImplementedError

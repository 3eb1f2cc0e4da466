"""One session of the sandbox hub: its record, its rows, and what its agent is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Literal

from bridge.sandbox.hub_pages import is_queued

Json = dict[str, Any]


@dataclass(slots=True, frozen=True)
class Signal:
    """What a client wants from the agent: ``message``, ``decision`` (with the call's body), ``abort`` or ``end``."""

    kind: Literal["message", "decision", "abort", "end"]
    request: str = ""
    approved: bool = False
    body: Json = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Session:
    """One session: the record as the hub gives it out, its rows, and the queue its agent listens to."""

    record: Json
    rows: list[Json] = field(default_factory=list)
    epoch: int = 0
    last_seq: int = 0
    signals: asyncio.Queue[Signal] = field(default_factory=asyncio.Queue)
    planned: set[str] = field(default_factory=set)
    """The ``localId`` of each message whose time has not come: it is queued, but the agent does not see it yet."""
    reachable: bool = True
    """False: the CLI's socket is gone, so decisions and aborts answer 500 (the session still counts as active)."""
    knows: dict[str, list[Json]] = field(default_factory=dict)
    """What the agent lists of itself, by the endpoint's name: ``slash-commands``, ``skills``, ``codex-models`` …"""
    refuses: str = ""
    """Why the agent takes no setting, if it does not."""
    resumes: Literal["same", "anew", "never"] = "same"
    """Whether it can go on once it ended, and whether under the same id."""

    @property
    def id(self) -> str:
        return str(self.record["id"])

    @property
    def requests(self) -> Json:
        """The permission requests that are open."""
        return dict(self.record["agentState"]["requests"])

    @property
    def completed(self) -> Json:
        """The permission requests that were answered."""
        return dict(self.record["agentState"]["completedRequests"])

    @property
    def queued(self) -> list[Json]:
        """The users' messages that the agent can take and has not taken yet, oldest first."""
        return [row for row in self.rows if is_queued(row) and row["localId"] not in self.planned]

    def row(self, message_or_local_id: str) -> Json | None:
        """The row with this id or ``localId``."""
        named = (row for row in self.rows if message_or_local_id in (row["id"], row["localId"]))
        return next(named, None)

"""Faults to order from the sandbox hub. Countable, never by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["status", "slow", "drop", "lost-answer"]


@dataclass(slots=True, eq=False)
class Fault:
    """One order: what happens to the next ``times`` calls whose path contains ``path``."""

    kind: Kind
    path: str
    times: int
    status: int = 500
    seconds: float = 0.0


@dataclass(slots=True)
class HubFaults:
    """The orders in force. ``duplicate_events``: each event goes out twice, with the same id."""

    duplicate_events: bool = False
    pending: list[Fault] = field(default_factory=list)
    hits: list[tuple[Kind, str]] = field(default_factory=list)

    def fail(self, path: str = "/api/", *, status: int = 500, times: int = 1) -> None:
        """Plain-text answers with this status; nothing is done."""
        self.pending.append(Fault("status", path, times, status=status))

    def slow(self, path: str = "/api/", *, seconds: float, times: int = 1) -> Fault:
        """Calls are served after a wait."""
        fault = Fault("slow", path, times, seconds=seconds)
        self.pending.append(fault)
        return fault

    def drop(self, path: str = "/api/", *, times: int = 1) -> None:
        """The connection drops before anything is done."""
        self.pending.append(Fault("drop", path, times))

    def lose_answer(self, path: str = "/api/", *, times: int = 1) -> None:
        """The call is served, then the connection drops before the answer."""
        self.pending.append(Fault("lost-answer", path, times))

    def call_off(self, fault: Fault) -> None:
        """Calls one order off, if it is still in force."""
        if fault in self.pending:
            self.pending.remove(fault)

    def take(self, path: str) -> Fault | None:
        """The fault that hits a call to ``path``, if any; uses one of its times up."""
        for fault in self.pending:
            if fault.path in path:
                fault.times -= 1
                if fault.times <= 0:
                    self.pending.remove(fault)
                self.hits.append((fault.kind, path))
                return fault
        return None

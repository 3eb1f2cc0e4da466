"""Faults to order from a sandbox server: what goes wrong with the next calls. Countable, never by chance."""

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What happens to a call."""

    FLOOD = "flood"  # 429 with the wait, not performed
    ERROR = "error"  # 500 or 502 and the like, not performed
    LOST_ANSWER = "lost answer"  # performed, then the connection drops: the outcome is unknown to the bot
    DROP = "drop"  # the connection drops before anything is performed
    DELAY = "delay"  # performed after a wait


@dataclass(slots=True, eq=False)
class Fault:
    """One order. ``method`` "*" means any that is not spared; ``times`` and ``skip`` count down; ``seconds`` is the
    wait a flood names, or the delay. ``every`` 3 means that two calls pass after each that is hit.
    """

    kind: Kind
    method: str
    times: int
    seconds: float = 0.0
    code: int = 500
    skip: int = 0
    every: int = 1


@dataclass(slots=True)
class Faults:
    """The orders in force, oldest first, and the ``hits`` so far as (method, kind).

    ``spared`` is the method that orders for "*" leave alone: the one by which updates come.
    """

    spared: str = ""

    pending: list[Fault] = field(default_factory=list)
    hits: list[tuple[str, Kind]] = field(default_factory=list)

    def flood(self, method: str = "*", *, times: int = 1, retry_after: int = 1, skip: int = 0) -> Fault:
        """The next ``times`` calls of ``method``, after ``skip`` good ones, get 429 with ``retry_after``
        (whole seconds).
        """
        return self.order(Fault(Kind.FLOOD, method, times, seconds=retry_after, skip=skip))

    def error(self, method: str = "*", *, times: int = 1, code: int = 500, skip: int = 0) -> Fault:
        """The next calls are answered with an HTTP error (500, 502, 503, 504) and not performed."""
        return self.order(Fault(Kind.ERROR, method, times, code=code, skip=skip))

    def lose_answer(self, method: str = "*", *, times: int = 1, skip: int = 0) -> Fault:
        """The next calls are performed, but the connection drops before the answer."""
        return self.order(Fault(Kind.LOST_ANSWER, method, times, skip=skip))

    def drop(self, method: str = "*", *, times: int = 1, skip: int = 0) -> Fault:
        """The connection of the next calls drops before anything is performed."""
        return self.order(Fault(Kind.DROP, method, times, skip=skip))

    def delay(self, method: str = "*", *, seconds: float, times: int = 1, skip: int = 0) -> Fault:
        """The next calls wait this long before they are performed; long enough makes the client time out."""
        return self.order(Fault(Kind.DELAY, method, times, seconds=seconds, skip=skip))

    def order(self, fault: Fault) -> Fault:
        """Any order, as one wants it."""
        self.pending.append(fault)
        return fault

    def call_off(self, fault: Fault) -> None:
        """Calls one order off, if it is still in force."""
        if fault in self.pending:
            self.pending.remove(fault)

    def clear(self) -> None:
        """Calls every pending order off."""
        self.pending.clear()

    def take(self, method: str) -> Fault | None:
        """The fault that hits this call, if any; uses one of its times up."""
        for fault in self.pending:
            if fault.method.lower() != method.lower() and (fault.method != "*" or method == self.spared):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            fault.times -= 1
            fault.skip = fault.every - 1
            if fault.times <= 0:
                self.pending.remove(fault)
            self.hits.append((method, fault.kind))
            return fault
        return None

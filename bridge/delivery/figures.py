"""What the courier tells about itself. The observe room binds this to its metrics."""

from __future__ import annotations

from typing import Protocol

from bridge.store.records import Urgency


class Figures(Protocol):
    """Receives the courier's figures. Methods return at once and never raise."""

    def queued(self, surface: str, waiting: dict[Urgency, int]) -> None:
        """How many deliveries wait now, by urgency (a gauge; urgencies left out are 0)."""
        ...

    def delivered(self, surface: str, urgency: Urgency, waited_ms: int) -> None:
        """A post stands in a conversation in full, so long after it was last wished (a histogram)."""
        ...

    def called(self, surface: str, what: str, outcome: str) -> None:
        """A call was made: ``what`` is send, edit, delete, find or open; ``outcome`` ok or the error's name."""
        ...

    def closed(self, surface: str, whole_bot: bool, seconds: float) -> None:
        """The platform asked to wait, or was not reached: nothing is said to it for so long."""
        ...


class NoFigures:
    """Tells nobody."""

    def queued(self, surface: str, waiting: dict[Urgency, int]) -> None:
        return None

    def delivered(self, surface: str, urgency: Urgency, waited_ms: int) -> None:
        return None

    def called(self, surface: str, what: str, outcome: str) -> None:
        return None

    def closed(self, surface: str, whole_bot: bool, seconds: float) -> None:
        return None

"""What the hub side counts. One object is shared by its parts and read by the metrics."""

from collections import Counter
from dataclasses import dataclass, field

#: Names come from outside, so their number is bounded; the rest is counted together.
_MOST_NAMES = 50


@dataclass(slots=True)
class HubCounts:
    """Totals since start."""

    token_exchanges: int = 0
    calls: int = 0
    calls_failed: int = 0
    connects: int = 0
    resumed: int = 0
    gaps: int = 0
    disconnects: int = 0
    events: int = 0
    undecodable_frames: int = 0
    """Event frames that were no JSON object; each is also told to the listener."""
    dulled_values: int = 0
    """Subtrees replaced because they were nested too deeply (``wire.TOO_DEEP``)."""
    skipped_elements: int = 0
    """Elements of a REST answer that were no message, or had no id."""
    unknown_events: Counter[str] = field(default_factory=Counter)

    def unknown_event(self, name: str) -> None:
        """Count an event type this bridge does not know; at most 50 names are kept apart, the rest is ``other``."""
        known = name in self.unknown_events or len(self.unknown_events) < _MOST_NAMES
        self.unknown_events[name[:60] if known else "other"] += 1

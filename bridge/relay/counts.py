"""What the relay counts, for the metrics."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class RelayCounts:
    """Totals since start."""

    unknown_types: Counter[str] = field(default_factory=Counter)
    """Kinds of content the decoder does not know, by name; each was shown in a dull form."""
    failed_events: int = 0
    """Hub events that could not be worked through; each was logged."""
    given_up_updates: int = 0
    """People's updates set aside after several tries; each was logged."""
    digests: int = 0
    """Times that many missed texts were sent as one file."""

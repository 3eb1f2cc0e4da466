"""How the bridge behaves towards people: what they set once and every part of the relay goes by."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Manners:
    """``pause_ms``: how long a message waits for a next one it is put together with. ``zone``: the people's time."""

    zone: ZoneInfo
    pause_ms: int

"""How the bridge behaves towards people: what they set once and every part of the relay goes by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from bridge.relay.reminding import Patience


@dataclass(frozen=True, slots=True)
class Manners:
    """``pause_ms``: how long a message waits for a next one it is put together with. ``zone``: the people's time.

    ``invitation_ms``: how long a pairing code can be used. ``audit_kept_ms``: how long lines of the audit log stay.
    ``undecided_ms``: after how long what nobody decides on is given up, see :mod:`bridge.relay.people.words.lapsing`.
    ``scenarios``: the directory with the texts that ``/scenario`` offers.
    ``home_post``: whether people have one. ``patience``: see :mod:`bridge.relay.reminding`.
    """

    zone: ZoneInfo
    pause_ms: int
    invitation_ms: int
    audit_kept_ms: int
    undecided_ms: int
    scenarios: Path | None
    home_post: bool
    patience: Patience

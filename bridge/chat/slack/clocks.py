"""Slack's clock and ours: what Slack says of when something happened, in our time.

Whether a press or a text came late is told by our clock (``relay``); a clock that is minutes off must not make
everything late.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Final

ALIKE_MS: Final = 5_000
"""``Date`` has whole seconds, and an answer takes its time: smaller differences are none."""


def ahead_ms(date: str | None, now_ms: int) -> int:
    """How far our clock is ahead of that of an HTTP answer's ``Date`` (ms; negative: behind). 0 where they are alike,
    or the header can't be read."""
    try:
        theirs_ms = int(parsedate_to_datetime(date or "").timestamp() * 1000)
    except (ValueError, TypeError, OverflowError):
        return 0
    ahead = now_ms - theirs_ms
    return ahead if abs(ahead) >= ALIKE_MS else 0

"""When a message to the sandbox hub shall go, as the call says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.sandbox.hub_answers import Refused

MOST_AHEAD_MS = 7 * 86_400_000


def planned_at(body: Mapping[str, Any], now: int) -> int | None:
    """``scheduledAt`` of a message, epoch ms as ``now``; ``None``: at once. Raises `Refused` as the real hub does."""
    at, words = body.get("scheduledAt"), ""
    if at is None:
        return None
    if not isinstance(at, int) or isinstance(at, bool):
        words = "Invalid input: expected number"
    elif at <= 0:
        words = "Too small: expected number to be >0"
    elif at - now > MOST_AHEAD_MS:
        words = "scheduledAt must be within 7 days from now"
    if words:
        raise Refused(400, "Invalid body", issues={"formErrors": [], "fieldErrors": {"scheduledAt": [words]}})
    return int(at)

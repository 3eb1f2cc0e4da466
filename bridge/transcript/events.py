"""The `event` family, and which events are no blocks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bridge.transcript.agent_runs import AGENT_RUNS, decode_agent_run
from bridge.transcript.blocks import Origin
from bridge.transcript.parts import Entry, TextPart
from bridge.transcript.values import count, record, stringify

SILENT = frozenset(
    ("ready", "turn-duration", "abort-restore", "token-count", "thread-goal-updated", "thread-goal-cleared")
)
"""Events that no block shows; the fold passes them on as signals."""

_SHOWN = ("switch", "message", "error", "title-changed", "limit-reached", "limit-warning", "api-error")
_SHOWN_TOO = ("microcompact", "compact", "compact-summary", "recap")
KNOWN = SILENT.union(_SHOWN, _SHOWN_TOO)


def decode_event(payload: dict[str, Any], origin: Origin, unknown: Counter[str]) -> Entry | None:
    """An event row; any object with a text `type` is one, known or not."""
    data = record(payload.get("data"))
    kind = data.get("type") if data is not None else None
    if data is None or not isinstance(kind, str):
        count(unknown, "event:untyped")
        return Entry(origin, "agent", [TextPart(stringify(payload))])
    if kind in AGENT_RUNS:
        return decode_agent_run(data, origin)
    if kind not in KNOWN:
        count(unknown, f"event:{kind}")
    return Entry(origin, "event", event=data)

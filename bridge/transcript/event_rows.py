"""Event rows that say what the row before already says."""

from __future__ import annotations

from typing import Any

from bridge.transcript.blocks import ABSENT, AgentEvent, Block
from bridge.transcript.values import same

_FIELDS = {
    "switch": ("mode",),
    "message": ("message",),
    "error": ("message",),
    "title-changed": ("title",),
    "limit-reached": ("endsAt", "limitType"),
    "limit-warning": ("utilization", "endsAt", "limitType"),
    "microcompact": ("trigger", "preTokens", "tokensSaved"),
    "compact": ("trigger", "preTokens"),
    "compact-summary": ("summary", "tokensBefore", "estimatedTokensAfter"),
    "recap": ("text",),
}
"""What tells two events of a known type apart; of an unknown type, everything does."""


def fold_event(before: Block | None, block: AgentEvent) -> str:
    """What becomes of an event after the block before it: `keep`, `drop`, or `replace` that block."""
    if not isinstance(before, AgentEvent):
        return "keep"
    first, second = before.event, block.event
    kind = second["type"]
    if first["type"] == kind == "api-error":
        return "replace"
    if first["type"] == "title-changed" and kind == "message":
        title = first.get("title")
        return "drop" if isinstance(title, str) and title == second.get("message") else "keep"
    return "drop" if _says_the_same(kind, first, second) else "keep"


def _says_the_same(kind: str, first: dict[str, Any], second: dict[str, Any]) -> bool:
    fields = _FIELDS.get(kind)
    if fields is None:
        return same(first, second)
    return first["type"] == kind and all(same(first.get(key, ABSENT), second.get(key, ABSENT)) for key in fields)

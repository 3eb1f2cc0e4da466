"""Event rows that say what the row before already says."""

from __future__ import annotations

from bridge.transcript.blocks import AgentEvent, Block


def fold_event(before: Block | None, block: AgentEvent) -> str:
    """What becomes of an event after the block before it: `keep`, `drop`, or `replace` that block."""
    if not isinstance(before, AgentEvent):
        return "keep"
    first, second = before.event, block.event
    if first["type"] == "api-error" and second["type"] == "api-error":
        return "replace"
    if first == second:
        return "drop"
    if first["type"] == "title-changed" and second["type"] == "message":
        return "drop" if first.get("title") == second.get("message") else "keep"
    return "keep"

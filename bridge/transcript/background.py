"""Tasks that go on in the background: what their calls and the notices of their ends say."""

from __future__ import annotations

import re
from typing import Any

from bridge.transcript.blocks import ToolCall
from bridge.transcript.details import BackgroundEnd
from bridge.transcript.values import record, trimmed

_TOLD = re.compile(r"\brunning in background with ID: ?([\w.-]{1,80}?)\.?(?:\s|$)")
_FAILED = frozenset(("failed", "error", "killed", "canceled", "cancelled", "stopped"))


def background_task(block: ToolCall) -> str | None:
    """The id of the task that a call has put into the background; None where it is an ordinary call."""
    result = block.tool.result
    fields = record(result)
    told = fields.get("backgroundTaskId") if fields is not None else None
    if isinstance(told, str) and told:
        return told
    if isinstance(result, list) and result:
        fields = record(result[0])
    text = result if isinstance(result, str) else fields.get("text") if fields is not None else None
    found = _TOLD.search(text[:400]) if isinstance(text, str) else None
    return found[1] if found else None


def background_end(prompt: str) -> BackgroundEnd | None:
    """Which task a `<task-notification>` is about, and whether it failed; None where it names none."""
    task = _tagged(prompt, "task-id")
    return BackgroundEnd(task, _tagged(prompt, "status").lower() in _FAILED) if task else None


def _tagged(prompt: str, tag: str) -> str:
    # Not a pattern: where many open and none closes, it would look for the end from every one of them.
    _, _, after = prompt.partition(f"<{tag}>")
    said, closing, _ = after.partition(f"</{tag}>")
    value: Any = trimmed(said) if closing else ""
    return str(value)

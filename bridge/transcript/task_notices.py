"""What the system puts in as a prompt: notices of background tasks."""

from __future__ import annotations

from typing import Any

from bridge.transcript.values import trimmed


def notice_event(prompt: str) -> dict[str, Any] | None:
    """The message event in a `<task-notification>`; None where the prompt is none or says nothing."""
    if not trimmed(prompt).startswith("<task-notification>"):
        return None
    # Not a pattern: where many open and none closes, it would look for the end from every one of them.
    _, _, after = prompt.partition("<summary>")
    said, closing, _ = after.partition("</summary>")
    summary = trimmed(said) if closing else ""
    return {"type": "message", "message": summary} if summary else None

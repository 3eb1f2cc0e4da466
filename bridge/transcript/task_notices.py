"""What the system puts in as a prompt: notices of background tasks."""

from __future__ import annotations

import re
from typing import Any

_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)


def notice_event(prompt: str) -> dict[str, Any] | None:
    """The message event in a `<task-notification>`; None where the prompt is none or says nothing."""
    if not prompt.lstrip().startswith("<task-notification>"):
        return None
    found = _SUMMARY.search(prompt)
    summary = found[1].strip() if found is not None else ""
    return {"type": "message", "message": summary} if summary else None

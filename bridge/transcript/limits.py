"""Usage limits that the CLI writes as agent text instead of events."""

from __future__ import annotations

import re
from typing import Any

_REACHED = re.compile(r"Claude AI usage limit reached\|(\d{1,15})(?:\|([^|\s]*))?", re.ASCII)
_WARNING = re.compile(r"Claude AI usage limit warning\|(\d{1,15})\|(\d{1,6})\|([^|\s]*)", re.ASCII)


def limit_event(text: str) -> dict[str, Any] | None:
    """The event that such a text stands for; `endsAt` in Unix seconds, `utilization` from 0 to 1."""
    if not text.startswith("Claude AI usage limit "):
        return None
    found = _REACHED.fullmatch(text)
    if found is not None:
        return {"type": "limit-reached", "endsAt": int(found[1]), "limitType": found[2] or ""}
    found = _WARNING.fullmatch(text)
    if found is not None:
        share = int(found[2]) / 100
        return {"type": "limit-warning", "utilization": share, "endsAt": int(found[1]), "limitType": found[3]}
    return None

"""Reading Telegram's JSON without trust: whatever stands where something is expected, nothing raises (invariant 5)."""

from __future__ import annotations

from typing import Any

from bridge.cards.text import clean

Json = dict[str, Any]


def child(holder: Any, field: str) -> Json:
    """An object, empty where there is none."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return value if isinstance(value, dict) else {}


def children(holder: Any, field: str) -> list[Json]:
    """The objects of a list."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def string(holder: Any, field: str) -> str:
    """A text without what no store or hub takes; empty where there is none."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return str(clean(value)) if isinstance(value, str) else ""


def count(holder: Any, field: str) -> int:
    """A whole number that is not negative; 0 where there is none."""
    value = holder.get(field) if isinstance(holder, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def identity(holder: Any, field: str) -> str | None:
    """An id as text: a number, or a text that is not empty."""
    value = holder.get(field) if isinstance(holder, dict) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return str(clean(value)) if isinstance(value, str) and value else None

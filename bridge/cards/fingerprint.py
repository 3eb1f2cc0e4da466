"""The hash that ties a button to the exact arguments its card showed (invariant 4)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from bridge.cards.layout import canonical


def argument_hash(tool: str, arguments: Any) -> str:
    """32 hex digits that stand for a tool and its arguments, the same in every process.

    The order of keys is no difference; any other change is one. Total for any JSON: NaN, huge numbers, any depth.
    """
    return hash_of_text(tool, canonical_text(arguments))


def hash_of_text(tool: str, text: str) -> str:
    """The same, from what `canonical_text` gave for the arguments."""
    whole = f"{canonical_text(tool)}\n{text}"
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def canonical_text(value: Any) -> str:
    """The value as JSON without white space and with sorted keys. Total for any JSON.

    By the library's fast encoder where that can: megabytes are read on the way of every event.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (RecursionError, ValueError, TypeError):
        return "".join(canonical(value))


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, as their canonical texts would say, without writing them: 1, 1.0 and true
    differ, and so do 0.0 and -0.0; the order of keys is no difference. What is too deep to tell differs."""
    try:
        return _same(one, other)
    except RecursionError:
        return False


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(key in other and _same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)

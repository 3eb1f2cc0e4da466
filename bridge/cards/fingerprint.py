"""The hash that ties a button to the exact arguments its card showed (invariant 4)."""

from __future__ import annotations

import hashlib
from typing import Any

from bridge.cards.layout import canonical


def argument_hash(tool: str, arguments: Any) -> str:
    """32 hex digits that stand for a tool and its arguments, the same in every process.

    The order of keys is no difference; any other change is one. Total for any JSON: NaN, huge numbers, any depth.
    """
    digest = hashlib.sha256()
    for part in (*canonical(tool), "\n", *canonical(arguments)):
        digest.update(part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]

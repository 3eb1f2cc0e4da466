"""Token usage: what the agent's messages carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, frozen=True)
class Usage:
    """The latest usage a message carried, in tokens. `context_size` = input with both cache figures."""

    input_tokens: Any
    output_tokens: Any
    context_size: Any
    context_window: Any = None

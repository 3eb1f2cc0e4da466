"""Token usage, as messages carry it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.transcript.values import added, first_number, number, record


@dataclass(slots=True, frozen=True)
class Usage:
    """The usage a message carried, in tokens. `context_size` counts the input with both cache figures."""

    input_tokens: Any
    output_tokens: Any
    context_size: Any
    context_window: Any = None

    def to_json(self) -> dict[str, Any]:
        """The reference's projection (`expected.latestUsage`)."""
        return {
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "contextSize": self.context_size,
            "contextWindow": self.context_window,
        }


def claude_usage(value: Any) -> Usage | None:
    """Usage from `message.usage` of an assistant entry; None unless both token counts are numbers."""
    usage = record(value)
    if usage is None:
        return None
    taken, made = number(usage.get("input_tokens")), number(usage.get("output_tokens"))
    if taken is None or made is None:
        return None
    cached = [number(usage.get(key)) or 0 for key in ("cache_creation_input_tokens", "cache_read_input_tokens")]
    return Usage(taken, made, added(*cached, taken), number(usage.get("context_window")))


_SAMPLES = ("last", "last_token_usage", "lastTokenUsage", "total", "total_token_usage", "totalTokenUsage")


def codex_usage(data: Mapping[str, Any]) -> Usage | None:
    """Usage from a `token_count`: `info.last*` before `info.total*`, in either spelling."""
    info = record(data.get("info"))
    if info is None:
        return None
    for key in _SAMPLES:
        sample = record(info.get(key))
        if sample is None:
            continue
        taken = first_number(sample, "input_tokens", "inputTokens")
        made = first_number(sample, "output_tokens", "outputTokens")
        if taken is None or made is None:
            continue
        context = first_number(sample, "context_tokens", "contextTokens")
        window = first_number(info, "modelContextWindow", "model_context_window", "context_window")
        return Usage(taken, made, taken if context is None else context, window)
    return None

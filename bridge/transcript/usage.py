"""Token usage: what messages carry, and what the second contract's `session.updated` tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
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


CACHE_HIT_LIMIT = 99.0
"""The second contract caps the shown cache hit rate here, in percent."""

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "current_context_tokens": ("current_context_tokens", "currentContextTokens"),
    "estimated_next_round_tokens": ("estimated_next_round_tokens", "estimatedNextRoundTokens"),
    "compression_threshold": ("compression_threshold", "compressionThreshold"),
    "compression_progress": ("compression_progress", "compressionProgress"),
    "rounds_until_compression": ("rounds_until_compression", "roundsUntilCompression"),
    "total_tokens": ("total_tokens", "totalTokens"),
    "total_cost_usd": ("total_cost_usd", "totalCostUsd"),
    "total_input_tokens": ("total_input_tokens", "totalInputTokens"),
    "total_output_tokens": ("total_output_tokens", "totalOutputTokens"),
    "cached_read_tokens": (
        "cached_read",
        "cachedRead",
        "cached_read_tokens",
        "cachedReadTokens",
        "total_cached_read_tokens",
        "totalCachedReadTokens",
    ),
}


class Colour(StrEnum):
    """How full the context will be: below 50 %, to 70 %, above."""

    BLUE = "blue"
    YELLOW = "yellow"
    RED = "red"


@dataclass(slots=True, frozen=True)
class SessionUsage:
    """A session's totals, in tokens and US dollars; None where the wire does not say."""

    current_context_tokens: int | float | None = None
    estimated_next_round_tokens: int | float | None = None
    compression_threshold: int | float | None = None
    compression_progress: int | float | None = None
    rounds_until_compression: int | float | None = None
    total_tokens: int | float | None = None
    total_cost_usd: int | float | None = None
    total_input_tokens: int | float | None = None
    total_output_tokens: int | float | None = None
    cached_read_tokens: int | float | None = None

    @property
    def cache_hit_rate(self) -> float | None:
        """Cache reads as percent of all input, at most 99; None where no input is known."""
        if self.cached_read_tokens is None or not self.total_input_tokens or self.total_input_tokens < 0:
            return None
        return min(CACHE_HIT_LIMIT, max(0.0, self.cached_read_tokens / self.total_input_tokens * 100))

    @property
    def share(self) -> float | None:
        """The next round's estimate as percent of the compression threshold; None where either is unknown."""
        return context_share(self.estimated_next_round_tokens, self.compression_threshold)

    @property
    def colour(self) -> Colour | None:
        """The share's colour step."""
        return colour_of(self.share)


def read_session_usage(value: Any) -> SessionUsage | None:
    """The usage in a `session.updated`, snake_case or camelCase; None where it has no figure at all."""
    fields = record(value)
    if fields is None:
        return None
    figures = {name: first_number(fields, *spellings) for name, spellings in _SPELLINGS.items()}
    return SessionUsage(**figures) if any(each is not None for each in figures.values()) else None


def context_share(next_round: float | None, threshold: float | None) -> float | None:
    """`next_round` as percent of `threshold`, both in tokens; None where either is unknown or no threshold."""
    if next_round is None or threshold is None or threshold <= 0:
        return None
    return max(0.0, next_round / threshold * 100)


def colour_of(share: float | None) -> Colour | None:
    """Blue below 50 %, yellow to 70 %, red above; None for no share."""
    if share is None:
        return None
    if share < 50:
        return Colour.BLUE
    return Colour.YELLOW if share <= 70 else Colour.RED


@dataclass(slots=True)
class RoundEstimate:
    """Predicts the next round's context from the rounds so far: the last size and an EWMA of its growth."""

    weight: float = 0.3
    """How much the newest round counts, from 0 to 1."""
    context: float | None = None
    growth: float | None = None

    def observe(self, context_tokens: float) -> None:
        """Take a finished round's context size. A smaller one is a compaction: growth is kept as it was."""
        if self.context is not None and context_tokens >= self.context:
            step = context_tokens - self.context
            self.growth = step if self.growth is None else self.weight * step + (1 - self.weight) * self.growth
        self.context = context_tokens

    @property
    def next_round_tokens(self) -> int | None:
        """The estimate for the next round; None before the first."""
        return None if self.context is None else round(self.context + (self.growth or 0))

    def rounds_until(self, threshold: float | None) -> int | None:
        """Whole rounds that still fit under `threshold`; None where that can't be told."""
        if threshold is None or threshold <= 0 or self.context is None:
            return None
        if self.context >= threshold:
            return 0
        if not self.growth:
            return None
        return int((threshold - self.context) // self.growth)

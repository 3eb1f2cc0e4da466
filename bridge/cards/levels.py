"""Levels: how much a conversation wants to see."""

from __future__ import annotations

from typing import Literal

Level = Literal["quiet", "normal", "full"]
"""How much a conversation wants to see: answers, approvals and limits; plus activity; plus every tool card."""
LEVELS: tuple[Level, ...] = ("quiet", "normal", "full")
"""From least to most shown."""


def admits(level: Level, min_level: Level) -> bool:
    """Whether a conversation at ``level`` shows posts that ask for ``min_level``: ``quiet`` posts show everywhere."""
    return LEVELS.index(min_level) <= LEVELS.index(level)

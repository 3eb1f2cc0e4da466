"""Health: what each part says of itself, for `/readyz`, `doctor` and the log's "back again" lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["starting", "ok", "failing"]


@dataclass(slots=True, frozen=True)
class Part:
    """One part's word on itself; ``words`` say what is wrong, for people, without secrets."""

    state: State
    words: str = ""


class Health:
    """Ready once every part that was named is ok."""

    def __init__(self, *parts: str) -> None:
        self._parts: dict[str, Part] = {name: Part("starting") for name in parts}

    def tell(self, part: str, state: State, words: str = "") -> bool:
        """Note a part's state; whether that is news, so that a failure and its end are each logged once."""
        before = self._parts.get(part)
        self._parts[part] = Part(state, words)
        return before is None or before.state != state

    @property
    def ready(self) -> bool:
        return all(part.state == "ok" for part in self._parts.values())

    def report(self) -> dict[str, dict[str, str]]:
        """Every part's state and words."""
        return {name: {"state": part.state, "words": part.words} for name, part in self._parts.items()}

"""What the courier says that people should hear."""

from __future__ import annotations

from typing import Protocol

from bridge.chat.surface import Place


class Listener(Protocol):
    """Hears of trouble. Methods are short: the courier waits for them, and they must not call it."""

    async def on_trouble(self, words: str) -> None:
        """The platform can't be reached. Said once; the courier keeps trying and nothing is lost."""
        ...

    async def on_recovered(self) -> None:
        """The platform answers again."""
        ...

    async def on_wait(self, place: Place, seconds: float) -> None:
        """The platform asked for a wait so long (over 30 s) that people should know."""
        ...


class NoListener:
    """Hears nothing."""

    async def on_trouble(self, words: str) -> None:
        return None

    async def on_recovered(self) -> None:
        return None

    async def on_wait(self, place: Place, seconds: float) -> None:
        return None

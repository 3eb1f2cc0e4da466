"""The courier's time, so that tests can turn it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass


async def _pause(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """Wall time for the store, steady time for budgets, and a wait that an event ends early."""

    now_ms: Callable[[], int] = _now_ms
    monotonic: Callable[[], float] = time.monotonic
    pause: Callable[[asyncio.Event, float], Awaitable[None]] = _pause

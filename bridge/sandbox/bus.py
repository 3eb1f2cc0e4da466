"""News of a sandbox server: its calls, and whoever waits for a state, or draws it, is told; nobody polls."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
E = TypeVar("E")
SUBSCRIBER_BOUND = 10_000


@dataclass(slots=True, frozen=True)
class Call:
    """One API call: when it came (seconds since the epoch), what it asked, and the HTTP code of the answer.

    Code 0: the connection was dropped. ``description`` says why it was refused, in the platform's words. ``fault``
    names an ordered fault. Files are shown by size and type. The token is never kept.
    """

    at: float
    method: str
    params: dict[str, Any]
    code: int
    description: str = ""
    fault: str = ""


@dataclass(slots=True, frozen=True)
class Filled:
    """How full a rate is at a moment (``at``, seconds since the epoch): ``used`` of ``of``; it drains within
    ``window_s`` seconds.
    """

    name: str
    used: float
    of: int
    window_s: float
    at: float


class EventBus(Generic[E]):
    """Fans events out to subscribers and wakes those who wait for a state."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self._queues: list[asyncio.Queue[E]] = []

    def emit(self, event: E) -> None:
        """Tells everybody. A subscriber 10,000 events behind loses the oldest: the state has all."""
        self._changed.set()
        self._changed = asyncio.Event()
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(event)

    @contextmanager
    def subscribe(self) -> Iterator[asyncio.Queue[E]]:
        """A queue that gets every event from now on."""
        queue: asyncio.Queue[E] = asyncio.Queue(SUBSCRIBER_BOUND)
        self._queues.append(queue)
        try:
            yield queue
        finally:
            self._queues.remove(queue)

    async def wait_for(self, predicate: Callable[[], T], timeout: float, what: str) -> T:
        """What ``predicate`` returns once that is true; it is asked after each event. TimeoutError names ``what``."""
        try:
            async with asyncio.timeout(timeout):
                while not (value := predicate()):
                    await self._changed.wait()
                return value
        except TimeoutError:
            raise TimeoutError(f"after {timeout} s still waiting for {what}") from None

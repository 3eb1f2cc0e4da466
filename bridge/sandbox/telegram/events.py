"""News of the sandbox: whoever waits for a state, or draws it, is told; nobody polls."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bridge.sandbox.telegram.state import Chat, Message

T = TypeVar("T")
SUBSCRIBER_BOUND = 10_000


@dataclass(slots=True, frozen=True)
class Call:
    """One Bot API call: when it came (seconds since the epoch), what it asked, and the code of the answer.

    Code 0: the connection was dropped. ``description`` is the sentence of a refusal. ``fault`` names an ordered fault.
    Files are shown by size and type. The token is never kept.
    """

    at: float
    method: str
    params: dict[str, Any]
    code: int
    description: str = ""
    fault: str = ""


@dataclass(slots=True, frozen=True)
class Event:
    """Something changed. ``kind`` is one of: call, poll, fault, message, edit, delete, press, answer, reaction, topic,
    action, pin, chat; ``detail`` says the rest.
    """

    kind: str
    at: float
    chat: Chat | None = None
    message: Message | None = None
    call: Call | None = None
    detail: dict[str, Any] = field(default_factory=dict)


class EventBus:
    """Fans events out to subscribers and wakes those who wait for a state."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self._queues: list[asyncio.Queue[Event]] = []

    def emit(self, event: Event) -> None:
        """Tells everybody. A subscriber 10,000 events behind loses the oldest: the state has all."""
        self._changed.set()
        self._changed = asyncio.Event()
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(event)

    @contextmanager
    def subscribe(self) -> Iterator[asyncio.Queue[Event]]:
        """A queue that gets every event from now on."""
        queue: asyncio.Queue[Event] = asyncio.Queue(SUBSCRIBER_BOUND)
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

"""The intake: what Slack delivers waits here until it is stored, and only then is acknowledged (invariant 1).

Slack delivers and waits three seconds; the core asks for batches and confirms one by asking for the next. Between the
two every delivery has a slot whose future is fulfilled by the confirmation. What is not stored in time is not
acknowledged: Slack delivers an event again, and tells the person who pressed a button that it did not work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from bridge.chat.errors import SurfaceError
from bridge.chat.surface import RawUpdate

MOST = 500
"""Deliveries that may wait at once; beyond that Slack is left to deliver again."""


@dataclass(slots=True, eq=False)
class _Slot:
    stored: asyncio.Future[None]
    update: RawUpdate | None = None
    """``None`` while it is being prepared."""


class Intake:
    """Takes deliveries in, hands batches out. Belongs to one event loop."""

    def __init__(self, limit_s: float) -> None:
        """``limit_s``: how long a delivery waits to be stored, in seconds."""
        self._limit_s = limit_s
        self._slots: list[_Slot] = []
        self._bell = asyncio.Event()
        self._trouble: SurfaceError | None = None
        self._heard = False

    async def store(self, prepare: Callable[[], Awaitable[RawUpdate]]) -> bool:
        """Wait until an update is stored; whether it was, in time. It has its place in the order from the call on,
        however long preparing it takes."""
        if len(self._slots) >= MOST:
            return False
        slot = _Slot(asyncio.get_running_loop().create_future())
        self._slots.append(slot)
        try:
            async with asyncio.timeout(self._limit_s):
                slot.update = await prepare()
                self._bell.set()
                await slot.stored
        except TimeoutError:
            return False
        finally:
            self._slots.remove(slot)
            self._bell.set()
        return True

    def connected(self) -> None:
        """The connection is up: whoever asks for batches hears of it by an empty one."""
        self._heard = True
        self._bell.set()

    def fail(self, trouble: SurfaceError) -> None:
        """The connection is lost: raised to whoever asks for batches."""
        self._heard = False
        self._trouble = trouble
        self._bell.set()

    async def batches(self) -> AsyncIterator[Sequence[RawUpdate]]:
        """All that waits, oldest first. Asking for the next batch says that the one before is stored.

        A batch whose iteration ends before that comes again, as far as Slack still waits for its acknowledgement.
        Raises what :meth:`fail` was told, once.
        """
        while True:
            taken = list(takewhile(lambda slot: slot.update is not None, self._open()))
            if taken or self._heard:
                self._heard = False
                yield [slot.update for slot in taken if slot.update is not None]
                for slot in taken:
                    if not slot.stored.done():  # else it waited too long
                        slot.stored.set_result(None)
            elif self._trouble is not None:
                trouble, self._trouble = self._trouble, None
                raise trouble
            else:
                self._bell.clear()
                await self._bell.wait()

    def _open(self) -> list[_Slot]:
        """Deliveries that are not stored yet, in the order they came."""
        return [slot for slot in self._slots if not slot.stored.done()]

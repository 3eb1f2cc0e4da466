"""The intake: what Slack delivers waits here until it is stored, and only then is acknowledged (invariant 1).

Slack delivers and waits three seconds; the core asks for batches and confirms one by asking for the next. Between the
two every delivery has a slot whose future is fulfilled by the confirmation. What is not stored in time is not
acknowledged: Slack delivers an event again, and tells the person who pressed a button that it did not work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from bridge.chat.surface import RawUpdate, SurfaceError

MOST = 500
"""Deliveries that may wait at once; beyond that Slack is left to deliver again."""


@dataclass(slots=True, eq=False)
class _Slot:
    update: RawUpdate
    stored: asyncio.Future[None]


class Intake:
    """Takes deliveries in, hands batches out. Belongs to one event loop."""

    def __init__(self, limit_s: float) -> None:
        """``limit_s``: how long a delivery waits to be stored, in seconds."""
        self._limit_s = limit_s
        self._slots: list[_Slot] = []
        self._bell = asyncio.Event()
        self._trouble: SurfaceError | None = None
        self._heard = False

    @property
    def waiting(self) -> int:
        """Deliveries not stored yet."""
        return len(self._slots)

    async def store(self, update: RawUpdate) -> bool:
        """Wait until the update is stored; whether it was, in time."""
        if len(self._slots) >= MOST:
            return False
        slot = _Slot(update, asyncio.get_running_loop().create_future())
        self._slots.append(slot)
        self._bell.set()
        try:
            async with asyncio.timeout(self._limit_s):
                await slot.stored
        except TimeoutError:
            return False
        finally:
            self._slots.remove(slot)
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
            taken = [slot for slot in self._slots if not slot.stored.done()]
            if taken or self._heard:
                self._heard = False
                yield [slot.update for slot in taken]
                for slot in taken:
                    if not slot.stored.done():  # else it waited too long
                        slot.stored.set_result(None)
            elif self._trouble is not None:
                trouble, self._trouble = self._trouble, None
                raise trouble
            else:
                self._bell.clear()
                await self._bell.wait()

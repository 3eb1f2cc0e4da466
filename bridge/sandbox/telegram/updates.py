"""The queue of updates and its long poll: one poller at a time, kept 24 h, confirmed by the next offset."""

import asyncio
from collections.abc import Callable

from bridge.sandbox.telegram.errors import BotApiError
from bridge.sandbox.telegram.state import Json

KEPT_SECONDS = 24 * 3600.0
UNASKED = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"


class UpdateQueue:
    """What waits for the bot.

    ``another_poller`` set to True refuses every poll, as when a second program keeps polling. ``polls`` counts them.
    ``repeats`` set to True brings every update once more after it was confirmed, as after a confirmation that got lost.
    """

    def __init__(self, clock: Callable[[], float], first_id: int = 1000) -> None:
        self.another_poller = False
        self.repeats = False
        self.polls = 0
        self._clock = clock
        self._waiting: list[tuple[float, Json]] = []
        self._again: list[Json] = []
        self._next_id = first_id
        self._allowed: frozenset[str] | None = None
        self._poller: asyncio.Future[bool] | None = None
        self._arrived = asyncio.Event()

    @property
    def waiting(self) -> list[Json]:
        """The updates not yet confirmed, oldest first."""
        return [update for _, update in self._waiting]

    def push(self, kind: str, content: Json) -> None:
        """Queues an update, if the bot wants this kind (as it said last)."""
        wanted = kind in self._allowed if self._allowed else kind not in UNASKED
        if not wanted:
            return
        self._waiting.append((self._clock(), {"update_id": self._next_id, kind: content}))
        self._next_id += 1
        self._arrived.set()

    def clear(self) -> None:
        """Forgets all updates (``drop_pending_updates``)."""
        self._waiting.clear()

    def interrupt(self, *, conflict: bool) -> bool:
        """Ends the poll under way: 409, or (at shutdown) with nothing. True if there was one."""
        if self._poller is None or self._poller.done():
            return False
        self._poller.set_result(conflict)
        self._arrived.set()
        return True

    async def poll(self, offset: int, limit: int, timeout: float, allowed: list[str] | None) -> list[Json]:
        """getUpdates. Raises BotApiError 409 when another poll begins meanwhile, or ``another_poller`` is set."""
        if allowed is not None:
            self._allowed = frozenset(allowed) or None
        self.interrupt(conflict=True)
        if self.another_poller:
            raise BotApiError(409, CONFLICT)
        self._confirm(offset)
        ended: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._poller = ended
        try:
            async with asyncio.timeout(timeout):
                await self._news(ended)
        except TimeoutError:
            return []
        finally:
            if self._poller is ended:
                self._poller = None
        if ended.done() and ended.result():
            raise BotApiError(409, CONFLICT)
        again, self._again = self._again, []
        return [*again, *self.waiting][:limit]

    async def _news(self, ended: asyncio.Future[bool]) -> None:
        """Returns when something waits, or the poll was ended."""
        while not self._waiting and not self._again and not ended.done():
            self._arrived.clear()
            await self._arrived.wait()

    def _confirm(self, offset: int) -> None:
        oldest = self._clock() - KEPT_SECONDS
        self._waiting = [(at, update) for at, update in self._waiting if at >= oldest]
        if offset < 0:
            self._waiting = self._waiting[offset:]
            return
        if self.repeats:
            self._again += [update for update in self.waiting if update["update_id"] < offset]
        self._waiting = [(at, update) for at, update in self._waiting if update["update_id"] >= offset]

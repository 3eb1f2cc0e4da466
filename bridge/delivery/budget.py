"""How fast a bot may speak: token buckets per chat and for the whole bot, and closures the platform asked for.

Pure: every method takes ``now``, seconds on a clock that only goes forward. Sends and edits share the budgets, topics
share their chat's (field notes: most flood penalties came from edits).
"""

from __future__ import annotations

from collections.abc import Callable

from bridge.chat.surface import Rates

IDLE_CHATS = 1000
"""More chats than this on record, and those that are rested are forgotten."""


class Bucket:
    """Tokens that come back at a steady pace, up to a burst. It may go into debt: the next one then waits longer."""

    def __init__(self, interval_s: float, burst: int, now: float) -> None:
        self._interval = interval_s
        self._burst = burst
        self._tokens = float(burst)
        self._at = now

    def _refill(self, now: float) -> None:
        if now > self._at:
            self._tokens = min(self._burst, self._tokens + (now - self._at) / self._interval)
            self._at = now

    def ready_at(self, now: float) -> float:
        """When a whole token is there: ``now`` or later."""
        self._refill(now)
        # The tiny allowance keeps rounding from making a waiter wake a moment too early, again and again.
        return now if self._tokens >= 1 - 1e-9 else now + (1 - self._tokens) * self._interval

    def take(self, now: float) -> None:
        """Use a token, be it there or not."""
        self._refill(now)
        self._tokens -= 1

    def give_back(self) -> None:
        """Return a token that was not needed."""
        self._tokens = min(self._burst, self._tokens + 1)

    def rested(self, now: float) -> bool:
        """Whether the bucket is full, and so no different from a new one."""
        self._refill(now)
        return self._tokens >= self._burst


class Budget:
    """The buckets of one bot."""

    def __init__(self, rates: Rates, now: float, is_group: Callable[[str], bool] = lambda chat: False) -> None:
        self._rates = rates
        self._is_group = is_group
        self._groups: dict[str, Bucket] = {}
        self._bot = Bucket(1 / rates.bot_per_s, max(1, int(rates.bot_per_s)), now)
        self._chats: dict[str, Bucket] = {}
        self._closed: dict[str, float] = {}
        self._all_closed = now

    def ready_at(self, chat: str, now: float) -> float:
        """When a call to this chat may be made: ``now`` or later."""
        until = max(self._all_closed, self._closed.get(chat, now), now)
        return max(until, self._bot.ready_at(now), *(bucket.ready_at(now) for bucket in self._buckets(chat, now)))

    def take(self, chat: str, now: float) -> None:
        """Count a call to this chat."""
        self._bot.take(now)
        for bucket in self._buckets(chat, now):
            bucket.take(now)

    def give_back(self, chat: str, now: float) -> None:
        """Uncount a call that was not needed after all."""
        self._bot.give_back()
        for bucket in self._buckets(chat, now):
            bucket.give_back()

    def close(self, chat: str, until: float) -> None:
        """No call to this chat before ``until``. A closure is never shortened."""
        self._closed[chat] = max(until, self._closed.get(chat, until))

    def close_all(self, until: float) -> None:
        """No call at all before ``until``."""
        self._all_closed = max(self._all_closed, until)

    def _buckets(self, chat: str, now: float) -> list[Bucket]:
        """A chat's own bucket, and the one it has as a group, where groups have a rate of their own."""
        buckets = [self._chat(chat, now)]
        interval_s = self._rates.group_interval_s
        if interval_s is not None and self._is_group(chat):
            if chat not in self._groups:
                if len(self._groups) >= IDLE_CHATS:
                    self._groups = {name: one for name, one in self._groups.items() if not one.rested(now)}
                self._groups[chat] = Bucket(interval_s, self._rates.group_burst, now)
            buckets.append(self._groups[chat])
        return buckets

    def _chat(self, chat: str, now: float) -> Bucket:
        if chat not in self._chats:
            if len(self._chats) >= IDLE_CHATS:
                self._chats = {name: bucket for name, bucket in self._chats.items() if not bucket.rested(now)}
                self._closed = {name: until for name, until in self._closed.items() if until > now}
            self._chats[chat] = Bucket(self._rates.chat_interval_s, self._rates.chat_burst, now)
        return self._chats[chat]

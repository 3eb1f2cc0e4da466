"""The rates Telegram keeps, as settings, and the meter that refuses with 429."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bridge.sandbox.bus import Filled

ROUNDING = 1e-6


@dataclass(slots=True, frozen=True)
class Limits:
    """About one message a second per chat (with a short burst), 20 a minute per group, 30 a second per bot.

    Sends and edits count together, topics with their chat. ``speed`` 20 means that all of them run twenty times
    faster (``retry_after`` stays in true, whole seconds). None switches one off.
    """

    chat_per_second: float | None = 1.0
    chat_burst: int = 3
    group_per_minute: int | None = 20
    bot_per_second: int | None = 30
    speed: float = 1.0

    @classmethod
    def off(cls) -> "Limits":
        """No rates at all."""
        return cls(chat_per_second=None, group_per_minute=None, bot_per_second=None)


@dataclass(slots=True)
class RateMeter:
    """Counts sends and edits against the limits. ``violations`` counts the calls refused."""

    limits: Limits
    clock: Callable[[], float]
    violations: int = 0
    _group: dict[int, deque[float]] = field(default_factory=dict)
    _level: dict[int, tuple[float, float]] = field(default_factory=dict)
    _bot: deque[float] = field(default_factory=deque)
    _blocked: dict[int, float] = field(default_factory=dict)

    def take(self, chat_id: int, *, group: bool) -> int | None:
        """Takes one message's place: None. Or, if there is none: the whole seconds to wait, at least 1, in which
        nothing passes for this chat."""
        now = self.clock()
        wait = max(
            self._blocked.get(chat_id, now) - now,
            self._chat_wait(chat_id, now),
            self._group_wait(chat_id, now) if group else 0.0,
            self._bot_wait(now),
        )
        if wait > ROUNDING:
            seconds = max(1, math.ceil(wait - ROUNDING))
            if self._blocked.get(chat_id, 0.0) <= now:
                self._blocked[chat_id] = now + seconds
            self.violations += 1
            return seconds
        if self.limits.chat_per_second is not None:
            self._level[chat_id] = (now, self._drained(chat_id, now) + 1)
        if group:
            self._group.setdefault(chat_id, deque()).append(now)
        self._bot.append(now)
        return None

    def standing(self) -> list[Filled]:
        """How full each rate is now: every chat's that was written to, every group's, the bot's."""
        now, limits = self.clock(), self.limits
        found: list[Filled] = []
        if limits.chat_per_second is not None:
            window = limits.chat_burst / (limits.chat_per_second * limits.speed)
            for chat in self._level:
                found.append(Filled(f"chat {chat}", self._drained(chat, now), limits.chat_burst, window, now))
        if limits.group_per_minute is not None:
            for chat, taken in self._group.items():
                window = 60 / limits.speed
                used = sum(at > now - window for at in taken)
                found.append(Filled(f"group {chat}", used, limits.group_per_minute, window, now))
        if limits.bot_per_second is not None:
            window = 1 / limits.speed
            used = sum(at > now - window for at in self._bot)
            found.append(Filled("bot", used, limits.bot_per_second, window, now))
        return found

    def _drained(self, chat_id: int, now: float) -> float:
        at, level = self._level.get(chat_id, (now, 0.0))
        return max(0.0, level - (now - at) * (self.limits.chat_per_second or 0) * self.limits.speed)

    def _chat_wait(self, chat_id: int, now: float) -> float:
        rate = self.limits.chat_per_second
        if rate is None:
            return 0.0
        return max(0.0, self._drained(chat_id, now) + 1 - self.limits.chat_burst) / (rate * self.limits.speed)

    def _group_wait(self, chat_id: int, now: float) -> float:
        return _window_wait(self._group.get(chat_id), self.limits.group_per_minute, 60 / self.limits.speed, now)

    def _bot_wait(self, now: float) -> float:
        return _window_wait(self._bot, self.limits.bot_per_second, 1 / self.limits.speed, now)


def _window_wait(taken: deque[float] | None, most: int | None, seconds: float, now: float) -> float:
    """Seconds until a sliding window of ``seconds`` with at most ``most`` in it has a place."""
    if taken is None or most is None:
        return 0.0
    while taken and taken[0] <= now - seconds:
        taken.popleft()
    return 0.0 if len(taken) < most else taken[len(taken) - most] + seconds - now

"""The rates Slack keeps, as settings, and the meter that refuses with 429."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bridge.sandbox.bus import Filled

TIERS = {1: 1, 2: 20, 3: 50, 4: 100}  # calls a minute, per method and workspace (docs.slack.dev, rate limits)
ROUNDING = 1e-6


@dataclass(slots=True, frozen=True)
class Limits:
    """About one post a second per channel, with a short burst; the other methods by their tier, per minute.

    ``rare_burst`` is how many calls of tier 1 pass in a minute: Slack says "1+", and that it tolerates small bursts.
    ``speed`` 20 means that all of them run twenty times faster (``Retry-After`` stays in true, whole seconds).
    """

    posts_per_second: float | None = 1.0
    post_burst: int = 3
    tiers: bool = True
    rare_burst: int = 1
    speed: float = 1.0

    @classmethod
    def off(cls) -> "Limits":
        """No rates at all."""
        return cls(posts_per_second=None, tiers=False)


@dataclass(slots=True)
class RateMeter:
    """Counts calls against the limits. ``violations`` counts those refused."""

    limits: Limits
    clock: Callable[[], float]
    violations: int = 0
    _calls: dict[str, deque[float]] = field(default_factory=dict)
    _level: dict[str, tuple[float, float]] = field(default_factory=dict)
    _blocked: dict[str, float] = field(default_factory=dict)
    _tiers: dict[str, int] = field(default_factory=dict)

    def take(self, method: str, tier: int | None, channel: str | None) -> int | None:
        """Takes one call's place: None. Or, if there is none: the whole seconds to wait, at least 1, in which nothing
        passes there. ``tier`` None is the special one of posting: it counts per ``channel``.
        """
        now = self.clock()
        place = method if tier is not None else f"post {channel}"
        own = self._post_wait(place, now) if tier is None else self._tier_wait(method, tier, now)
        wait = max(self._blocked.get(place, now) - now, own)
        if wait > ROUNDING:
            seconds = max(1, math.ceil(wait - ROUNDING))
            if self._blocked.get(place, 0.0) <= now:
                self._blocked[place] = now + seconds
            self.violations += 1
            return seconds
        if tier is not None:
            self._tiers[method] = tier
            self._calls.setdefault(method, deque()).append(now)
        elif self.limits.posts_per_second is not None:
            self._level[place] = (now, self._drained(place, now) + 1)
        return None

    def standing(self) -> list[Filled]:
        """How full each rate is now: of posting per channel, and of every method that was called in the last minute."""
        now, limits = self.clock(), self.limits
        found: list[Filled] = []
        if limits.posts_per_second is not None:
            window = limits.post_burst / (limits.posts_per_second * limits.speed)
            found += [Filled(place, self._drained(place, now), limits.post_burst, window, now) for place in self._level]
        if limits.tiers:
            window = 60 / limits.speed
            for method, taken in self._calls.items():
                if used := sum(at > now - window for at in taken):
                    found.append(Filled(method, used, self._most(self._tiers[method]), window, now))
        return found

    def _drained(self, place: str, now: float) -> float:
        at, level = self._level.get(place, (now, 0.0))
        return max(0.0, level - (now - at) * (self.limits.posts_per_second or 0) * self.limits.speed)

    def _post_wait(self, place: str, now: float) -> float:
        rate = self.limits.posts_per_second
        if rate is None:
            return 0.0
        return max(0.0, self._drained(place, now) + 1 - self.limits.post_burst) / (rate * self.limits.speed)

    def _most(self, tier: int) -> int:
        return self.limits.rare_burst if tier == 1 else TIERS[tier]

    def _tier_wait(self, method: str, tier: int, now: float) -> float:
        taken, seconds = self._calls.get(method), 60 / self.limits.speed
        if taken is None or not self.limits.tiers:
            return 0.0
        while taken and taken[0] <= now - seconds:
            taken.popleft()
        most = self._most(tier)
        return 0.0 if len(taken) < most else taken[len(taken) - most] + seconds - now

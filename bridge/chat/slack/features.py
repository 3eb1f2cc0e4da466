"""What this workspace has of what not every one has: learnt from the first answer, asked again after some days."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from bridge.chat.capabilities import Learnt

STREAMS = "streams"
AGENTS = "agent sessions"
STATUS = "status lines"
FEATURES = (STREAMS, AGENTS, STATUS)
ASK_AGAIN_S = 3 * 24 * 3600.0
"""A workspace may get what it did not have, with a plan or a setting."""

_log = logging.getLogger(__name__)


class Features:
    """What is known of a workspace. ``clock``: epoch seconds."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._known: dict[str, Learnt] = {}
        self._news: dict[str, Learnt] = {}

    def usable(self, feature: str) -> bool:
        """Whether it is worth trying: not refused, or so long ago that it is asked again."""
        known = self._known.get(feature)
        return known is None or known.state == "present" or self._clock() - known.at_ms / 1000 >= ASK_AGAIN_S

    def present(self, feature: str) -> bool:
        """Whether it is known to be there."""
        known = self._known.get(feature)
        return known is not None and known.state == "present"

    def found(self, feature: str, but: str = "") -> None:
        """It worked; ``but``: what it lacks."""
        known = self._known.get(feature)
        if known is None or known.state != "present" or known.why != but:
            self._learn(Learnt(feature, "present", but, self._now_ms()))

    def refused(self, feature: str, why: str) -> None:
        """The workspace does not have it."""
        self._learn(Learnt(feature, "refused", why, self._now_ms()))
        _log.info("%s are not used in this Slack workspace: %s", feature, why)

    def recall(self, known: Sequence[Learnt]) -> None:
        """What was learnt before; what is not among it is unknown (again), unless it is news."""
        self._known = {one.feature: one for one in known} | self._news

    def news(self) -> list[Learnt]:
        """What was learnt since this was asked last."""
        news, self._news = list(self._news.values()), {}
        return news

    def _learn(self, learnt: Learnt) -> None:
        self._known[learnt.feature] = self._news[learnt.feature] = learnt

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)

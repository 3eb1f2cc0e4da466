"""The status line below a thread ("… is working"), where the workspace has it."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable

from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.features import STATUS, Features
from bridge.chat.surface import ChatGone, PlaceGone, Rejected
from bridge.language import N_, tr

WORDS = N_("is working…")
KEEPS_S = 60.0
"""Slack takes the line away after two minutes without a message; until half of that it need not be shown again."""
MOST = 200

_log = logging.getLogger(__name__)


class Status:
    """Shows the line. ``clock``: seconds, monotonic."""

    def __init__(self, client: SlackClient, features: Features, clock: Callable[[], float]) -> None:
        self._client = client
        self._features = features
        self._clock = clock
        self._shown: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def show(self, channel: str, thread: str | None) -> None:
        """Show it for a while. Without a thread, or where the workspace has no such thing, nothing."""
        if thread is None or not self._features.usable(STATUS):
            return
        where, now = (channel, thread), self._clock()
        if now - self._shown.get(where, -KEEPS_S) < KEEPS_S:
            return
        params = {"channel_id": channel, "thread_ts": thread, "status": tr(WORDS)}
        try:
            await self._client.call("assistant.threads.setStatus", params)
        except (PlaceGone, ChatGone) as error:
            _log.debug("no status line here: %s", error)
        except Rejected as error:
            self._features.refused(STATUS, str(error))
            return
        else:
            self._features.found(STATUS)
        self._shown[where] = now
        self._shown.move_to_end(where)
        if len(self._shown) > MOST:
            self._shown.popitem(last=False)

    def covered(self, channel: str, thread: str | None) -> None:
        """A message was posted there: Slack has taken the line away."""
        self._shown.pop((channel, thread or ""), None)

"""The status line below a thread ("… is working"), where the workspace has it."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable

from bridge.chat.errors import ChatGone, PlaceGone, Rejected
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.features import STATUS, Features
from bridge.language import N_, tr

WORDS = N_("is working…")
SLACK_KEEPS_S = 120.0
"""Slack takes the line away after two minutes without a message."""
KEEPS_S = SLACK_KEEPS_S / 2
"""So long it need not be shown again."""
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

    async def hide(self, channel: str, thread: str | None) -> None:
        """Nobody works there any more: take the line away if it stands there, as after a turn that ends without a
        message, or where the line was on its way when the last one was posted."""
        where = (channel, thread or "")
        since = self._shown.get(where)
        if since is None or thread is None:
            return
        if self._clock() - since < SLACK_KEEPS_S:
            params = {"channel_id": channel, "thread_ts": thread, "status": ""}
            try:
                await self._client.call("assistant.threads.setStatus", params)
            except (PlaceGone, ChatGone, Rejected) as error:
                _log.debug("a status line is left to end by itself: %s", error)
        self._shown.pop(where, None)

    def covered(self, channel: str, thread: str | None) -> None:
        """A message was posted there: Slack has taken the line away."""
        self._shown.pop((channel, thread or ""), None)

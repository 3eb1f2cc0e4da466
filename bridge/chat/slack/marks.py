"""Reactions on people's messages: what became of a text. One at a time, the one before is taken back."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Literal

from bridge.chat.slack.client import SlackClient

Mark = Literal["queued", "taken", "failed", "none"]
REACTIONS: dict[str, str] = {"queued": "eyes", "taken": "ok_hand", "failed": "warning"}
MOST = 500
"""Messages whose present reaction is remembered; of others all are taken back that may be there."""
_TS = re.compile(r"\d+\.\d+")


class Marker:
    """Sets reactions."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client
        self._shown: OrderedDict[tuple[str, str], Mark] = OrderedDict()

    async def set(self, channel: str, message: str, mark: Mark) -> None:
        """Show this mark and no other of ours. What was said by a command or a shortcut has no message to mark."""
        if not _TS.fullmatch(message):
            return
        where = (channel, message)
        before = self._shown.get(where)
        if before == mark:
            return
        item = {"channel": channel, "timestamp": message}
        if mark != "none":
            await self._client.call("reactions.add", {**item, "name": REACTIONS[mark]})
        for other, name in REACTIONS.items():
            if other != mark and before in (None, other) and not (before is None and mark == "queued"):
                await self._client.call("reactions.remove", {**item, "name": name})
        self._shown[where] = mark
        self._shown.move_to_end(where)
        if len(self._shown) > MOST:
            self._shown.popitem(last=False)

"""Reactions on people's messages: what became of a text. One at a time, the one before is taken back."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bridge.chat.slack.client import SlackClient

Mark = Literal["queued", "taken", "failed", "none"]
REACTIONS: dict[str, str] = {"queued": "eyes", "taken": "ok_hand", "failed": "warning"}
BEFORE: dict[str, tuple[str, ...]] = {"queued": (), "taken": ("queued", "failed"), "failed": ("queued",)}
"""What may be on a message that gets a mark, where it is not remembered: from before a restart."""
MOST = 500
"""Messages whose present reaction is remembered."""
_TS = re.compile(r"\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Shown:
    """The marks that are on a message, or (not ``sure``) may be."""

    marks: frozenset[str]
    sure: bool


class Marker:
    """Sets reactions."""

    def __init__(self, client: SlackClient, clock: Callable[[], float] = time.time) -> None:
        """``clock``: epoch seconds."""
        self._client = client
        self._shown: OrderedDict[tuple[str, str], Shown] = OrderedDict()
        self._since = clock()
        """Of later messages everything is remembered: one that is not has no reaction of ours."""

    async def set(self, channel: str, message: str, mark: Mark) -> None:
        """Show this mark and no other of ours. What was said by a command or a shortcut has no message to mark."""
        if not _TS.fullmatch(message):
            return
        where = (channel, message)
        shown = self._shown.get(where)
        if shown is None:
            before = () if float(message) > self._since else BEFORE.get(mark, tuple(REACTIONS))
            shown = Shown(frozenset(before), sure=False)
        if shown == Shown(frozenset([mark]), sure=True):
            return
        # A call without an answer may have been done: until all of them had one, either mark may be there.
        self._remember(where, Shown(shown.marks | {mark}, sure=False))
        item = {"channel": channel, "timestamp": message}
        if mark != "none":
            await self._client.call("reactions.add", {**item, "name": REACTIONS[mark]})
        for other in sorted(shown.marks - {mark, "none"}):
            await self._client.call("reactions.remove", {**item, "name": REACTIONS[other]})
        self._remember(where, Shown(frozenset([mark]), sure=True))

    def _remember(self, where: tuple[str, str], shown: Shown) -> None:
        self._shown[where] = shown
        self._shown.move_to_end(where)
        if len(self._shown) > MOST:
            (_, oldest), _ = self._shown.popitem(last=False)
            self._since = max(self._since, float(oldest))

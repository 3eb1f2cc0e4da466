"""Threads as places: each begins with a message that names the session."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from bridge.cards.text import clean
from bridge.chat.errors import MessageGone, PlaceGone
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.payload import Json
from bridge.chat.slack.plain import escaped
from bridge.chat.slack.posting import CLOCK_SLACK_S, PLACE, Finder, Messages, metadata
from bridge.language import tr

TITLE = 150
MOST = 64
"""Threads of unknown outcome that are remembered."""


class Threads:
    """Makes and renames threads. ``clock``: epoch seconds."""

    def __init__(
        self, client: SlackClient, messages: Messages, finder: Finder, clock: Callable[[], float] = time.time
    ) -> None:
        self._client = client
        self._messages = messages
        self._finder = finder
        self._clock = clock
        self._began_ms = int(clock() * 1000)
        self._unknown: OrderedDict[tuple[str, str], tuple[str, int]] = OrderedDict()
        """Channel and title to the mark that was sent, and since when (epoch ms) it may be there."""

    async def open(self, channel: str, title: str, mark: str = "", wanted_ms: int | None = None) -> str:
        """A new thread's first message. One of unknown outcome is looked for when the same is asked again; so is one
        that was ``wanted`` (epoch ms), under the same ``mark``, before this process began: the one before may have
        posted it and died."""
        asked = (channel, mark or title)
        nonce, since_ms = self._unknown.get(asked, ("", 0))
        if not nonce and mark and wanted_ms is not None and wanted_ms <= self._began_ms:
            nonce, since_ms = mark, max(0, wanted_ms - int(CLOCK_SLACK_S * 1000))
        if nonce and (found := await self._finder.place(channel, nonce, since_ms)):
            self._unknown.pop(asked, None)
            return found
        if not nonce:
            nonce, since_ms = mark or secrets.token_hex(8), max(0, int((self._clock() - CLOCK_SLACK_S) * 1000))
        self._unknown[asked] = (nonce, since_ms)
        if len(self._unknown) > MOST:
            self._unknown.popitem(last=False)
        thread = await self._messages.post(channel, None, _headline(title), metadata(PLACE, nonce=nonce))
        self._unknown.pop(asked, None)
        return thread

    async def rename(self, channel: str, thread: str, title: str) -> None:
        """Change the thread's first message. Raises :class:`PlaceGone` if it no longer exists."""
        try:
            await self._client.call("chat.update", {"channel": channel, "ts": thread, **_headline(title)})
        except MessageGone as gone:
            words = str(gone)
        else:
            return
        raise PlaceGone(words)


def _headline(title: str) -> Json:
    title = " ".join(clean(title).split()) or tr("Session")
    title = title if len(title) <= TITLE else title[: TITLE - 1] + "…"
    text = {"type": "plain_text", "text": title, "emoji": False}
    return {"text": escaped(title), "blocks": [{"type": "header", "text": text}]}

"""Topics: made for sessions, reopened where somebody closed them, and never trusted to be there.

Telegram tells no bot that a topic is gone, or that a chat has none any more: it shows by what calls come to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from bridge.chat.errors import OutcomeUnknown, PlaceGone, Rejected, SurfaceError
from bridge.chat.surface import Place
from bridge.chat.telegram.addresses import chat_id, place_params
from bridge.chat.telegram.client import Params, TelegramClient
from bridge.chat.telegram.errors import PlaceClosed
from bridge.chat.telegram.short_text import shortened
from bridge.language import tr

TITLE_UTF16 = 128

_log = logging.getLogger(__name__)


class Topics:
    """The topics of all chats of a bot. ``retry_s``: how long a chat that refused a topic is taken to have none, by
    ``clock`` (seconds, monotonic)."""

    def __init__(self, client: TelegramClient, retry_s: float, clock: Callable[[], float]) -> None:
        self._client = client
        self._retry_s = retry_s
        self._clock = clock
        self._none_until: dict[str, float] = {}
        self._unproven: set[tuple[str, str]] = set()
        """Topics made here in which nothing has arrived yet."""

    async def open(self, chat: str, title: str) -> str | None:
        """Make a topic; its thread, or ``None`` where the chat has none."""
        if self._clock() < self._none_until.get(chat, 0.0):
            return None
        try:
            topic = await self._client.call("createForumTopic", {"chat_id": chat_id(chat), "name": _title(title)})
        except (PlaceGone, Rejected) as refusal:
            self._without_topics(chat, str(refusal))
            return None
        if not isinstance(topic, dict) or not isinstance(topic.get("message_thread_id"), int):
            raise OutcomeUnknown("Telegram: the answer names no topic")
        thread = str(topic["message_thread_id"])
        self._unproven.add((chat, thread))
        return thread

    async def rename(self, place: Place, title: str) -> None:
        """Rename the topic that is the place."""
        await self._client.call("editForumTopic", {**place_params(place), "name": _title(title)})

    async def call(self, place: Place, method: str, params: Params) -> Any:
        """A call that a closed topic may refuse: in a supergroup the topic is reopened, once."""
        try:
            return await self._client.call(method, params)
        except PlaceClosed:
            if place.thread is None or not place.chat.startswith("-"):
                raise
        try:
            await self._client.call("reopenForumTopic", place_params(place))
        except Rejected as refusal:
            raise PlaceGone(f"the topic is closed, and can't be reopened: {refusal}") from None
        return await self._client.call(method, params)

    async def check(self, place: Place, message: str, thread: object) -> None:
        """Telegram has been seen to post beside a deleted topic without a word (telegram-bot-api#854)."""
        if place.thread is None:
            return
        where = (place.chat, place.thread)
        if str(thread) == place.thread:
            self._unproven.discard(where)
            return
        try:
            await self._client.call("deleteMessage", {"chat_id": chat_id(place.chat), "message_id": int(message)})
        except SurfaceError as error:
            _log.warning("a message that Telegram posted outside of its topic could not be taken back: %s", error)
        if where in self._unproven:
            # Not even a new topic is obeyed: making another one would go on for ever.
            self._unproven.discard(where)
            self._without_topics(place.chat, "messages arrive outside of a topic just made")
        raise PlaceGone("Telegram posted outside of the topic, so the topic is gone")

    def _without_topics(self, chat: str, why: str) -> None:
        _log.info("no topics in Telegram chat %s for the next %g s: %s", chat, self._retry_s, why)
        self._none_until[chat] = self._clock() + self._retry_s


def _title(title: str) -> str:
    return shortened(" ".join(title.split()), TITLE_UTF16) or tr("Session")

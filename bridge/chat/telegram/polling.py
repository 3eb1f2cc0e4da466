"""Our own long poll.

The library's updater confirms updates from memory; here the next poll confirms the batch before, and it is asked for
only after the caller stored that batch (invariant 1).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence

from bridge.chat.errors import Unreachable
from bridge.chat.surface import RawUpdate
from bridge.chat.telegram.client import TelegramClient
from bridge.chat.telegram.errors import WebhookSet
from bridge.chat.telegram.updates import WANTED

_log = logging.getLogger(__name__)


class Polling:
    """Fetches what people did. ``poll_s``: how long Telegram may hold a poll open; ``resume_from``: the id of the last
    update the store has."""

    def __init__(self, client: TelegramClient, poll_s: float, resume_from: int | None) -> None:
        self._client = client
        self._poll_s = poll_s
        self._offset = None if resume_from is None else resume_from + 1
        self._removed_webhook = False

    async def batches(self) -> AsyncGenerator[Sequence[RawUpdate], None]:
        """Batches of updates; an empty one says that a poll went well without news. A batch counts as stored once the
        next one is asked for; an iteration that ends before that, for whatever reason, gets it again from the next."""
        while True:
            batch = await self._poll()
            yield batch
            if batch:
                self._offset = int(batch[-1].id) + 1

    async def _poll(self) -> list[RawUpdate]:
        wish = {"offset": self._offset, "timeout": self._poll_s, "allowed_updates": list(WANTED)}
        try:
            answer = await self._client.call("getUpdates", wish)
        except WebhookSet:
            if self._removed_webhook:
                raise
            _log.warning("a webhook is set for this Telegram bot; it is removed, so that the bridge can fetch updates")
            await self._client.call("deleteWebhook", {"drop_pending_updates": False})
            self._removed_webhook = True
            return []
        if not isinstance(answer, list) or not all(_is_update(update) for update in answer):
            raise Unreachable("Telegram: the answer to getUpdates can't be read")
        return [RawUpdate(str(update["update_id"]), update) for update in answer]


def _is_update(update: object) -> bool:
    return isinstance(update, dict) and isinstance(update.get("update_id"), int)

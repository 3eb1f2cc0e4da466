"""Messages of people that the agent has not taken yet: they stand nowhere in the conversation so far. No I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bridge.hub.wire import position_of

Json = dict[str, Any]


class Queue:
    """The queued messages of one session, by their ``localId``."""

    def __init__(self) -> None:
        self._messages: dict[str, Json] = {}

    def put(self, message: Json) -> None:
        """A queued message, see :func:`is_queued`."""
        self._messages[str(message["localId"])] = message

    def consumed(self, local_ids: Iterable[str], invoked_at: Any) -> tuple[list[Json], list[str]]:
        """The agent took these: the messages as they stand now, in order; or, instead, the ids we have not seen."""
        taken = {local_id: self._messages.pop(local_id, None) for local_id in local_ids}
        if missing := [local_id for local_id, message in taken.items() if message is None]:
            return [], missing
        rows = [{**message, "invokedAt": invoked_at} for message in taken.values() if message is not None]
        return sorted(rows, key=position_of), []

    def cancelled(self, ids: Collection[str]) -> None:
        """A message was withdrawn; ``ids`` are its own or its sender's."""
        for local_id, message in list(self._messages.items()):
            if local_id in ids or message["id"] in ids:
                del self._messages[local_id]


def is_queued(message: Mapping[str, Any]) -> bool:
    """A user message that the agent has not taken yet (agent rows and terminal input are never queued)."""
    content = message.get("content")
    role = content.get("role") if isinstance(content, Mapping) else None
    return role == "user" and isinstance(message.get("localId"), str) and message.get("invokedAt") is None

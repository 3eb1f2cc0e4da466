"""Chats: what Slack calls them, and where a person's browser finds them.

A DM goes by its person's id (``U…``) everywhere outside of this package: it is known before Slack was ever reached,
and Slack's own id for the DM (``D…``) is asked for when it is needed.
"""

from __future__ import annotations

from bridge.chat.errors import Unreachable
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.payload import child, string
from bridge.chat.surface import Place


class Chats:
    """Slack's ids of chats; those of DMs are asked for once."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client
        self._dms: dict[str, str] = {}

    async def id(self, chat: str) -> str:
        """Slack's id of a chat; a person's DM is opened at need. Raises the errors of :mod:`bridge.chat.errors`."""
        if not is_person(chat):
            return chat
        if chat not in self._dms:
            opened = child(await self._client.call("conversations.open", {"users": chat}), "channel")
            if not string(opened, "id"):
                raise Unreachable("Slack: the answer to conversations.open can't be read")
            self._dms[chat] = string(opened, "id")
        return self._dms[chat]

    def address(self, place: Place, message: str | None, base: str) -> str | None:
        """A permalink, as chat.getPermalink makes them; a place that is a direct message has none without a message.

        ``base``: the workspace's own address, with a slash at its end; empty if it is not known.
        """
        at = message or place.thread
        chat = self._dms.get(place.chat, place.chat)
        if not base or is_person(chat):
            return None
        if at is None:
            return f"{base}archives/{chat}"
        inside = f"?thread_ts={place.thread}&cid={chat}" if place.thread and place.thread != at else ""
        return f"{base}archives/{chat}/p{at.replace('.', '')}{inside}"


def is_person(chat: str) -> bool:
    """Whether a chat is the DM with a person."""
    return chat.startswith(("U", "W"))

"""Posting, and finding again what was posted: marks that travel with a message and are not shown.

A message carries its post's key as metadata, which Slack gives back on request. A file's message can't have metadata:
the id of its one block says the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable
from typing import Any

from bridge.chat.errors import OutcomeUnknown, PlaceGone, SurfaceError, Unreachable
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.payload import Json, child, children, string
from bridge.chat.slack.plain import escaped

_log = logging.getLogger(__name__)

POST = "hapi_bridge_post"
PLACE = "hapi_bridge_place"
PAGE = 200
PAGES = 20
"""As many pages of a conversation are read at most to find one message."""
MOST_BLOCKS = 50
CLOCK_SLACK_S = 300.0
"""How far Slack's clock may be from ours."""
SEEK_DELAYS_S = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0)


def metadata(kind: str, **payload: Any) -> Json:
    """What a message carries unseen."""
    return {"event_type": kind, "event_payload": payload}


def file_mark(key: str, index: int) -> str:
    """The block id that marks a file's message."""
    return f"hapi.{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:24]}.{index}"


def calling(payload: Json, user: str) -> Json:
    """A payload that mentions a person below what it says.

    Slack tells a person of a reply in a thread only if they follow the thread or are mentioned, and no post can be made
    silently. So what must ring mentions them; what need not ring is at most heard by who follows the thread anyhow.
    """
    blocks, mention = payload.get("blocks") or [], f"<@{user}>"
    if len(blocks) >= MOST_BLOCKS:
        return payload
    if not blocks and not payload.get("attachments"):
        return {**payload, "text": f"{payload.get('text') or ''}\n{mention}"}
    return {**payload, "blocks": [*blocks, {"type": "context", "elements": [{"type": "mrkdwn", "text": mention}]}]}


class Messages:
    """Posts messages."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client

    async def post(self, channel: str, thread: str | None, payload: Json, mark: Json) -> str:
        """Post a payload that carries :func:`metadata`; the message's ts. Raises what the call raises, and
        :class:`PlaceGone` where Slack would post to a thread that lost its first message."""
        params = {**payload, "channel": channel, "metadata": mark, "unfurl_links": False, "unfurl_media": False}
        sent = await self._client.call("chat.postMessage", params | ({"thread_ts": thread} if thread else {}))
        message = string(sent, "ts")
        if not message:
            raise OutcomeUnknown("Slack: the answer names no message")
        if thread and not string(child(sent, "message"), "parent_user_id") and await self._is_gone(channel, thread):
            await self._take_back(channel, message)
            raise PlaceGone("Slack posted to a thread whose first message is gone: nobody would find it there")
        return message

    async def _is_gone(self, channel: str, thread: str) -> bool:
        """Whether a thread has lost its first message; without an answer it has not."""
        try:
            await self._client.call("conversations.replies", {"channel": channel, "ts": thread, "limit": 1})
        except PlaceGone:
            return True
        except SurfaceError as error:
            _log.debug("whether a thread is still there can't be asked: %s", error)
        return False

    async def _take_back(self, channel: str, message: str) -> None:
        try:
            await self._client.call("chat.delete", {"channel": channel, "ts": message})
        except SurfaceError as error:
            _log.warning("a message that Slack posted to a lost thread could not be taken back: %s", error)


class Finder:
    """Looks for messages of ours."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client

    async def post(self, channel: str, thread: str | None, key: str, index: int, since_ms: int) -> str | None:
        """The newest message that carries a post's mark, or ``None``."""
        mark = file_mark(key, index)

        def carries(message: Json) -> bool:
            payload = _payload_of(message, POST)
            if payload.get("key") == key and payload.get("index") == index:
                return True
            return any(block.get("block_id") == mark for block in children(message, "blocks"))

        found = [string(one, "ts") for one in await self._since(channel, thread, since_ms) if carries(one)]
        return max(found, default=None)

    async def file(self, channel: str, thread: str | None, number: str, since_ms: int) -> str | None:
        """The message that shows a file, by the file's id, or ``None``."""
        for message in await self._since(channel, thread, since_ms):
            if any(string(file, "id") == number for file in children(message, "files")):
                return string(message, "ts") or None
        return None

    async def place(self, channel: str, nonce: str, since_ms: int) -> str | None:
        """The thread's first message that was marked so, or ``None``."""
        messages = await self._since(channel, None, since_ms)
        found = [string(one, "ts") for one in messages if _payload_of(one, PLACE).get("nonce") == nonce]
        return max(found, default=None)

    async def _since(self, channel: str, thread: str | None, since_ms: int) -> list[Json]:
        """Messages of a conversation or a thread since a moment (epoch ms). Raises what the call raises."""
        since_ms -= max(0, self._client.ahead_ms)  # theirs may be behind: rather a little too much than a post missed
        oldest = f"{since_ms // 1000}.{since_ms % 1000:03d}000"
        params: Json = {"channel": channel, "oldest": oldest, "include_all_metadata": True, "limit": PAGE}
        method = "conversations.history" if thread is None else "conversations.replies"
        messages: list[Json] = []
        for _ in range(PAGES):
            try:
                answer = await self._client.call(method, params | ({"ts": thread} if thread is not None else {}))
            except PlaceGone:
                return messages  # what is gone with its thread was not kept
            messages += children(answer, "messages")
            cursor = string(child(answer, "response_metadata"), "next_cursor")
            if not cursor:
                break
            params["cursor"] = cursor
        return messages


class Uploads:
    """Posts files, in Slack's three steps. Only the last of them shows anything."""

    def __init__(self, client: SlackClient, finder: Finder, clock: Callable[[], float] = time.time) -> None:
        """``clock``: epoch seconds."""
        self._client = client
        self._finder = finder
        self._clock = clock

    async def send(
        self, channel: str, thread: str | None, name: str, data: bytes, payload: Json, mark: str, rings: str
    ) -> str:
        """Post a file with the payload's words above it; the message's ts. ``mark``: see :func:`file_mark`;
        ``rings``: the user id of whom to mention, or empty.

        Slack posts it some time after it took it: until then it is looked for, and if it does not show in time the
        outcome is unknown.
        """
        data = data or b"\n"  # Slack takes no empty file
        place = await self._client.call("files.getUploadURLExternal", {"filename": name, "length": len(data)})
        address, number = string(place, "upload_url"), string(place, "file_id")
        if not address or not number:
            raise Unreachable("Slack: the answer to files.getUploadURLExternal can't be read")
        await self._client.upload(address, data)
        params: Json = {
            "files": [{"id": number, "title": name}],
            "channel_id": channel,
            "thread_ts": thread,
            "blocks": _above(name, payload, mark, rings),
        }
        await self._client.call("files.completeUploadExternal", params)
        since_ms = int((self._clock() - CLOCK_SLACK_S) * 1000)
        try:
            async with asyncio.timeout(self._client.timeouts.seek_s):
                for delay in SEEK_DELAYS_S:
                    await asyncio.sleep(delay)
                    if found := await self._finder.file(channel, thread, number, since_ms):
                        return found
        except (TimeoutError, SurfaceError) as error:
            reason = f": {error}" if str(error) else ""
        else:
            reason = ""
        raise OutcomeUnknown(f"Slack took a file and does not show it yet{reason}")


def _above(name: str, payload: Json, mark: str, rings: str) -> list[Json]:
    """The block of a file's message, which is marked, and the mention of whom it rings."""
    words = payload.get("initial_comment") or escaped(name)
    block = {"type": "context", "block_id": mark, "elements": [{"type": "mrkdwn", "text": words}]}
    blocks: list[Json] = (calling({"blocks": [block]}, rings) if rings else {"blocks": [block]})["blocks"]
    return blocks


def _payload_of(message: Json, kind: str) -> Json:
    carried = child(message, "metadata")
    return child(carried, "event_payload") if carried.get("event_type") == kind else {}

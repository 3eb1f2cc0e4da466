"""Telegram as a surface: sends, edits, topics, reactions, and what people did."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal, Self

from telegram import InputFile, InputMediaDocument

from bridge.cards.model import Card
from bridge.chat.capabilities import Capability
from bridge.chat.errors import MessageGone, OutcomeUnknown, Rejected, Unreachable
from bridge.chat.intents import Intent
from bridge.chat.surface import Part, Place, Rates, RawUpdate
from bridge.chat.telegram import render
from bridge.chat.telegram.addresses import chat_id, link, place_params
from bridge.chat.telegram.client import Params, TelegramClient, Timeouts
from bridge.chat.telegram.polling import Polling
from bridge.chat.telegram.short_text import shortened
from bridge.chat.telegram.topics import Topics
from bridge.chat.telegram.updates import intent_of
from bridge.language import tr

PRESS_ANSWER_UTF16 = 200
MOST_PHOTO = 10_000_000
MOST_UPLOAD = 50_000_000
"""Bytes, as the Bot API gives them."""
REACTIONS = {"queued": "👀", "taken": "👌", "failed": "😢"}
"""From the fixed list open to bots (✅ and ❌ are not in it)."""

RATES = Rates(chat_burst=2, group_interval_s=3.75, group_burst=4)
"""A call a second per chat; of the short bursts that Telegram lets pass part is left to what makes calls come late."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is, and whether its private chats may have topics."""

    id: str
    username: str
    name: str
    has_topics_enabled: bool


class TelegramSurface:
    """One Telegram bot. ``async with`` opens its connections; Telegram itself need not be there yet. What the methods
    without a word of their own promise is written in :class:`bridge.chat.surface.Surface`.

    ``base_url`` is the Bot API server without ``/bot``; ``proxy`` a URL. ``topics_retry_s``: how long a chat that
    refused a topic is taken to have none, by ``clock`` (seconds, monotonic). ``resume_from`` is the id of the last
    update the store has, which the first poll then confirms; without it Telegram sends everything not yet confirmed,
    and the store deduplicates. Raises :class:`LoginRefused` for what can't be a token, ``ValueError`` for an address
    or a proxy that can't be used.
    """

    name: str = "telegram"
    capabilities: frozenset[str] = frozenset(
        {
            Capability.TOPICS,
            Capability.POLLS,
            Capability.TYPING,
            Capability.REACTIONS,
            Capability.REPLIES,
            Capability.COMMANDS,
            Capability.PINS,
            Capability.GROUPS,
            Capability.FILES,
        }
    )

    def __init__(
        self,
        token: str,
        base_url: str = "https://api.telegram.org",
        *,
        rates: Rates | None = None,
        timeouts: Timeouts | None = None,
        proxy: str | None = None,
        topics_retry_s: float = 600.0,
        resume_from: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        timeouts = timeouts or Timeouts()
        self.rates: Rates = rates or RATES
        self.identity: Identity | None = None
        self._client = TelegramClient(token, base_url, timeouts=timeouts, proxy=proxy)
        self._polling = Polling(self._client, timeouts.poll_s, resume_from)
        self._topics = Topics(self._client, topics_retry_s, clock)

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._client.__aexit__(*exc)

    async def check(self) -> Identity:
        """Ask Telegram who this bot is. Raises :class:`SurfaceError`; :class:`LoginRefused` for a wrong token."""
        me = await self._client.call("getMe")
        if not isinstance(me, dict) or not isinstance(me.get("id"), int):
            raise Unreachable("Telegram: the answer to getMe can't be read")
        topics = me.get("has_topics_enabled") is True
        self.identity = Identity(str(me["id"]), str(me.get("username", "")), str(me.get("first_name", "")), topics)
        return self.identity

    async def set_commands(self, commands: Sequence[tuple[str, str]]) -> None:
        """Show these commands in the chat's menu: name (small letters, without slash) and description, each."""
        menu = [{"command": name, "description": about} for name, about in commands]
        await self._client.call("setMyCommands", {"commands": menu})

    async def pin(self, place: Place, message: str) -> None:
        params = {"chat_id": int(place.chat), "message_id": int(message), "disable_notification": True}
        await self._client.call("pinChatMessage", params)

    async def unpin(self, place: Place, message: str) -> None:
        await self._client.call("unpinChatMessage", {"chat_id": int(place.chat), "message_id": int(message)})

    def address(self, place: Place, message: str | None) -> str | None:
        return link(place, message)

    def intent(self, update: RawUpdate) -> Intent | None:
        """What the person behind an update wants; see :func:`bridge.chat.telegram.updates.intent_of`."""
        return intent_of(update.payload, self.identity.username if self.identity else None)

    def is_group(self, chat: str) -> bool:
        """Telegram gives groups ids below zero, and names to public ones."""
        return chat.startswith(("-", "@"))

    def render(self, key: str, card: Card, place: Place) -> list[Part]:
        return render.render(key, card, place)

    def duller(self, part: Part) -> Part | None:
        return render.duller(part)

    async def send(
        self, place: Place, part: Part, *, ring: bool, reply_to: str | None = None, key: str, index: int
    ) -> str:
        params = {**place_params(place), **part.payload, "disable_notification": not ring}
        if reply_to is not None:
            params["reply_parameters"] = {"message_id": int(reply_to), "allow_sending_without_reply": True}
        if part.kind == "file":
            method, field = ("sendPhoto", "photo") if _is_photo(part) else ("sendDocument", "document")
            sent = await self._topics.call(place, method, params | {field: _upload(part)})
        else:
            sent = await self._topics.call(place, "sendMessage", params)
        if not isinstance(sent, dict) or not isinstance(sent.get("message_id"), int):
            raise OutcomeUnknown("Telegram: the answer names no message")
        message = str(sent["message_id"])
        await self._topics.check(place, message, sent.get("message_thread_id"))
        return message

    async def edit(self, place: Place, message: str, part: Part) -> None:
        """:class:`PlaceGone` where a message is gone with its topic, of which Telegram tells no bot."""
        try:
            await self._edit(place, message, part)
        except MessageGone:
            if place.thread is not None:
                await self.typing(place)  # the least that asks for the topic
            raise

    async def _edit(self, place: Place, message: str, part: Part) -> None:
        params: Params = {"chat_id": chat_id(place.chat), "message_id": int(message)}
        if part.kind == "text":
            await self._topics.call(place, "editMessageText", params | part.payload)
            return
        caption = {name: value for name, value in part.payload.items() if name != "reply_markup"}
        params["media"] = InputMediaDocument(_upload(part, attach=True), api_kwargs=caption)
        params["reply_markup"] = part.payload.get("reply_markup")
        await self._topics.call(place, "editMessageMedia", params)

    async def delete(self, place: Place, message: str) -> None:
        await self._client.call("deleteMessage", {"chat_id": chat_id(place.chat), "message_id": int(message)})

    async def find(self, place: Place, key: str, index: int, since_ms: int) -> str | None:
        """Always ``None``: a Telegram bot can't read what is in a chat (the capability ``find`` is not announced)."""
        return None

    async def open_place(self, chat: str, title: str, *, mark: str = "", wanted_ms: int | None = None) -> str | None:
        """Make a topic, in a supergroup or a private chat. Without an answer (:class:`OutcomeUnknown`) an empty topic
        may be left behind."""
        return await self._topics.open(chat, title)

    async def rename_place(self, place: Place, title: str) -> None:
        """Rename the topic; where the chat itself is the place, nothing is to be done."""
        if place.thread is not None:
            await self._topics.rename(place, title)

    async def typing(self, place: Place) -> None:
        await self._client.call("sendChatAction", {**place_params(place), "action": "typing"})

    async def react(self, place: Place, message: str, mark: Literal["queued", "taken", "failed", "none"]) -> None:
        reaction = [] if mark == "none" else [{"type": "emoji", "emoji": REACTIONS[mark]}]
        params = {"chat_id": chat_id(place.chat), "message_id": int(message), "reaction": reaction}
        await self._client.call("setMessageReaction", params)

    async def fetch(self, source: str, most: int) -> bytes:
        try:
            found = await self._client.call("getFile", {"file_id": source})
        except Rejected as error:
            words = tr("Telegram gives a bot at most 20 MB") if "too big" in str(error) else str(error)
            raise Rejected(words) from None
        path = found.get("file_path") if isinstance(found, dict) else None
        if not isinstance(path, str) or not path:
            raise Unreachable("Telegram: the answer to getFile can't be read")
        if path.startswith("/"):
            raise Rejected("Telegram: the Bot API server runs with --local and keeps its files to itself")
        data = await self._client.download(path)
        if len(data) > most:
            raise Rejected(f"it has {len(data) / 1e6:.1f} MB")
        return data

    async def acknowledge_press(self, press: str, text: str, *, alert: bool = False) -> None:
        params = {"callback_query_id": press, "text": shortened(text, PRESS_ANSWER_UTF16), "show_alert": alert}
        await self._client.call("answerCallbackQuery", params)

    async def updates(self) -> AsyncIterator[Sequence[RawUpdate]]:
        """Batches of updates; an empty one says that a poll went well without news. A batch counts as stored once the
        next one is asked for; an iteration that ends before that, for whatever reason, gets it again from the next."""
        if self.identity is None:
            await self.check()
        async with aclosing(self._polling.batches()) as batches:
            async for batch in batches:
                yield batch


def _upload(part: Part, *, attach: bool = False) -> InputFile:
    if part.file is None:
        raise Rejected("a part of kind file without a file")
    # Telegram refuses a file without a byte in it.
    data = part.content if part.content is not None else (part.file.text or "\n").encode()
    if len(data) > MOST_UPLOAD:
        raise Rejected(f"it has {len(data) / 1e6:.1f} MB, and Telegram takes {MOST_UPLOAD / 1e6:.0f} MB from a bot")
    return InputFile(data, filename=part.file.name, attach=attach)


def _is_photo(part: Part) -> bool:
    is_picture = part.file is not None and part.file.media_type in render.PHOTOS
    return is_picture and part.content is not None and len(part.content) <= MOST_PHOTO

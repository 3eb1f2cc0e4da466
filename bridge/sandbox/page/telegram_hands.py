"""What the visitor does in the sandbox Telegram."""

from __future__ import annotations

import mimetypes
from typing import Any

from aiohttp import web

from bridge.sandbox.page.bodies import (
    TelegramEdit,
    TelegramPress,
    TelegramReact,
    TelegramSay,
    TelegramTopic,
    read,
)
from bridge.sandbox.page.guard import Refused
from bridge.sandbox.page.telegram_view import seen
from bridge.sandbox.telegram import Chat, Message, TelegramServer, User
from bridge.sandbox.telegram.account import REACTIONS
from bridge.sandbox.telegram.text import utf16_length

MOST_UNITS = 4096
"""UTF-16 units in one message of a person; apps split what is longer."""
PICTURES = ("image/png", "image/jpeg", "image/webp")


class TelegramHands:
    """One person's hands. What can't be done is `Refused` with 4xx."""

    def __init__(self, server: TelegramServer, me: User) -> None:
        self._server = server
        self._me = me

    def routes(self) -> list[web.RouteDef]:
        """The POSTs below ``/api/telegram``."""
        return [
            web.post("/api/telegram/say", self._say),
            web.post("/api/telegram/press", self._press),
            web.post("/api/telegram/edit", self._edit),
            web.post("/api/telegram/react", self._react),
            web.post("/api/telegram/topic/delete", self._delete_topic),
        ]

    async def _say(self, request: web.Request) -> web.Response:
        body = await read(request, TelegramSay)
        chat = self._chat(body.chat)
        if utf16_length(body.text) > MOST_UNITS:
            raise Refused(400, f"a message has at most {MOST_UNITS} UTF-16 units")
        if body.thread is not None and (body.thread not in chat.topics or chat.topics[body.thread].deleted):
            raise Refused(409, "this topic is gone")
        if body.reply_to is not None and chat.message(body.reply_to) is None:
            raise Refused(409, "the message to reply to is gone")
        place: dict[str, Any] = {"thread": body.thread, "reply_to": body.reply_to}
        if body.file is None:
            if not body.text.strip():
                raise Refused(400, "there is nothing to send")
            message = self._server.say(chat, self._me, body.text, **place)
        else:
            mime = body.file.mime or mimetypes.guess_type(body.file.name)[0]
            kind = "photo" if mime in PICTURES else "document"
            sent = {"caption": body.text, "mime": mime, "kind": kind, **place}
            message = self._server.send_document(chat, self._me, body.file.content(), body.file.name, **sent)
        return _ok(message=seen(self._server, message))

    async def _press(self, request: web.Request) -> web.Response:
        body = await read(request, TelegramPress)
        message = self._message(body.chat, body.message)
        try:
            self._server.press(message, body.data, self._me)
        except LookupError:
            raise Refused(409, "this button is gone, or it tells the bot nothing") from None
        return _ok()

    async def _edit(self, request: web.Request) -> web.Response:
        body = await read(request, TelegramEdit)
        self._server.edit(self._own(body), body.text)
        return _ok()

    async def _react(self, request: web.Request) -> web.Response:
        body = await read(request, TelegramReact)
        message = self._message(body.chat, body.message)
        if body.emoji and body.emoji not in REACTIONS:
            raise Refused(400, f"{body.emoji} is not among Telegram's reactions")
        self._server.react(message, self._me, *([body.emoji] if body.emoji else []))
        return _ok()

    async def _delete_topic(self, request: web.Request) -> web.Response:
        body = await read(request, TelegramTopic)
        chat = self._chat(body.chat)
        topic = chat.topics.get(body.topic)
        if topic is None or topic.deleted:
            raise Refused(409, "this topic is gone")
        self._server.delete_topic(chat, topic)
        return _ok()

    def _own(self, body: TelegramEdit) -> Message:
        message = self._message(body.chat, body.message)
        if message.sender is not self._me:
            raise Refused(403, "only one's own messages can be edited")
        return message

    def _chat(self, chat_id: int) -> Chat:
        chat = self._server.chats.get(chat_id)
        if chat is None or self._me.id not in chat.members:
            raise Refused(404, "there is no such chat")
        return chat

    def _message(self, chat_id: int, message_id: int) -> Message:
        message = self._chat(chat_id).message(message_id)
        if message is None:
            raise Refused(404, "there is no such message")
        return message


def _ok(**more: Any) -> web.Response:
    return web.json_response({"ok": True, **more})

"""What both servers would hold of a text: API calls performed on sandbox servers of their own, which nobody else sees.

The calls are those of `hapi-bridge render`; the servers check them as strictly as they check the bridge.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from bridge.sandbox.page import slack_view, telegram_view
from bridge.sandbox.page.guard import Refused
from bridge.sandbox.slack import METHODS as SLACK_METHODS
from bridge.sandbox.slack import SCOPES, Channel, SlackServer
from bridge.sandbox.slack import File as SlackFile
from bridge.sandbox.slack.errors import SlackError
from bridge.sandbox.slack.request import Request as SlackRequest
from bridge.sandbox.slack.request import typed as slack_typed
from bridge.sandbox.telegram import File, TelegramServer
from bridge.sandbox.telegram.errors import BotApiError
from bridge.sandbox.telegram.methods import METHODS as TELEGRAM_METHODS
from bridge.sandbox.telegram.request import Request as TelegramRequest
from bridge.sandbox.telegram.request import Upload
from bridge.sandbox.telegram.request import typed as telegram_typed

Json = dict[str, Any]
Calls = Callable[[str, str], list[Json]]
"""A text and a platform's name to API calls, as ``hapi-bridge render`` prints them. Raises ValueError with words."""

MOST_FILES = 200
"""Files of earlier drawings that can still be opened."""


class Drawings:
    """Draws texts, and keeps the files of the last drawings: ``files`` by id, as (name, type, bytes)."""

    def __init__(self, calls: Calls) -> None:
        self.files: OrderedDict[str, tuple[str, str, bytes]] = OrderedDict()
        self._calls = calls

    def draw(self, text: str) -> Json:
        """Both platforms' messages. Raises `Refused` for what can't be drawn."""
        try:
            telegram, slack = self._calls(text, "telegram"), self._calls(text, "slack")
        except ValueError as error:
            raise Refused(400, str(error)) from None
        try:
            return {"telegram": self._telegram(telegram), "slack": self._slack(slack)}
        except BotApiError as error:
            raise Refused(422, f"Telegram would refuse this: {error.description}") from None
        except SlackError as error:
            raise Refused(422, f"Slack would refuse this: {error.words}") from None

    def _telegram(self, calls: list[Json]) -> list[Json]:
        server = _Telegram()
        for call in calls:
            method = TELEGRAM_METHODS[call["method"].lower()]
            chat = call["params"]["chat_id"]
            if chat not in server.chats:
                server.private_chat(server.add_user(chat, "You"))
            uploads = {name: Upload(name, "text/plain", text.encode()) for name, text in call.get("files", {}).items()}
            params = telegram_typed(method.name, call["params"], uploads, method.kinds)
            if method.handler is not None:
                method.handler(server, TelegramRequest(method.name, params, uploads, lambda _: None))
        self._keep((file.id, file.name, file.mime, file.data) for file in server.files.values())
        return [telegram_view.seen(server, one) for chat in server.chats.values() for one in chat.messages]

    def _slack(self, calls: list[Json]) -> list[Json]:
        server, uploaded = _Slack(), ""
        for call in calls:
            method = SLACK_METHODS[call["method"]]
            params = dict(call["params"])
            channel = params.get("channel") or params.get("channel_id")
            if channel and channel not in server.channels:
                members = {server.bot.id: server.bot}
                server.channels[channel] = Channel(channel, "public", "drawing", server.bot, server.clock(), members)
            if "files" in params:
                params["files"] = [one | {"id": uploaded} for one in params["files"]]
            request = SlackRequest(method.name, slack_typed(method.name, params, method.kinds), set(SCOPES), _approve)
            answer = method.handler(server, request)
            for text in call.get("files", {}).values():
                uploaded = answer["file_id"]
                server.files[uploaded].data = text.encode()
        self._keep(_bytes(server.files.values()))
        return [slack_view.seen(server, one) for channel in server.channels.values() for one in channel.messages]

    def _keep(self, files: Iterable[tuple[str, str, str, bytes]]) -> None:
        for file_id, name, mime, data in files:
            self.files[file_id] = (name, mime, data)
        while len(self.files) > MOST_FILES:
            self.files.popitem(last=False)


class _Telegram(TelegramServer):
    """A Telegram whose files have ids that no other one gives."""

    def store_file(self, kind: str, name: str, mime: str, data: bytes, claimed_size: int | None = None) -> File:
        file = File(f"drawn{secrets.token_hex(8)}", kind, name, mime, data, claimed_size)
        self.files[file.id] = file
        return file


class _Slack(SlackServer):
    """A Slack with ids that no other one gives."""

    def new_id(self, prefix: str) -> str:
        return f"{prefix}{secrets.token_hex(8).upper()}"


def _approve(_: str | None) -> None:
    """No rates are kept here."""


def _bytes(files: Iterable[SlackFile]) -> Iterable[tuple[str, str, str, bytes]]:
    return [(file.id, file.name, file.mime, file.data) for file in files if file.data is not None]

"""What happens in the sandbox Telegram, as events of the page."""

from __future__ import annotations

from bridge.sandbox.page.calls import REMEMBERED, CallLog
from bridge.sandbox.page.feed import Feed
from bridge.sandbox.page.telegram_view import chat_json, seen
from bridge.sandbox.telegram import Chat, Event, Message, TelegramServer

MOST_PRESSED = 500
"""Presses whose labels are kept for their answers: a bot that is down answers none, and a page stays open for days."""


class TelegramNews:
    """Tells the feed. ``calls`` is the log that both platforms share."""

    def __init__(self, server: TelegramServer, feed: Feed, calls: CallLog) -> None:
        self._server = server
        self._feed = feed
        self._calls = calls
        self._pressed: dict[str, str] = {}
        """The label of a button by the press that is not answered yet."""

    async def run(self) -> None:
        """Pass everything on until cancelled."""
        with self._server.bus.subscribe() as events:
            while True:
                self._tell(await events.get())

    def _tell(self, event: Event) -> None:
        chat, message = event.chat, event.message
        if event.call is not None:
            self._calls.note("telegram", event.call, self._server.rates.standing(), self._server.calls)
            if event.call.method == "setMyCommands" and event.call.code == 200:
                for each in self._server.chats.values():
                    self._chat(each)
        elif event.kind == "press":
            self._pressed[event.detail["callback"]] = event.detail["button"]
            if len(self._pressed) > MOST_PRESSED:
                del self._pressed[next(iter(self._pressed))]
        elif chat is None:
            return
        elif event.kind in ("chat", "topic", "pin"):
            self._chat(chat)
        elif event.kind == "action":
            at, _, thread = chat.actions[-1]
            if len(chat.actions) > 2 * REMEMBERED:
                del chat.actions[:-REMEMBERED]
            typing = {"thread": thread, "at": at}
            self._feed.tell("telegram.typing", chat=chat.id, typing=typing)
        elif message is not None:
            self._message(event.kind, event, chat, message)

    def _chat(self, chat: Chat) -> None:
        self._feed.tell("telegram.topic", chat=chat_json(self._server, chat))

    def _message(self, kind: str, event: Event, chat: Chat, message: Message) -> None:
        if kind == "answer":
            press = event.detail["callback"]
            answer = self._server.callbacks[press].answer
            button = self._pressed.pop(press, "")
            told = {"button": button, "text": event.detail["text"], "alert": answer is not None and answer.alert}
            self._feed.tell("telegram.answer", chat=chat.id, message=message.id, **told)
            return
        what = {"message": "message", "edit": "edit", "reaction": "edit", "delete": "delete"}[kind]
        self._feed.tell(f"telegram.{what}", chat=chat.id, message=seen(self._server, message))

"""The demo's visitor: presses what the scenario says and writes what it says, where a person would."""

from __future__ import annotations

import asyncio
import json

from bridge.language import tr
from bridge.sandbox.hub_state import HubState
from bridge.sandbox.player import Waiting
from bridge.sandbox.telegram import Chat, Message, TelegramServer, User

PATIENCE_S = 20.0
TRIES = 3
_GUARD_S = 1.0
"""A press just after a card appeared is not taken, on purpose; this is a little longer."""


class Visitor:
    """One person in one chat. ``speed`` shortens the time the visitor takes to read."""

    def __init__(self, server: TelegramServer, chat: Chat, user: User, hub: HubState, *, speed: float) -> None:
        self._server = server
        self._chat = chat
        self._user = user
        self._hub = hub
        self._read_s = max(_GUARD_S, 2.0 / speed)
        self.turns: asyncio.Queue[Waiting] = asyncio.Queue(100)

    async def run(self) -> None:
        """Take every turn that comes, one after another, until cancelled."""
        while True:
            await self.take(await self.turns.get())

    async def take(self, waiting: Waiting) -> None:
        """Do what is wanted now: write, or press until the hub says that it counted."""
        thread = self._thread(waiting)
        if waiting.what == "reply":
            await asyncio.sleep(self._read_s)
            self._server.say(self._chat, self._user, waiting.visitor, thread=thread)
            return
        if waiting.what == "question":
            await self._answer(waiting, thread)
            return
        for _ in range(TRIES):
            await self._server.wait_for(
                lambda: self._card(waiting.visitor, thread), timeout=PATIENCE_S, what=f"a button {waiting.visitor}"
            )
            await asyncio.sleep(self._read_s)
            if (found := self._card(waiting.visitor, thread)) is None:
                continue
            self._server.press(*found, self._user)
            if await self._settled(waiting):
                return

    async def _answer(self, waiting: Waiting, thread: int | None) -> None:
        """Take the options one after another, over all questions; words that are no option are written as a reply."""
        asked = self._hub.sessions[waiting.session].requests.get(waiting.request, {})
        options = json.dumps(asked, ensure_ascii=False)
        for words in waiting.answers:
            label = words if json.dumps(words, ensure_ascii=False) in options else "Skip"
            if self._card(label, thread) is None and (more := self._card("Next", thread)):
                self._server.press(*more, self._user)
            await self._server.wait_for(lambda: self._card(label, thread), PATIENCE_S, what=f"a button {label}")  # noqa: B023
            await asyncio.sleep(self._read_s)
            found = self._card(label, thread)
            if found is None:
                continue
            if label == words:
                self._server.press(*found, self._user)
            else:
                self._server.say(self._chat, self._user, words, thread=thread, reply_to=found[0])
        for _ in range(TRIES):
            if await self._settled(waiting):
                return
            if submit := self._card("Submit", thread):
                self._server.press(*submit, self._user)

    async def _settled(self, waiting: Waiting) -> bool:
        session = self._hub.sessions[waiting.session]
        try:
            async with asyncio.timeout(5):
                while waiting.request in session.requests:  # noqa: ASYNC110 - the hub has no bell for this
                    await asyncio.sleep(0.05)
        except TimeoutError:
            return False
        return True

    def _card(self, label: str, thread: int | None) -> tuple[Message, str] | None:
        """The newest message in the topic with a button of that label, whatever mark stands before it, and its data.

        The bridge's own labels may be in the language spoken, an agent's never are.
        """
        wanted = (f" {label}", f" {tr(label)}")
        for message in reversed(self._chat.from_bot):
            if thread is not None and message.thread != thread:
                continue
            for button in message.buttons:
                if button.data and not button.disabled and f" {button.text}".endswith(wanted):
                    return message, button.data
        return None

    def _thread(self, waiting: Waiting) -> int | None:
        """The topic that belongs to a session, by its name; None where the chat has none."""
        name = self._hub.sessions[waiting.session].record["metadata"]["name"]
        topics = [topic for topic in self._chat.topics.values() if not topic.deleted and name in topic.name]
        return topics[-1].id if topics else None

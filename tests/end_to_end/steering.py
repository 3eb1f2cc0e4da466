"""A stage for what people steer: the sandbox's own hub, with computers and agents as a test wants them, and both chats.

A test is written once and played on either platform through :class:`Chatting`: what a person types, sees and presses.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol, cast

import pytest

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_session import Session
from bridge.sandbox.slack import Message as SlackMessage
from bridge.sandbox.slack import SlackServer
from bridge.sandbox.telegram import Message as TelegramMessage
from bridge.sandbox.telegram import TelegramServer, Topic
from tests.end_to_end.slack_stage import BothStage, words
from tests.rig.hapi_peer import HubProc


class Card(Protocol):
    """A message of the bot's."""

    history: Any


class Steered(BothStage):
    """Both chats and the bridge, on the sandbox's hub with one computer called laptop."""

    def __init__(
        self, hub: SandboxHub, slack: SlackServer, telegram: TelegramServer, folder: Path, stack: AsyncExitStack
    ) -> None:
        # Only its address is used: nothing here stops the hub.
        super().__init__(cast(HubProc, hub), slack, telegram, folder, stack)
        self.sandbox = hub
        self.state = hub.state
        self.machine = hub.state.add_machine("laptop")
        self.computer = hub.computers[self.machine]
        self.computer.home = "/home/ada"
        self.computer.directories |= {"/home/ada/shop", "/home/ada/site", "/srv/api"}
        self.computer.repositories.add("/home/ada/shop")

    def played(self, name: str = "", *, flavor: str = "claude", directory: str = "/home/ada/shop") -> Session:
        """An active session."""
        return self.state.add_session(flavor=flavor, directory=directory, machine="laptop", name=name or None)

    def says(self, session: Session, text: str) -> None:
        """Its agent says something, and its turn is over."""
        self.state.say(session, "codex", {"type": "message", "message": text})
        self.state.say(session, "event", {"type": "ready"})

    def starter(self, *, look_for_ms: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Look for sessions of lost starts for less time than really."""
        monkeypatch.setattr("bridge.relay.people.sessions.starter.LOOK_FOR_MS", look_for_ms)

    def calls(self, method: str, end: str) -> int:
        """How often the hub was called with a path that ends so."""
        return sum(done == method and path.endswith(end) for done, path, _ in self.sandbox.calls)


class Chatting(Protocol):
    """One platform as its person uses it."""

    stage: Steered
    name: str

    def type(self, text: str, *, at: Card | None = None) -> None:
        """Write something; ``at``: in the topic or thread of a message."""
        ...

    async def see(self, text: str, *more: str) -> Card:
        """Wait for a message that holds all of these; the newest."""
        ...

    def text(self, card: Card) -> str: ...

    def labels(self, card: Card) -> list[list[str]]:
        """Its buttons, by row."""
        ...

    async def press(self, card: Card, label: str) -> str:
        """Press the button with these words, once it has stood long enough; what the presser alone was told, if that
        is known."""
        ...

    async def fill(self, card: Card, label: str, text: str) -> None:
        """Press a button that asks for words, and give them."""
        ...

    async def told(self, text: str) -> None:
        """Wait until the presser alone was told something."""
        ...

    def file(self, name: str) -> str | None:
        """The text of the newest file of that name."""
        ...


class OnTelegram:
    """Telegram, in the private chat with topics."""

    name = "telegram"

    def __init__(self, stage: Steered) -> None:
        self.stage = stage
        self._told: list[str] = []

    def type(self, text: str, *, at: Card | None = None) -> None:
        thread = cast(TelegramMessage, at).thread if at is not None else None
        self.stage.telegram.say(self.stage.chat, self.stage.telegram_ada, text, thread=thread)

    def _find(self, wanted: tuple[str, ...]) -> TelegramMessage | None:
        found = (one for one in reversed(self.stage.chat.from_bot) if not one.deleted)
        return next((one for one in found if all(each in one.text for each in wanted)), None)

    async def see(self, text: str, *more: str) -> TelegramMessage:
        wanted = (text, *more)
        await self.stage.telegram.wait_for(lambda: self._find(wanted), 15, what=f"{wanted} on Telegram")
        found = self._find(wanted)
        assert found is not None
        return found

    def text(self, card: Card) -> str:
        return cast(TelegramMessage, card).text

    def labels(self, card: Card) -> list[list[str]]:
        buttons = cast(TelegramMessage, card).buttons
        return [[one.text for one in buttons if one.row == row] for row in sorted({one.row for one in buttons})]

    async def press(self, card: Card, label: str) -> str:
        message = cast(TelegramMessage, card)
        words = await self.stage.press_on_telegram(message, message.button(label).text)
        self._told.append(words)
        return words

    async def fill(self, card: Card, label: str, text: str) -> None:
        assert await self.press(card, label) == "Write it as a reply to the message below."
        note = await self.see("Reply to this message with it.")
        chat, ada = self.stage.chat, self.stage.telegram_ada
        self.stage.telegram.say(chat, ada, text, thread=note.thread, reply_to=note)

    async def told(self, text: str) -> None:
        async with asyncio.timeout(10):
            while not any(text in each for each in self._told):
                if self._find((text,)) is not None:
                    return
                await asyncio.sleep(0.05)

    def file(self, name: str) -> str | None:
        sent = [one.file for one in self.stage.chat.from_bot if one.file is not None]
        return next((one.data.decode() for one in reversed(sent) if one.name == name), None)

    def topic(self, name: str) -> Topic | None:
        return self.stage.chat.topic(name)


class OnSlack:
    """Slack, in the owner's DM."""

    name = "slack"

    def __init__(self, stage: Steered) -> None:
        self.stage = stage

    def type(self, text: str, *, at: Card | None = None) -> None:
        thread = cast(SlackMessage, at) if at is not None else None
        self.stage.say(f" {text}" if text.startswith("/") else text, thread)

    def _find(self, wanted: tuple[str, ...]) -> SlackMessage | None:
        found = reversed(self.stage.dm.from_bot)
        return next((one for one in found if all(each in words(one) for each in wanted)), None)

    async def see(self, text: str, *more: str) -> SlackMessage:
        wanted = (text, *more)
        await self.stage.see(lambda: self._find(wanted), f"{wanted} on Slack")
        found = self._find(wanted)
        assert found is not None
        return found

    def text(self, card: Card) -> str:
        return words(cast(SlackMessage, card))

    def labels(self, card: Card) -> list[list[str]]:
        return [[one.label for one in cast(SlackMessage, card).buttons]]

    async def press(self, card: Card, label: str) -> str:
        message = cast(SlackMessage, card)
        exact = [one.label for one in message.buttons if one.label == label]
        found = exact or [one.label for one in message.buttons if label in one.label]
        assert found, f"no button {label!r} in {self.labels(card)}"
        await self.stage.press(message, found[0])
        return ""

    async def fill(self, card: Card, label: str, text: str) -> None:
        await self.press(card, label)
        await self.stage.slack.wait_for(lambda: self.stage.slack.modal(self.stage.ada) is not None, 10, "the form")
        view = self.stage.slack.modal(self.stage.ada)
        assert view is not None
        await self.stage.slack.answered(self.stage.slack.submit_view(view, {"text": text}, self.stage.ada))

    async def told(self, text: str) -> None:
        def found() -> bool:
            return any(text in words(one) for one in self.stage.dm.ephemeral(self.stage.ada))

        await self.stage.see(found, f"{text!r}, for the presser alone")

    def file(self, name: str) -> str | None:
        sent = [each for one in self.stage.dm.from_bot for each in one.files if each.name == name]
        return (sent[-1].data or b"").decode() if sent else None

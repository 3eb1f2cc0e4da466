"""A stage whose chat is Slack: a real hub, the strict Slack server, and the bridge between them.

Everything the bridge sends is held to the schema of blocks by the server, and to the SDK's models at the end.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from bridge.chat.slack.manifest import AGENT_SCOPES, CHANNEL_SCOPES, EVENTS, SCOPES
from bridge.sandbox.slack import Channel, Delivery, Message, SlackServer, User
from bridge.sandbox.telegram import Chat, TelegramServer
from bridge.sandbox.telegram import Message as TelegramMessage
from bridge.sandbox.telegram import User as TelegramUser
from tests.end_to_end.bridge_stage import ROOT, STEADY_S, BridgeStage
from tests.end_to_end.payloads import check_models
from tests.rig.fake_cli import FakeCli
from tests.rig.hapi_peer import HubProc, free_port, take_out

SCHEMA = ROOT / "fixtures" / "schemas" / "slack-blocks.json"
BOT_TOKEN = "xoxb-1234567890-endToEndBotToken"
APP_TOKEN = "xapp-1-A0SANDBOX-endToEndAppToken"
SIGNING_SECRET = "endtoendsigningsecret0123456789ab"
STEADY_MS = 250
"""How long a card must stand before a press counts, in these tests: less than really, to save their time."""
QUICK_STEADY_S = STEADY_MS / 1000 + 0.35


class SlackStage(BridgeStage):
    """Hub, Slack and bridge, with Ada as the owner. In Socket Mode, unless ``http`` is set before the start."""

    def __init__(self, hub: HubProc, slack: SlackServer, folder: Path, stack: AsyncExitStack) -> None:
        super().__init__(hub, folder, stack)
        self.slack = slack
        # What its manifest asks for and nothing more: whatever else the bridge would need shows here.
        slack.scopes = {*SCOPES, *AGENT_SCOPES, *CHANNEL_SCOPES}
        slack.subscriptions = frozenset(EVENTS)
        self.ada: User = slack.add_user("ada", owner=True)
        self.dm: Channel = slack.dm(self.ada)
        self.http = False
        self.extra = ""
        """Further lines of the configuration's table."""
        self.steady_s = QUICK_STEADY_S
        self.refusals: set[str] = set()
        """Errors that Slack is made to answer with in a test; any other one is a mistake of the bridge."""
        self._port = free_port()

    @property
    def environ(self) -> dict[str, str]:
        given = {
            **super().environ,
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_OWNER_ID": self.ada.id,
            "SLACK_API_BASE_URL": self.slack.base_url,
        }
        if not self.http:
            return {**given, "SLACK_APP_TOKEN": self.slack.app_token}
        return {**given, "SLACK_SIGNING_SECRET": self.slack.signing_secret, "BRIDGE_HTTP": f"127.0.0.1:{self._port}"}

    @property
    def tables(self) -> str:
        return f"[slack]\nspeed = {self.speed}\n{self.extra}"

    async def start(self) -> None:
        """Run the bridge in this process; returns when it hears the hub and Slack."""
        await super().start()
        await self._hear_slack()

    async def start_process(self, *, heard: bool = True) -> None:
        self.steady_s = STEADY_S  # a process of its own keeps its own time
        await super().start_process(heard=heard)
        await self._hear_slack()

    async def _hear_slack(self) -> None:
        if self.http:
            await self.slack.use_http(f"http://127.0.0.1:{self._port}/slack/events")
        else:
            await self.slack.wait_for(lambda: self.slack.sockets.open, 15, "the socket")

    async def leave(self, cli: FakeCli) -> None:
        """The session is taken out of the hub, so that no later test meets it there."""
        await self.stop()
        if not cli.sio.connected:
            return await cli.close()
        return await take_out(self.hub.url, cli)

    async def see(self, predicate: Callable[[], Any], what: str, timeout: float = 15) -> Any:
        """Wait until Slack shows something."""
        try:
            return await self.slack.wait_for(predicate, timeout, what)
        except TimeoutError as error:
            shown = "\n".join(f"  {'│' if one.is_reply else ''} {words(one)!r}"[:300] for one in self.dm.visible)
            raise TimeoutError(f"{error}; the DM shows\n{shown}") from None

    async def message(self, text: str, timeout: float = 15) -> Message:
        """Wait for a message of the bot that holds a text."""
        await self.see(lambda: self.find(text), f"a message with {text!r}", timeout)
        found = self.find(text)
        assert found is not None
        return found

    def find(self, text: str) -> Message | None:
        """The bot's newest message with a text, if there is one."""
        return next((one for one in reversed(self.dm.from_bot) if text in words(one)), None)

    async def answer(self, text: str, timeout: float = 15) -> Message:
        """Wait for a message that rings and holds a text."""
        await self.see(lambda: any(text in words(one) for one in self.rings()), f"an answer with {text!r}", timeout)
        return next(one for one in reversed(self.rings()) if text in words(one))

    def rings(self) -> list[Message]:
        """The bot's messages that call Ada: they mention her when they are posted."""
        return [one for one in self.dm.from_bot if f"@{self.ada.id}" in one.mentions]

    def root(self, title: str) -> Message:
        """The first message of a session's thread."""
        found = [one for one in self.dm.top_level if one.from_bot and words(one) == title]
        assert found, f"no thread {title!r}"
        return found[-1]

    def say(self, text: str, thread: Message | None = None) -> Message:
        """Ada writes in the DM, or in a thread of it."""
        return self.slack.say(self.dm, self.ada, text, thread_ts=thread)

    async def press(self, message: Message, label: str, user: User | None = None) -> Delivery:
        """Press a button once the card has stood long enough; returns when that is acknowledged, thus stored."""
        await self.steady(message)
        delivery = self.slack.press(message, label, user or self.ada)
        await self.slack.answered(delivery)
        return delivery

    async def pick(self, message: Message, label: str) -> None:
        """Press a button that changes its card; returns when the card has changed."""
        before = len(message.history)
        await self.press(message, label)
        await self.see(lambda: len(message.history) > before, f"what {label!r} changes")

    async def steady(self, message: Message) -> None:
        """Wait until a card has stood still for as long as a press needs."""
        while (left := message.history[-1].at + self.steady_s - time.time()) > 0:  # noqa: ASYNC110 - it is about time
            await asyncio.sleep(left)

    async def refusal(self, user: User | None = None, count: int = 1) -> str:
        """Wait for the words that a presser alone sees."""
        who = user or self.ada
        await self.see(lambda: len(self.dm.ephemeral(who)) >= count, f"{count} words that only {who.name} sees")
        return words(self.dm.ephemeral(who)[count - 1])

    def reactions(self, message: Message) -> set[str]:
        """The bot's marks on a person's message."""
        return {name for name, users in message.reactions.items() if self.slack.bot.id in users}

    def check_payloads(self) -> None:
        """Nothing was refused that the test did not ask for, and the SDK's models take every block as it was sent."""
        odd = [f"{one.method}: {one.description}" for one in self.slack.calls if one.description and not one.fault]
        odd = [words for words in odd if not any(word in words for word in self.refusals)]
        assert not odd, f"Slack refused: {odd}"
        check_models(self.slack.calls)


class BothStage(SlackStage):
    """A stage with two chats: every session is shown in Slack and on Telegram."""

    def __init__(
        self, hub: HubProc, slack: SlackServer, telegram: TelegramServer, folder: Path, stack: AsyncExitStack
    ) -> None:
        super().__init__(hub, slack, folder, stack)
        self.telegram = telegram
        self.telegram_ada: TelegramUser = telegram.add_user(7, "Ada")
        self.chat: Chat = telegram.private_chat(self.telegram_ada, topics=True)

    @property
    def environ(self) -> dict[str, str]:
        return {
            **super().environ,
            "TELEGRAM_BOT_TOKEN": self.telegram.token,
            "TELEGRAM_OWNER_ID": str(self.telegram_ada.id),
            "TELEGRAM_API_BASE_URL": self.telegram.base_url,
        }

    @property
    def tables(self) -> str:
        return f"{super().tables}[telegram]\nspeed = {self.speed}\n"

    async def on_telegram(self, text: str) -> TelegramMessage:
        """Wait for a message on Telegram that holds a text."""

        def find() -> TelegramMessage | None:
            return next((one for one in reversed(self.chat.from_bot) if text in one.text), None)

        await self.telegram.wait_for(find, 15, what=f"{text!r} on Telegram")
        found = find()
        assert found is not None
        return found

    async def press_on_telegram(self, message: TelegramMessage, label: str) -> str:
        """Press a button there once the card has stood long enough; what the presser was told."""
        while (left := message.history[-1].at + self.steady_s - time.time()) > 0:  # noqa: ASYNC110 - it is about time
            await asyncio.sleep(left)
        answer = await self.telegram.answer_to(self.telegram.press(message, label, self.telegram_ada), 10)
        return answer.text or ""


def has(card: Message, label: str) -> bool:
    """Whether a card has a button with these words."""
    return any(button.label == label for button in card.buttons)


def words(message: Message) -> str:
    """All that a person reads in a message, its pieces and lines joined by single blanks."""
    return " ".join(message.words.split())

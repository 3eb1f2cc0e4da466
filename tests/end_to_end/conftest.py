"""A stage for end-to-end tests: a real hub, the strict Telegram server, and the bridge between them.

The bridge runs in this process (``stage.start()``), or as a process of its own that can be killed
(``stage.start_process()``). Everything is real but Telegram's own servers and the agent.
"""

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.slack import SlackServer
from bridge.sandbox.telegram import Chat, Limits, Message, TelegramServer, Topic, User
from tests.conftest import MEMORY
from tests.end_to_end.bridge_stage import ROOT, STEADY_S, BridgeStage
from tests.end_to_end.scenario_stage import ScenarioStage
from tests.end_to_end.slack_stage import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, STEADY_MS, BothStage, SlackStage
from tests.end_to_end.slack_stage import SCHEMA as SLACK_SCHEMA
from tests.end_to_end.steering import Chatting, OnSlack, OnTelegram, Steered
from tests.rig.fake_cli import FakeCli
from tests.rig.hapi_peer import TOKEN, HubProc
from tests.rig.shared_hub import shared_hub

SCHEMA = ROOT / "fixtures" / "schemas" / "telegram-methods.json"
ADA, EVE = 7, 66


class Stage(BridgeStage):
    """Hub, Telegram and bridge, with Ada as the owner."""

    def __init__(self, hub: HubProc, telegram: TelegramServer, folder: Path, stack: AsyncExitStack) -> None:
        super().__init__(hub, folder, stack)
        self.telegram = telegram
        self.ada: User = telegram.add_user(ADA, "Ada")
        self.eve: User = telegram.add_user(EVE, "Eve")
        self.chat: Chat = telegram.private_chat(self.ada, topics=True)
        self.extra = ""

    @property
    def environ(self) -> dict[str, str]:
        return {
            **super().environ,
            "TELEGRAM_BOT_TOKEN": self.telegram.token,
            "TELEGRAM_OWNER_ID": str(ADA),
            "TELEGRAM_API_BASE_URL": self.telegram.base_url,
        }

    @property
    def tables(self) -> str:
        return f"[telegram]\nspeed = {self.speed}\n{self.extra}"

    async def see(self, predicate: Callable[[], Any], what: str, timeout: float = 15) -> Any:
        """Wait until the chat shows something."""
        return await self.telegram.wait_for(predicate, timeout, what=what)

    async def message(self, text: str, timeout: float = 15) -> Message:
        """Wait for a message of the bot that holds a text."""
        await self.see(lambda: self._find(text), f"a message with {text!r}", timeout)
        found = self._find(text)
        assert found is not None
        return found

    async def answer(self, text: str, timeout: float = 15) -> Message:
        """Wait for a message that rings and holds a text."""
        await self.see(lambda: any(text in one.text for one in self.rings()), f"an answer with {text!r}", timeout)
        return next(one for one in reversed(self.rings()) if text in one.text)

    def _find(self, text: str) -> Message | None:
        return next((one for one in reversed(self.chat.from_bot) if text in one.text and not one.deleted), None)

    async def press(self, message: Message, label: str, user: User | None = None) -> str:
        """Press a button once the card has stood long enough; returns what the presser was told."""
        await self.steady(message)
        query = self.telegram.press(message, label, user or self.ada)
        answer = await self.telegram.answer_to(query, 10)
        return answer.text or ""

    async def steady(self, message: Message) -> None:
        """Wait until a card has stood still for as long as a press needs."""
        while (left := message.history[-1].at + STEADY_S - time.time()) > 0:  # noqa: ASYNC110 - it is about time
            await asyncio.sleep(left)

    def rings(self) -> list[Message]:
        """The bot's messages that made the phone ring."""
        return [one for one in self.chat.from_bot if not one.silent and one.text]

    def topic(self, name: str) -> Topic:
        found = self.chat.topic(name)
        assert found is not None, f"no topic {name!r}"
        return found


@pytest.fixture(autouse=True)
def data(tmp_path: Path, migrated: Path) -> Iterator[None]:
    """Every bridge finds its store migrated, and writes it to memory where it can."""
    with tempfile.TemporaryDirectory(dir=MEMORY or tmp_path) as folder:
        shutil.copy(migrated, folder)
        (tmp_path / "data").symlink_to(folder)
        yield


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """A stage with a hub and a Telegram of its own; the bridge is not started yet."""
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(HubProc(tmp_path / "hub"))
        telegram = await stack.enter_async_context(TelegramServer(schema=SCHEMA, limits=Limits.off()))
        made = Stage(hub, telegram, tmp_path, stack)
        stack.push_async_callback(made.close)
        yield made


@pytest.fixture
async def playing(stage: Stage) -> tuple[Stage, FakeCli]:
    """The bridge runs, and one Claude session is active."""
    await stage.start()
    return stage, await stage.session(flavor="claude", path="/home/ada/parser")


Playing = tuple[Stage, FakeCli]


@pytest.fixture(scope="session")
def worker_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProc]:
    """A hub for the tests of this worker that don't stop it."""
    with shared_hub(tmp_path_factory.mktemp("hub")) as process:
        yield process


@asynccontextmanager
async def slack_server() -> AsyncIterator[SlackServer]:
    """The strict Slack, which repeats events sooner and oftener than Slack does."""
    async with SlackServer(
        bot_token=BOT_TOKEN,
        app_token=APP_TOKEN,
        signing_secret=SIGNING_SECRET,
        schema=SLACK_SCHEMA,
        retry_delays=(0.1, 1.0, 2.0, 4.0, 8.0, 16.0),
    ) as server:
        yield server


@asynccontextmanager
async def slack_stage(hub: HubProc, folder: Path) -> AsyncIterator[SlackStage]:
    """A stage on a hub, closed and checked at the end."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(slack_server())
        made = SlackStage(hub, server, folder, stack)
        stack.push_async_callback(made.close)
        yield made
    made.check_payloads()


@pytest.fixture
def soon_steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards may be pressed sooner than really."""
    monkeypatch.setattr("bridge.relay.people.door.presses.STEADY_MS", STEADY_MS)


@pytest.fixture
async def slack(worker_hub: HubProc, tmp_path: Path, soon_steady: None) -> AsyncIterator[SlackStage]:
    """A stage with a Slack of its own, on the worker's hub; the bridge is not started yet."""
    async with slack_stage(worker_hub, tmp_path) as stage:
        yield stage


@pytest.fixture
async def own_slack(tmp_path: Path, soon_steady: None) -> AsyncIterator[SlackStage]:
    """A stage with a Slack and a hub of its own, which may be stopped; the bridge is not started yet."""
    async with HubProc(tmp_path / "hub") as hub, slack_stage(hub, tmp_path) as stage:
        yield stage


@pytest.fixture
async def at_slack(slack: SlackStage) -> tuple[SlackStage, FakeCli]:
    """The bridge serves Slack, and one Claude session is active."""
    await slack.start()
    return slack, await slack.session(flavor="claude", path="/home/ada/parser")


@pytest.fixture
async def both(worker_hub: HubProc, tmp_path: Path, soon_steady: None) -> AsyncIterator[tuple[BothStage, FakeCli]]:
    """The bridge serves Slack and Telegram, and one Claude session is active."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(slack_server())
        telegram = await stack.enter_async_context(TelegramServer(schema=SCHEMA, limits=Limits.off()))
        made = BothStage(worker_hub, server, telegram, tmp_path, stack)
        stack.push_async_callback(made.close)
        await made.start()
        yield made, await made.session(flavor="claude", path="/home/ada/parser")
    made.check_payloads()


@pytest.fixture
async def scene(tmp_path: Path, soon_steady: None) -> AsyncIterator[ScenarioStage]:
    """The bridge serves both chats, and hears a sandbox hub without a session."""
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(SandboxHub())
        slack = await stack.enter_async_context(slack_server())
        telegram = await stack.enter_async_context(TelegramServer(schema=SCHEMA, limits=Limits.off()))
        made = ScenarioStage(hub, slack, telegram, tmp_path, stack)
        stack.push_async_callback(made.close)
        await made.start()
        yield made
    made.check_payloads()


@pytest.fixture
async def steered(tmp_path: Path, soon_steady: None) -> AsyncIterator[Steered]:
    """A stage on the sandbox's own hub; the bridge is not started yet."""
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(SandboxHub(access_token=TOKEN))
        server = await stack.enter_async_context(slack_server())
        telegram = await stack.enter_async_context(TelegramServer(schema=SCHEMA, limits=Limits.off()))
        made = Steered(hub, server, telegram, tmp_path, stack)
        stack.push_async_callback(made.close)
        yield made
    made.check_payloads()


@pytest.fixture(params=[OnTelegram, OnSlack], ids=["telegram", "slack"])
async def chatting(steered: Steered, request: pytest.FixtureRequest) -> Chatting:
    """Each platform in turn, with the bridge running."""
    await steered.start()
    made: Chatting = request.param(steered)
    return made


AtSlack = tuple[SlackStage, FakeCli]
AtBoth = tuple[BothStage, FakeCli]

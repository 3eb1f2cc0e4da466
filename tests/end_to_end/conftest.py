"""A stage for end-to-end tests: a real hub, the strict Telegram server, and the bridge between them.

The bridge runs in this process (``stage.start()``), or as a process of its own that can be killed
(``stage.start_process()``). Everything is real but Telegram's own servers and the agent.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from bridge import app
from bridge.sandbox.telegram import Chat, Limits, Message, TelegramServer, Topic, User
from bridge.settings import Settings, load
from tests.rig.fake_cli import FakeCli
from tests.rig.hapi_peer import TOKEN, HubClient, HubProc

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "fixtures" / "schemas" / "telegram-methods.json"
ADA, EVE = 7, 66
STEADY_S = 0.9
"""Longer than a card must stand before a press on it counts."""


class Stage:
    """Hub, Telegram and bridge, with Ada as the owner."""

    def __init__(self, hub: HubProc, telegram: TelegramServer, folder: Path, stack: AsyncExitStack) -> None:
        self.hub = hub
        self.telegram = telegram
        self.folder = folder
        self.ada: User = telegram.add_user(ADA, "Ada")
        self.eve: User = telegram.add_user(EVE, "Eve")
        self.chat: Chat = telegram.private_chat(self.ada, topics=True)
        self.speed = 20.0
        self.extra = ""
        self._stack = stack
        self._bridge: asyncio.Task[None] | None = None
        self.process: asyncio.subprocess.Process | None = None

    @property
    def environ(self) -> dict[str, str]:
        """The bridge's configuration."""
        return {
            "HAPI_HUB_URL": self.hub.url,
            "HAPI_ACCESS_TOKEN": TOKEN,
            "BRIDGE_DATA_DIR": str(self.folder / "data"),
            "TELEGRAM_BOT_TOKEN": self.telegram.token,
            "TELEGRAM_OWNER_ID": str(ADA),
            "TELEGRAM_API_BASE_URL": self.telegram.base_url,
        }

    def config(self) -> Path:
        """A configuration file with the stage's speed."""
        path = self.folder / "bridge.toml"
        path.write_text(f"[telegram]\nspeed = {self.speed}\n{self.extra}")
        return path

    def settings(self) -> Settings:
        return load(self.config(), self.environ)

    async def start(self) -> None:
        """Run the bridge in this process; returns when it hears the hub."""
        ready = asyncio.Event()
        self._bridge = asyncio.create_task(app.run(self.settings(), ready=ready.set))
        waiting = asyncio.create_task(ready.wait())
        async with asyncio.timeout(20):
            await asyncio.wait([self._bridge, waiting], return_when=asyncio.FIRST_COMPLETED)
        if self._bridge.done():
            waiting.cancel()
            self._bridge.result()

    async def stop(self) -> None:
        """Stop the bridge that runs in this process."""
        if self._bridge is not None:
            self._bridge.cancel()
            with suppress(asyncio.CancelledError):
                await self._bridge
            self._bridge = None

    async def start_process(self, *, heard: bool = True) -> None:
        """Run the bridge as a process of its own; its log goes to ``bridge.log``. Returns when it hears the hub."""
        log = (self.folder / "bridge.log").open("ab")
        before = len(self._log())
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bridge",
            "run",
            "--config",
            str(self.config()),
            cwd=ROOT,
            env={**os.environ, **self.environ},
            stdout=log,
            stderr=log,
        )
        log.close()
        async with asyncio.timeout(30):
            while heard and "hub.connected" not in self._log()[before:]:  # noqa: ASYNC110 - a file has no event
                await asyncio.sleep(0.05)

    def _log(self) -> str:
        return (self.folder / "bridge.log").read_text()

    async def kill_process(self) -> None:
        """``kill -9``."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        self.process = None

    async def close(self) -> None:
        await self.stop()
        if self.process is not None:
            self.process.terminate()
            await self.process.wait()

    async def session(self, **options: Any) -> FakeCli:
        """A fresh session with a stand-in CLI."""
        cli = await FakeCli(self.hub.url, TOKEN, **options).start()
        self._stack.push_async_callback(cli.close)
        return cli

    async def see_hub_session(self) -> None:
        """Wait until the hub has an active session, and give the bridge a moment to follow it."""
        async with HubClient(self.hub.url) as client, asyncio.timeout(30):
            await client.auth()
            while True:
                _, body = await client.call("GET", "/api/sessions")
                if any(session["active"] for session in body["sessions"]):
                    break
                await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)

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

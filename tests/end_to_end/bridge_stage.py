"""The bridge on a stage, whatever chats it serves: in this process, or as a process of its own that can be killed."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

from bridge import app
from bridge.settings import Settings, load
from tests.rig.fake_cli import FakeCli
from tests.rig.hapi_peer import TOKEN, HubClient, HubProc

ROOT = Path(__file__).resolve().parents[2]
STEADY_S = 0.9
"""Longer than a card must stand before a press on it counts."""


class BridgeStage:
    """A hub and a bridge. ``environ`` and ``tables`` are the bridge's configuration; each chat adds its own."""

    def __init__(self, hub: HubProc, folder: Path, stack: AsyncExitStack) -> None:
        self.hub = hub
        self.folder = folder
        self.stack = stack
        self.speed = 20.0
        self.manners: dict[str, Any] = {"merge_pause_s": 0.0, "home_post": False}
        """The configuration's table ``[chat]``. Most tests write one message at a time, and want it there at once."""
        self.process: asyncio.subprocess.Process | None = None
        self._bridge: asyncio.Task[None] | None = None

    @property
    def environ(self) -> dict[str, str]:
        """The bridge's configuration in the environment."""
        return {
            "HAPI_HUB_URL": self.hub.url,
            "HAPI_ACCESS_TOKEN": TOKEN,
            "BRIDGE_DATA_DIR": str(self.folder / "data"),
            "BRIDGE_TIMEZONE": "Europe/Berlin",
        }

    @property
    def tables(self) -> str:
        """The bridge's configuration file."""
        return ""

    def config(self) -> Path:
        """The configuration file, written."""
        path = self.folder / "bridge.toml"
        chat = "".join(f"{name} = {json.dumps(value)}\n" for name, value in self.manners.items())
        path.write_text(f"[chat]\n{chat}{self.tables}")
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
            while heard and "hub.connected" not in self._log()[before:]:
                if self.process.returncode is not None:
                    raise RuntimeError(f"the bridge ended:\n{self._log()[before:]}")
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
        if self.process is not None and self.process.returncode is None:
            self.process.terminate()
            await self.process.wait()

    async def session(self, **options: Any) -> FakeCli:
        """A fresh session with a stand-in CLI."""
        cli = await FakeCli(self.hub.url, TOKEN, **options).start()
        self.stack.push_async_callback(self.leave, cli)
        return cli

    async def leave(self, cli: FakeCli) -> None:
        """What becomes of a session at the end."""
        await cli.close()

    async def see_hub_session(self) -> None:
        """Wait until the hub has an active session, and give the bridge a moment to follow it."""
        async with HubClient(self.hub.url) as client, asyncio.timeout(90):
            await client.auth()
            while True:
                _, body = await client.call("GET", "/api/sessions")
                if any(session["active"] for session in body["sessions"]):
                    break
                await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)


async def answers(cli: FakeCli, text: str) -> None:
    """The agent of a stand-in CLI says something, and its turn is over."""
    await cli.say("codex", {"type": "message", "message": text})
    await cli.say("event", {"type": "ready"})


def told(cli: FakeCli) -> list[dict[str, Any]]:
    """The messages of people that a stand-in CLI got."""
    bodies = [update["body"] for update in cli.updates]
    return [body["message"] for body in bodies if body["t"] == "new-message"]


def texts_of(cli: FakeCli) -> list[str]:
    """Their texts."""
    return [message["content"]["content"]["text"] for message in told(cli)]


def decisions_of(cli: FakeCli) -> list[dict[str, Any]]:
    """What a stand-in CLI heard of its requests."""
    return [params for method, params in cli.rpc_log if method == "permission"]


async def until(look: Callable[[], Any], what: str, timeout_s: float = 15) -> None:
    """Wait for something that no server tells of, such as what a stand-in CLI got."""
    try:
        async with asyncio.timeout(timeout_s):
            while not look():  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise TimeoutError(f"waited {timeout_s:g} s for {what}") from None

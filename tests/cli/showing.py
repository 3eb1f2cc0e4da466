"""A show in a process of its own, as a user starts it, and a visitor who comes in by the address it prints."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.cli.conftest import environment

Json = dict[str, Any]
PATIENCE_S = 45.0


@dataclass
class Show:
    """A running `hapi-bridge` and its page. ``said`` is what it printed so far."""

    process: asyncio.subprocess.Process
    client: httpx.AsyncClient
    said: list[str] = field(default_factory=list)

    async def line(self, words: str) -> str:
        """Wait for a printed line that holds words."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while data := await self.process.stdout.readline():
                self.said.append(data.decode())
                if words in self.said[-1]:
                    return self.said[-1]
        assert self.process.stderr is not None
        raise AssertionError(f"it ended: {self.said} {(await self.process.stderr.read()).decode()}")

    async def state(self) -> Json:
        found: Json = (await self.client.get("/api/state")).json()
        return found

    async def post(self, path: str, **body: Any) -> None:
        answer = await self.client.post(f"/api/{path}", json=body)
        assert answer.status_code == 200, answer.text

    async def until(self, holds: Callable[[Json], Any]) -> Any:
        """Wait until something holds of the state; what it is."""
        found: Any = None
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not (found := holds(await self.state())):  # noqa: ASYNC110 - asked as a page would
                    await asyncio.sleep(0.05)
        except TimeoutError:
            shown = [one.get("text") for one in telegram(await self.state())]
            raise AssertionError(f"it never came; Telegram shows {shown}") from None
        return found

    async def quiet(self, seconds: float = 1.0) -> None:
        """Wait until no call of the bridge came for so long: whatever it sent, it knows that it sent it."""
        last, since = -1, 0.0
        async with asyncio.timeout(PATIENCE_S):
            while True:
                calls, now = (await self.state())["calls"], asyncio.get_running_loop().time()
                if (newest := calls[-1]["seq"]) != last:
                    last, since = newest, now
                elif now - since >= seconds:
                    return
                await asyncio.sleep(0.05)

    async def end(self, told: signal.Signals) -> int:
        """Send a signal; the exit code."""
        self.process.send_signal(told)
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.wait()


def telegram(state: Json) -> list[Json]:
    """The messages in the visitor's Telegram chat."""
    messages: list[Json] = state["telegram"]["chats"][0]["messages"]
    return messages


def slack(state: Json) -> list[Json]:
    """The messages in the visitor's DM with the app."""
    dm = next(each for each in state["slack"]["channels"] if each["kind"] == "im")
    messages: list[Json] = dm["messages"]
    return messages


async def gone(pid: int) -> bool:
    """Whether a process ends within a while."""
    try:
        async with asyncio.timeout(15):
            while _lives(pid):  # noqa: ASYNC110 - it is no child of ours
                await asyncio.sleep(0.05)
    except TimeoutError:
        return False
    return True


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@asynccontextmanager
async def showing(folder: Path, *arguments: str, **env: str) -> AsyncIterator[Show]:
    """Start it, and come in. What it leaves running is ended."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bridge",
        *arguments,
        "--no-open",
        env=environment(env),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with httpx.AsyncClient(trust_env=False) as client:
        show = Show(process, client)
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+/\?key=\S+", await show.line("/?key="))
            assert found is not None
            client.base_url = httpx.URL(found[0].partition("?")[0])
            await client.get(found[0])
            yield show
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

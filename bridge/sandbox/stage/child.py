"""The bridge as a process of its own: kept running, started again when it dies, never left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

AGAIN_S = 1.5
"""Between a death and the next start: long enough to be seen."""
STOP_S = 8.0
HOPELESS = 3
"""Deaths in a row before the hub was heard: it will not get better."""
UNUSABLE = 2
"""The bridge's exit code for what the user has to mend."""
LINE_BYTES = 1024 * 1024

State = Literal["starting", "running", "dead"]


class BridgeFailed(Exception):
    """The bridge ends again and again. ``lines`` are the last it said."""

    def __init__(self, code: int, lines: list[str]) -> None:
        super().__init__(f"the bridge ended with {code}")
        self.code = code
        self.lines = lines


class BridgeProcess:
    """One bridge, run from a configuration file and an environment; ``changed`` hears when its state changes.

    It is "running" when it hears the hub and is ``reached`` by the chats: a press is not lost any more.
    """

    def __init__(
        self,
        config: Path,
        environ: Mapping[str, str],
        *,
        reached: Callable[[], object],
        changed: Callable[[], None],
    ) -> None:
        self.state: State = "starting"
        self.pid: int | None = None
        self.restarts = 0
        self._command = [sys.executable, "-m", "bridge.sandbox.stage.leashed", str(config)]
        self._environ = dict(environ) | {"BRIDGE_LOG": "json", "BRIDGE_LOG_LEVEL": "info"}
        self._reached = reached
        self._changed = changed
        self._heard = asyncio.Event()
        self._running = asyncio.Event()
        self._dead = asyncio.Event()
        self._said: deque[str] = deque(maxlen=40)
        self._process: asyncio.subprocess.Process | None = None

    async def run(self) -> None:
        """Keep it running until cancelled; then it is ended. Raises `BridgeFailed`."""
        failures = 0
        while True:
            self._heard.clear()
            process = await self._start()
            try:
                code = await self._watch(process)
            finally:
                await self._end(process)
            failures = 0 if self._heard.is_set() or code == -signal.SIGKILL else failures + 1
            if code == UNUSABLE or failures >= HOPELESS:
                raise BridgeFailed(code, self.said)
            self._become("dead", None)
            await asyncio.sleep(AGAIN_S)
            self.restarts += 1

    @property
    def said(self) -> list[str]:
        """The last lines of its log, its forerunners' among them."""
        return list(self._said)

    async def heard(self) -> None:
        """Wait until the bridge works; at once if it does."""
        await self._running.wait()

    async def gone(self) -> None:
        """Wait until it is dead; at once if it is."""
        await self._dead.wait()

    def look(self) -> None:
        """Whether it is reached may have changed."""
        if self.state == "starting" and self._heard.is_set() and self._reached():
            self._become("running", self.pid)

    def kill(self) -> None:
        """``kill -9``, if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def _start(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            env=self._environ,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
            start_new_session=True,  # a Ctrl-C is for us; the bridge is ended by us
        )
        self._process = process
        self._become("starting", process.pid)
        return process

    async def _watch(self, process: asyncio.subprocess.Process) -> int:
        """Read its log to the end; its exit code."""
        assert process.stderr is not None
        while True:
            try:
                line = (await process.stderr.readline()).decode("utf-8", "replace").strip()
            except ValueError:  # a line longer than the limit: asyncio has thrown it away
                continue
            if not line and process.stderr.at_eof():
                return await process.wait()
            self._said.append(line)
            if _event(line) == "hub.connected":
                self._heard.set()
                self.look()

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Stop it, at the latest by force; nothing of it is left when this returns."""
        self._running.clear()
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                async with asyncio.timeout(STOP_S):
                    await process.communicate()
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.communicate()
        if process.stdin is not None:
            process.stdin.close()

    def _become(self, state: State, pid: int | None) -> None:
        self.state, self.pid = state, pid
        for event, means in ((self._running, "running"), (self._dead, "dead")):
            if state == means:
                event.set()
            else:
                event.clear()
        self._changed()


def _event(line: str) -> str:
    """What a line of the log is about; empty for what is no log."""
    try:
        entry: Any = json.loads(line)
    except ValueError:
        return ""
    return str(entry.get("event", "")) if isinstance(entry, dict) else ""

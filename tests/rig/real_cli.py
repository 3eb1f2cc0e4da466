"""HAPI's own CLI on a real hub, with the scripted agent in place of a language model: ``RealCli`` is one session,
``RealRunner`` a computer on which sessions can be started."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

from tests.conftest import hapi_binary
from tests.rig.hapi_peer import HubClient, HubProc

AGENT = Path(__file__).with_name("fake_acp_agent.py")


def cli_env(hub: HubProc, data: Path) -> dict[str, str]:
    """The environment of a CLI that sees nothing of the machine's own HAPI set-up."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {
        "HOME": str(data),
        "HAPI_HOME": str(data),
        "HAPI_API_URL": hub.url,
        "CLI_API_TOKEN": hub.token,
        "HAPI_DSH_ACP_COMMAND": sys.executable,
        "HAPI_DSH_ACP_ARGS_JSON": json.dumps([str(AGENT)]),
        "FAKE_ACP_LOG": str(data / "acp.log"),
    }


class RealCli:
    """One ``hapi dsh`` process: a session whose prompts are scripts (see ``fake_acp_agent``). Find its id in the hub's
    session list. ``data`` is its home and working directory; the ACP traffic is in ``data/acp.log``."""

    words: tuple[str, ...] = ("dsh",)

    def __init__(self, hub: HubProc, data: Path) -> None:
        self.hub, self.data = hub, data
        self.proc: asyncio.subprocess.Process | None = None
        self._out: IO[bytes] | None = None

    def environ(self) -> dict[str, str]:
        """The environment it runs in."""
        return cli_env(self.hub, self.data)

    async def start(self) -> Self:
        """Start it; the session turns active within some seconds."""
        binary = hapi_binary()
        if binary is None:
            raise RuntimeError("no HAPI here: set HAPI_BIN")
        self.data.mkdir(parents=True, exist_ok=True)
        self._out = (self.data / "cli.out").open("ab")
        self.proc = await asyncio.create_subprocess_exec(
            str(binary),
            *self.words,
            cwd=self.data,
            env=self.environ(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._out,
        )
        return self

    async def stop(self) -> None:
        """End it, and whatever it leaves behind; wait until all is gone."""
        if self.proc is not None and self.proc.returncode is None:
            self.proc.terminate()
            try:
                async with asyncio.timeout(10):
                    await self.proc.wait()
            except TimeoutError:
                self.proc.kill()
                await self.proc.wait()
        await end_all_of(self.data)
        if self._out is not None:
            self._out.close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *exc: Any) -> None:
        await self.stop()


class RealOpenCode(RealCli):
    """One ``hapi opencode`` process: of a flavor that has permission modes, with the same scripted agent."""

    words = ("opencode", "--hapi-starting-mode", "remote")

    def environ(self) -> dict[str, str]:
        """With an ``opencode`` that is found first."""
        folder = self.data / "bin"
        folder.mkdir(exist_ok=True)
        stand_in = folder / "opencode"
        stand_in.write_text(f"#!/bin/sh\nexec {sys.executable} {AGENT}\n")
        stand_in.chmod(0o755)
        found = super().environ()
        return {**found, "PATH": f"{folder}:{found.get('PATH', '')}"}


class RealRunner(RealCli):
    """One ``hapi runner``: a computer that starts sessions when the hub asks for one. They end with it."""

    words = ("runner", "start-sync")

    async def machine(self, client: HubClient) -> str:
        """Wait until the hub knows it; its id."""
        async with asyncio.timeout(90):
            while True:
                _, body = await client.call("GET", "/api/machines")
                if body["machines"]:
                    return str(body["machines"][0]["id"])
                await asyncio.sleep(0.1)

    async def stop(self) -> None:
        """End its sessions, then itself."""
        async with HubClient(self.hub.url, self.hub.token) as client, asyncio.timeout(20):
            _, body = await client.call("GET", "/api/sessions")
            for session in body["sessions"]:
                if session["active"]:
                    await client.call("POST", f"/api/sessions/{session['id']}/archive")
        await super().stop()


async def end_all_of(home: Path) -> None:
    """End what has this ``HAPI_HOME``: an agent whose session just ended, and the runner that ``hapi claude`` starts
    beside itself, outlive the command they came from. Returns when all are gone."""
    for told, seconds in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        for pid in processes_of(home):
            with suppress(ProcessLookupError):
                os.kill(pid, told)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while processes_of(home):  # noqa: ASYNC110 - they are no children of ours
                    await asyncio.sleep(0.05)
                return
    raise RuntimeError(f"processes {processes_of(home)} of {home} don't end")


def processes_of(home: Path) -> list[int]:
    """The processes with this ``HAPI_HOME`` in their environment, where the system tells (Linux)."""
    own, found = f"HAPI_HOME={home}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # of somebody else, or just gone
            if own in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found

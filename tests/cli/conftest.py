"""How the tests of the command line run it: as a process of its own, or, which costs a fraction, in this one.

In this process is enough for what a command says and its exit code. Signals, logs and the entry point itself need a
process.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bridge.cli.commands import app

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
RunBeside = Callable[..., Awaitable[Done]]


def environment(extra: dict[str, str]) -> dict[str, str]:
    """An environment without anything of the machine's own that the bridge would read."""
    names = ("PATH", "LANG", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_FILE")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, "PYTHONUTF8": "1", "HOME": "/nonexistent", **extra}


@pytest.fixture(scope="session", autouse=True)
def hang_ups_count() -> Iterator[None]:
    """A process inherits what is ignored: under ``nohup make test`` no bridge would hear a hang-up."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def bridge_process(tmp_path: Path) -> Run:
    """``bridge_process("demo", env={…})`` in an empty directory, as a user does: exit code and both outputs."""

    def run(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> Done:
        command = [sys.executable, "-m", "bridge", *arguments]
        return subprocess.run(
            command, env=environment(env or {}), cwd=tmp_path, input=stdin, capture_output=True, text=True, timeout=45
        )

    return run


@pytest.fixture
def bridge(tmp_path: Path) -> Run:
    """The same in this process. What the command raises and does not tell, it raises here, too."""

    def run(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> Done:
        alone: dict[str, str | None] = {**dict.fromkeys(os.environ), **environment(env or {})}
        with chdir(tmp_path):
            done = CliRunner().invoke(
                app, arguments, input=stdin, env=alone, catch_exceptions=False, prog_name="hapi-bridge"
            )
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def bridge_beside(bridge: Run) -> RunBeside:
    """The same beside the test's own servers: the command has a loop of its own, in a thread of its own."""

    async def run(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> Done:
        return await asyncio.to_thread(bridge, *arguments, env=env, stdin=stdin)

    return run

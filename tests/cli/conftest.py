"""How the tests of the command line run it: as a user does, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(extra: dict[str, str]) -> dict[str, str]:
    """An environment without anything of the machine's own that the bridge would read."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "VIRTUAL_ENV") if name in os.environ}
    return {**kept, "PYTHONUTF8": "1", "HOME": "/nonexistent", **extra}


@pytest.fixture
def bridge(tmp_path: Path) -> Run:
    """``bridge("doctor", "--json", env={…})`` in an empty directory; gives exit code and both outputs."""

    def run(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bridge", *arguments]
        return subprocess.run(
            command, env=environment(env or {}), cwd=tmp_path, input=stdin, capture_output=True, text=True, timeout=45
        )

    return run

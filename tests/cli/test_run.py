"""`run`: one clear line and exit 2 for what the user has to mend, exit 0 when told to stop, nothing half started."""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path

import pytest
from aiohttp import web
from typer.testing import CliRunner

from bridge.cli.commands import app
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.telegram import TelegramServer
from tests.cli.conftest import Run, environment

TOKEN = "123456:sandbox-secret"
HUB_TOKEN = "sandbox-access-token"
ENOUGH = {"HAPI_ACCESS_TOKEN": HUB_TOKEN, "TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_OWNER_ID": "42"}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """A hub and a Telegram that work, as environment variables."""
    async with SandboxHub(access_token=HUB_TOKEN) as hub, TelegramServer(token=TOKEN) as telegram:
        telegram.private_chat(telegram.add_user(42, "Ada"))
        yield ENOUGH | {
            "HAPI_HUB_URL": hub.url,
            "TELEGRAM_API_BASE_URL": telegram.base_url,
            "BRIDGE_DATA_DIR": str(tmp_path / "data"),
        }


async def started(env: dict[str, str], tmp_path: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge", "run"),
        env=environment(env),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def refused(env: dict[str, str], tmp_path: Path) -> str:
    """What `run` says on standard error before it exits with 2, after the line that it starts."""
    async with asyncio.timeout(45):
        process = await started(env, tmp_path)
        out, err = await process.communicate()
    assert (process.returncode, out) == (2, b""), err.decode()
    starts, _, said = err.decode().partition("\n")
    assert "bridge.starts" in starts
    return said


def test_without_a_configuration_every_missing_value_is_one_line(bridge: Run) -> None:
    done = bridge("run")
    assert done.returncode == 2
    *lines, advice = done.stderr.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["HAPI_ACCESS_TOKEN", "no"]
    assert advice == "Nothing is configured yet: `hapi-bridge init` asks for these and writes config/bridge.toml."


def test_who_has_configured_something_is_not_sent_to_the_beginning(bridge: Run) -> None:
    done = bridge("run", env={"HAPI_ACCESS_TOKEN": "x"})
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "init" not in done.stderr


def test_an_unknown_key_a_bad_url_and_a_bad_token_are_all_named_without_the_token(bridge: Run, tmp_path: Path) -> None:
    """Invariant 7."""
    (tmp_path / "x.toml").write_text('[hub]\nurl = "hub:3006"\naccess_tokn = "very-secret"\naccess_token = "a"\n')
    done = bridge("run", "--config", "x.toml", env={"TELEGRAM_BOT_TOKEN": "very-secret", "TELEGRAM_OWNER_ID": "7"})
    assert done.returncode == 2
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == [
        "hub.url in x.toml",
        "hub.access_tokn in x.toml",
        "TELEGRAM_BOT_TOKEN",
    ]
    assert "very-secret" not in done.stderr


async def test_a_data_directory_that_cannot_be_made_is_one_line(world: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = await refused(world | {"BRIDGE_DATA_DIR": str(tmp_path / "file" / "below")}, tmp_path)
    assert str(tmp_path / "file") in said.splitlines()[-1]
    assert "Traceback" not in said


async def test_a_wrong_access_token_is_one_line_and_leaves_nothing_behind(
    world: dict[str, str], tmp_path: Path
) -> None:
    said = await refused(world | {"HAPI_ACCESS_TOKEN": "wrong-token"}, tmp_path)
    assert len(said.splitlines()) == 1
    assert "HAPI_ACCESS_TOKEN" in said
    assert "wrong-token" not in said


async def test_a_refused_bot_token_is_one_line(world: dict[str, str], tmp_path: Path) -> None:
    said = await refused(world | {"TELEGRAM_BOT_TOKEN": "999:nobodys-token"}, tmp_path)
    lines = [line for line in said.splitlines() if line]
    assert "Telegram" in lines[-1]
    assert "nobodys-token" not in said


async def test_a_hub_with_a_newer_protocol_is_one_line(world: dict[str, str], tmp_path: Path) -> None:
    async def health(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "protocolVersion": 2})

    newer = web.Application()
    newer.add_routes([web.get("/health", health)])
    runner = web.AppRunner(newer)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        said = await refused(world | {"HAPI_HUB_URL": url}, tmp_path)
    finally:
        await runner.cleanup()
    assert len(said.splitlines()) == 1
    assert "protocol version 2" in said


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_told_to_stop_it_stops_cleanly(world: dict[str, str], tmp_path: Path, stop: signal.Signals) -> None:
    env = world | {"BRIDGE_HTTP": "127.0.0.1:0"}
    async with asyncio.timeout(45):
        process = await started(env, tmp_path)
        assert process.stderr is not None
        said = b""
        while b"surface.ready" not in said:
            line = await process.stderr.readline()
            assert line, said.decode()
            said += line
        for _ in range(2):
            process.send_signal(stop)  # shells and `timeout` tell the process and its group
        _, rest = await process.communicate()
    assert process.returncode == 0, rest.decode()
    assert b"Traceback" not in said + rest
    first = said.splitlines()[0].decode()
    assert "bridge.starts" in first
    assert f"version={version('hapi-bridge')}" in first
    assert f"store={tmp_path}/data/bridge.sqlite3" in first
    assert "stop_with=Ctrl-C" in first
    assert TOKEN.encode() not in said + rest


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("command", ["run", "demo"])
def test_stopped_while_it_still_loads_it_ends_quietly(command: str, told: signal.Signals) -> None:
    """The signal comes while typer is imported."""
    script = (
        "import os, signal, sys; from bridge import cli\n"
        f"sys.argv = ['hapi-bridge', '{command}']\n"
        f"sys.meta_path.insert(0, type('F', (), {{'find_spec': lambda *_: os.kill(os.getpid(), {int(told)})}}))\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=45)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_hang_up_that_is_ignored_stays_ignored() -> None:
    """``nohup hapi-bridge run`` outlives its terminal."""
    script = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from bridge.cli.stopping import signals\n"
        "print([each.name for each in signals()])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=45)
    assert done.stdout == "['SIGTERM', 'SIGINT']\n"


def test_a_database_that_gives_no_answer_is_one_line_and_worth_another_start(bridge_process: Run) -> None:
    done = bridge_process("run", env=ENOUGH | {"BRIDGE_DATABASE_URL": "postgresql://me:geheim@127.0.0.1:9/x"})
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("PostgreSQL at 127.0.0.1:9 can't be used")
    assert "Traceback" not in done.stderr
    assert "geheim" not in done.stderr, "invariant 7"


def test_the_version_is_told(bridge: Run) -> None:
    done = bridge("--version")
    assert (done.returncode, done.stdout) == (0, f"hapi-bridge {version('hapi-bridge')}\n")


def test_the_slack_manifest_is_json_for_either_mode(bridge: Run) -> None:
    socket_mode = json.loads(bridge("slack-manifest").stdout)
    assert socket_mode["settings"]["socket_mode_enabled"] is True
    by_http = json.loads(bridge("slack-manifest", "--request-url", "https://bridge.example.org").stdout)
    assert by_http["settings"]["socket_mode_enabled"] is False
    assert by_http["settings"]["interactivity"]["request_url"] == "https://bridge.example.org/slack/events"
    assert bridge("slack-manifest", "--request-url", "http://x").returncode == 2


async def test_an_unreachable_hub_and_telegram_are_waited_for(tmp_path: Path) -> None:
    """A reboot: the bridge may be there first."""
    gone = {"HAPI_HUB_URL": "http://127.0.0.1:9", "TELEGRAM_API_BASE_URL": "http://127.0.0.1:9"}
    env = ENOUGH | gone | {"BRIDGE_DATA_DIR": str(tmp_path / "data"), "BRIDGE_LOG": "json"}
    async with asyncio.timeout(45):
        process = await started(env, tmp_path)
        assert process.stderr is not None
        said = b""
        while b"surface.trouble" not in said:
            line = await process.stderr.readline()
            assert line, said.decode()
            said += line
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await process.wait()
        assert process.returncode is None, "it keeps trying"
        process.terminate()
        await process.communicate()
    assert process.returncode == 0
    assert b"hub.unreachable" in said


def test_the_package_runs_as_a_module_and_as_a_command() -> None:
    script = Path(sys.executable).with_name("hapi-bridge")
    done = subprocess.run([str(script), "--help"], capture_output=True, text=True, timeout=45)
    assert done.returncode == 0
    for command in ("run", "demo", "init", "doctor", "render", "conformance", "slack-manifest", "db"):
        assert f"\n  {command} " in done.stdout


def test_a_wrong_command_line_is_exit_2() -> None:
    wrong = [["render", "x.json"], ["render", "x.json", "--to", "fax"], ["demo", "--port", "x"], ["dance"]]
    for arguments in wrong:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 2
        assert done.stderr.startswith("Usage:")

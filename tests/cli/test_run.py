"""`run`: one clear line and exit 2 for what the user has to mend, exit 0 when told to stop, nothing half started."""

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from typer.testing import CliRunner

from bridge.cli import app
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
    """What `run` says on standard error before it exits with 2."""
    async with asyncio.timeout(45):
        process = await started(env, tmp_path)
        out, err = await process.communicate()
    assert (process.returncode, out) == (2, b""), err.decode()
    return err.decode()


def test_without_a_configuration_every_missing_value_is_one_line(bridge: Run) -> None:
    done = bridge("run")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["HAPI_ACCESS_TOKEN", "no"]


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


def test_slack_is_refused_in_one_line_until_it_is_served(bridge: Run) -> None:
    slack = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_OWNER_ID": "U1", "SLACK_APP_TOKEN": "xapp-1"}
    done = bridge("run", env=ENOUGH | slack)
    assert (done.returncode, done.stderr) == (2, "Slack is not served by this version; unset SLACK_BOT_TOKEN\n")


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


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
async def test_told_to_stop_it_stops_cleanly(world: dict[str, str], tmp_path: Path, stop: signal.Signals) -> None:
    env = world | {"BRIDGE_HTTP": "127.0.0.1:0"}
    async with asyncio.timeout(45):
        process = await started(env, tmp_path)
        assert process.stderr is not None
        said = b""
        while b"telegram.ready" not in said:
            line = await process.stderr.readline()
            assert line, said.decode()
            said += line
        for _ in range(2):
            process.send_signal(stop)  # shells and `timeout` tell the process and its group
        _, rest = await process.communicate()
    assert process.returncode == 0, rest.decode()
    assert b"Traceback" not in said + rest
    assert TOKEN.encode() not in said + rest


async def test_an_unreachable_hub_and_telegram_are_waited_for(tmp_path: Path) -> None:
    """A reboot: the bridge may be there first."""
    gone = {"HAPI_HUB_URL": "http://127.0.0.1:9", "TELEGRAM_API_BASE_URL": "http://127.0.0.1:9"}
    env = ENOUGH | gone | {"BRIDGE_DATA_DIR": str(tmp_path / "data"), "BRIDGE_LOG": "json"}
    async with asyncio.timeout(45):
        process = await started(env, tmp_path)
        assert process.stderr is not None
        said = b""
        while b"telegram.unreachable" not in said:
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
    for command in ("run", "demo", "init", "doctor", "render", "conformance", "db"):
        assert f"\n  {command} " in done.stdout


def test_a_wrong_command_line_is_exit_2() -> None:
    wrong = [["render", "x.json"], ["render", "x.json", "--to", "fax"], ["demo", "--port", "x"], ["dance"]]
    for arguments in wrong:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 2
        assert done.stderr.startswith("Usage:")

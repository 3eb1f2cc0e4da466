"""`doctor`: one line per part with the mend, exit 1 if anything fails, and no secret in any line."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.telegram import TelegramServer
from tests.cli.conftest import Run, environment

TOKEN = "123456:sandbox-secret"
HUB_TOKEN = "sandbox-access-token"


@pytest.fixture
async def hub() -> AsyncIterator[SandboxHub]:
    async with SandboxHub(access_token=HUB_TOKEN) as running:
        yield running


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(token=TOKEN) as running:
        running.private_chat(running.add_user(42, "Ada"))
        yield running


@pytest.fixture
def env(hub: SandboxHub, telegram: TelegramServer, tmp_path: Path) -> dict[str, str]:
    return {
        "HAPI_ACCESS_TOKEN": HUB_TOKEN,
        "HAPI_HUB_URL": hub.url,
        "TELEGRAM_BOT_TOKEN": TOKEN,
        "TELEGRAM_OWNER_ID": "42",
        "TELEGRAM_API_BASE_URL": telegram.base_url,
        "BRIDGE_DATA_DIR": str(tmp_path / "data"),
    }


async def doctor(env: dict[str, str], tmp_path: Path, *arguments: str) -> tuple[int | None, str]:
    async with asyncio.timeout(45):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bridge", "doctor", *arguments),
            env=environment(env),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
    assert err == b"", err.decode()
    for secret in ("sandbox-secret", HUB_TOKEN, "wrong-secret"):
        assert secret not in out.decode(), "invariant 7"
    return process.returncode, out.decode()


async def test_all_well_is_one_line_each_and_exit_0(env: dict[str, str], tmp_path: Path) -> None:
    code, out = await doctor(env, tmp_path)
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "ok   configuration",
        "ok   store",
        "ok   hub",
        "ok   telegram",
    ]
    assert code == 0
    assert not (tmp_path / "data").exists(), "looking makes nothing"


async def test_what_fails_is_named_with_its_mend(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    broken = {
        "HAPI_ACCESS_TOKEN": "wrong-secret",
        "TELEGRAM_BOT_TOKEN": "123456:wrong-secret",
        "BRIDGE_DATA_DIR": str(tmp_path / "file" / "below"),
    }
    code, out = await doctor(env | broken, tmp_path)
    lines = out.splitlines()
    assert code == 1
    assert [line[:4] for line in lines] == ["ok  ", "FAIL", "FAIL", "FAIL"]
    assert "BRIDGE_DATA_DIR" in lines[1]
    assert "HAPI_ACCESS_TOKEN" in lines[2]
    assert lines[3].endswith("copy the token from @BotFather into TELEGRAM_BOT_TOKEN")


async def test_as_json_it_says_the_same(env: dict[str, str], tmp_path: Path) -> None:
    gone = {"HAPI_HUB_URL": "http://127.0.0.1:9", "TELEGRAM_OWNER_ID": "77"}
    code, out = await doctor(env | gone, tmp_path, "--json")
    told = json.loads(out)
    assert (code, told["ok"]) == (1, False)
    checks = {each["name"]: each for each in told["checks"]}
    assert checks["hub"]["mend"] == "start the hub (hapi hub), or correct HAPI_HUB_URL"
    assert "press Start" in checks["telegram"]["mend"], "the owner has never written to the bot"
    assert checks["store"] == {
        "name": "store",
        "ok": True,
        "words": f"will be made at {tmp_path}/data/bridge.sqlite3",
        "mend": "",
    }


def test_a_configuration_that_is_wrong_is_the_only_thing_checked(bridge: Run) -> None:
    done = bridge("doctor")
    assert done.returncode == 1
    assert all(line.startswith("FAIL configuration: ") for line in done.stdout.splitlines())


async def test_a_configuration_others_can_read_fails(env: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "bridge.toml"
    path.write_text("")
    path.chmod(0o644)
    code, out = await doctor(env, tmp_path, "--config", str(path))
    assert code == 1
    assert out.splitlines()[0].endswith(f"chmod 600 {path}")

"""`doctor`: one line per part with the mend, exit 1 if anything fails, and no secret in any line."""

import asyncio
import json
import socket
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from bridge.chat.slack.manifest import SCOPES
from bridge.observe.health import Health
from bridge.observe.http import serve
from bridge.observe.metrics import Metrics
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.slack import SlackServer
from bridge.sandbox.telegram import TelegramServer
from bridge.store.engine import upgrade
from tests.cli.conftest import Done, Run, RunBeside

TOKEN = "123456:sandbox-secret"
HUB_TOKEN = "sandbox-access-token"
Doctor = Callable[..., Awaitable[tuple[int, str]]]


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


@pytest.fixture
def doctor(bridge_beside: RunBeside) -> Doctor:
    """`doctor` with these variables and arguments: exit code and what it prints, which holds no secret."""

    async def run(env: dict[str, str], *arguments: str) -> tuple[int, str]:
        return _told(await bridge_beside("doctor", *arguments, env=env))

    return run


def _told(done: Done) -> tuple[int, str]:
    assert done.stderr == ""
    for secret in ("sandbox-secret", HUB_TOKEN, "wrong-secret"):
        assert secret not in done.stdout, "invariant 7"
    return done.returncode, done.stdout


async def test_all_well_is_one_line_each_and_exit_0(env: dict[str, str], tmp_path: Path, bridge_process: Run) -> None:
    code, out = _told(await asyncio.to_thread(bridge_process, "doctor", env=env))
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "ok   configuration",
        "ok   store",
        "ok   hub",
        "ok   telegram",
    ]
    assert code == 0
    assert out.splitlines()[3].endswith(", owner 42, topics are on")
    assert not (tmp_path / "data").exists(), "looking makes nothing"


async def test_what_fails_is_named_with_its_mend(doctor: Doctor, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    broken = {
        "HAPI_ACCESS_TOKEN": "wrong-secret",
        "TELEGRAM_BOT_TOKEN": "123456:wrong-secret",
        "BRIDGE_DATA_DIR": str(tmp_path / "file" / "below"),
    }
    code, out = await doctor(env | broken)
    lines = out.splitlines()
    assert code == 1
    assert [line[:4] for line in lines] == ["ok  ", "FAIL", "FAIL", "FAIL"]
    assert "BRIDGE_DATA_DIR" in lines[1]
    assert "HAPI_ACCESS_TOKEN" in lines[2]
    assert lines[3].endswith("copy the token from @BotFather into TELEGRAM_BOT_TOKEN")


async def test_as_json_it_says_the_same(doctor: Doctor, env: dict[str, str], tmp_path: Path) -> None:
    gone = {"HAPI_HUB_URL": "http://127.0.0.1:9", "TELEGRAM_OWNER_ID": "77"}
    code, out = await doctor(env | gone, "--json")
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


async def test_a_configuration_others_can_read_fails(doctor: Doctor, env: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "bridge.toml"
    path.write_text("")
    path.chmod(0o644)
    code, out = await doctor(env, "--config", str(path))
    assert code == 1
    assert out.splitlines()[0].endswith(f"chmod 600 {path}")


async def test_topics_that_are_off_are_told_with_the_way_to_switch_them_on(
    doctor: Doctor, env: dict[str, str], tmp_path: Path, telegram: TelegramServer
) -> None:
    telegram.topics_enabled = False
    code, out = await doctor(env)
    assert code == 0
    assert out.splitlines()[3].endswith(
        "topics are off (for a topic per session switch on Threaded Mode in the bot's settings at @BotFather)"
    )
    path = tmp_path / "bridge.toml"
    path.write_text("[telegram]\ntopics = false\n")
    path.chmod(0o600)
    _, out = await doctor(env, "--config", str(path))
    assert "topics" not in out.splitlines()[3], "who doesn't want them is not bothered"


async def test_a_data_directory_where_nothing_can_be_written_fails(doctor: Doctor, env: dict[str, str]) -> None:
    """/proc takes no file from anybody, whatever the rights say."""
    code, out = await doctor(env | {"BRIDGE_DATA_DIR": "/proc/self"})
    line = out.splitlines()[1]
    assert code == 1
    assert line.startswith("FAIL store: /proc/self/bridge.sqlite3 can't be written: ")
    assert line.endswith("set BRIDGE_DATA_DIR to a directory this user may write in")


async def test_a_store_of_an_older_version_is_looked_at_and_not_migrated(
    doctor: Doctor, env: dict[str, str], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/data/bridge.sqlite3"
    await upgrade(url)
    with closing(sqlite3.connect(tmp_path / "data" / "bridge.sqlite3")) as store:
        tables = store.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        for (table,) in tables.fetchall():
            store.execute(f"DROP TABLE {table}")
        store.commit()
    before = {each.name: each.read_bytes() for each in (tmp_path / "data").iterdir()}
    code, out = await doctor(env)
    assert code == 0
    assert out.splitlines()[1].endswith("is usable, will be migrated at the next start")
    assert {each.name: each.read_bytes() for each in (tmp_path / "data").iterdir()} == before
    await upgrade(url)
    _, out = await doctor(env)
    assert out.splitlines()[1] == f"ok   store: {tmp_path}/data/bridge.sqlite3 is usable"


async def test_a_database_that_gives_no_answer_is_to_be_started(doctor: Doctor, env: dict[str, str]) -> None:
    code, out = await doctor(env | {"BRIDGE_DATABASE_URL": "postgresql://me:wrong-secret@127.0.0.1:9/x"})
    assert code == 1
    assert out.splitlines()[1].endswith("start the database, or correct BRIDGE_DATABASE_URL")


async def test_an_address_that_is_taken_fails_unless_a_bridge_has_it(doctor: Doctor, env: dict[str, str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{taken.getsockname()[1]}"
        _, out = await doctor(env | {"BRIDGE_HTTP": at})
        assert out.splitlines()[4].startswith(f"FAIL http: can't listen on {at} (Address already in use)")
        assert out.splitlines()[4].endswith(" - choose another BRIDGE_HTTP")
    code, out = await doctor(env | {"BRIDGE_HTTP": at})
    assert (code, out.splitlines()[4]) == (0, f"ok   http: {at} is free")
    async with serve(("127.0.0.1", 0), Health(), Metrics()) as port:
        code, out = await doctor(env | {"BRIDGE_HTTP": f"127.0.0.1:{port}"})
    assert (code, out.splitlines()[4]) == (0, f"ok   http: a bridge listens on 127.0.0.1:{port} already")


async def test_slack_is_checked_by_token_scope_and_owner(doctor: Doctor, env: dict[str, str], tmp_path: Path) -> None:
    async with SlackServer() as slack:
        ada = slack.add_user("Ada").id
        env |= {"SLACK_BOT_TOKEN": slack.bot_token, "SLACK_APP_TOKEN": slack.app_token, "SLACK_OWNER_ID": ada}
        env["SLACK_API_BASE_URL"] = slack.base_url
        code, out = await doctor(env)
        assert (code, out.splitlines()[4].partition(",")[0]) == (0, "ok   slack: @hapi_bridge in Sandbox is ready")
        wrong = {"SLACK_BOT_TOKEN": "xoxb-wrong-secret"}, {"SLACK_APP_TOKEN": "xapp-wrong-secret"}
        for each in (*wrong, {"SLACK_OWNER_ID": "U0NOBODY"}):
            code, out = await doctor(env | each)
            assert code == 1
            assert out.splitlines()[4].startswith("FAIL slack: ")
            assert next(iter(each)) in out.splitlines()[4]
        slack.scopes = SCOPES.keys() - {"files:write", "im:write"}
        code, out = await doctor(env)
        assert code == 1
        assert "lacks the scopes files:write, im:write - install the app again" in out.splitlines()[4]
        slack.scopes = set(SCOPES)
        (tmp_path / "config").mkdir(exist_ok=True)
        (tmp_path / "config" / "bridge.toml").write_text('[slack]\nlayout = "channel"\n')
        code, out = await doctor(env)
        assert code == 1, "making channels needs one more"
        assert "lacks the scopes groups:write - install the app again" in out.splitlines()[4]
        assert "slack-manifest --channels" in out.splitlines()[4]

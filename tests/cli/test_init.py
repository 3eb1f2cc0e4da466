"""`init`: asks, checks each answer at once, and writes a configuration that works, readable for its owner alone."""

import asyncio
import json
import os
import pty
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.slack import SlackServer
from bridge.sandbox.telegram import TelegramServer
from bridge.settings import load
from tests.cli.conftest import RunBeside, environment

TOKEN = "123456:sandbox-secret"
HUB_TOKEN = 'odd "token"'
GONE = "http://127.0.0.1:9"


class World:
    """A hub, a Telegram and a Slack that work, and `init` in an empty directory."""

    def __init__(
        self, hub: SandboxHub, telegram: TelegramServer, slack: SlackServer, folder: Path, run: RunBeside
    ) -> None:
        self.hub, self.telegram, self.slack = hub, telegram, slack
        self.folder, self.run = folder, run
        self.file = folder / "config" / "bridge.toml"
        telegram.private_chat(telegram.add_user(42, "Ada"))
        self.member = slack.add_user("Ada").id

    async def init(
        self, *answers: str, arguments: tuple[str, ...] = (), env: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Exit code and both outputs after these answers."""
        bases = {"TELEGRAM_API_BASE_URL": self.telegram.base_url, "SLACK_API_BASE_URL": self.slack.base_url}
        stdin = "".join(f"{answer}\n" for answer in answers)
        done = await self.run("init", *arguments, env=bases | (env or {}), stdin=stdin)
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
async def world(tmp_path: Path, bridge_beside: RunBeside) -> AsyncIterator[World]:
    async with (
        SandboxHub(access_token=HUB_TOKEN) as hub,
        TelegramServer(token=TOKEN) as telegram,
        SlackServer() as slack,
    ):
        yield World(hub, telegram, slack, tmp_path, bridge_beside)


async def test_wrong_answers_are_asked_again_and_the_file_works(world: World) -> None:
    code, out, err = await world.init(
        *("not a url", world.hub.url, "wrong", "again", HUB_TOKEN),
        *("", "nonsense", TOKEN, "@ada", "42"),
    )
    assert (code, err) == (0, ""), out
    assert "expects an address such as" in out
    assert "refuses the access token" in out
    assert out.count("Address [") == 2, "a wrong token does not make one enter the address again"
    assert "expects a token as @BotFather gives it" in out
    assert "expects your numeric Telegram id" in out
    assert out.endswith("Start with: hapi-bridge run\n")
    assert world.file.stat().st_mode & 0o777 == 0o600
    settings = load(world.file, {})
    assert settings.hub.access_token.get_secret_value() == HUB_TOKEN
    assert settings.hub.url == world.hub.url
    assert settings.telegram is not None
    assert settings.telegram.owner_id == 42
    assert settings.telegram.api_base_url == world.telegram.base_url
    assert settings.slack is None


async def test_nothing_is_kept_by_a_word_that_means_something_else_and_what_is_kept_is_named(world: World) -> None:
    code, out, err = await world.init(GONE, "no", "n", "keep", "some-token", "", TOKEN, "42")
    assert code == 1
    assert out.count("please answer one of: again, keep, give up") == 2
    assert "Written, but not checked: the hub's address and access token.\n" in err
    assert load(world.file, {}).hub.url == GONE


async def test_a_retry_offers_what_was_typed(world: World) -> None:
    code, out, _ = await world.init(GONE, "again", "", "give up")
    assert code == 1
    assert f"Address [{GONE}]: " in out
    assert out.count(f"no answer from {GONE}") == 2


async def test_advice_is_given_once_and_names_no_setting(world: World) -> None:
    answers = ("", GONE, "a", world.hub.url, "wrong", "a", HUB_TOKEN, "", "123456:wrong", "a", TOKEN, "43", "g")
    _, out, _ = await world.init(*answers)
    assert "open @" in out
    for never in ("HAPI_", "TELEGRAM_", "in quotes", "BRIDGE_"):
        assert never not in out
    assert "expects an address" not in out
    assert out.count("settings.json") == 1


async def test_leaving_the_questions_writes_nothing_and_an_old_file_is_kept(world: World) -> None:
    code, _, err = await world.init(world.hub.url)
    assert (code, err) == (1, "\nconfig/bridge.toml was not written\n")
    assert not world.file.parent.exists()
    world.file.parent.mkdir()
    world.file.write_text("# mine\n")
    for answers in (("no",), ("perhaps", ""), ("yes", GONE, "give up")):
        code, _, err = await world.init(*answers)
        assert (code, err) == (1, "\nconfig/bridge.toml was not written\n")
    assert world.file.read_text() == "# mine\n"


async def test_a_place_that_cannot_be_written_is_found_before_the_first_question(world: World) -> None:
    code, out, err = await world.init(arguments=("--config", "."))
    assert (code, out) == (2, "")
    assert err == ". is a directory; --config names the file to write, such as bridge.toml\n"
    (world.folder / "file").write_text("")
    code, out, err = await world.init(arguments=("--config", "file/below/bridge.toml"))
    assert (code, out) == (2, "")
    assert err.startswith("file/below/bridge.toml can't be written: ")
    assert sorted(each.name for each in world.folder.iterdir()) == ["file"], "nothing is left behind"


async def test_what_the_environment_has_is_the_default(world: World) -> None:
    env = {"HAPI_HUB_URL": world.hub.url, "CLI_API_TOKEN": HUB_TOKEN, "TELEGRAM_BOT_TOKEN": TOKEN}
    code, out, err = await world.init("", "", "", "", "42", env=env)
    assert (code, err) == (0, ""), out
    assert "Bot token [the one in TELEGRAM_BOT_TOKEN]: " in out
    assert TOKEN not in out
    settings = load(world.file, {})
    assert settings.hub.access_token.get_secret_value() == HUB_TOKEN
    assert settings.telegram is not None
    assert settings.telegram.bot_token.get_secret_value() == TOKEN


async def test_variables_that_win_over_the_answers_are_named(world: World) -> None:
    env = {"TELEGRAM_BOT_TOKEN": "777:the-hubs-own", "SLACK_BOT_TOKEN": "xoxb-1"}
    code, out, err = await world.init(world.hub.url, HUB_TOKEN, "telegram", TOKEN, "42", env=env)
    assert code == 1, out
    assert err.splitlines() == [
        f"{name} is set in the environment, and wins over what you answered; unset it."
        for name in ("TELEGRAM_BOT_TOKEN", "SLACK_BOT_TOKEN")
    ]


async def test_slack_is_set_up_with_its_manifest_beside_the_file(world: World) -> None:
    slack = ("slack", "channel")
    answers = (*slack, "xoxb-wrong", "a", world.slack.bot_token, world.slack.app_token, "U0NOBODY", "a", world.member)
    code, out, err = await world.init(world.hub.url, HUB_TOKEN, *answers, env={"TELEGRAM_API_BASE_URL": ""})
    assert (code, err) == (0, ""), out
    assert "Slack refuses the bot token" in out
    assert "can't find U0NOBODY" in out
    settings = load(world.file, {})
    assert settings.telegram is None
    assert settings.slack is not None
    assert settings.slack.owner_id == world.member
    assert settings.slack.app_token is not None
    assert settings.slack.layout == "channel"
    manifest = json.loads(world.file.with_name("slack-manifest.json").read_text())
    assert "groups:write" in manifest["oauth_config"]["scopes"]["bot"]
    assert manifest["settings"]["socket_mode_enabled"] is True


async def test_both_can_be_set_up_and_a_slack_that_is_away_is_named(world: World) -> None:
    answers = ("both", TOKEN, "42", "", "xoxb-1", "k", "xapp-1", "U1")
    code, out, err = await world.init(world.hub.url, HUB_TOKEN, *answers, env={"SLACK_API_BASE_URL": f"{GONE}/api/"})
    assert code == 1, out
    told = "Written, but not checked: the Slack bot token, the Slack app-level token, your Slack member id.\n"
    assert err == told
    settings = load(world.file, {})
    assert settings.telegram is not None
    assert settings.slack is not None


async def test_a_token_typed_on_a_terminal_is_not_shown_and_that_is_said(world: World) -> None:
    outer, inner = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge", "init"),
        env=environment({}),
        cwd=world.folder,
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    )
    os.close(inner)
    os.set_blocking(outer, False)
    said = b""

    async def until(words: bytes) -> None:
        nonlocal said
        async with asyncio.timeout(45):
            while words not in said:
                try:
                    said += os.read(outer, 4096)
                except BlockingIOError:
                    await asyncio.sleep(0.02)

    await until(b"Address [")
    os.write(outer, f"{world.hub.url}\n".encode())
    await until(b"Access token (typing is hidden): ")
    os.write(outer, b"very-wrong\n")
    await until(b"give up?")
    os.write(outer, b"give up\n")
    async with asyncio.timeout(45):
        await process.wait()
    os.close(outer)
    assert process.returncode == 1
    assert b"very-wrong" not in said

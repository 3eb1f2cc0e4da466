"""`init`: asks, checks each answer at once, and writes a configuration that works, readable for its owner alone."""

import asyncio
import sys
from pathlib import Path

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.telegram import TelegramServer
from bridge.settings import load
from tests.cli.conftest import environment

TOKEN = "123456:sandbox-secret"


async def init(telegram: TelegramServer, tmp_path: Path, *answers: str) -> tuple[int | None, str, str]:
    async with asyncio.timeout(45):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bridge", "init"),
            env=environment({"TELEGRAM_API_BASE_URL": telegram.base_url}),
            cwd=tmp_path,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate("".join(f"{answer}\n" for answer in answers).encode())
    return process.returncode, out.decode(), err.decode()


async def test_wrong_answers_are_asked_again_and_the_file_works(tmp_path: Path) -> None:
    async with SandboxHub(access_token='odd "token"') as hub, TelegramServer(token=TOKEN) as telegram:
        telegram.private_chat(telegram.add_user(42, "Ada"))
        code, out, err = await init(
            telegram,
            tmp_path,
            *("not a url", hub.url, "wrong", "y", hub.url, 'odd "token"'),
            *("nonsense", TOKEN, "@ada", "42"),
        )
        assert (code, err) == (0, ""), out
        assert "expects an address such as" in out
        assert "HAPI_ACCESS_TOKEN" in out, "the hub refused the first token"
        assert "expects a token as @BotFather gives it" in out
        assert "expects your numeric Telegram id" in out
        path = tmp_path / "config" / "bridge.toml"
        assert path.stat().st_mode & 0o777 == 0o600
        settings = load(path, {})
        assert settings.hub.access_token.get_secret_value() == 'odd "token"'
        assert settings.hub.url == hub.url
        assert settings.telegram is not None
        assert settings.telegram.owner_id == 42
        assert settings.telegram.api_base_url == telegram.base_url


async def test_leaving_the_questions_writes_nothing_and_an_old_file_is_kept(tmp_path: Path) -> None:
    async with TelegramServer(token=TOKEN) as telegram:
        code, _, err = await init(telegram, tmp_path, "http://127.0.0.1:9")
        assert (code, err) == (1, "nothing was written\n")
        old = tmp_path / "config" / "bridge.toml"
        assert not old.parent.exists()
        old.parent.mkdir()
        old.write_text("# mine\n")
        code, _, err = await init(telegram, tmp_path, "n")
        assert (code, err) == (1, "nothing was written\n")
        assert old.read_text() == "# mine\n"

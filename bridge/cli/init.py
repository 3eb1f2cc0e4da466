"""`hapi-bridge init`: asks for what is needed, checks each answer against the world, writes the configuration.

Nothing is written before everything was asked; the file is made readable for its owner alone.
"""

from __future__ import annotations

import asyncio
import getpass
import json
import os
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bridge.cli import checks, trouble
from bridge.cli.checks import Check
from bridge.settings import HubSettings, Table, TelegramSettings


class _Left(Exception):
    """The one who was asked has had enough; nothing was written."""


def init(config: Path) -> int:
    """Ask, check, write ``config``. Exit code 2 if it can't be written, 1 if the questions were left."""
    try:
        if config.exists() and not _yes(f"{config} is there already. Replace it?"):
            raise _Left
        text = _toml(_hub(), _telegram())
        _write(config, text)
    except (_Left, EOFError, KeyboardInterrupt):
        trouble.tell(["nothing was written"])
        return 1
    except OSError as error:
        trouble.tell([f"{config}: can't be written ({error.strerror or error})"])
        return trouble.UNUSABLE
    print(f"\nWritten to {config}, readable for you alone.\nStart with: hapi-bridge run --config {config}")
    return 0


def _hub() -> dict[str, Any]:
    """Address and access token, asked until a hub takes them or the user keeps them as they are."""
    print("The HAPI hub.")
    while True:
        url = _valid(HubSettings, "url", lambda: _line("Address", "http://127.0.0.1:3006"))
        token = _valid(HubSettings, "access_token", lambda: _hidden("Access token (the hub's CLI_API_TOKEN)"))
        if _kept(checks.hub(url, token)):
            return {"url": url, "access_token": token}


def _telegram() -> dict[str, Any]:
    """Bot token and owner, asked until Telegram takes them or the user keeps them as they are."""
    print("\nTelegram. Make a bot with @BotFather (/newbot); it gives you a token. Not the bot the hub itself uses.")
    base = os.environ.get("TELEGRAM_API_BASE_URL", "").strip() or str(_default(TelegramSettings, "api_base_url"))
    while True:
        token = _valid(TelegramSettings, "bot_token", lambda: _hidden("Bot token"))
        if _kept(checks.telegram(base, token, None)):
            break
    print("Open the bot in Telegram and press Start, so that it may write to you.")
    while True:
        owner = _valid(TelegramSettings, "owner_id", lambda: _line("Your numeric Telegram id (@userinfobot tells it)"))
        if _kept(checks.telegram(base, token, int(owner))):
            break
    values: dict[str, Any] = {"bot_token": token, "owner_id": int(owner)}
    return values if base == _default(TelegramSettings, "api_base_url") else {**values, "api_base_url": base}


def _kept(check: Coroutine[Any, Any, Check]) -> bool:
    """Run a check and say what it found; whether to go on with the answers as they are."""
    found = asyncio.run(check)
    print(f"  {found.words}" + (f" - {found.mend}" if found.mend else ""))
    return found.ok or not _yes("  Try again?", default=True)


def _valid(table: type[Table], key: str, ask: Callable[[], str]) -> str:
    """Ask until the answer has the shape that the setting needs."""
    while True:
        answer = ask()
        try:
            table(**{key: answer})
        except ValidationError as error:
            mistakes = [each for each in error.errors(include_input=False) if each["loc"] == (key,)]
            if mistakes:
                print(f"  {mistakes[0]['msg'].removeprefix('Value error, ')}")
                continue
        return answer.strip()


def _default(table: type[Table], key: str) -> Any:
    return table.model_fields[key].default


def _line(words: str, default: str = "") -> str:
    print(f"{words}{f' [{default}]' if default else ''}: ", end="", flush=True)
    return _stdin() or default


def _hidden(words: str) -> str:
    return getpass.getpass(f"{words}: ").strip() if sys.stdin.isatty() else _line(words)


def _yes(words: str, *, default: bool = False) -> bool:
    print(f"{words} [{'Y/n' if default else 'y/N'}] ", end="", flush=True)
    answer = _stdin().lower()
    return answer.startswith("y") if answer else default


def _stdin() -> str:
    line = sys.stdin.readline()
    if not line:
        print()
        raise EOFError
    return line.strip()


def _toml(hub: dict[str, Any], telegram: dict[str, Any]) -> str:
    """The file's text. A JSON string is a TOML string too, but for DEL."""
    lines = ["# HAPI Bridge. config/bridge.example.toml explains every key."]
    for name, table in (("hub", hub), ("telegram", telegram)):
        lines += ["", f"[{name}]"]
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return "\n".join(lines).replace("\x7f", "\\u007f") + "\n"


def _write(path: Path, text: str) -> None:
    """Put a file in place as a whole, with mode 600 from its first byte."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

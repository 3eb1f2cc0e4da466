"""`hapi-bridge init`: asks for what is needed, checks each answer against the world, writes the configuration.

The configuration is written after everything was asked, readable for its owner alone. An answer that did not pass its
check is kept only when that is asked for, and is named at the end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.chat.slack.manifest import slack_manifest
from bridge.cli import checks, checks_chat, init_file, trouble
from bridge.cli.init_prompts import Left, accepted, choice, value
from bridge.settings import (
    DEFAULT_FILE,
    VARIABLES,
    ConfigurationError,
    HubSettings,
    SlackSettings,
    Table,
    TelegramSettings,
    load,
)

Values = dict[str, Any]
PLATFORMS = {"telegram": "telegram", "slack": "slack", "both": "both"}
LAYOUTS = {"thread": "thread", "channel": "channel"}


def init(config: Path) -> int:
    """Ask, check, write ``config``. Exit code 2 if it can't be written, 1 if the questions were left or an answer was
    kept that did not pass its check, or that the environment overrides."""
    try:
        init_file.look(config)
        tables, unchecked = _ask(config)
        init_file.write(config, init_file.toml(tables))
    except (Left, KeyboardInterrupt):
        trouble.tell(["", f"{config} was not written"])
        return 1
    except init_file.Unwritable as error:
        trouble.tell([str(error)])
        return trouble.UNUSABLE
    doubts = [f"Written, but not checked: {', '.join(unchecked)}."] if unchecked else []
    doubts += _overridden(tables) or _together(config)
    named = "" if config == DEFAULT_FILE else f" --config {config}"
    print(f"\n{config} is written, readable for you alone.")
    trouble.tell(doubts)
    print(f"Start with: hapi-bridge run{named}" if not doubts else f"See with: hapi-bridge doctor{named}")
    return 1 if doubts else 0


def _ask(config: Path) -> tuple[dict[str, Values], list[str]]:
    """The tables of the file, and the answers that were kept without having passed their check."""
    if config.exists():
        words = f"{config} is there already, and would be replaced as a whole. Replace it, yes or no?"
        if choice(words, {"yes": "yes", "no": "no"}, "no") == "no":
            raise Left
    unchecked: list[str] = []
    tables = {"hub": _hub(unchecked)}
    chats = choice("\nWhich chat: telegram, slack, or both?", PLATFORMS, "telegram")
    if chats != "slack":
        tables["telegram"] = _telegram(unchecked)
    if chats != "telegram":
        tables["slack"] = _slack(config, unchecked)
    return tables, unchecked


def _hub(unchecked: list[str]) -> Values:
    print("The HAPI hub.")
    url = token = ""
    while True:
        url = value(HubSettings, "hub", "url", "Address", typed=url).rstrip("/")
        go_on, found = accepted(checks.hub_address(url))
        if go_on:
            break
    print(f"The access token is what you sign in to HAPI with; {checks.TOKEN_PLACE}.")
    while True:
        token = value(HubSettings, "hub", "access_token", "Access token", secret=True, typed=token)
        if not found.ok:
            unchecked.append("the hub's address and access token")
            break
        go_on, passed = accepted(checks.hub(url, token))
        if go_on:
            unchecked += [] if passed.ok else ["the hub's access token"]
            break
    return {"url": url, "access_token": token}


def _telegram(unchecked: list[str]) -> Values:
    print("\nTelegram. Make a bot with @BotFather (/newbot); it gives you a token. Not the bot the hub itself uses.")
    base, token, owner = _base(TelegramSettings, "telegram"), "", ""
    while True:
        token = value(TelegramSettings, "telegram", "bot_token", "Bot token", secret=True, typed=token)
        go_on, bot = accepted(checks_chat.telegram(base, token, None))
        if go_on:
            break
    name = bot.who or "the bot"
    print(f"Open {name} in Telegram and press Start, so that it may write to you. @userinfobot tells your numeric id.")
    while True:
        owner = value(TelegramSettings, "telegram", "owner_id", "Your numeric Telegram id", typed=owner)
        if not bot.ok:
            unchecked.append("the Telegram bot token and your id")
            break
        go_on, found = accepted(checks_chat.telegram(base, token, int(owner), topics=False))
        if go_on:
            unchecked += [] if found.ok else ["your Telegram id"]
            break
    return {"bot_token": token, "owner_id": int(owner), **_own_base(TelegramSettings, base)}


def _slack(config: Path, unchecked: list[str]) -> Values:
    manifest = config.with_name("slack-manifest.json")
    layout = choice("\nIn Slack, each session: a thread in your direct messages, or a channel?", LAYOUTS, "thread")
    channels = layout == "channel"
    init_file.write(manifest, json.dumps(slack_manifest(channels=channels), indent=2, ensure_ascii=False) + "\n")
    print(f"\nSlack. The app's manifest is written to {manifest}.")
    print("On https://api.slack.com/apps choose Create New App, From a manifest, and paste it; then Install App.")
    base, token, app, owner = _base(SlackSettings, "slack"), "", "", ""
    while True:
        token = value(SlackSettings, "slack", "bot_token", "Bot token (xoxb-)", secret=True, typed=token)
        go_on, found = accepted(checks_chat.slack(base, token, None, None, channels=channels))
        if go_on:
            break
    print("Basic Information, App-Level Tokens: make one with the scope connections:write.")
    reached, failed = found.ok, [] if found.ok else ["the Slack bot token"]
    while True:
        app = value(SlackSettings, "slack", "app_token", "App-level token (xapp-)", secret=True, typed=app)
        go_on, found = (
            accepted(checks_chat.slack(base, token, app, None, channels=channels)) if reached else (True, found)
        )
        if go_on:
            failed += [] if found.ok else ["the Slack app-level token"]
            break
    reached = reached and found.ok
    while True:
        words = "Your member id (in your Slack profile: Copy member ID)"
        owner = value(SlackSettings, "slack", "owner_id", words, typed=owner)
        go_on, found = (
            accepted(checks_chat.slack(base, token, app, owner, channels=channels)) if reached else (True, found)
        )
        if go_on:
            failed += [] if found.ok else ["your Slack member id"]
            break
    unchecked += failed
    own = {**({"layout": layout} if channels else {}), **_own_base(SlackSettings, base)}
    return {"bot_token": token, "app_token": app, "owner_id": owner, **own}


def _base(model: type[Table], table: str) -> str:
    """The platform's address: the environment's, where it has one that can be used."""
    default = str(model.model_fields["api_base_url"].default)
    return os.environ.get(f"{table.upper()}_API_BASE_URL", "").strip() or default


def _own_base(model: type[Table], base: str) -> Values:
    return {} if base == model.model_fields["api_base_url"].default else {"api_base_url": base}


def _overridden(tables: Mapping[str, Values]) -> list[str]:
    """Variables of the environment that will win over what was just written, or switch something else on."""
    found = []
    for name, (table, key) in VARIABLES.items():
        given = os.environ.get(name, "").strip()
        counts = table in tables or (table in ("telegram", "slack") and key in ("bot_token", "owner_id"))
        if given and counts and given.rstrip("/") != _written(tables, table, key):
            found.append(f"{name} is set in the environment, and wins over what you answered; unset it.")
    return found


def _written(tables: Mapping[str, Values], table: str, key: str) -> str:
    return str(tables.get(table, {}).get(key, "")).rstrip("/")


def _together(config: Path) -> list[str]:
    """What is wrong with the file as `run` will see it, with the environment around it."""
    try:
        load(config, os.environ)
    except ConfigurationError as error:
        return error.mistakes
    return []

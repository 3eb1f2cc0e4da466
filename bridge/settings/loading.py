"""Reading the configuration: a TOML file and the environment, once, checked as a whole, told in a user's words.

`load` is the only door. The environment wins over the file; HAPI's own two variables are asked last of all. Whatever is
wrong is collected and raised as one `ConfigurationError` with a line per mistake; no line holds a value of a secret.
Nothing else in the bridge reads the environment.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bridge.settings.tables import Settings
from bridge.settings.words import key_words, words_of

DEFAULT_FILE = Path("config/bridge.toml")

VARIABLES: dict[str, tuple[str, str]] = {
    "HAPI_HUB_URL": ("hub", "url"),
    "HAPI_ACCESS_TOKEN": ("hub", "access_token"),
    "BRIDGE_DATABASE_URL": ("store", "database_url"),
    "BRIDGE_DATA_DIR": ("store", "data_dir"),
    "BRIDGE_HTTP": ("http", "listen"),
    "BRIDGE_LOG": ("log", "format"),
    "BRIDGE_LOG_LEVEL": ("log", "level"),
    "BRIDGE_LANGUAGE": ("chat", "language"),
    "BRIDGE_TIMEZONE": ("chat", "timezone"),
    "TELEGRAM_BOT_TOKEN": ("telegram", "bot_token"),
    "TELEGRAM_OWNER_ID": ("telegram", "owner_id"),
    "TELEGRAM_API_BASE_URL": ("telegram", "api_base_url"),
    "SLACK_BOT_TOKEN": ("slack", "bot_token"),
    "SLACK_OWNER_ID": ("slack", "owner_id"),
    "SLACK_APP_TOKEN": ("slack", "app_token"),
    "SLACK_SIGNING_SECRET": ("slack", "signing_secret"),
    "SLACK_API_BASE_URL": ("slack", "api_base_url"),
}
"""Environment variable -> table and key of the file that it overrides."""
FALLBACKS: dict[str, tuple[str, str]] = {"HAPI_API_URL": ("hub", "url"), "CLI_API_TOKEN": ("hub", "access_token")}
"""HAPI's own variables, for what neither our variables nor the file give."""


class ConfigurationError(Exception):
    """The configuration can't be used. ``mistakes`` has one line each, fit for a user, free of secrets."""

    def __init__(self, mistakes: Iterable[str]) -> None:
        self.mistakes = list(mistakes)
        super().__init__("\n".join(self.mistakes))


def config_file(config: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file to read: ``config``, else ``$BRIDGE_CONFIG``, else ``./config/bridge.toml`` if it is there."""
    if config is not None:
        return config
    if named := environ.get("BRIDGE_CONFIG", "").strip():
        return Path(named)
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def load(config: Path | None, environ: Mapping[str, str]) -> Settings:
    """The configuration from the file and the environment. Raises `ConfigurationError` with every mistake found."""
    path = config_file(config, environ)
    in_file = _read(path) if path else {}
    in_environment = _nested(VARIABLES, environ)
    fallback = _nested(FALLBACKS, environ)
    merged: dict[str, Any] = dict(in_file)
    for table in ("hub", "store", "telegram", "slack", "http", "log", "chat", "remind"):
        layers = (fallback.get(table), in_file.get(table), in_environment.get(table))
        if any(layer is not None and not isinstance(layer, dict) for layer in layers):
            continue
        if together := {key: value for layer in layers if layer for key, value in layer.items()}:
            merged[table] = together

    def name(place: tuple[str | int, ...]) -> str:
        """How the user knows a value: the variable, where one gave it, else the key in the file."""
        pair = tuple(str(step) for step in place[:2])
        for variables, given in ((VARIABLES, in_environment), (FALLBACKS, fallback)):
            here = next((variable for variable, key in variables.items() if key == pair), None)
            from_file = isinstance(in_file.get(pair[0]), dict) and pair[-1] in in_file[pair[0]]
            if here and pair[1] in given.get(pair[0], {}) and not (variables is FALLBACKS and from_file):
                return here
        return key_words(place) + (f" in {path}" if path else "")

    merged.setdefault("hub", {})
    mistakes = _together(merged)
    off = [table for table in ("telegram", "slack") if not _enabled(merged, table)]
    settings, problems = _validated(merged)
    for problem in problems:
        place = problem["loc"]
        if problem["type"] == "missing" and (place[0] in off or len(place) == 2):
            continue  # said by _together, in words of its own
        mistakes.append(f"{name(place)}: {words_of(problem)}")
    if mistakes:
        raise ConfigurationError(dict.fromkeys(mistakes))
    if settings is None:  # only the tables of platforms that are not set up are incomplete
        settings = Settings(**{table: value for table, value in merged.items() if table not in off})
    return settings


def _validated(values: dict[str, Any]) -> tuple[Settings | None, list[Any]]:
    try:
        return Settings(**values), []
    except ValidationError as error:
        return None, list(error.errors(include_url=False, include_input=False))


def _enabled(values: Mapping[str, Any], table: str) -> bool:
    given = values.get(table)
    return isinstance(given, dict) and ("bot_token" in given or "owner_id" in given)


def _together(values: Mapping[str, Any]) -> list[str]:
    """What single fields can't tell: required values, and values that need each other."""
    mistakes = []
    if isinstance(values["hub"], dict) and "access_token" not in values["hub"]:
        mistakes.append("HAPI_ACCESS_TOKEN (hub.access_token) is missing: the hub's access token, its CLI_API_TOKEN")
    platforms = {
        "telegram": ("the token @BotFather gave for your bot", "your numeric Telegram id"),
        "slack": ("the app's bot token, which starts with xoxb-", "your Slack member id, such as U012ABCDEF"),
    }
    if not any(_enabled(values, table) for table in platforms):
        mistakes.append(
            "no chat is set up: give TELEGRAM_BOT_TOKEN and TELEGRAM_OWNER_ID, or SLACK_BOT_TOKEN and SLACK_OWNER_ID"
        )
    for table, (token, owner) in platforms.items():
        if not _enabled(values, table):
            continue
        for key, what in (("bot_token", token), ("owner_id", owner)):
            if key not in values[table]:
                mistakes.append(f"{table.upper()}_{key.upper()} ({table}.{key}) is missing: {what}")
    slack, http = values.get("slack"), values.get("http")
    if isinstance(slack, dict) and _enabled(values, "slack") and "app_token" not in slack:
        if "signing_secret" not in slack:
            mistakes.append(
                "SLACK_APP_TOKEN (slack.app_token) is missing: the app-level token for Socket Mode; "
                "or, for HTTP mode, SLACK_SIGNING_SECRET and BRIDGE_HTTP"
            )
        elif not isinstance(http, dict) or "listen" not in http:
            mistakes.append("BRIDGE_HTTP (http.listen) is missing: Slack's HTTP mode needs host:port to listen on")
    return mistakes


def _nested(variables: Mapping[str, tuple[str, str]], environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Set variables as tables. One that is set to nothing counts as not set."""
    tables: dict[str, dict[str, str]] = {}
    for variable, (table, key) in variables.items():
        if value := environ.get(variable, "").strip():
            tables.setdefault(table, {})[key] = value
    return tables


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError([f"{path}: there is no such file"]) from None
    except UnicodeDecodeError:
        raise ConfigurationError([f"{path}: is not UTF-8 text"]) from None
    except OSError as error:
        raise ConfigurationError([f"{path}: can't be read ({error.strerror})"]) from None
    except ValueError as error:
        raise ConfigurationError([f"{path}: is not valid TOML: {error}"]) from None
    except RecursionError:
        raise ConfigurationError([f"{path}: is not valid TOML: nested too deeply"]) from None

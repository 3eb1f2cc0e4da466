"""The configuration: a TOML file and the environment, read once, checked as a whole, told in a user's words.

`load` is the only door. The environment wins over the file; HAPI's own two variables are asked last of all. Whatever is
wrong is collected and raised as one `ConfigurationError` with a line per mistake; no line holds a value of a secret.
Values are immutable afterwards and passed on; nothing else in the bridge reads the environment.
"""

from __future__ import annotations

import difflib
import fnmatch
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from zoneinfo import ZoneInfo

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from sqlalchemy.engine import make_url
from tzlocal import get_localzone

from bridge.cards.danger_rules import DangerRules, OwnRule, Pattern
from bridge.language import ENGLISH
from bridge.settings_values import (
    BotToken,
    DangerRegex,
    DangerRule,
    DatabaseUrl,
    Directory,
    LanguageCode,
    Listen,
    Lowered,
    Secret,
    SlackAppToken,
    SlackBotToken,
    SlackId,
    SlackUrl,
    Spot,
    TelegramId,
    TelegramUrl,
    Text,
    Timezone,
    Url,
)

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

Level = Literal["quiet", "normal", "full"]


class ConfigurationError(Exception):
    """The configuration can't be used. ``mistakes`` has one line each, fit for a user, free of secrets."""

    def __init__(self, mistakes: Iterable[str]) -> None:
        self.mistakes = list(mistakes)
        super().__init__("\n".join(self.mistakes))


class Table(BaseModel):
    """A table of the file. Unknown keys are errors, values don't change."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, validate_default=True)


class HubSettings(Table):
    """The HAPI hub: its address, without a trailing slash, and the access token it was set up with."""

    url: Url = "http://127.0.0.1:3006"
    access_token: Secret


class StoreSettings(Table):
    """Where things are remembered."""

    data_dir: Directory = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("hapi-bridge", appauthor=False))
    )
    database_url: DatabaseUrl | None = None

    @property
    def url(self) -> str:
        """The async SQLAlchemy URL to open; may hold a password, so it is not for logs."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite+aiosqlite:///{(self.data_dir / 'bridge.sqlite3').absolute()}"

    @property
    def is_default(self) -> bool:
        """Whether the store is the SQLite file in ``data_dir``, which is then the bridge's to create."""
        return self.database_url is None


class Follow(Table):
    """Which sessions appear by themselves. Each given field must match; ``*`` and ``?`` are wildcards.

    ``directory`` also covers everything below it. ``mode = "ask"`` offers a matching session instead of showing it.
    """

    machine: Text | None = None
    directory: Text | None = None
    flavor: Text | None = None
    mode: Annotated[Literal["all", "ask"], Lowered] = "all"

    def matches(self, *, machines: Iterable[str], directory: str, flavor: str) -> bool:
        """Whether a session is meant: ``machines`` are all names its machine goes by (id, host, display name)."""
        if self.machine is not None and not any(fnmatch.fnmatchcase(name, self.machine) for name in machines):
            return False
        if self.flavor is not None and not fnmatch.fnmatchcase(flavor, self.flavor):
            return False
        if self.directory is None:
            return True
        root = self.directory.rstrip("/") or "/"
        return fnmatch.fnmatchcase(directory, root) or fnmatch.fnmatchcase(directory, root.rstrip("/") + "/*")


class TelegramSettings(Table):
    """The Telegram bot. ``api_base_url`` is the Bot API server without ``/bot``; ``topics`` false keeps one chat.

    ``speed`` multiplies the rates at which the bridge calls Telegram: 1 is what Telegram allows everybody, more is for
    servers of one's own and for tests.
    """

    bot_token: BotToken
    owner_id: TelegramId
    api_base_url: TelegramUrl = "https://api.telegram.org"
    topics: bool = True
    level: Annotated[Level, Lowered] = "normal"
    speed: Annotated[float, Field(gt=0, le=1000)] = 1.0
    follow: tuple[Follow, ...] = ()


class SlackSettings(Table):
    """The Slack app. With ``app_token`` Socket Mode, else HTTP mode. ``api_base_url`` ends in ``/api/``.

    ``layout``: a session is a ``thread`` in the owner's direct messages, or has a ``channel`` of its own. ``speed``
    multiplies the rates at which the bridge calls Slack, as it does for Telegram. ``admit`` names guests and people of
    other workspaces who may be given a role.
    """

    bot_token: SlackBotToken
    owner_id: SlackId
    app_token: SlackAppToken | None = None
    signing_secret: Secret | None = None
    api_base_url: SlackUrl = "https://slack.com/api/"
    layout: Annotated[Literal["thread", "channel"], Lowered] = "thread"
    level: Annotated[Level, Lowered] = "normal"
    speed: Annotated[float, Field(gt=0, le=1000)] = 1.0
    admit: tuple[SlackId, ...] = ()
    follow: tuple[Follow, ...] = ()


class HttpSettings(Table):
    """The bridge's own HTTP server for health, metrics and webhooks; off without ``listen``."""

    listen: Listen | None = None

    @property
    def address(self) -> tuple[str, int] | None:
        """Host and port to listen on (0: any free port), or None."""
        if self.listen is None:
            return None
        host, port = self.listen.rsplit(":", 1)
        return host.strip("[]"), int(port)


class LogSettings(Table):
    """What is logged, and how."""

    format: Annotated[Literal["text", "json"], Lowered] = "text"
    level: Annotated[Literal["debug", "info", "warning", "error"], Lowered] = "info"


class ChatSettings(Table):
    """What holds in every chat: the language the bridge speaks there, people's time zone, where the texts are that
    ``/scenario`` offers, and for how many seconds a message waits for the next one that it is put together with (0:
    never). ``home_post``: whether a pinned post tells what waits and runs."""

    language: LanguageCode = ENGLISH
    timezone: Timezone | None = None
    scenarios_dir: Directory | None = None
    home_post: bool = True
    merge_pause_s: Annotated[float, Field(ge=0, le=10)] = 1.0

    @property
    def zone(self) -> ZoneInfo:
        """The time zone that is set, else the machine's own."""
        return ZoneInfo(self.timezone) if self.timezone is not None else get_localzone()


class RemindSettings(Table):
    """Requests that nobody decides: after how many minutes they are said again, and after how many they are asked in
    the next of ``escalate_to`` as well; 0 means never."""

    after_minutes: Annotated[float, Field(ge=0, le=10080)] = 15
    escalate_after_minutes: Annotated[float, Field(ge=0, le=10080)] = 60
    escalate_to: tuple[Spot, ...] = ()


class PeopleSettings(Table):
    """Other people than the owner: how long an invitation holds, and how long the audit log is kept."""

    invitation_minutes: Annotated[int, Field(gt=0, le=1440)] = 15
    audit_days: Annotated[int, Field(gt=0, le=36500)] = 365


class DangerPattern(Table):
    """A danger rule of one's own: requests in which ``regex`` is found are marked dangerous under ``name``.

    ``tools``: tool names it is about, as cards show them (``Bash``); without it all.
    """

    name: Annotated[Text, Field(max_length=60)]
    regex: DangerRegex
    tools: tuple[Text, ...] = ()


class DangerSettings(Table):
    """What is marked dangerous. ``off`` switches built-in rules off; ``second_approver`` has two people allow it."""

    off: tuple[DangerRule, ...] = ()
    pattern: tuple[DangerPattern, ...] = ()
    second_approver: bool = False

    @property
    def rules(self) -> DangerRules:
        """The same for the relay."""
        own = (OwnRule(one.name, Pattern(one.regex), frozenset(one.tools)) for one in self.pattern)
        return DangerRules(frozenset(self.off), tuple(own), self.second_approver)


class Settings(BaseSettings):
    """The whole configuration. ``telegram`` or ``slack`` is None where that platform is not set up."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    hub: HubSettings
    store: StoreSettings = Field(default_factory=StoreSettings)
    telegram: TelegramSettings | None = None
    slack: SlackSettings | None = None
    http: HttpSettings = Field(default_factory=HttpSettings)
    log: LogSettings = Field(default_factory=LogSettings)
    chat: ChatSettings = Field(default_factory=ChatSettings)
    remind: RemindSettings = Field(default_factory=RemindSettings)
    people: PeopleSettings = Field(default_factory=PeopleSettings)
    danger: DangerSettings = Field(default_factory=DangerSettings)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what is passed in: ``load`` gathers it, so that a test never meets the machine's environment."""
        return (init_settings,)

    def secrets(self) -> list[str]:
        """Every value that must appear nowhere (invariant 7)."""
        found = [self.hub.access_token, self.store.database_url]
        if self.telegram:
            found.append(self.telegram.bot_token)
        if self.slack:
            found += [self.slack.bot_token, self.slack.app_token, self.slack.signing_secret]
        values = [secret.get_secret_value() for secret in found if secret is not None]
        password = make_url(self.store.url).password
        return [*values, password] if password else values


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
        return _key(place) + (f" in {path}" if path else "")

    merged.setdefault("hub", {})
    mistakes = _together(merged)
    off = [table for table in ("telegram", "slack") if not _enabled(merged, table)]
    settings, problems = _validated(merged)
    for problem in problems:
        place = problem["loc"]
        if problem["type"] == "missing" and (place[0] in off or len(place) == 2):
            continue  # said by _together, in words of its own
        mistakes.append(f"{name(place)}: {_words(problem)}")
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


def _words(problem: Mapping[str, Any]) -> str:
    """One pydantic error, said for a person."""
    match problem["type"]:
        case "extra_forbidden":
            known = _known_keys(problem["loc"][:-1])
            near = difflib.get_close_matches(str(problem["loc"][-1]), known, n=1, cutoff=0.5)
            return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known are {', '.join(known)}"
        case "literal_error":
            return f"expects {problem['ctx']['expected']}".replace("'", '"')
        case "bool_parsing" | "bool_type":
            return "expects true or false"
        case "float_parsing" | "float_type":
            return "expects a number"
        case "int_parsing" | "int_type" | "int_from_float":
            return "expects a whole number"
        case "greater_than":
            return f"expects a number above {problem['ctx']['gt']:g}"
        case "greater_than_equal":
            return f"expects a number from {problem['ctx']['ge']:g} up"
        case "less_than_equal":
            return f"expects a number up to {problem['ctx']['le']:g}"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "expects a table of keys"
        case "tuple_type" if problem["loc"][-1] == "admit":
            return 'expects a list, such as ["U012ABCDEF"]'
        case "tuple_type":
            return f"expects tables, each written [[{_key(problem['loc'])}]]"
        case _:
            return str(problem["msg"]).removeprefix("Value error, ")


def _known_keys(place: tuple[str | int, ...]) -> list[str]:
    """The keys a table has, for the hint beside an unknown one."""
    model: type[BaseModel] = Settings
    for step in place:
        if isinstance(step, int):
            continue
        annotation = model.model_fields[step].annotation
        options = [annotation, *get_args(annotation)]
        model = next(each for each in options if isinstance(each, type) and issubclass(each, BaseModel))
    return list(model.model_fields)


def _key(place: tuple[str | int, ...]) -> str:
    """``("telegram", "follow", 1, "mode")`` as ``telegram.follow[2].mode``."""
    text = ""
    for step in place:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text


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

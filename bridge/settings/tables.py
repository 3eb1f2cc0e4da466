"""The tables of the configuration, each with its keys, their defaults, and what they mean. Values don't change."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import platformdirs
from pydantic import BaseModel, ConfigDict, Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from tzlocal import get_localzone

from bridge.cards.request.danger_rules import DangerRules, OwnRule, Pattern
from bridge.language import ENGLISH
from bridge.settings.values import (
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

Level = Literal["quiet", "normal", "full"]


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
    never). ``home_post``: whether a pinned post tells what waits and runs. ``undecided_days``: after how many a message
    that was kept back, and of which nobody said what becomes of it, is given up; less than what is kept of posts."""

    language: LanguageCode = ENGLISH
    timezone: Timezone | None = None
    scenarios_dir: Directory | None = None
    home_post: bool = True
    merge_pause_s: Annotated[float, Field(ge=0, le=10)] = 1.0
    undecided_days: Annotated[float, Field(gt=0, le=60)] = 14

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
        from sqlalchemy.engine import make_url  # late: most of what reads these tables opens no store

        password = make_url(self.store.url).password
        return [*values, password] if password else values

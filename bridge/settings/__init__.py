"""The configuration: its tables, and the one door through which it is read (``loading.load``)."""

from bridge.settings.loading import DEFAULT_FILE, FALLBACKS, VARIABLES, ConfigurationError, config_file, load
from bridge.settings.tables import (
    ChatSettings,
    DangerPattern,
    DangerSettings,
    Follow,
    HttpSettings,
    HubSettings,
    LogSettings,
    PeopleSettings,
    RemindSettings,
    Settings,
    SlackSettings,
    StoreSettings,
    Table,
    TelegramSettings,
)

__all__ = [
    "DEFAULT_FILE",
    "FALLBACKS",
    "VARIABLES",
    "ChatSettings",
    "ConfigurationError",
    "DangerPattern",
    "DangerSettings",
    "Follow",
    "HttpSettings",
    "HubSettings",
    "LogSettings",
    "PeopleSettings",
    "RemindSettings",
    "Settings",
    "SlackSettings",
    "StoreSettings",
    "Table",
    "TelegramSettings",
    "config_file",
    "load",
]

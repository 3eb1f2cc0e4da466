"""The shapes of single configuration values: what each expects, in a user's words; no value is repeated."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator, SecretStr

from bridge.cards.request.danger_rules import BUILT_IN, BadPattern, Pattern
from bridge.language import languages

_PLACEHOLDER = re.compile(r"(?:\d+:|xoxb-|xapp-)?put-(?:the|your)-[a-z-]+-here")
"""What `config/bridge.example.toml` has in the place of real values."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("expects text in quotes")
    if not value.strip():
        raise ValueError("is empty")
    return _real(value.strip())


def _real(text: str) -> str:
    """The text itself, unless it is one of the example file's placeholders."""
    if _PLACEHOLDER.fullmatch(text):
        raise ValueError("is still the example's placeholder; put your own in")
    return text


def _url(value: Any) -> str:
    """An http(s) address without a trailing slash, query or login."""
    wanted = "expects an address such as http://127.0.0.1:3006 (http or https, host, perhaps a port)"
    try:
        text = _text(value)
        parts = urlsplit(text)
        port_fits = parts.port is None or 0 < parts.port < 65536
    except ValueError:
        raise ValueError(wanted) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_fits or re.search(r"\s", text):
        raise ValueError(wanted)
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("expects an address without a login, '?' or '#' in it")
    return text.rstrip("/")


def _telegram_url(value: Any) -> str:
    url = _url(value)
    if url.rsplit("/", 1)[-1].startswith("bot"):
        raise ValueError("expects the Bot API server's address without the /bot part")
    return url


def _slack_url(value: Any) -> str:
    url = _url(value) + "/"
    if not url.endswith("/api/"):
        raise ValueError("expects an address that ends in /api/")
    return url


def _matching(pattern: str, wanted: str) -> BeforeValidator:
    """A secret or id of a known shape; what was given is never repeated."""
    shape = re.compile(pattern)

    def check(value: Any) -> str:
        text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if isinstance(value, str) and not text:
            raise ValueError("is empty")
        if not shape.fullmatch(_real(text)):
            raise ValueError(f"expects {wanted}")
        return text

    return BeforeValidator(check)


def _database_url(value: Any) -> str:
    from sqlalchemy.engine import make_url  # late: most configurations name no database
    from sqlalchemy.exc import ArgumentError

    wanted = "expects an SQLAlchemy URL such as sqlite:////var/lib/bridge.sqlite3 or postgresql://user@host/name"
    try:
        url = make_url(re.sub(r"^postgres://", "postgresql://", _text(value)))
    except (ValueError, ArgumentError):
        raise ValueError(wanted) from None
    match url.get_backend_name():
        case "sqlite":
            url = url.set(drivername="sqlite+aiosqlite")
        case "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        case _:
            raise ValueError(wanted)
    return url.render_as_string(hide_password=False)


def _directory(value: Any) -> Path:
    return Path(_text(str(value) if isinstance(value, Path) else value)).expanduser()


def _language(value: Any) -> str:
    known = {code.lower(): code for code in languages()}
    found = known.get(value.strip().replace("_", "-").lower()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"expects one of {', '.join(languages())}")
    return found


def _timezone(value: Any) -> str:
    try:
        return ZoneInfo(_text(value)).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("expects a time zone's name, such as Europe/Berlin") from None


def _danger_rule(value: Any) -> str:
    name = value.strip().lower().replace("_", "-") if isinstance(value, str) else ""
    if name not in BUILT_IN:
        raise ValueError(f"expects names of built-in rules: {', '.join(BUILT_IN)}")
    return name


def _danger_regex(value: Any) -> str:
    text = _text(value)
    try:
        Pattern(text)
    except BadPattern as reason:
        raise ValueError(f"is no pattern that can be used: {reason}") from None
    return text


def _spot(value: Any) -> str:
    """A place: a platform, or a platform and a chat of it."""
    wanted = 'expects "telegram" or "slack", or a chat such as "telegram:-100123456" or "slack:C012ABCDEF"'
    text = _text(value)
    if not re.fullmatch(r"telegram(:-?\d{1,16})?|slack(:[CGDUW][A-Z0-9]+)?", text):
        raise ValueError(wanted)
    return text


def _listen(value: Any) -> str:
    found = (
        re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s:\[\]/]+):(\d{1,5})", value.strip()) if isinstance(value, str) else None
    )
    if not found or int(found[2]) > 65535:
        raise ValueError("expects host:port, such as 127.0.0.1:8080")
    return found[0]


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


Lowered = BeforeValidator(_lower)
Text = Annotated[str, BeforeValidator(_text)]
Secret = Annotated[SecretStr, BeforeValidator(_text)]
Directory = Annotated[Path, BeforeValidator(_directory)]
DatabaseUrl = Annotated[SecretStr, BeforeValidator(_database_url)]
Listen = Annotated[str, BeforeValidator(_listen)]
Url = Annotated[str, BeforeValidator(_url)]
TelegramUrl = Annotated[str, BeforeValidator(_telegram_url)]
SlackUrl = Annotated[str, BeforeValidator(_slack_url)]
BotToken = Annotated[
    SecretStr, _matching(r"\d+:[A-Za-z0-9_-]+", "a token as @BotFather gives it: digits, a colon, letters and digits")
]
TelegramId = Annotated[
    int, _matching(r"[1-9]\d{0,15}", "your numeric Telegram id, such as 123456789, not a @name; @userinfobot tells it")
]
SlackBotToken = Annotated[SecretStr, _matching(r"xoxb-\S+", "a bot token, which starts with xoxb-")]
SlackAppToken = Annotated[SecretStr, _matching(r"xapp-\S+", "an app-level token, which starts with xapp-")]
SlackId = Annotated[str, _matching(r"[UW][A-Z0-9]+", "your Slack member id, such as U012ABCDEF; your profile shows it")]
DangerRule = Annotated[str, BeforeValidator(_danger_rule)]
DangerRegex = Annotated[str, BeforeValidator(_danger_regex)]
LanguageCode = Annotated[str, BeforeValidator(_language)]
Timezone = Annotated[str, BeforeValidator(_timezone)]
Spot = Annotated[str, BeforeValidator(_spot)]

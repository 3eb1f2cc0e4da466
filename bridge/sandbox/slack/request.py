"""One Web API request: from JSON, form or query to typed arguments, or a refusal."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from aiohttp import web

from bridge.sandbox.slack.errors import SlackError, invalid_arguments, missing_scope, stricter
from bridge.sandbox.slack.state import Json

EVERYWHERE = frozenset({"token", "team_id"})  # slack-bolt sends the latter with every call


class Kind(StrEnum):
    """What an argument must be; forms carry all of them as text."""

    STR = "string"
    INT = "integer"
    BOOL = "boolean"
    OBJECT = "object"
    ARRAY = "array"
    IDS = "comma-separated ids"


@dataclass(slots=True)
class Request:
    """``params`` are typed. A handler calls ``approve`` after its checks and before it changes anything: there the
    rates are kept, per channel for posts.
    """

    method: str
    params: Json
    scopes: set[str]
    approve: Callable[[str | None], None]

    def get(self, name: str, default: Any = None) -> Any:
        """The argument, or ``default``."""
        return self.params.get(name, default)

    def need(self, name: str, error: str = "") -> Any:
        """The argument; ``error`` or ``invalid_arguments`` if it is missing or empty."""
        if self.params.get(name) in (None, ""):
            raise SlackError(error) if error else invalid_arguments(f"missing required field: {name}")
        return self.params[name]

    def objects(self, name: str, error: str = "invalid_arguments") -> list[Json]:
        """A list of objects, empty if missing; ``error`` if something else is in it."""
        found = self.params.get(name) or []
        if not all(isinstance(one, dict) for one in found):
            raise SlackError(error, response_metadata={"messages": [f"[ERROR] {name} must be an array of objects"]})
        return list(found)

    def need_scope(self, *any_of: str) -> None:
        """Raises ``missing_scope`` unless the token has one of these."""
        if not self.scopes & set(any_of):
            raise missing_scope(",".join(any_of), frozenset(self.scopes))


async def read_body(http: web.Request) -> Json:
    """The raw arguments: text, or JSON values. Raises SlackError ``invalid_json`` or ``json_not_object``."""
    params: Json = dict(http.query)
    if http.content_type == "application/json":
        try:
            body = json.loads(await http.text() or "{}")
        except ValueError:
            raise SlackError("invalid_json") from None
        if not isinstance(body, dict):
            raise SlackError("json_not_object")
        return params | body
    if http.method == "POST" and http.body_exists:
        for name, value in (await http.post()).items():
            if not isinstance(value, str):
                raise stricter(f"a file as {name}; Slack takes files by files.getUploadURLExternal")
            params[name] = value
    return params


def typed(method: str, raw: Json, kinds: dict[str, Kind]) -> Json:
    """The arguments with the types the method wants. Raises SlackError for unknown names and wrong types."""
    params: Json = {}
    for name, value in raw.items():
        if name in EVERYWHERE - kinds.keys() or value is None:
            continue
        if name not in kinds:
            raise stricter(f"{method} has no argument {name}; Slack ignores it in silence")
        params[name] = _converted(name, value, kinds[name])
    return params


def _converted(name: str, value: Any, kind: Kind) -> Any:
    if kind is Kind.STR:
        if not isinstance(value, str):
            raise invalid_arguments(f"must be a string [json-pointer:/{name}]")
        return value
    if kind is Kind.IDS:
        return value.split(",") if isinstance(value, str) else value
    if kind is Kind.BOOL:
        if str(value).lower() not in ("1", "0", "true", "false"):
            raise invalid_arguments(f"must be a boolean [json-pointer:/{name}]")
        return str(value).lower() in ("1", "true")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise _unreadable(name, kind) from None
    if type(value) is not {Kind.INT: int, Kind.OBJECT: dict, Kind.ARRAY: list}[kind]:
        raise _unreadable(name, kind)
    return value


def _unreadable(name: str, kind: Kind) -> SlackError:
    if name == "blocks":
        return SlackError("invalid_blocks_format")
    if name == "attachments":
        return SlackError("invalid_attachments")
    if name == "metadata":
        return SlackError("invalid_metadata_format")
    return invalid_arguments(f"must be of type {kind} [json-pointer:/{name}]")

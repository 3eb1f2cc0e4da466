"""One Bot API request: from JSON, form or multipart to typed parameters, or a refusal."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from aiohttp import web

from bridge.sandbox.telegram.errors import BotApiError, bad_request, stricter
from bridge.sandbox.telegram.state import Json

MAX_UPLOAD_BYTES = 50 * 1024 * 1024


class Kind(StrEnum):
    """What a parameter must be; forms carry all of them as text."""

    INT = "Integer"
    STR = "String"
    BOOL = "Boolean"
    OBJECT = "Object"
    ARRAY = "Array"
    CHAT = "Integer or String"
    FILE = "InputFile or String"


@dataclass(slots=True, frozen=True)
class Upload:
    """A file in a multipart request."""

    name: str
    mime: str
    data: bytes = field(repr=False)


@dataclass(slots=True)
class Request:
    """``params`` are typed; ``uploads`` are by part name. A handler calls ``approve`` after its checks and before it
    changes anything: there the JSON Schema is checked, and the rates where a chat is given.
    """

    method: str
    params: Json
    uploads: dict[str, Upload]
    approve: Callable[[int | None], None]

    def get(self, name: str, default: Any = None) -> Any:
        """The parameter, or ``default``."""
        return self.params.get(name, default)

    def objects(self, name: str) -> list[Json]:
        """A list of objects, empty if missing; 400 if something else is in it."""
        found = self.params.get(name, [])
        if not all(isinstance(one, dict) for one in found):
            raise bad_request(f'field "{name}" must be an Array of Objects')
        return list(found)

    def need(self, name: str) -> Any:
        """The parameter; 400 if it is missing."""
        if name not in self.params:
            raise bad_request("chat_id is empty" if name == "chat_id" else f'parameter "{name}" is required')
        return self.params[name]


async def read_body(http: web.Request) -> tuple[Json, dict[str, Upload]]:
    """The raw parameters (text, or JSON values) and files.

    Raises BotApiError: 413 for more than 50 MB, 400 for bad JSON.
    """
    params: Json = dict(http.query)
    uploads: dict[str, Upload] = {}
    try:
        if http.content_type == "application/json":
            params |= _object(await http.text())
        elif http.method == "POST" and http.body_exists:
            for name, value in (await http.post()).items():
                if isinstance(value, web.FileField):
                    uploads[name] = Upload(value.filename, value.content_type, value.file.read())
                else:
                    params[name] = value if isinstance(value, str) else value.decode()
    except web.HTTPRequestEntityTooLarge:
        raise BotApiError(413, "Request Entity Too Large") from None
    if any(len(upload.data) > MAX_UPLOAD_BYTES for upload in uploads.values()):
        raise BotApiError(413, "Request Entity Too Large")
    return params, uploads


def typed(method: str, raw: Json, uploads: dict[str, Upload], kinds: dict[str, Kind]) -> Json:
    """The parameters with the types the method wants. Raises BotApiError for unknown names and wrong types."""
    params: Json = {}
    for name, value in raw.items():
        if name not in kinds:
            raise stricter(f"{method} has no parameter {name} here; Telegram ignores it in silence")
        params[name] = _converted(name, value, kinds[name])
    attached = {name for name in uploads if f"attach://{name}" in json.dumps(params)}
    for name in uploads.keys() - attached:
        if kinds.get(name) is not Kind.FILE:
            raise stricter(f"{method} has no file {name}")
        params[name] = {"size": len(uploads[name].data), "type": uploads[name].mime}
    return params


def _object(text: str) -> Json:
    try:
        body = json.loads(text)
    except ValueError:
        raise bad_request("can't parse request JSON object") from None
    if not isinstance(body, dict):
        raise bad_request("can't parse request JSON object")
    return body


def _converted(name: str, value: Any, kind: Kind) -> Any:
    wrong = bad_request(f'field "{name}" must be of type {kind}')
    if kind in (Kind.STR, Kind.FILE):
        if not isinstance(value, str):
            raise wrong
        return value
    if isinstance(value, str):
        if kind is Kind.CHAT and value.startswith("@"):
            return value
        try:
            value = json.loads(value)
        except ValueError:
            raise wrong from None
    if type(value) is not {Kind.BOOL: bool, Kind.OBJECT: dict, Kind.ARRAY: list}.get(kind, int):
        raise wrong
    return value

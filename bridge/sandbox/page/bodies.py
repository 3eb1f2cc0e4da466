"""What a POST of the page may carry: one model each, and files as base64."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bridge.sandbox.page.guard import Refused

MOST_BYTES = 20 * 1024 * 1024
"""Of a file that the visitor sends."""
MOST_DRAWN = 1_000_000
"""Characters of a text to be drawn: more than a messages page has."""
BODY_BYTES = MOST_BYTES * 4 // 3 + 64 * 1024


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Attached(Body):
    """A file the visitor sends."""

    name: str = Field(min_length=1, max_length=200)
    data: str
    mime: str | None = None

    def content(self) -> bytes:
        """The bytes. Raises `Refused` for none, too many, or what is no base64."""
        try:
            data = base64.b64decode(self.data, validate=True)
        except (binascii.Error, ValueError):
            raise Refused(400, "file.data: is not base64") from None
        if not data:
            raise Refused(400, "the file is empty")
        if len(data) > MOST_BYTES:
            raise Refused(413, f"the file is larger than {MOST_BYTES // 1024 // 1024} MB")
        return data


class TelegramSay(Body):
    chat: int
    text: str = ""
    thread: int | None = None
    reply_to: int | None = None
    file: Attached | None = None


class TelegramPress(Body):
    chat: int
    message: int
    data: str


class TelegramEdit(Body):
    chat: int
    message: int
    text: str = Field(min_length=1)


class TelegramReact(Body):
    chat: int
    message: int
    emoji: str


class TelegramTopic(Body):
    chat: int
    topic: int


class SlackSay(Body):
    channel: str
    text: str = ""
    thread_ts: str | None = None
    file: Attached | None = None


class SlackPress(Body):
    action_id: str
    block_id: str = ""
    channel: str | None = None
    message_ts: str | None = None
    view_id: str | None = None
    value: str | None = None
    selected_options: list[str] | None = None


class SlackMessage(Body):
    channel: str
    ts: str


class SlackEdit(SlackMessage):
    text: str = Field(min_length=1)


class SlackReact(SlackMessage):
    name: str = Field(min_length=1)
    on: bool = True


class SlackCommand(Body):
    command: str
    text: str = ""
    channel: str


class SlackSubmit(Body):
    view_id: str
    state: dict[str, dict[str, str | list[str] | None]] = {}


class SlackClose(Body):
    view_id: str


class SlackShortcut(Body):
    callback_id: str
    channel: str | None = None
    message_ts: str | None = None


class SlackStop(Body):
    channel: str
    thread_ts: str


class Nothing(Body):
    pass


class FaultWish(Body):
    name: str
    on: bool


class Play(Body):
    name: str


class Render(Body):
    text: str = Field(max_length=MOST_DRAWN)


B = TypeVar("B", bound=Body)


async def read(request: web.Request, model: type[B]) -> B:
    """The body of a POST. Raises `Refused` with words that name the field."""
    try:
        raw = await request.read()
        given: Any = json.loads(raw or b"{}")
        if b"\\ud" in raw.lower():  # what stands for half a character is none, and neither chat has such texts
            json.dumps(given, ensure_ascii=False).encode()
    except (ValueError, RecursionError, web.RequestPayloadError):
        raise Refused(400, "the body is no JSON") from None
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise Refused(400, f"{where}: {first['msg']}" if where else first["msg"]) from None

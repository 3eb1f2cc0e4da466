"""The library's HTTP, with failures told apart while it still can be done: "not sent" from "no answer"."""

from __future__ import annotations

import json
from typing import Any

import httpx
from telegram.error import TelegramError
from telegram.request import HTTPXRequest

from bridge.chat.telegram.errors import Failure

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Only these happen before the first byte. After any other one the call may have been done."""


class Failed(TelegramError):
    """Carries a failure through the library, which lets its own errors pass."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.words)
        self.failure = failure


class Wire(HTTPXRequest):
    """The library's HTTP, with failures told apart while it still can be done."""

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        try:
            code, body = await super().do_request(*args, **kwargs)
        except TelegramError as error:
            raise Failed(_connection_failure(error)) from error
        except (UnicodeError, ValueError, TypeError) as error:
            raise Failed(Failure("answered", f"the message can't be encoded ({error})", 400)) from error
        if not 200 <= code <= 299:
            raise Failed(_answer_failure(code, body))
        return code, body

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        answer = _json_object(payload)
        if answer is None or "result" not in answer:
            raise Failed(Failure("unanswered", "the answer can't be read"))
        return answer


def _connection_failure(error: TelegramError) -> Failure:
    """What an exception of the library means that it made from one of httpx."""
    cause = error.__cause__
    reason = f"{type(cause).__name__}: {cause}".rstrip(": ") if cause else str(error)
    if isinstance(cause, _NEVER_SENT):
        return Failure("unsent", f"can't be reached ({reason})")
    return Failure("unanswered", f"no answer ({reason})")


def _answer_failure(code: int, body: bytes) -> Failure:
    """What an HTTP answer other than 2xx says; anything but the Bot API's own form is kept by its code alone."""
    answer = _json_object(body)
    if answer is None or not isinstance(answer.get("description"), str):
        return Failure("answered", f"HTTP {code}", code, from_api=False)
    parameters = answer.get("parameters")
    parameters = parameters if isinstance(parameters, dict) else {}
    seconds, chat = parameters.get("retry_after"), parameters.get("migrate_to_chat_id")
    return Failure(
        "answered",
        answer["description"],
        code,
        retry_after_s=float(seconds) if isinstance(seconds, int | float) and seconds > 0 else None,
        migrate_to=str(chat) if chat else None,
    )


def _json_object(body: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None

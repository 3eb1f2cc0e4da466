"""How the sandbox hub answers and reads: refusals with the real hub's shapes, and the body of a call."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from bridge.sandbox.hub_state import Json


class Refused(Exception):
    """An answer other than 200: ``{error, code?}``, or plain text as the real hub gives for what it did not expect."""

    def __init__(self, status: int, words: str, *, code: str | None = None, plain: bool = False, **more: Any) -> None:
        super().__init__(words)
        body = {"error": words, **({"code": code} if code else {}), **more}
        self.answer = web.Response(status=status, text=words) if plain else web.json_response(body, status=status)


def ok() -> web.Response:
    return web.json_response({"ok": True})


async def body_of(request: web.Request) -> Json:
    """The call's JSON object; an empty body counts as one without keys. Raises `Refused`."""
    raw = await request.read()
    try:
        body = json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        raise Refused(400, "Invalid body") from None
    if not isinstance(body, dict):
        raise Refused(400, "Invalid body")
    return body

"""The sandbox hub's uploads: files for an agent, which go where its computer keeps them while the agent runs."""

from __future__ import annotations

import base64
import binascii
import re
import uuid
from collections.abc import Mapping
from typing import Any, Final

from aiohttp import web

from bridge.sandbox.hub_answers import Refused, body_of
from bridge.sandbox.hub_state import HubState, Json

MOST_BYTES: Final = 50 * 2**20
MOST_BODY: Final = 68 * 2**20
"""Bytes of a call's body. Beyond that the real hub answers 413 without a word."""
_MOST_LETTERS: Final = 255
_ATTACHMENT: Final = {"id": str, "filename": str, "mimeType": str, "size": int, "path": str}


class Uploads:
    """The call, over a `HubState`."""

    def __init__(self, state: HubState) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        """What is answered here."""
        return [web.post("/api/sessions/{session}/upload", self.upload)]

    async def upload(self, request: web.Request) -> web.Response:
        session = self._state.sessions.get(request.match_info["session"])
        if session is None:
            raise Refused(404, "Session not found")
        if not session.record["active"]:
            raise Refused(409, "Session is inactive", code="session_inactive")
        body = await body_of(request)
        name, content, kind = (body.get(field) for field in ("filename", "content", "mimeType"))
        if not all(isinstance(one, str) and one for one in (name, content, kind)):
            raise Refused(400, "Invalid body")
        name, content, kind = str(name), str(content), str(kind)
        if max(len(name), len(kind)) > _MOST_LETTERS:
            raise Refused(400, "Invalid body")
        try:
            data = base64.b64decode(content, validate=True)
        except binascii.Error:
            data = base64.b64decode(re.sub(r"[^A-Za-z0-9+/]", "", content) + "==")
        if len(data) > MOST_BYTES:
            return _failed(413, "File too large (max 50MB)")
        if not session.reachable:
            return _failed(500, f"RPC handler not registered: {session.id}:uploadFile")
        kept = re.sub(r"[/\\\s]", "_", name).replace("..", "_")
        path = f"/tmp/hapi-blobs/{session.id}/{self._state.now()}-{uuid.uuid4()}-{kept}"
        self._state.keep_upload(path, data)
        return web.json_response({"success": True, "path": path})


def attachments_of(body: Mapping[str, Any]) -> list[Json]:
    """The attachments of a message. Raises `Refused` for what is none."""
    given = body.get("attachments", [])
    words = ""
    if not isinstance(given, list) or not all(_is_attachment(one) for one in given):
        words = "Invalid input: expected string, received undefined"
    elif given and body.get("scheduledAt") is not None:
        words = "scheduled messages with attachments are not supported"
    if words:
        raise Refused(400, "Invalid body", issues={"formErrors": [], "fieldErrors": {"attachments": [words]}})
    return [{name: one[name] for name in (*_ATTACHMENT, "previewUrl") if name in one} for one in given]


def _is_attachment(one: Any) -> bool:
    return isinstance(one, dict) and all(isinstance(one.get(name), kind) for name, kind in _ATTACHMENT.items())


def _failed(status: int, words: str) -> web.Response:
    return web.json_response({"success": False, "error": words}, status=status)

"""What the page loads: its own files, and those of the chats, none of which may act as a page of this origin."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from bridge.sandbox.page.drawing import Drawings
from bridge.sandbox.page.guard import Guard, Refused
from bridge.sandbox.slack import SlackServer
from bridge.sandbox.telegram import TelegramServer

STATIC = Path(__file__).resolve().parent / "static"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""By ending; the computer's own table may say something else."""
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
SHUT = "sandbox; default-src 'none'"
"""The policy of a chat's file: whatever it is, it can do nothing."""


class Files:
    """Handlers for ``/``, ``/static/…`` and ``/api/file/…``."""

    def __init__(
        self, static: Path, guard: Guard, telegram: TelegramServer, slack: SlackServer, drawings: Drawings
    ) -> None:
        """``static`` is the folder with the page itself."""
        self._folder = static.resolve()
        self._guard = guard
        self._telegram = telegram
        self._slack = slack
        self._drawings = drawings

    def routes(self) -> list[web.RouteDef]:
        """All of them GET."""
        return [
            web.get("/", self._index),
            web.get("/favicon.ico", self._no_icon),
            web.get("/static/{path:.+}", self._static),
            web.get("/api/file/telegram/{id}", self._from_telegram),
            web.get("/api/file/slack/{id}", self._from_slack),
        ]

    async def _index(self, request: web.Request) -> web.Response:
        answer = self._own("index.html")
        self._guard.enter(request, answer)
        return answer

    async def _no_icon(self, request: web.Request) -> web.Response:
        return web.Response(status=204)

    async def _static(self, request: web.Request) -> web.Response:
        return self._own(request.match_info["path"])

    async def _from_telegram(self, request: web.Request) -> web.Response:
        wanted = request.match_info["id"]
        file = self._telegram.files.get(wanted)
        if file is None:
            return self._drawn(wanted)
        mime = "image/jpeg" if file.kind == "photo" and file.mime not in PICTURES else file.mime
        return _theirs(file.name, mime, file.data)

    async def _from_slack(self, request: web.Request) -> web.Response:
        wanted = request.match_info["id"]
        file = self._slack.files.get(wanted)
        if file is None:
            return self._drawn(wanted)
        if file.data is None:
            raise Refused(404, "this file was never uploaded")
        return _theirs(file.name, file.mime, file.data)

    def _own(self, path: str) -> web.Response:
        """A file of the page. Raises `Refused` for what is none, above all for what lies outside."""
        try:
            file = (self._folder / path).resolve()
            there = file.is_relative_to(self._folder) and file.is_file()
        except (OSError, ValueError):  # too long for a name, or with a zero byte in it
            there = False
        if not there or (kind := TYPES.get(file.suffix)) is None:
            raise Refused(404, "there is nothing here")
        text = kind.startswith("text/") or kind == "application/json"
        return web.Response(body=file.read_bytes(), content_type=kind, charset="utf-8" if text else None)

    def _drawn(self, file_id: str) -> web.Response:
        if file_id not in self._drawings.files:
            raise Refused(404, "there is no such file")
        return _theirs(*self._drawings.files[file_id])


def _theirs(name: str, mime: str, data: bytes) -> web.Response:
    """A file that came through a chat: a picture to be shown, or bytes to be saved."""
    shown = mime in PICTURES
    where = "inline" if shown else "attachment"
    headers = {
        "Content-Security-Policy": SHUT,
        "Content-Disposition": f"{where}; filename*=UTF-8''{quote(name, safe='')}",
    }
    return web.Response(body=data, content_type=mime if shown else "application/octet-stream", headers=headers)

"""Who may use the page: its own visitor, from its own origin, with the key from the printed address.

The page can press *Allow*, and in sandbox mode that reaches a real hub; so no other page in the visitor's browser, and
no other user of the computer, may use it. Each request must name this server as its host (a rebound DNS name does not),
bring the cookie, and where the browser says from where it comes, that must be the page itself: cookies alone are shared
by all ports of a computer.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
LOST = "This page needs the address that the sandbox printed, with its key."


class Refused(Exception):
    """An answer of 4xx: ``words`` are for the visitor."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class Guard:
    """The door. ``port`` is the server's, known once it listens."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(24)
        self.port = 0

    @property
    def address(self) -> str:
        """The address to open, with the key."""
        return f"http://127.0.0.1:{self.port}/?key={self.key}"

    @web.middleware
    async def __call__(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refusals as JSON, whoever makes them; nothing is answered to a stranger."""
        try:
            self._check(request)
            return await handler(request)
        except Refused as refused:
            return web.json_response({"error": refused.words}, status=refused.status)
        except ConnectionError:  # the page is gone in the middle of what it says: there is nobody to answer
            return web.Response(status=400)
        except web.HTTPNotFound:
            return web.json_response({"error": "there is nothing here"}, status=404)
        except web.HTTPMethodNotAllowed:
            return web.json_response({"error": f"this can't be asked with {request.method}"}, status=405)
        except web.HTTPRequestEntityTooLarge:
            return web.json_response({"error": "that is too large"}, status=413)

    async def harden(self, request: web.Request, response: web.StreamResponse) -> None:
        """Put the headers on every answer (aiohttp's ``on_response_prepare``)."""
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.pop("Server", None)

    def enter(self, request: web.Request, response: web.Response) -> None:
        """Give the cookie to who came with the key. Raises `Refused` for who has neither."""
        given = request.query.get("key")
        if given is not None and _same(given, self.key):
            response.set_cookie(self._cookie, self.key, httponly=True, samesite="Strict", path="/")
        elif not self._known(request):
            raise Refused(403, LOST)

    @property
    def _cookie(self) -> str:
        """A name of this server's own: cookies know no ports."""
        return f"hapi_sandbox_{self.port}"

    def _known(self, request: web.Request) -> bool:
        return _same(request.cookies.get(self._cookie, ""), self.key)

    def _check(self, request: web.Request) -> None:
        if request.headers.get("Host", "") not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            raise Refused(421, "this server answers to 127.0.0.1 alone")
        if not request.path.startswith("/api/"):
            return
        if not self._known(request):
            raise Refused(403, LOST)
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "another page may not use this one")
        if request.headers.get("Origin", f"http://{request.host}") != f"http://{request.host}":
            raise Refused(403, "another page may not use this one")
        if request.method == "POST" and request.content_type != "application/json":
            raise Refused(415, "a POST here has JSON in it")


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())

"""Calls to the Web API through slack_sdk: JSON in and out, limits, clear errors, no token in sight.

The SDK's own retries are off: they post a message again whose connection dropped (a duplicate), and know nothing of a
budget. What went wrong is decided here, where the kind of connection error is still known. The SDK's exceptions hold
the request with its token (invariant 7), so errors leave here without the ones they were made from.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bridge.chat.errors import Rejected, RetryAfter, Unreachable
from bridge.chat.slack.clocks import ahead_ms
from bridge.chat.slack.errors import EDITS, Failure, verdict

Json = dict[str, Any]

_NEVER_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)
"""Only these happen before the first byte. After any other one the call may have been done."""
_FORM = frozenset({"files.getUploadURLExternal"})
"""Methods that take no JSON, like those that only read."""
_READ = frozenset(
    {
        "files.info",
        "users.info",
        "users.conversations",
        "conversations.info",
        "conversations.replies",
        "conversations.history",
    }
)
_sdk_log = logging.getLogger("bridge.chat.slack.sdk")
_sdk_log.setLevel(logging.WARNING)
"""At its finer levels the SDK logs whole answers, with the single-use addresses in them."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. ``call_s`` limits a whole call from outside, whatever the connection does."""

    connect_s: float = 10.0
    call_s: float = 30.0
    upload_s: float = 90.0
    ack_s: float = 2.0
    """Slack waits three seconds for an acknowledgement; what is not stored in this time is not acknowledged."""
    heartbeat_s: float = 15.0
    """A Socket Mode connection that has not answered a ping half as long is dead (the watchdog)."""
    hello_s: float = 10.0
    seek_s: float = 10.0
    """How long a file's message is looked for, which Slack posts some time after the upload."""


class SlackClient:
    """One app's connection. ``async with`` opens and closes it; opening calls nothing, so Slack may be down.

    ``base_url`` ends in ``/api/``. The usual proxy variables count, except for servers on this machine. ``clock``:
    seconds, monotonic.
    """

    def __init__(
        self,
        bot_token: str,
        base_url: str,
        *,
        app_token: str | None = None,
        timeouts: Timeouts = Timeouts(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.timeouts = timeouts
        self.scopes: frozenset[str] | None = None
        """The bot token's scopes, as Slack last named them."""
        self.ahead_ms = 0
        """How far our clock is ahead of Slack's, as of the last answer."""
        self._token = bot_token
        self._app_token = app_token
        self._base_url = base_url
        self._clock = clock
        self._held: dict[tuple[str, str], float] = {}
        self._session: aiohttp.ClientSession | None = None
        self._web: AsyncWebClient | None = None

    @property
    def web(self) -> AsyncWebClient:
        """The SDK's client, for slack-bolt. Raises ``RuntimeError`` while this is not open."""
        if self._web is None:
            raise RuntimeError("the Slack client is not open")
        return self._web

    async def __aenter__(self) -> Self:
        limits = self.timeouts
        whole = aiohttp.ClientTimeout(total=limits.upload_s, connect=limits.connect_s)
        self._session = aiohttp.ClientSession(timeout=whole)
        self._web = AsyncWebClient(
            self._token, self._base_url, session=self._session, retry_handlers=[], logger=_sdk_log
        )
        if urlsplit(self._base_url).hostname in ("localhost", "127.0.0.1", "::1"):
            self._web.proxy = None
        return self

    async def __aexit__(self, *exc: object) -> None:
        session, self._session, self._web = self._session, None, None
        if session is not None:
            await session.close()

    async def call(self, method: str, params: Json | None = None, *, app: bool = False) -> Json:
        """One Web API call, with the app's own token if ``app``; the answer, empty where the aim was reached already.

        ``None`` in ``params`` is left out. Raises the errors of :mod:`bridge.chat.errors`, without cause or context.
        A method that was told to wait is not called before that.
        """
        params = {name: value for name, value in (params or {}).items() if value is not None}
        held = (method, str(params.get("channel", "")) if method == "chat.postMessage" else "")
        self._check_hold(held)
        try:
            async with asyncio.timeout(self.timeouts.call_s):
                return await self._ask(method, params, app)
        except TimeoutError:
            failure = Failure("unanswered", f"no answer to {method} in time")
        except SlackApiError as error:
            failure = _answer_failure(method, error)
        except (aiohttp.ClientError, OSError) as error:
            failure = _connection_failure(error)
        except (SlackClientError, ValueError, AttributeError) as error:
            failure = Failure("unanswered", f"the answer to {method} can't be read ({type(error).__name__})")
        # Outside of the handlers, so that nothing that knows the token hangs on the error as its context.
        problem = verdict(method, failure)
        if problem is None:
            return {}
        if isinstance(problem, RetryAfter):
            self._held[held] = self._clock() + problem.seconds
        raise problem

    async def upload(self, url: str, data: bytes) -> None:
        """Send a file's bytes to where Slack wants them. Nothing is posted by that: any failure is safe to repeat."""
        assert self._session is not None, "web was used before"
        try:
            async with asyncio.timeout(self.timeouts.upload_s):
                async with self._session.post(url, data=data, proxy=self.web.proxy) as answer:
                    status = answer.status
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            status, words = 0, type(error).__name__
        else:
            words = f"HTTP {status}"
        if not 200 <= status < 300:
            raise Unreachable(f"Slack: a file could not be uploaded ({words})")

    async def download(self, url: str, most: int) -> bytes | None:
        """A file's bytes (at most ``most``), fetched with the bot's token: the address must be Slack's own. ``None``
        for the login page, which Slack gives instead to a token that may not read files."""
        assert self._session is not None, "web was used before"
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            async with (
                asyncio.timeout(self.timeouts.upload_s),
                # A redirect leads to the login, and the token must not follow it anywhere.
                self._session.get(url, headers=headers, allow_redirects=False, proxy=self.web.proxy) as answer,
            ):
                status, seconds = answer.status, _seconds(answer)
                if 300 <= status < 400 or _is_page(answer):
                    return None
                data = await _read(answer, most) if status == 200 else b""
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            words, status = type(error).__name__, 0
        else:
            if status == 200:
                return data
            words = f"HTTP {status}"
        if status == 429:
            raise RetryAfter(seconds or 1.0)
        if 400 <= status < 500:
            raise Rejected(f"Slack: {words}")
        raise Unreachable(f"Slack: a file could not be fetched ({words})")

    async def websocket(self, url: str) -> aiohttp.ClientWebSocketResponse:
        """A connection to an address of ``apps.connections.open``, which is good for one try and kept out of words."""
        assert self._session is not None, "web was used before"
        try:
            async with asyncio.timeout(self.timeouts.connect_s):
                return await self._session.ws_connect(url, heartbeat=self.timeouts.heartbeat_s, proxy=self.web.proxy)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            words = type(error).__name__
        raise Unreachable(f"Slack: Socket Mode can't be reached ({words})")

    async def _ask(self, method: str, params: Json, app: bool) -> Json:
        token = self._app_token if app else self._token
        if method in _READ or method in _FORM:
            answer = await self.web.api_call(method, params={**params, "token": token})
        else:
            answer = await self.web.api_call(method, json={**params, "token": token})
        self.ahead_ms = ahead_ms(answer.headers.get("Date"), time.time_ns() // 1_000_000)
        scopes = answer.headers.get("X-OAuth-Scopes")
        if not app and isinstance(scopes, str):
            self.scopes = frozenset(filter(None, (scope.strip() for scope in scopes.split(","))))
        data = answer.data
        return data if isinstance(data, dict) else {}

    def _check_hold(self, held: tuple[str, str]) -> None:
        now = self._clock()
        if (until := self._held.get(held, now)) > now:
            raise RetryAfter(until - now, edits_only=held[0] in EDITS)
        self._held.pop(held, None)


def _is_page(answer: aiohttp.ClientResponse) -> bool:
    """Whether an answer is a page to be read by a person; files are sent as attachments, whatever is in them."""
    return answer.content_type == "text/html" and answer.content_disposition is None


async def _read(answer: aiohttp.ClientResponse, most: int) -> bytes:
    """The body, if it has no more than so many bytes. Raises :class:`Rejected`."""
    data = bytearray()
    async for piece in answer.content.iter_chunked(1 << 16):
        data += piece
        if len(data) > most:
            raise Rejected(f"Slack: it has more than {most / 1e6:.0f} MB")
    return bytes(data)


def _connection_failure(error: Exception) -> Failure:
    # Not its words: they may hold an address that is good for one use, or a proxy's login.
    if isinstance(error, _NEVER_SENT):
        return Failure("unsent", f"can't be reached ({type(error).__name__})")
    return Failure("unanswered", f"no answer ({type(error).__name__})")


def _answer_failure(method: str, error: SlackApiError) -> Failure:
    """What an answer other than "ok" says. The SDK hands over its own response, or aiohttp's where it read no JSON."""
    response: Any = error.response
    status = int(getattr(response, "status_code", None) or getattr(response, "status", None) or 0)
    data = getattr(response, "data", None)
    if not isinstance(data, dict) or not isinstance(data.get("error"), str):
        if status == 200:
            return Failure("unanswered", f"the answer to {method} can't be read")
        return Failure("answered", f"HTTP {status}", status, retry_after_s=_seconds(response))
    return Failure(
        "answered",
        data["error"],
        status,
        data["error"],
        _details(data),
        str(data.get("needed") or ""),
        _seconds(response),
    )


def _details(data: Json) -> tuple[str, ...]:
    more = data.get("response_metadata")
    messages = more.get("messages") if isinstance(more, dict) else None
    found = messages or data.get("errors") or ()
    return tuple(str(one) for one in found) if isinstance(found, list) else ()


def _seconds(response: Any) -> float | None:
    try:
        seconds = float(response.headers.get("Retry-After", ""))
    except (AttributeError, TypeError, ValueError):
        return None
    return seconds if seconds > 0 else None

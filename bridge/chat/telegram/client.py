"""Calls to the Bot API through python-telegram-bot: raw JSON in and out, limits, clear errors, no token in sight.

The library knows Bot API 10.0 and checks and converts what it knows; we send payloads of our own making, some of them
newer, and keep updates as they came. So its ``Bot`` is used for what it does well (connections, encoding, uploads),
below its typed methods. What went wrong is decided at the wire (``wire.py``), where the HTTP status and the kind of
connection error are still known: the library's own exceptions no longer tell "not sent" from "no answer".

The token is part of every URL (invariant 7). Exceptions leave here without the ones they were made from, and a filter
on the libraries' loggers keeps it out of the log for as long as the client is open.
"""

from __future__ import annotations

import asyncio
import logging
import re
import traceback
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import quote

import httpx
from telegram import Bot, InputFile, InputMedia
from telegram.error import TelegramError

from bridge.chat.errors import LoginRefused, RetryAfter, Unreachable
from bridge.chat.telegram.errors import NO_TOKEN, Failure, verdict
from bridge.chat.telegram.wire import Failed, Wire

Params = dict[str, Any]
_TOKEN = re.compile(r"\d+:[A-Za-z0-9_-]+")
_LOGGERS = (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.proxy",
    "telegram.Bot",
    "telegram.request.BaseRequest",
    "telegram.request.HTTPXRequest",
)
"""Every logger the libraries use here: a logger's filters do not see its children's records."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. ``call_s`` limits a whole call from outside, whatever the connection does."""

    connect_s: float = 10.0
    read_s: float = 20.0
    write_s: float = 20.0
    pool_s: float = 5.0
    upload_s: float = 90.0
    """For calls that carry a file: their whole time, and the time to write it."""
    call_s: float = 45.0
    poll_s: int = 50
    """How long Telegram holds a poll without news. Its own ceiling is 50."""
    poll_slack_s: float = 15.0
    """A poll that has not ended this long after ``poll_s`` hangs, and is given up (the watchdog)."""


class Scrubber:
    """Removes a token from text, in every form it takes there."""

    def __init__(self, token: str) -> None:
        secret = token.partition(":")[2]
        forms = {token, quote(token, safe="")} | ({secret} if len(secret) >= 20 else set())
        self._forms = sorted(filter(None, forms), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, "<bot token>")
        return text


class _LogFilter(logging.Filter):
    """Keeps the token out of records. httpx's line per request, which is nothing but the URL, is dropped."""

    def __init__(self, scrub: Scrubber) -> None:
        super().__init__()
        self._scrub = scrub

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if (scrubbed := self._scrub(message)) != message:
            if record.name == "httpx":
                return False
            record.msg, record.args = scrubbed, None
        if record.exc_info and record.exc_info[0]:
            trace = "".join(traceback.format_exception(*record.exc_info))
            if (scrubbed := self._scrub(trace)) != trace:
                record.exc_info, record.exc_text = None, scrubbed
        return True


class _RawBot(Bot):
    """A bot that is called by method name, and whose repr shows no token."""

    __slots__ = ()

    async def call(self, method: str, params: Params, read_timeout: float) -> Any:
        # Not do_api_request: that warns about every method the library knows, and turns a refused token into a guess.
        return await self._post(method, params, read_timeout=read_timeout)

    def __repr__(self) -> str:
        return "Bot"


class TelegramClient:
    """One bot's connection. ``async with`` opens and closes it; opening calls nothing, so Telegram may be down.

    ``base_url`` is the Bot API server without ``/bot``. Calls and the long poll have pools of their own, so that a poll
    never waits for sends or the other way round. ``proxy`` is a URL for httpx; without one the usual environment
    variables count, except for servers on this machine. Raises :class:`LoginRefused` for what can't be a token,
    ``ValueError`` for an address or a proxy that can't be used.
    """

    def __init__(
        self,
        token: str,
        base_url: str,
        *,
        timeouts: Timeouts = Timeouts(),
        proxy: str | None = None,
    ) -> None:
        if not _TOKEN.fullmatch(token):
            raise LoginRefused(NO_TOKEN)
        self._token = token
        self._base_url = base_url.rstrip("/")
        self._is_local = _host_of(base_url) in ("localhost", "127.0.0.1", "::1")
        self._timeouts = timeouts
        self._scrub = Scrubber(token)
        self._filter = _LogFilter(self._scrub)
        self._pools = (self._pool(2, proxy), self._pool(64, proxy))
        self._bot: _RawBot | None = None

    async def __aenter__(self) -> Self:
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._filter)
        for pool in self._pools:
            await pool.initialize()
        self._bot = _RawBot(
            self._token, f"{self._base_url}/bot", request=self._pools[1], get_updates_request=self._pools[0]
        )
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._bot = None
        try:
            for pool in self._pools:
                await pool.shutdown()
        finally:
            for name in _LOGGERS:
                logging.getLogger(name).removeFilter(self._filter)

    async def call(self, method: str, params: Params | None = None) -> Any:
        """One Bot API call; what stands in ``result``, or ``None`` where the aim was reached already ("not modified").

        Values of ``params`` are JSON, or the library's ``InputFile`` and ``InputMedia``; ``None`` is left out.
        Raises the errors of :mod:`bridge.chat.errors`, without cause or context.
        """
        if self._bot is None:
            raise RuntimeError("the Telegram client is not open")
        params = params or {}
        try:
            async with asyncio.timeout(self._limit(method, params)):
                return await self._bot.call(method, dict(params), self._read_limit(method))
        except Failed as error:
            failure = error.failure
        except TimeoutError:
            failure = Failure("unanswered", f"no answer to {method} in time")
        except TelegramError as error:
            failure = Failure("unanswered", f"{method} failed: {error}")
        # Outside of the handlers, so that nothing that knows the URL hangs on the error as its context.
        failure = replace(failure, words=self._scrub(failure.words))
        problem = verdict(method, failure, about_chat="chat_id" in params)
        if problem is None:
            return None
        raise problem

    async def download(self, path: str) -> bytes:
        """The bytes of a file whose path getFile told, which is good for an hour. Raises as :meth:`call`; a path that
        is none any more is :class:`Unreachable`, since getFile tells another one."""
        if self._bot is None:
            raise RuntimeError("the Telegram client is not open")
        url = f"{self._base_url}/file/bot{self._token}/{quote(path)}"
        try:
            async with asyncio.timeout(self._timeouts.upload_s):
                return await self._pools[1].retrieve(url, read_timeout=self._timeouts.read_s)
        except Failed as error:
            failure = error.failure
        except TimeoutError:
            failure = Failure("unanswered", "a file did not come in time")
        except TelegramError as error:
            failure = Failure("unanswered", f"a file did not come: {error}")
        words = self._scrub(failure.words)
        if failure.code == 429:
            raise RetryAfter(failure.retry_after_s or 1.0)
        raise Unreachable(f"Telegram: {words}")

    def _pool(self, size: int, proxy: str | None) -> Wire:
        limits = self._timeouts
        try:
            return Wire(
                connection_pool_size=size,
                connect_timeout=limits.connect_s,
                read_timeout=limits.read_s,
                write_timeout=limits.write_s,
                pool_timeout=limits.pool_s,
                media_write_timeout=limits.upload_s,
                proxy=proxy,
                httpx_kwargs={"trust_env": not self._is_local},
            )
        except (ValueError, RuntimeError, httpx.InvalidURL):
            pass
        # A proxy's URL may hold a password: neither it nor what was said about it is repeated.
        raise ValueError("the proxy for Telegram can't be used: it must be an address like http://host:port")

    def _limit(self, method: str, params: Params) -> float:
        limits = self._timeouts
        if method == "getUpdates":
            return limits.connect_s + limits.pool_s + self._read_limit(method)
        uploads = any(isinstance(value, InputFile | InputMedia) for value in params.values())
        return limits.upload_s if uploads else limits.call_s

    def _read_limit(self, method: str) -> float:
        limits = self._timeouts
        return limits.poll_s + limits.poll_slack_s if method == "getUpdates" else limits.read_s


def _host_of(base_url: str) -> str:
    try:
        url = httpx.URL(base_url)
        usable = url.scheme in ("http", "https") and bool(url.host)
    except (httpx.InvalidURL, TypeError):
        usable = False
    if not usable:
        raise ValueError("the address of the Bot API server can't be used: it must be like https://api.telegram.org")
    return url.host

"""The sandbox Telegram over HTTP: Bot API requests in, answers out, with limits and faults between."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from bridge.sandbox.breaking import breaks_before, hang_up
from bridge.sandbox.bus import Call
from bridge.sandbox.faults import Fault, Faults, Kind
from bridge.sandbox.telegram.errors import BotApiError, bad_request, too_many_requests
from bridge.sandbox.telegram.events import Event
from bridge.sandbox.telegram.limits import Limits, RateMeter
from bridge.sandbox.telegram.methods import METHODS, Method
from bridge.sandbox.telegram.people import People
from bridge.sandbox.telegram.request import MAX_UPLOAD_BYTES, Request, read_body, typed
from bridge.sandbox.telegram.schema import MethodSchemas
from bridge.sandbox.telegram.state import Json, User

MAX_POLL_SECONDS = 50


class TelegramServer(People):
    """One bot's Bot API on a loopback port."""

    def __init__(
        self,
        *,
        token: str = "123456:sandbox",
        topics: bool = True,
        limits: Limits | None = None,
        strict_entities_only: bool = True,
        callback_seconds: float = 15.0,
        schema: Path | None = None,
        clock: Callable[[], float] = time.time,
        host: str = "127.0.0.1",
        port: int = 0,
        name: str = "HAPI Bridge",
        username: str = "hapi_bridge_bot",
    ) -> None:
        """``topics``: whether private chats may have topics (getMe's ``has_topics_enabled``). ``limits``: the rates;
        none by default. ``strict_entities_only``: refuse ``parse_mode``. ``callback_seconds``: how long a press may be
        answered. ``schema``: the JSON Schema of all methods, checked where given (needs jsonschema). ``clock``:
        seconds since the epoch. Raises ValueError for a token not of the form ``digits:letters``.
        """
        bot_id, _, secret = token.partition(":")
        if not (bot_id.isdigit() and secret):
            raise ValueError(f"a bot token looks like 123456:letters, not {bot_id}…")
        bot = User(int(bot_id), name, username, is_bot=True)
        super().__init__(
            bot=bot,
            clock=clock,
            topics=topics,
            callback_seconds=callback_seconds,
            strict=strict_entities_only,
        )
        self.token = token
        self.faults = Faults(spared="getUpdates")
        self.rates = RateMeter(limits or Limits.off(), clock)
        self._schemas = None if schema is None else MethodSchemas(schema)
        self._address = host, port
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:PORT``, known while the server runs."""
        assert self._runner is not None, "the server is not running"
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=MAX_UPLOAD_BYTES + 1024 * 1024)
        app.router.add_get("/file/bot{token}/{kind}/{file_id}", self._download)
        app.router.add_route("*", "/bot{token}/{method}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, *self._address).start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._closing.set()
        self.updates.interrupt(conflict=False)
        if self._runner is not None:
            await self._runner.cleanup()

    async def poll_elsewhere(self) -> bool:
        """Another program calls getUpdates with this token, once: the bridge's own poll gets 409.

        True if a poll was under way. For a program that keeps polling set ``updates.another_poller``.
        """
        return self.updates.interrupt(conflict=True)

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        name = http.match_info["method"]
        method = METHODS.get(name.lower())
        shown = name if method is None else method.name
        fault = self.faults.take(shown)
        if fault is not None:
            self.emit("fault", method=shown, fault=str(fault.kind))
        try:
            self._check_token(http.match_info["token"])
            raw, uploads = await read_body(http)
            if method is None:
                self._log(shown, raw, 404, "Not Found", fault)
                raise BotApiError(404, "Not Found")
        except BotApiError as error:
            return web.json_response(error.answer(), status=error.code)
        params: Json = raw
        try:
            params = typed(shown, raw, uploads, method.kinds)
            if fault is not None and await self._goes_wrong_before(fault):
                return self._hang_up(http, shown, params, fault)
            call = Request(shown, params, uploads, lambda chat_id: self._approve(shown, params, chat_id))
            result = await self._result(method, call)
        except BotApiError as error:
            if fault is not None and fault.kind is Kind.LOST_ANSWER:
                return self._hang_up(http, shown, params, fault)
            self._log(shown, params, error.code, error.description, fault)
            return web.json_response(error.answer(), status=error.code)
        if fault is not None and fault.kind is Kind.LOST_ANSWER:
            return self._hang_up(http, shown, params, fault)
        self._log(shown, params, 200, "", fault)
        return web.json_response({"ok": True, "result": result})

    async def _result(self, method: Method, call: Request) -> Any:
        if method.handler is not None:
            return method.handler(self, call)
        if self.webhook_url:
            raise BotApiError(
                409,
                "Conflict: can't use getUpdates method while webhook is active; "
                "use deleteWebhook to delete the webhook first",
            )
        limit = call.get("limit", 100)
        if not 1 <= limit <= 100:
            raise bad_request("limit must be between 1 and 100")
        call.approve(None)
        wait = min(call.get("timeout", 0), MAX_POLL_SECONDS)
        self.updates.polls += 1
        self.emit("poll")
        return await self.updates.poll(call.get("offset", 0), limit, wait, call.get("allowed_updates"))

    def _check_token(self, token: str) -> None:
        if token == self.token:
            return
        bot_id, _, secret = token.partition(":")
        if bot_id.isdigit() and secret:
            raise BotApiError(401, "Unauthorized")
        raise BotApiError(404, "Not Found")

    def _approve(self, method: str, params: Json, chat_id: int | None) -> None:
        """The last word before a call changes anything: the schema, then the rates."""
        if self._schemas is not None:
            self._schemas.check(method, params)
        if chat_id is not None:
            wait = self.rates.take(chat_id, group=not self.chats[chat_id].is_private)
            if wait is not None:
                raise too_many_requests(wait)

    async def _goes_wrong_before(self, fault: Fault) -> bool:
        """Plays the part of a fault that comes before the call is performed. True: hang up."""
        if fault.kind is Kind.FLOOD:
            raise too_many_requests(int(fault.seconds))
        if fault.kind is Kind.ERROR:
            words = {500: "Internal Server Error", 502: "Bad Gateway", 504: "Gateway Timeout"}
            raise BotApiError(fault.code, words.get(fault.code, "Internal Server Error"))
        return await breaks_before(fault, self._closing)

    def _hang_up(self, http: web.Request, method: str, params: Json, fault: Fault) -> web.StreamResponse:
        self._log(method, params, 0, "connection dropped", fault)
        return hang_up(http)

    def _log(self, method: str, params: Json, code: int, description: str, fault: Fault | None) -> None:
        hit = "" if fault is None else str(fault.kind)
        call = Call(self.clock(), method, params, code, description, hit)
        self.calls.append(call)
        self.bus.emit(Event("call", call.at, call=call))

    async def _download(self, http: web.Request) -> web.StreamResponse:
        file = self.files.get(http.match_info["file_id"])
        if http.match_info["token"] != self.token or file is None:
            return web.json_response(BotApiError(404, "Not Found").answer(), status=404)
        return web.Response(body=file.data, content_type=file.mime)

"""The sandbox Slack over HTTP and WebSockets: Web API requests in, answers out, with limits and faults between."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from aiohttp import web

from bridge.sandbox.breaking import breaks_before, hang_up
from bridge.sandbox.bus import Call
from bridge.sandbox.faults import Fault, Faults, Kind
from bridge.sandbox.slack import files
from bridge.sandbox.slack.errors import SlackError, missing_scope, ratelimited
from bridge.sandbox.slack.events import Event
from bridge.sandbox.slack.hooks import Hooks, encode
from bridge.sandbox.slack.limits import Limits, RateMeter
from bridge.sandbox.slack.methods import FEATURES, METHODS, SCOPES, Method
from bridge.sandbox.slack.people import People
from bridge.sandbox.slack.request import Request, read_body, typed
from bridge.sandbox.slack.schema import BlockSchema
from bridge.sandbox.slack.state import Json, User
from bridge.sandbox.slack.world import Team


class SlackServer(People):
    """One workspace with one app, on a loopback port."""

    def __init__(
        self,
        *,
        bot_token: str = "xoxb-sandbox",
        app_token: str = "xapp-sandbox",
        signing_secret: str = "sandbox-signing-secret",
        scopes: frozenset[str] = SCOPES,
        app_scopes: frozenset[str] = frozenset({"connections:write"}),
        subscriptions: frozenset[str] | None = None,
        features: frozenset[str] = FEATURES,
        commands: tuple[str, ...] = ("/hapi",),
        limits: Limits | None = None,
        schema: Path | None = None,
        clock: Callable[[], float] = time.time,
        stream_seconds: float = 300.0,
        ack_seconds: float = 3.0,
        retry_delays: tuple[float, ...] = (0.0, 60.0, 300.0),
        host: str = "127.0.0.1",
        port: int = 0,
        name: str = "HAPI Bridge",
        username: str = "hapi_bridge",
    ) -> None:
        """``scopes``: those of the bot's token. ``subscriptions``: the events the app asked for (``message.im``,
        ``app_mention``…), None for all. ``features``: what the workspace has, of "streams", "agents", "assistant".
        ``limits``: the rates; none by default. ``schema``: the JSON Schema of blocks, checked where given (needs
        jsonschema). ``clock``: seconds since the epoch. ``stream_seconds``: a stream's life. ``ack_seconds`` and
        ``retry_delays``: how long the app has to acknowledge, and the waits (s) before an event comes again.
        """
        team = Team()
        bot = User("U0BOT", username, name, team.id, is_bot=True, bot_id="B0BOT", app_id="A0SANDBOX")
        super().__init__(
            team=team,
            bot=bot,
            clock=clock,
            scopes=scopes,
            subscriptions=subscriptions,
            features=features,
            commands=commands,
            schema=None if schema is None else BlockSchema(schema),
            stream_seconds=stream_seconds,
            ack_seconds=ack_seconds,
            retry_delays=retry_delays,
        )
        self.bot_token = bot_token
        self.app_token = app_token
        self.signing_secret = signing_secret
        self.app_scopes = set(app_scopes)
        self.faults = Faults(spared="apps.connections.open")
        self.rates = RateMeter(limits or Limits.off(), clock)
        self._address = host, port
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._running: asyncio.Task[None] | None = None

    @property
    def base_url(self) -> str:
        """What slack_sdk calls so: ``http://127.0.0.1:PORT/api/``, known while the server runs."""
        return f"{self.origin}/api/"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=files.MAX_UPLOAD_BYTES + 1024 * 1024)
        app.router.add_get("/link/", self.sockets.serve)
        app.router.add_post("/upload/v1/{file_id}", self._upload_bytes)
        app.router.add_get("/files-pri/{file_id}/{rest:.*}", self._download)
        app.router.add_post("/actions/{team}/{number}", self.take_response)
        app.router.add_route("*", "/api/{method}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, *self._address).start()
        host, port = self._runner.addresses[0][:2]
        self.origin = f"http://{host}:{port}"
        self._running = asyncio.create_task(self.office.run())
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._closing.set()
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
        self.sockets.cut()
        if self._runner is not None:
            await self._runner.cleanup()

    async def use_http(self, request_url: str) -> None:
        """HTTP mode from now on: everything goes to this URL, signed. Raises ValueError if the app does not pass
        the url_verification challenge, TimeoutError or aiohttp.ClientError if it can't be reached.
        """
        hooks = Hooks(request_url, self.signing_secret)
        await hooks.verify(self.office.ack_seconds)
        self.office.hooks = hooks

    async def send_forged(
        self, kind: str, payload: Json, *, signature: str | None = None, age: float = 0.0
    ) -> tuple[int, str]:
        """A request as an attacker sends it to the app in HTTP mode: with this ``signature`` instead of the right one,
        or signed rightly ``age`` seconds ago (a replay). Returns the status and body of the app's answer.
        """
        if self.office.hooks is None:
            raise RuntimeError("the sandbox is not in HTTP mode")
        body, content_type = encode(kind, payload)
        status, text, _ = await self.office.hooks.post(
            body, content_type, self.office.ack_seconds, signature=signature, age=age
        )
        return status, text

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        name = http.match_info["method"]
        method = METHODS.get(name)
        fault = self.faults.take(name)
        if fault is not None:
            self.emit("fault", method=name, fault=str(fault.kind))
        params: Json = {}
        try:
            raw = await read_body(http)
            self._check_token(http, raw, method)
            params = {key: value for key, value in raw.items() if key != "token"}
            if fault is not None and await self._goes_wrong_before(fault):
                return self._hang_up(http, name, params, fault)
            answer = self._result(name, method, raw)
        except SlackError as error:
            if fault is not None and fault.kind is Kind.LOST_ANSWER:
                return self._hang_up(http, name, params, fault)
            self._log(name, params, error.status, error.words, fault)
            return self._answer(error.answer(), method, error)
        if fault is not None and fault.kind is Kind.LOST_ANSWER:
            return self._hang_up(http, name, params, fault)
        self._log(name, params, 200, "", fault)
        return self._answer({"ok": True} | answer, method)

    def _result(self, name: str, method: Method | None, raw: Json) -> Json:
        if method is None or (method.feature and method.feature not in self.features):
            raise SlackError("unknown_method", req_method=name)
        granted = self.app_scopes if method.app else self.scopes
        if method.scopes and not granted & set(method.scopes):
            raise missing_scope(",".join(method.scopes), frozenset(granted))
        params = typed(name, raw, method.kinds)
        call = Request(name, params, granted, lambda channel: self._approve(method, channel))
        return method.handler(self, call)

    def _check_token(self, http: web.Request, raw: Json, method: Method | None) -> None:
        header = http.headers.get("Authorization", "")
        token = header.removeprefix("Bearer ") if header.startswith("Bearer ") else raw.get("token", "")
        if not token:
            raise SlackError("not_authed")
        if token not in (self.bot_token, self.app_token):
            raise SlackError("invalid_auth")
        wants_app = method is not None and method.app
        if (token == self.app_token) is not wants_app:
            raise SlackError("not_allowed_token_type")
        if token == self.bot_token and self.token_state:
            raise SlackError(self.token_state)

    def _approve(self, method: Method, channel: str | None) -> None:
        """The last word before a call changes anything: the rates."""
        wait = self.rates.take(method.name, method.tier, channel)
        if wait is not None:
            raise ratelimited(wait)

    async def _goes_wrong_before(self, fault: Fault) -> bool:
        """Plays the part of a fault that comes before the call is performed. True: hang up."""
        if fault.kind is Kind.FLOOD:
            raise ratelimited(int(fault.seconds))
        if fault.kind is Kind.ERROR:
            error = {503: "service_unavailable"}.get(fault.code, "internal_error")
            raise SlackError(error, status=fault.code)
        return await breaks_before(fault, self._closing)

    def _answer(self, body: Json, method: Method | None, error: SlackError | None = None) -> web.Response:
        headers = {"X-OAuth-Scopes": ",".join(sorted(self.scopes))}
        if method is not None and method.scopes:
            headers["X-Accepted-OAuth-Scopes"] = ",".join(method.scopes)
        if error is not None and error.retry_after is not None:
            headers["Retry-After"] = str(error.retry_after)
        return web.json_response(body, status=200 if error is None else error.status, headers=headers)

    def _hang_up(self, http: web.Request, method: str, params: Json, fault: Fault) -> web.StreamResponse:
        self._log(method, params, 0, "connection dropped", fault)
        return hang_up(http)

    def _log(self, method: str, params: Json, code: int, description: str, fault: Fault | None) -> None:
        hit = "" if fault is None else str(fault.kind)
        call = Call(self.clock(), method, params, code, description, hit)
        self.calls.append(call)
        self.bus.emit(Event("call", call.at, call=call))

    async def _upload_bytes(self, http: web.Request) -> web.Response:
        return await files.upload(self, http)

    async def _download(self, http: web.Request) -> web.Response:
        return files.download(self, http, self.bot_token)

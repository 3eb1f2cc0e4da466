"""The reception: slack-bolt in front, the intake behind. What comes, by socket or by HTTP, is stored, then answered.

Storing is Bolt's first middleware, before it authorizes anything: Bolt answers 200 to an event when it can't sign in,
and acknowledges events before their listeners run; either would lose what people say (invariant 1).
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Awaitable, Callable

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from bridge.chat.intents import Intent
from bridge.chat.slack.payload import PATH, WHO, Json, child, string
from bridge.chat.slack.people import People
from bridge.chat.slack.updates import actor, stripped, update_id
from bridge.chat.surface import RawUpdate

MOST_AGE_S = 300
"""A request older than this is a replay (docs.slack.dev, verifying requests from Slack)."""
_TIMESTAMP = re.compile(r"[0-9]{1,12}")
_ODD = (ValueError, TypeError, AttributeError, LookupError)
"""What Bolt raises while it looks into a payload that is not of Slack's form."""

_log = logging.getLogger(__name__)
_bolt_log = logging.getLogger("bridge.chat.slack.bolt")
_bolt_log.setLevel(logging.ERROR)

Store = Callable[[Callable[[], Awaitable[RawUpdate]]], Awaitable[bool]]
"""Stores what the function it is given prepares; whether that was done in time."""


class Reception:
    """One app's reception. ``intent``: what a delivery asks, ``None`` for what need not be kept. ``clock``: epoch
    seconds."""

    def __init__(
        self,
        client: AsyncWebClient,
        people: People,
        store: Store,
        intent: Callable[[Json], Intent | None],
        signing_secret: str | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._people = people
        self._store = store
        self._intent = intent
        self._clock = clock
        self._verifier = SignatureVerifier(signing_secret) if signing_secret else None
        self._app = AsyncApp(
            name="hapi-bridge",
            client=client,
            signing_secret=signing_secret or "",
            logger=_bolt_log,
            before_authorize=_Keep(self._keep),
        )

    async def by_socket(self, request: SocketModeRequest) -> Json | None:
        """What acknowledges an envelope, or ``None`` if it must not be acknowledged."""
        try:
            answer = await run_async_bolt_app(self._app, request)
        except _ODD as error:
            _log.warning("an envelope of type %s can't be read (%s)", request.type, type(error).__name__)
            return None
        if answer.status != 200:
            return None
        acknowledgement: Json = {"envelope_id": request.envelope_id}
        if answer.body:
            acknowledgement["payload"] = json.loads(answer.body)
        return acknowledgement

    async def by_http(self, request: web.Request) -> web.Response:
        """One signed request: 401 for a wrong signature or a replay, 503 for what could not be stored."""
        try:
            body = (await request.read()).decode()
        except UnicodeDecodeError:
            return web.Response(status=400, text="not UTF-8")
        timestamp, signature = (
            request.headers.get(f"X-Slack-{name}", "") for name in ("Request-Timestamp", "Signature")
        )
        if problem := self._problem(body, timestamp, signature):
            _log.warning("a request to %s was refused: %s", PATH, problem)
            return web.Response(status=401, text="refused")
        try:
            bolt = AsyncBoltRequest(body=body, query=request.query_string, headers=dict(request.headers))
        except _ODD as error:
            _log.warning("a signed request to %s can't be read (%s)", PATH, type(error).__name__)
            return web.Response(status=400, text="not of Slack's form")
        answer = await self._app.async_dispatch(bolt)
        return await to_aiohttp_response(answer)

    def _problem(self, body: str, timestamp: str, signature: str) -> str:
        """Why a request is not Slack's, or old; empty if it is fine."""
        if self._verifier is None:
            return "there is no SLACK_SIGNING_SECRET to check it with"
        # Whoever reaches the address can send any header: neither what is no number nor what is no ASCII may raise.
        if not _TIMESTAMP.fullmatch(timestamp) or not signature.isascii() or not signature:
            return "it is not signed"
        age = self._clock() - int(timestamp)
        if abs(age) > MOST_AGE_S:
            return f"it is {age:.0f} s old: a replay, or this computer's clock is wrong"
        if not self._verifier.is_valid(body, timestamp, signature):
            return "its signature is wrong: check SLACK_SIGNING_SECRET"
        return ""

    async def _keep(self, body: Json) -> bool:
        """Store a delivery that asks something of us; whether it may be acknowledged."""
        if not isinstance(body, dict) or self._intent(body) is None:
            return True
        number = update_id(body)
        stored = await self._store(lambda: self._prepared(number, body))
        if not stored:
            _log.error("what Slack delivered could not be stored in time, so it is not acknowledged: %s", number)
        return stored

    async def _prepared(self, number: str, body: Json) -> RawUpdate:
        user, team = actor(body), string(body, "team_id") or string(child(body, "team"), "id")
        who = await self._people.about(user, team) if user else {}
        return RawUpdate(number, {**stripped(body), WHO: who})


class _Keep(AsyncMiddleware):
    """Bolt's view of storing. It ends the chain: nothing else of Bolt's is needed afterwards."""

    def __init__(self, keep: Callable[[Json], Awaitable[bool]]) -> None:
        self._keep = keep

    async def async_process(
        self, *, req: AsyncBoltRequest, resp: BoltResponse, next: Callable[[], Awaitable[BoltResponse]]
    ) -> BoltResponse | None:
        if req.body.get("type") == "url_verification":
            return BoltResponse(status=200, body={"challenge": string(req.body, "challenge")})
        return BoltResponse(status=200 if await self._keep(req.body) else 503, body="")

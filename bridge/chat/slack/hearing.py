"""Hearing: what people do reaches us, over the socket or by HTTP, and is handed on in batches once it is asked for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence

from aiohttp import web

from bridge.chat.errors import Unreachable
from bridge.chat.intents import Intent
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.intake import Intake
from bridge.chat.slack.payload import PATH, Json
from bridge.chat.slack.people import People
from bridge.chat.slack.reception import Reception
from bridge.chat.slack.socket import SocketMode
from bridge.chat.surface import RawUpdate

_log = logging.getLogger(__name__)


class Hearing:
    """The one way that deliveries of an app come in.

    ``signing_secret``: requests by HTTP are checked with it. ``by_socket``: Socket Mode is used instead. ``ack_s``: how
    long a delivery may wait to be stored (seconds).
    """

    def __init__(
        self,
        client: SlackClient,
        people: People,
        intent: Callable[[Json], Intent | None],
        *,
        by_socket: bool,
        signing_secret: str | None,
        ack_s: float,
    ) -> None:
        self._client = client
        self._people = people
        self._intent = intent
        self._by_socket = by_socket
        self._signing_secret = signing_secret
        self._intake = Intake(ack_s)
        self._reception: Reception | None = None
        self._line: asyncio.Task[None] | None = None

    def open(self) -> None:
        """From now on deliveries are taken; the client is open."""
        self._reception = Reception(
            self._client.web, self._people, self._intake.store, self._intent, self._signing_secret
        )

    async def close(self) -> None:
        """Nothing more is taken."""
        line, self._line = self._line, None
        if line is not None:
            line.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await line
        self._reception = None

    def routes(self) -> list[web.RouteDef]:
        """Slack's requests in HTTP mode; 503 while this is not open."""
        return [web.post(PATH, self._by_http)]

    async def _by_http(self, request: web.Request) -> web.Response:
        if self._reception is None:
            return web.Response(status=503, text="not ready")
        return await self._reception.by_http(request)

    async def batches(self) -> AsyncIterator[Sequence[RawUpdate]]:
        """What came in, see :meth:`.Intake.batches`; the connection is made when the first one is asked for."""
        if self._by_socket and (self._line is None or self._line.done()):
            self._line = asyncio.create_task(self._listen(), name="slack-socket")
            self._line.add_done_callback(self._listened)
        async for batch in self._intake.batches():
            yield batch

    async def _listen(self) -> None:
        assert self._reception is not None, "the surface is open"
        socket = SocketMode(self._client, self._reception.by_socket, self._intake.connected)
        self._intake.fail(await socket.run())

    def _listened(self, line: asyncio.Task[None]) -> None:
        """Should listening ever end otherwise than by an error of a surface, it is taken up again all the same."""
        if not line.cancelled() and (error := line.exception()) is not None:
            _log.error("the Socket Mode connection ended in an unforeseen way", exc_info=error)
            self._intake.fail(Unreachable(f"Slack: the bridge's own error {type(error).__name__}"))

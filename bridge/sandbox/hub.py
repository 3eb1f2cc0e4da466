"""A HAPI hub that runs here, for the demo and for fault tests: the client API as far as the bridge uses it.

``async with SandboxHub() as hub:`` and point a client at ``hub.url`` with ``hub.access_token``. Agents act through
``hub.state`` (see `player`); what should go wrong is ordered from ``hub.faults``, `restart` and `break_streams`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
import uuid
import zlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Self

from aiohttp import web

from bridge.sandbox.hub_answers import Refused
from bridge.sandbox.hub_api import HubApi
from bridge.sandbox.hub_auth import Tokens
from bridge.sandbox.hub_events import Logged
from bridge.sandbox.hub_faults import HubFaults
from bridge.sandbox.hub_machines import Computers
from bridge.sandbox.hub_settings import SessionCalls
from bridge.sandbox.hub_state import HubState
from bridge.sandbox.hub_uploads import MOST_BODY, Uploads

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class SandboxHub:
    """The hub over HTTP on loopback. ``port`` 0 takes a free one; ``url`` is known once it is entered."""

    def __init__(
        self,
        *,
        access_token: str = "sandbox-access-token",
        port: int = 0,
        heartbeat_s: float = 30.0,
        token_life_s: float = 4 * 3600,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.access_token = access_token
        self.state = HubState(clock)
        self.tokens = Tokens(access_token, token_life_s, clock)
        self.faults = HubFaults()
        self.computers = Computers(self.state)
        self.state.trouble = self._trouble
        self.trouble_changed: Callable[[], None] = lambda: None
        """Hears when a scenario makes something go wrong that lasts, and when a restart is over."""
        self.port = port
        self.calls: deque[tuple[str, str, int]] = deque(maxlen=10_000)
        """The calls so far as (method, path, status); status 0: the connection was dropped."""
        self._heartbeat_s = heartbeat_s
        self._place: socket.socket | None = None
        self._restarting = asyncio.Lock()
        self._runner: web.AppRunner | None = None
        self._open: set[asyncio.Transport] = set()

    @property
    def url(self) -> str:
        """The hub's address, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        """Raises `OSError` if the port is taken."""
        self._place = _held(self.port)
        self.port = int(self._place.getsockname()[1])
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()
        if self._place is not None:
            self._place.close()

    async def start(self) -> None:
        """Listen; nothing happens where it does."""
        if self._runner is not None:
            return
        app = web.Application(middlewares=[self._guard], client_max_size=MOST_BODY)
        app.add_routes(self.routes())
        runner = self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port, reuse_port=True).start()

    def routes(self) -> list[web.RouteDef]:
        """Everything that is answered; anything else is 404."""
        calls = (HubApi(self.state, self.tokens), Uploads(self.state), self.computers, SessionCalls(self.state))
        return [*(route for each in calls for route in each.routes()), web.get("/api/events", self._events)]

    async def stop(self) -> None:
        """Stop listening; open streams break in the middle of a chunk, as when a hub dies."""
        self.break_streams()
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    async def restart(self, *, down_s: float = 0.0) -> None:
        """Die and come back on the same port with another event log: every cursor is a gap. Rows are kept.

        Two restarts at once come one after another.
        """
        async with self._restarting:
            self.trouble_changed()
            await self.stop()
            self.state.restart()
            try:
                await asyncio.sleep(down_s)
            finally:
                await self.start()
        self.trouble_changed()

    @property
    def restarting(self) -> bool:
        """Whether it is away, or about to be."""
        return self._restarting.locked()

    def break_streams(self) -> None:
        """Cut every open event stream in the middle of a chunk."""
        for transport in list(self._open):
            transport.write(b"20\r\n")
            transport.close()

    async def _trouble(self, what: str, path: str, times: int, seconds: float) -> None:
        """What a scenario wants to go wrong."""
        match what:
            case "restart":
                await self.restart(down_s=seconds)
            case "break-streams":
                self.break_streams()
            case "fail":
                self.faults.fail(path, status=502, times=times)
            case "lose-answers":
                self.faults.lose_answer(path, times=times)
            case "repeat-events":
                self.faults.duplicate_events = True
                self.trouble_changed()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Faults first, then the token, then the call; every call is noted."""
        fault = self.faults.take(request.path)
        status = 0
        try:
            if fault and fault.kind == "slow":
                await asyncio.sleep(fault.seconds)
            if fault and fault.kind == "drop":
                return self._drop(request)
            if fault and fault.kind == "status":
                status = fault.status
                return web.Response(status=status, text="ordered to fail")
            answer = await self._answer(request, handler)
            if fault and fault.kind == "lost-answer":
                return self._drop(request)
            status = answer.status
            return answer
        except ConnectionError:  # the client is gone in the middle of its question: there is nobody to answer
            return web.Response(status=400)
        finally:
            self.calls.append((request.method, request.path, status))

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if request.path.startswith("/api/") and request.path != "/api/auth":
                scheme, _, token = request.headers.get("Authorization", "").partition(" ")
                if scheme != "Bearer":
                    raise Refused(401, "Missing authorization token")
                if not self.tokens.valid(token):
                    raise Refused(401, "Invalid token")
            return await handler(request)
        except Refused as refused:
            return refused.answer
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
            return web.Response(status=404, text="404 Not Found")

    def _drop(self, request: web.Request) -> web.Response:
        if request.transport:
            request.transport.abort()
        return web.Response()

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """The event stream: the verdict on the cursor, what was missed, then what happens, and heartbeats."""
        session = request.query.get("sessionId")
        if session is not None and session not in self.state.sessions:
            raise Refused(404, "Session not found")
        cursor = request.headers.get("Last-Event-ID") or request.query.get("lastEventId")
        everything = request.query.get("all") in ("true", "1")
        log = self.state.events
        stream, verdict = log.open(everything=everything, session=session, last_id=cursor)
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
        squeeze = zlib.compressobj(wbits=31) if "gzip" in request.headers.get("Accept-Encoding", "") else None
        if squeeze:
            headers["Content-Encoding"] = "gzip"
        response = web.StreamResponse(headers=headers)

        async def write(text: str) -> None:
            data = text.encode()
            await response.write(squeeze.compress(data) + squeeze.flush(zlib.Z_SYNC_FLUSH) if squeeze else data)

        transport = request.transport
        try:
            await response.prepare(request)
            if isinstance(transport, asyncio.Transport):
                self._open.add(transport)
            about = {"status": "connected", "subscriptionId": str(uuid.uuid4()), "resume": verdict}
            await write(_frame({"type": "connection-changed", "data": about}))
            while True:
                try:
                    async with asyncio.timeout(self._heartbeat_s):
                        logged = await stream.queue.get()
                except TimeoutError:
                    beat = {"timestamp": self.state.now()}
                    await write(_frame({"type": "heartbeat", "namespace": "default", "data": beat}))
                    continue
                if logged is None:
                    break
                for _ in range(2 if self.faults.duplicate_events else 1):
                    await write(_told(logged))
        except ConnectionResetError:
            return response  # cut on purpose, or the client is gone
        finally:
            log.close(stream)
            if isinstance(transport, asyncio.Transport):
                self._open.discard(transport)
        return response


def _held(port: int) -> socket.socket:
    """A socket that keeps a port of this computer for this process without listening there: while the hub is down
    nobody else gets it, not even as the near end of a connection."""
    holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        holder.bind(("127.0.0.1", port))
    except OSError:
        holder.close()
        raise
    return holder


def _frame(event: dict[str, object]) -> str:
    return f"data: {json.dumps(event, separators=(',', ':'))}\n\n"


def _told(logged: Logged) -> str:
    return f"id: {logged.id}\ndata: {logged.text}\n\n"

"""Socket Mode: WebSockets of the app, envelopes down, acknowledgements up."""

import asyncio
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from bridge.sandbox.slack.state import Json

MAX_CONNECTIONS = 10
PING_SECONDS = 10.0


class NotAcknowledged(Exception):
    """The app did not take what was sent; the words are those of Slack's ``retry_reason``."""


@dataclass(slots=True, eq=False)
class Connection:
    """One WebSocket. ``leaving``: it was told to go, and gets nothing new."""

    http: web.Request
    socket: web.WebSocketResponse
    number: int
    leaving: bool = False
    acks: dict[str, asyncio.Future[Json | None]] = field(default_factory=dict)

    def cut(self) -> None:
        """Drops the connection without a close frame."""
        if self.http.transport is not None:
            self.http.transport.abort()


class Sockets:
    """The connections, and what goes over them. Each envelope goes to one connection, in turn."""

    def __init__(self, app_id: str, changed: Callable[[str], None]) -> None:
        """``changed`` is told "connected" or "disconnected"."""
        self.connections: list[Connection] = []
        self._app_id = app_id
        self._changed = changed
        self._tickets: set[str] = set()
        self._numbers = itertools.count(1)
        self._turn = itertools.count()
        self._connected = asyncio.Event()

    @property
    def open(self) -> list[Connection]:
        """The connections that get envelopes."""
        return [one for one in self.connections if not one.leaving and not one.socket.closed]

    def ticket(self) -> str:
        """What an address from apps.connections.open must carry; good for one connection."""
        ticket = f"ticket-{next(self._numbers)}"
        self._tickets.add(ticket)
        return ticket

    async def serve(self, http: web.Request) -> web.StreamResponse:
        """Speaks with one client until it or the server leaves."""
        ticket = http.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=404, text="invalid ticket")
        self._tickets.remove(ticket)
        socket = web.WebSocketResponse(heartbeat=PING_SECONDS)
        await socket.prepare(http)
        connection = Connection(http, socket, next(self._numbers))
        if len(self.open) >= MAX_CONNECTIONS:
            await socket.send_json(_disconnect("too_many_websockets"))
            await socket.close()
            return socket
        self.connections.append(connection)
        await socket.send_json(self._hello())
        self._connected.set()
        self._changed("connected")
        try:
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    _take(connection, frame.data)
        finally:
            self.connections.remove(connection)
            self._note_leaving()
            for ack in connection.acks.values():
                if not ack.done():
                    ack.set_exception(NotAcknowledged("connection_lost"))
            self._changed("disconnected")
        return socket

    async def wait_connected(self, seconds: float) -> bool:
        """Whether a connection is there, or comes within so many seconds."""
        if self.open:
            return True
        try:
            async with asyncio.timeout(seconds):
                while not self.open:
                    await self._connected.wait()
        except TimeoutError:
            return False
        return True

    async def deliver(self, envelope: Json, seconds: float) -> Json | None:
        """Sends an envelope over one connection and returns the payload of its acknowledgement.

        Raises NotAcknowledged when there is no connection, it breaks, or ``seconds`` pass.
        """
        there = self.open
        if not there:
            raise NotAcknowledged("no_connection")
        connection = there[next(self._turn) % len(there)]
        ack: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        connection.acks[envelope["envelope_id"]] = ack
        try:
            async with asyncio.timeout(seconds):
                await connection.socket.send_json(envelope)
                return await ack
        except TimeoutError:
            raise NotAcknowledged("timeout") from None
        except ConnectionError:
            raise NotAcknowledged("connection_lost") from None
        finally:
            connection.acks.pop(envelope["envelope_id"])
            if ack.done() and not ack.cancelled():
                ack.exception()

    async def disconnect(self, reason: str) -> None:
        """Sends every client a disconnect frame: ``warning``, ``refresh_requested`` or ``link_disabled``.

        After a ``warning`` the connection goes on getting envelopes for a while; after the others it does not.
        """
        for connection in self.open:
            connection.leaving = reason != "warning"
            await connection.socket.send_json(_disconnect(reason))
        self._note_leaving()

    def cut(self) -> int:
        """Drops all connections at once, as a broken network does. Returns how many there were."""
        there = list(self.connections)
        for connection in there:
            connection.leaving = True
            connection.cut()
        self._note_leaving()
        return len(there)

    def _note_leaving(self) -> None:
        if not self.open:
            self._connected.clear()

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.open),
            "debug_info": {"host": "applink-sandbox", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._app_id},
        }


def _disconnect(reason: str) -> Json:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-sandbox"}}


def _take(connection: Connection, text: str) -> None:
    """An acknowledgement. Whatever else a client sends is ignored, as by Slack."""
    try:
        frame = json.loads(text)
    except ValueError:
        return
    ack = connection.acks.get(frame.get("envelope_id", "")) if isinstance(frame, dict) else None
    if ack is not None and not ack.done():
        ack.set_result(frame.get("payload"))

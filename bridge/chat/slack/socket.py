"""Socket Mode: one WebSocket held open, renewed before Slack closes it, watched for silence.

slack_sdk's own client is not used: it repeats a spent single-use address for ever when a connection fails, hides a
refused token in its retries, and waits between tries by a rhythm of its own (here the caller's backoff counts).
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable

import aiohttp
from slack_sdk.socket_mode.request import SocketModeRequest

from bridge.chat.errors import SurfaceError, Unreachable
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.errors import disconnected
from bridge.chat.slack.payload import Json, string

LEAST_LIFE_S = 5.0
"""A connection that breaks sooner is not opened again at once: no storms."""
DRAIN_S = 30.0
"""How long a connection that Slack renews is still listened to."""
CLOSE_S = 2.0
LOST = "lost"

_log = logging.getLogger(__name__)

Answer = Callable[[SocketModeRequest], Awaitable[Json | None]]
"""Takes an envelope; what acknowledges it, or ``None`` for no acknowledgement."""


class SocketMode:
    """Listens until trouble."""

    def __init__(
        self,
        client: SlackClient,
        answer: Answer,
        connected: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._answer = answer
        self._connected = connected
        self._clock = clock

    async def run(self) -> SurfaceError:
        """Hold a connection until cancelled, or until one can't be had: returns why."""
        draining: set[asyncio.Task[None]] = set()
        async with asyncio.TaskGroup() as tasks:
            try:
                while True:
                    socket = await self._hold(tasks)
                    # What is under way on the old connection is still taken and answered there.
                    drain = tasks.create_task(self._drain(socket, tasks))
                    draining.add(drain)
                    drain.add_done_callback(draining.discard)
            except SurfaceError as error:
                for task in draining:
                    task.cancel()
                return error

    async def _hold(self, tasks: asyncio.TaskGroup) -> aiohttp.ClientWebSocketResponse:
        """Hold connections until Slack wants one renewed: that one. Raises what makes trying again useless for now."""
        while True:
            began = self._clock()
            socket = await self._open()
            self._connected()
            reason = LOST
            try:
                reason = await self._listen(socket, tasks)
                if trouble := disconnected(reason):
                    reason = LOST
                    raise trouble
            finally:
                if reason == LOST:
                    await _close(socket)
            if reason != LOST:
                return socket
            if self._clock() - began < LEAST_LIFE_S:
                raise Unreachable("Slack: the Socket Mode connection broke as soon as it was there")
            _log.info("the Socket Mode connection broke; another one is opened")

    async def _open(self) -> aiohttp.ClientWebSocketResponse:
        address = string(await self._client.call("apps.connections.open", app=True), "url")
        if not address.startswith(("ws://", "wss://")):
            raise Unreachable("Slack: the answer to apps.connections.open can't be read")
        socket = await self._client.websocket(address)
        frame: Json = {}
        try:
            async with asyncio.timeout(self._client.timeouts.hello_s):
                frame = _read(await socket.receive())
        except TimeoutError:
            _log.debug("a Socket Mode connection says nothing")
        finally:
            if frame.get("type") != "hello":
                await _close(socket)
        if frame.get("type") != "hello":
            raise disconnected(string(frame, "reason")) or Unreachable("Slack: Socket Mode does not say hello")
        return socket

    async def _listen(self, socket: aiohttp.ClientWebSocketResponse, tasks: asyncio.TaskGroup) -> str:
        """Take envelopes until the connection ends; Slack's reason, or :data:`LOST`."""
        async for frame in socket:
            message = _read(frame)
            if message.get("type") == "disconnect":
                return string(message, "reason") or LOST
            request = SocketModeRequest.from_dict(message)
            if request is not None and isinstance(request.payload, dict):
                tasks.create_task(self._take(socket, request))
        return LOST

    async def _drain(self, socket: aiohttp.ClientWebSocketResponse, tasks: asyncio.TaskGroup) -> None:
        try:
            async with asyncio.timeout(DRAIN_S):
                while await self._listen(socket, tasks) != LOST:
                    continue
        except TimeoutError:
            _log.debug("a renewed Socket Mode connection is closed from this side")
        finally:
            await _close(socket)

    async def _take(self, socket: aiohttp.ClientWebSocketResponse, request: SocketModeRequest) -> None:
        acknowledgement = await self._answer(request)
        if acknowledgement is None:
            return
        try:
            await socket.send_str(json.dumps(acknowledgement))
        except (ConnectionError, aiohttp.ClientError):
            # It is stored; Slack delivers it again, and the store knows it already.
            _log.info("an acknowledgement could not be sent, the Socket Mode connection is gone")


async def _close(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Close a connection, politely if that is quick."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await socket.close()
    except TimeoutError:
        _log.debug("a Socket Mode connection could not be closed politely")


def _read(frame: aiohttp.WSMessage) -> Json:
    if frame.type is not aiohttp.WSMsgType.TEXT:
        return {}
    try:
        message = json.loads(frame.data)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}

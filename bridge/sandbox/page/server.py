"""The page's server: state, events, what the visitor does. On loopback only."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Literal, Self

from aiohttp import web

from bridge.sandbox.hub_scenario import ScenarioError
from bridge.sandbox.page import hub_view, slack_view, telegram_view
from bridge.sandbox.page.bodies import BODY_BYTES, FaultWish, Play, Render, read
from bridge.sandbox.page.calls import CallLog, limits_json
from bridge.sandbox.page.drawing import Calls, Drawings
from bridge.sandbox.page.feed import Event, Feed
from bridge.sandbox.page.files import STATIC, Files
from bridge.sandbox.page.guard import Guard, Refused
from bridge.sandbox.page.slack_hands import SlackHands
from bridge.sandbox.page.slack_news import SlackNews
from bridge.sandbox.page.telegram_hands import TelegramHands
from bridge.sandbox.page.telegram_news import TelegramNews
from bridge.sandbox.stage.actors import Actors
from bridge.sandbox.stage.own_hub import OwnHub
from bridge.sandbox.stage.stage import Stage
from bridge.sandbox.stage.switches import Switches, SwitchRefused

BEAT_S = 20.0
"""Between two signs of life on a quiet event stream."""
PATIENCE_S = 30.0
"""For a page that does not read what it is told."""
MOST_READERS = 32
"""Event streams at once: so many windows has one visitor."""
Mode = Literal["demo", "sandbox"]


class PageServer:
    """``async with PageServer(…) as page`` serves until it is left; ``page.address`` is what to open.

    ``actors`` is None without a hub of the sandbox's own, ``own_hub`` without one of the visitor's.
    The ``…_changed`` methods are for those who know of changes.
    """

    def __init__(self, stage: Stage, *, mode: Mode, calls: Calls, port: int = 0, static: Path = STATIC) -> None:
        self.stage = stage
        self.feed = Feed()
        self.actors: Actors | None = None
        self.switches: Switches | None = None
        self.own_hub: OwnHub | None = None
        self._mode = mode
        self._port = port
        self._static = static
        self._guard = Guard()
        self._calls = CallLog(self.feed)
        self._drawings = Drawings(calls)
        self._drawing = asyncio.Lock()
        self._stack = AsyncExitStack()

    @property
    def address(self) -> str:
        """The address to open, with the key in it."""
        return self._guard.address

    async def __aenter__(self) -> Self:
        """Listen. Raises `OSError` if the port is taken."""
        stage = self.stage
        app = web.Application(middlewares=[self._guard.__call__], client_max_size=BODY_BYTES)
        app.on_response_prepare.append(self._guard.harden)
        app.add_routes(self._routes())
        app.add_routes(Files(self._static, self._guard, stage.telegram, stage.slack, self._drawings).routes())
        app.add_routes(TelegramHands(stage.telegram, stage.person).routes())
        app.add_routes(SlackHands(stage.slack, stage.member).routes())
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        self._stack.callback(self.feed.close)
        try:
            await web.TCPSite(runner, "127.0.0.1", self._port).start()
        except OSError:
            await self._stack.aclose()
            raise
        self._guard.port = int(runner.addresses[0][1])
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()

    async def run(self) -> None:
        """Carry the servers' news to the page until cancelled."""
        stage = self.stage
        async with asyncio.TaskGroup() as group:
            group.create_task(TelegramNews(stage.telegram, self.feed, self._calls).run())
            group.create_task(SlackNews(stage.slack, stage.member, self.feed, self._calls).run())
            if stage.hub is not None:
                stage.hub.trouble_changed = self.faults_changed
                group.create_task(hub_view.watch(stage.hub, self.feed))

    def faults_changed(self) -> None:
        """A switch went on or off."""
        self.feed.tell("fault", faults=self._faults())

    def scenarios_changed(self) -> None:
        """A scenario began or is through."""
        self.feed.tell("scenario", scenarios=self._scenarios())

    def bridge_changed(self) -> None:
        """The bridge started, is ready, or died."""
        self.feed.tell("bridge", bridge=self._bridge())

    def hub_changed(self) -> None:
        """The visitor's own hub has other sessions, or does not answer."""
        self.feed.tell("hub", hub=self._hub())

    def _routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/state", self._state),
            web.get("/api/events", self._events),
            web.post("/api/fault", self._fault),
            web.post("/api/scenario/play", self._play),
            web.post("/api/render", self._render),
        ]

    async def _state(self, request: web.Request) -> web.Response:
        stage = self.stage
        rates = {"telegram": stage.telegram.rates.standing(), "slack": stage.slack.rates.standing()}
        return web.json_response(
            {
                "seq": self.feed.seq,
                "mode": self._mode,
                "telegram": telegram_view.state(stage.telegram, stage.person),
                "slack": slack_view.state(stage.slack, stage.member, stage.shortcuts),
                "calls": self._calls.state(),
                "limits": {name: limits_json(each) for name, each in rates.items()},
                "hub": self._hub(),
                "faults": self._faults(),
                "scenarios": self._scenarios(),
                "bridge": self._bridge(),
            }
        )

    async def _events(self, request: web.Request) -> web.StreamResponse:
        since = _number(request.headers.get("Last-Event-ID") or request.query.get("since", ""))
        if self.feed.readers >= MOST_READERS:
            raise Refused(503, "too many pages are open; close one")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        with self.feed.reading(), contextlib.suppress(ConnectionError, TimeoutError):  # closed, or it does not read
            await response.prepare(request)
            await self._follow(response, since)
        return response

    async def _follow(self, response: web.StreamResponse, since: int | None) -> None:
        """Write every event after that number, until there are no more, or too much was missed. Raises TimeoutError
        for a page that does not read."""
        while not self.feed.closed:
            events = None if since is None else self.feed.after(since)
            if events is None or since is None:
                await _write(response, b'data: {"kind":"reload"}\n\n')
                return
            for event in events:
                await _write(response, _frame(event))
                since = event.seq
            try:
                async with asyncio.timeout(BEAT_S):
                    await self.feed.news(since)
            except TimeoutError:
                await _write(response, b": still here\n\n")

    async def _fault(self, request: web.Request) -> web.Response:
        body = await read(request, FaultWish)
        if self.switches is None:
            raise Refused(409, "the stage is not set yet")
        try:
            self.switches.set(body.name, on=body.on)
        except SwitchRefused as refused:
            raise Refused(409, str(refused)) from None
        return web.json_response({"ok": True})

    async def _play(self, request: web.Request) -> web.Response:
        body = await read(request, Play)
        if self.actors is None:
            raise Refused(409, "scenarios need the demo's own hub")
        if body.name not in {each["name"] for each in self.actors.state()}:
            raise Refused(404, f"there is no scenario {body.name}")
        try:
            self.actors.play(body.name)
        except ScenarioError as error:
            raise Refused(409, str(error)) from None
        return web.json_response({"ok": True})

    async def _render(self, request: web.Request) -> web.Response:
        body = await read(request, Render)
        async with self._drawing:  # in a thread: a long text takes seconds, in which the chats have to go on
            drawn = await asyncio.to_thread(self._drawings.draw, body.text)
        return web.json_response({"ok": True, **drawn})

    def _faults(self) -> dict[str, Any]:
        return {} if self.switches is None else self.switches.state()

    def _scenarios(self) -> list[dict[str, Any]]:
        return [] if self.actors is None else self.actors.state()

    def _hub(self) -> dict[str, Any]:
        if self.stage.hub is not None:
            return hub_view.state(self.stage.hub)
        if (own := self.own_hub) is not None:
            return {"url": own.url, "sessions": own.sessions, "trouble": own.trouble}
        return {"url": "", "sessions": None, "trouble": ""}

    def _bridge(self) -> dict[str, Any]:
        bridge = self.stage.bridge
        if bridge is None:
            return {"state": "outside", "pid": None, "restarts": 0}
        return {"state": bridge.state, "pid": bridge.pid, "restarts": bridge.restarts}


async def _write(response: web.StreamResponse, data: bytes) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await response.write(data)


def _number(given: str) -> int | None:
    """An event's number, if it is one that there could be."""
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else None


def _frame(event: Event) -> bytes:
    return f"id: {event.seq}\ndata: {event.text}\n\n".encode()

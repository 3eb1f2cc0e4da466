"""Shows: the demo with the page, the demo in the terminal, which ends by itself, and the sandbox on one's own hub."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.sandbox.actor import Waiting
from bridge.sandbox.bus import Call
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_scenario import Scenario
from bridge.sandbox.page.drawing import Calls
from bridge.sandbox.page.server import Mode, PageServer
from bridge.sandbox.slack import SlackServer
from bridge.sandbox.stage.actors import Actors
from bridge.sandbox.stage.child import BridgeProcess
from bridge.sandbox.stage.own_hub import OwnHub
from bridge.sandbox.stage.stage import Stage, surroundings
from bridge.sandbox.stage.switches import Switches
from bridge.sandbox.stage.terminal import View
from bridge.sandbox.stage.visitor import Visitor
from bridge.sandbox.telegram import Event, TelegramServer

READY_S = 30.0
QUIET_S = 4.0
"""This long nothing new in the chat: all that was to come has come."""
MOST_QUIET_WAIT_S = 60.0
Play = tuple[str, Scenario]


@dataclass(frozen=True, slots=True)
class Outfit:
    """What the stage is given from outside: the Slack app's manifest, how a text becomes API calls, which variables
    the bridge reads, a folder for this show alone, and perhaps one with the schemas that every call is held to.
    """

    manifest: Mapping[str, Any]
    calls: Calls
    variables: Sequence[str]
    folder: Path
    schemas: Path | None = None


async def demo(
    outfit: Outfit,
    plays: Sequence[Play],
    *,
    port: int,
    speed: float,
    opened: Callable[[PageServer], None],
    ready: Callable[[], None],
    on_wait: Callable[[Waiting], None] = lambda _: None,
    pace: float = 1.0,
) -> None:
    """The demo with its page, until cancelled. ``opened`` gets the page, ``ready`` is called when the bridge works,
    ``on_wait`` whenever an agent waits for the visitor. ``speed`` is the agents', ``pace`` that of the chats and of
    what goes wrong (`Stage`). Raises OSError if the port is taken, `BridgeFailed` (in a group).
    """
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(SandboxHub())
        stage = await Stage.build(stack, outfit.manifest, schemas=outfit.schemas, speed=pace)
        stage.hub, stage.hub_url = hub, hub.url
        page = await stack.enter_async_context(PageServer(stage, mode="demo", calls=outfit.calls, port=port))
        async with asyncio.TaskGroup() as group:
            bridge = stage.bridge = _bridge(outfit, stage, hub.url, hub.access_token, page.bridge_changed)
            page.switches = Switches(stage, group, page.faults_changed)
            page.actors = Actors(hub.state, group, speed=speed, changed=page.scenarios_changed, on_wait=on_wait)
            hub.computers.started = page.actors.started
            group.create_task(page.run())
            group.create_task(_run(bridge, stage.slack))
            opened(page)
            async with asyncio.timeout(READY_S):
                await bridge.heard()
            ready()
            for name, scenario in plays:
                page.actors.play(name, scenario)


async def sandbox(
    outfit: Outfit,
    hub: tuple[str, str] | None,
    *,
    port: int,
    opened: Callable[[str, Mapping[str, str]], None],
) -> None:
    """The chats and the page until cancelled, and with a ``hub`` (address, access token) the bridge between.

    ``opened`` gets the page's address, and the variables that make a bridge use these chats. Raises as `demo` does.
    """
    mode: Mode = "sandbox"
    async with AsyncExitStack() as stack:
        stage = await Stage.build(stack, outfit.manifest, schemas=outfit.schemas)
        page = await stack.enter_async_context(PageServer(stage, mode=mode, calls=outfit.calls, port=port))
        async with asyncio.TaskGroup() as group:
            page.switches = Switches(stage, group, page.faults_changed)
            group.create_task(page.run())
            if hub is not None:
                stage.hub_url = hub[0]
                page.own_hub = OwnHub(*hub, page.hub_changed)
                group.create_task(page.own_hub.watch())
                stage.bridge = _bridge(outfit, stage, *hub, page.bridge_changed)
                group.create_task(_run(stage.bridge, stage.slack))
                page.switches = Switches(stage, group, page.faults_changed)
            opened(page.address, stage.variables())


async def watch(outfit: Outfit, plays: Sequence[Play], view: View, *, speed: float) -> list[Call]:
    """The demo in the terminal: a visitor presses and writes, ``view`` draws it, and it ends by itself.

    Returns the Bot API calls. Raises `BridgeFailed` (in a group).
    """
    async with AsyncExitStack() as stack:
        hub = await stack.enter_async_context(SandboxHub())
        stage = await Stage.build(stack, outfit.manifest, schemas=outfit.schemas)
        stage.hub, telegram = hub, stage.telegram
        visitor = Visitor(telegram, stage.chat, stage.person, hub.state, speed=speed)
        events = stack.enter_context(telegram.bus.subscribe())
        try:
            async with asyncio.TaskGroup() as group:
                bridge = _bridge(outfit, stage, hub.url, hub.access_token, lambda: None)
                actors = Actors(hub.state, group, speed=speed, on_wait=visitor.turns.put_nowait)
                for work in (_run(bridge, stage.slack), _draw(events, view), visitor.run()):
                    group.create_task(work)
                async with asyncio.timeout(READY_S):
                    await bridge.heard()
                for player in [actors.play(name, scenario) for name, scenario in plays]:
                    await player.finished.wait()
                await _until_quiet(telegram)
                raise _Over
        except* _Over:
            pass
    return telegram.calls


class _Over(Exception):
    """The show is over: what still runs is cancelled."""


def _bridge(outfit: Outfit, stage: Stage, hub: str, token: str, changed: Callable[[], None]) -> BridgeProcess:
    given = stage.variables() | {"HAPI_HUB_URL": hub, "HAPI_ACCESS_TOKEN": token}
    config, environ = surroundings(outfit.variables, outfit.folder, given, stage.tables)
    return BridgeProcess(config, environ, reached=lambda: stage.slack.sockets.open, changed=changed)


async def _run(bridge: BridgeProcess, slack: SlackServer) -> None:
    """Keep the bridge running, and let it know when Slack reaches it."""
    with slack.bus.subscribe() as events:
        async with asyncio.TaskGroup() as group:
            group.create_task(bridge.run())
            while True:
                if (await events.get()).kind == "socket":
                    bridge.look()


async def _draw(events: asyncio.Queue[Event], view: View) -> None:
    while True:
        view.show(await events.get())


async def _until_quiet(telegram: TelegramServer) -> None:
    """Wait until the chat has been still for a while; at most a minute."""
    with telegram.bus.subscribe() as events:
        try:
            async with asyncio.timeout(MOST_QUIET_WAIT_S):
                while True:
                    async with asyncio.timeout(QUIET_S):
                        while (await events.get()).kind not in ("message", "edit", "reaction"):
                            pass
        except TimeoutError:
            return

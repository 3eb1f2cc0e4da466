"""The demo as a visitor meets it, in parts that a test can reach: sandbox hub, both chats, the bridge, the page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from operator import attrgetter
from pathlib import Path

from bridge.chat.slack.manifest import slack_manifest
from bridge.cli.staging import calls_of
from bridge.sandbox.actor import Waiting
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_session import Session
from bridge.sandbox.page.server import PageServer
from bridge.sandbox.stage.child import BridgeProcess
from bridge.sandbox.stage.show import Outfit, demo
from bridge.sandbox.stage.stage import Stage
from bridge.settings import FALLBACKS, VARIABLES
from tests.conftest import ROOT
from tests.end_to_end.payloads import check_models

SCHEMAS = ROOT / "fixtures" / "schemas"
"""To which the chats hold every call, as they do in the end-to-end tests."""
SPEED = 12.0
"""Of the agents."""
PACE = 4.0
"""Of the chats' rates, and of how long something goes wrong."""


class Demo:
    """What runs behind a page, and ``turns``: whenever an agent waits for the visitor."""

    def __init__(self, page: PageServer, turns: asyncio.Queue[Waiting], showing: asyncio.Task[None]) -> None:
        assert page.stage.hub is not None
        assert page.stage.bridge is not None
        self.page = page
        self.turns = turns
        self._showing = showing
        self.stage: Stage = page.stage
        self.hub: SandboxHub = page.stage.hub
        self.bridge: BridgeProcess = page.stage.bridge

    def check(self) -> None:
        """Raise what broke the demo, if it is broken."""
        if self._showing.done():
            self._showing.result()

    def playing(self, name: str) -> bool:
        """Whether a scenario is still going on."""
        assert self.page.actors is not None
        return any(each["name"] == name and each["playing"] for each in self.page.actors.state())

    def sessions(self) -> list[Session]:
        """The hub's sessions, in the order in which they began."""
        return list(self.hub.state.sessions.values())

    async def mend(self) -> None:
        """Take every fault back, and wait until those that end by themselves are over and the bridge works."""
        switches = self.page.switches
        assert switches is not None
        for name, fault in switches.state().items():
            if fault["on"] and not fault["once"]:
                switches.set(name, on=False)
        async with asyncio.timeout(40):
            while any(fault["on"] for fault in switches.state().values()):  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.05)
            await self.bridge.heard()

    def last_words(self) -> str:
        """What the bridge logged and called last, to be read where a test failed."""
        chats = self.stage.telegram.calls, self.stage.slack.calls
        calls = sorted(
            (each for all_ in chats for each in all_[-40:] if each.method != "getUpdates"), key=attrgetter("at")
        )
        listed = (f"{each.at:.3f} {each.method} {each.code} {each.description} {each.fault}" for each in calls[-40:])
        return "\n".join([*self.bridge.said, *listed, f"{time.time():.3f} now"])

    def end_all(self) -> None:
        """End every session, and forget who waits."""
        for session in self.sessions():
            if session.record["active"]:
                self.hub.state.end(session)
        while not self.turns.empty():
            self.turns.get_nowait()


@asynccontextmanager
async def running(folder: Path, speed: float = SPEED, pace: float = PACE) -> AsyncIterator[Demo]:
    """A demo whose bridge works; nothing plays yet."""
    opened: list[PageServer] = []
    turns: asyncio.Queue[Waiting] = asyncio.Queue()
    works = asyncio.Event()
    outfit = Outfit(slack_manifest(), calls_of, [*VARIABLES, *FALLBACKS, "BRIDGE_CONFIG"], folder, SCHEMAS)
    showing = asyncio.create_task(
        demo(
            outfit, [], port=0, speed=speed, opened=opened.append, ready=works.set, on_wait=turns.put_nowait, pace=pace
        )
    )
    try:
        waiting = asyncio.create_task(works.wait())
        await asyncio.wait([showing, waiting], return_when=asyncio.FIRST_COMPLETED)
        if showing.done():
            waiting.cancel()
            showing.result()
        yield Demo(opened[0], turns, showing)
        check_models(opened[0].stage.slack.calls)
    finally:
        showing.cancel()
        with suppress(asyncio.CancelledError):
            await showing

"""The watch over the hub: says once when it can't be reached, in the log and in the chat, and when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from bridge.cards.model import Card
from bridge.cards.turn.notices import present_hub_back, present_hub_trouble
from bridge.hub.errors import HubError
from bridge.observe.health import Health
from bridge.relay.desk import Desk
from bridge.relay.notes import note
from bridge.store import conversations, cursors
from bridge.store.engine import Tx

OPEN_NOTE = "hub/trouble"
"""Cursor that names the open notice, so that the way back is said on it, also after a restart."""
LOOK_S = 5.0
TELL_AFTER = 4
"""Failed tries in a row (about four seconds) before the chat is told: a hub that restarts is back sooner."""

log = structlog.get_logger(__name__)


class HubWatch:
    """Told of every failed try and of every connect.

    ``check`` asks the hub who it is, ``hurry`` ends the stream's waiting; ``ready`` is called when the hub is heard and
    its sessions are known.
    """

    def __init__(
        self,
        desk: Desk,
        health: Health,
        *,
        check: Callable[[], Awaitable[None]],
        hurry: Callable[[], None],
        ready: Callable[[], None],
    ) -> None:
        self._desk = desk
        self._health = health
        self._check = check
        self._hurry = hurry
        self._ready = ready
        self._logged = health.report()["hub"]["state"] == "failing"
        """Whether the log was told; the first look at the start may have done so."""

    async def trouble(self, error: HubError, failures: int) -> None:
        """The hub was not reached, for the ``failures``-th time in a row."""
        self._health.tell("hub", "failing", str(error))
        if failures >= 2 and not self._logged:
            self._logged = True
            log.warning("hub.unreachable", error=str(error), detail=error.detail)
        if failures == TELL_AFTER:
            await self._tell(error.spoken())

    async def run(self) -> None:
        """While the hub can't be heard, ask whether it is there again: the stream's own backoff grows to minutes."""
        while True:
            await asyncio.sleep(LOOK_S)
            if not self._logged:
                continue
            try:
                await self._check()
            except HubError:
                continue
            self._hurry()

    async def back(self) -> None:
        """The hub is there."""
        log.info("hub.connected", again=self._logged)
        self._logged = False
        self._health.tell("hub", "ok")
        async with self._desk.store.begin() as tx:
            open_note = await cursors.get(tx, OPEN_NOTE)
            if open_note:
                await self._note(tx, open_note, present_hub_back().card, over=True)
                await cursors.put(tx, OPEN_NOTE, "")
        self._desk.nudge()
        self._ready()

    async def _tell(self, words: str) -> None:
        async with self._desk.store.begin() as tx:
            if await cursors.get(tx, OPEN_NOTE):
                return
            what = f"hub-trouble/{self._desk.clock()}"
            await cursors.put(tx, OPEN_NOTE, what)
            await self._note(tx, what, present_hub_trouble(words).card, over=False)
        self._desk.nudge()

    async def _note(self, tx: Tx, what: str, card: Card, *, over: bool) -> None:
        now = self._desk.clock()
        for link in self._desk.links:
            place = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now)
            await note(tx, place, what, card, now, open_=not over)

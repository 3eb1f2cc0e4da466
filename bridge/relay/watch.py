"""The watch over the hub: says once when it can't be reached, in the log and in the chat, and when it is back."""

from __future__ import annotations

import structlog

from bridge.cards.model import Card
from bridge.cards.notices import present_hub_back, present_hub_trouble
from bridge.hub.errors import HubError
from bridge.observe.health import Health
from bridge.relay.desk import Desk
from bridge.relay.notes import note
from bridge.store import conversations, cursors
from bridge.store.engine import Tx

OPEN_NOTE = "hub/trouble"
"""Cursor that names the open notice, so that the way back is said on it, also after a restart."""
TELL_AFTER = 4
"""Failed tries in a row (about four seconds) before the chat is told: a hub that restarts is back sooner."""

log = structlog.get_logger(__name__)


class HubWatch:
    """Told of every failed try and of every connect."""

    def __init__(self, desk: Desk, health: Health) -> None:
        self._desk = desk
        self._health = health
        self._logged = False

    async def trouble(self, error: HubError, failures: int) -> None:
        """The hub was not reached, for the ``failures``-th time in a row."""
        self._health.tell("hub", "failing", str(error))
        if failures >= 2 and not self._logged:
            self._logged = True
            log.warning("hub.unreachable", error=str(error), detail=error.detail)
        if failures == TELL_AFTER:
            await self._tell(str(error))

    async def back(self) -> None:
        """The hub is there."""
        if self._logged:
            log.info("hub.back")
        self._logged = False
        self._health.tell("hub", "ok")
        async with self._desk.store.begin() as tx:
            open_note = await cursors.get(tx, OPEN_NOTE)
            if open_note:
                await self._note(tx, open_note, present_hub_back().card, over=True)
                await cursors.put(tx, OPEN_NOTE, "")
        self._desk.nudge()

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

"""What the courier meets, told to the log and to health: said once, and again when it is over."""

from __future__ import annotations

import structlog

from bridge.chat.surface import Place
from bridge.observe.health import Health

log = structlog.get_logger(__name__)


class CourierHearing:
    """A surface's courier's listener (:class:`bridge.delivery.listener.Listener`)."""

    def __init__(self, surface: str, health: Health) -> None:
        self._surface = surface
        self._health = health

    async def on_trouble(self, words: str) -> None:
        if self._health.tell(self._surface, "failing", words):
            log.warning("surface.trouble", surface=self._surface, error=words)

    async def on_recovered(self) -> None:
        if self._health.tell(self._surface, "ok"):
            log.info("surface.back", surface=self._surface)

    async def on_wait(self, place: Place, seconds: float) -> None:
        log.warning("surface.asked_to_wait", surface=self._surface, chat=place.chat, seconds=round(seconds))

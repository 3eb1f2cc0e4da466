"""The answer to a press, which the presser alone sees."""

from __future__ import annotations

import structlog

from bridge.chat.errors import SurfaceError
from bridge.chat.intents import Press
from bridge.relay.desk import Link

log = structlog.get_logger(__name__)


async def acknowledge(link: Link, press: Press, words: str, *, alert: bool = False) -> None:
    """Answer a press; ``alert``: it did not count. Decoration: a platform that does not take it is not asked again."""
    try:
        await link.surface.acknowledge_press(press.press, words, alert=alert)
    except SurfaceError as error:
        log.info("press.not_answered", error=str(error))

"""Fetches the pictures that posts show from the hub, which hands them out only while the agent's process is there."""

from __future__ import annotations

import asyncio

import structlog

from bridge.hub.errors import ComputerUnreachable, HubError, HubUnreachable, NotFound, SessionInactive
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.store import pictures
from bridge.store.pictures import Wanted

TRY_AGAIN_S = 2.0
FETCH_S = 60.0
PATIENCE_MS = 120_000
"""How long a picture is asked for whose agent's process is not there; the hub itself is waited for without end."""
MOST_BYTES = 50_000_000
"""More than that no chat takes from a bot."""

log = structlog.get_logger(__name__)


class Pictures:
    """Brings wanted pictures into the store, one after another."""

    def __init__(self, desk: Desk, api: HubApi) -> None:
        self._desk = desk
        self._api = api

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            self._desk.pictures_wanted.clear()
            async with self._desk.store.read() as tx:
                found = await pictures.wanted(tx)
            left = [one for one in found if not await self._fetch(one)]
            if not found:
                await self._desk.pictures_wanted.wait()
            elif left:
                await asyncio.sleep(TRY_AGAIN_S)

    async def _fetch(self, one: Wanted) -> bool:
        """Fetch a picture; False if that is to be tried again."""
        data, why = b"", ""
        try:
            async with asyncio.timeout(FETCH_S):
                data, _ = await self._api.generated_image(one.session_id, one.image)
        except (HubUnreachable, TimeoutError):
            return False
        except (NotFound, ComputerUnreachable, SessionInactive) as error:
            if self._desk.clock() - one.wanted_ms < PATIENCE_MS:
                return False
            log.warning("picture.missing", session=one.session_id, image=one.image, detail=error.detail)
            why = tr("the agent that made the picture no longer hands it out")
        except HubError as error:
            log.warning("picture.refused", session=one.session_id, image=one.image, error=str(error))
            why = tr("the hub does not hand the picture out: {why}", why=error.spoken())
        if len(data) > MOST_BYTES:
            values = {"has": f"{len(data) / 1e6:.1f}", "most": f"{MOST_BYTES / 1e6:.0f}"}
            why = tr("the picture has {has} MB, and at most {most} MB are passed on", **values)
        elif not data and not why:
            why = tr("the picture is empty")
        async with self._desk.store.begin() as tx:
            if why:
                await pictures.missing(tx, one.source, why)
            else:
                await pictures.fetched(tx, one.source, data)
        self._desk.nudge()
        return True

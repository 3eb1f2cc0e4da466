"""The visitor's own hub, as far as the page shows it: which sessions it has, asked again and again with their token."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from bridge.hub.auth import TokenSource
from bridge.hub.caller import HubCaller
from bridge.hub.errors import HubError
from bridge.hub.rest import HubApi

EVERY_S = 4.0
MOST = 100
"""Sessions that are listed: those changed last."""

Json = dict[str, Any]


class OwnHub:
    """``sessions`` as the page lists them, None until the hub has answered; ``trouble`` says why it does not.
    ``changed`` hears when either is another.
    """

    def __init__(self, url: str, token: str, changed: Callable[[], None], *, every_s: float = EVERY_S) -> None:
        self.url = url
        self.sessions: list[Json] | None = None
        self.trouble = ""
        self._token = token
        self._changed = changed
        self._every_s = every_s

    async def watch(self) -> None:
        """Ask until cancelled."""
        async with httpx.AsyncClient() as http:
            api = HubApi(HubCaller(http, self.url, TokenSource(http, self.url, self._token)))
            while True:
                before = self.sessions, self.trouble
                try:
                    self.sessions, self.trouble = [_listed(each) for each in await api.sessions(limit=MOST)], ""
                except HubError as error:
                    self.trouble = str(error)
                if before != (self.sessions, self.trouble):
                    self._changed()
                await asyncio.sleep(self._every_s)


def _listed(summary: Json) -> Json:
    """A session of the hub's list as the page shows it, whatever is missing there."""
    metadata = summary.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    pending = summary.get("pendingRequestsCount")
    return {
        "id": str(summary.get("id", "")),
        "title": str(about.get("name") or about.get("path") or "?"),
        "active": summary.get("active") is True,
        "thinking": summary.get("thinking") is True,
        "flavor": str(about.get("flavor") or ""),
        "pending": pending if isinstance(pending, int) else 0,
    }

"""Stopping a session's turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bridge.hub.errors import HubError, HubUnreachable
from bridge.hub.rest import HubApi
from bridge.relay.desk import Desk


async def stop_session(desk: Desk, api: HubApi, session_id: str, *, tries_s: Sequence[float] = ()) -> str | None:
    """Ask the hub to stop a session's turn, again after each of ``tries_s`` while it can't be reached.

    ``None`` if the hub took it, else words on why not. The turn is marked before the call, since it may end before the
    answer comes.
    """
    await _mark(desk, session_id, asked=True)
    waits = list(tries_s)
    while True:
        try:
            await api.abort(session_id)
        except HubError as error:
            if isinstance(error, HubUnreachable) and waits:
                await asyncio.sleep(waits.pop(0))
                continue
            await _mark(desk, session_id, asked=False)
            return error.spoken()
        return None


async def _mark(desk: Desk, session_id: str, *, asked: bool) -> None:
    async with desk.lock:
        follower = desk.of_session(session_id)
        if follower is not None:
            follower.stop_asked(asked)

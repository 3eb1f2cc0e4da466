"""A session comes up: one that ended goes on, perhaps under another id, which its lineage then follows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from bridge.hub.errors import HubUnreachable, NotFound
from bridge.hub.rest import HubApi
from bridge.language import N_
from bridge.relay.desk import Desk
from bridge.relay.follow.sessions import SessionView
from bridge.relay.people.sessions.facts import followed

Json = Mapping[str, Any]
UP_S: Final = 20.0
"""How long a session that was started or resumed is given to come up."""
LOOK_S: Final = 0.25


async def up(api: HubApi, session_id: str) -> Json:
    """The record of a session that was just started or resumed, once it runs; as it is, if it does not within `UP_S`.

    A hub that can't be reached is asked again meanwhile: what was started is there. Raises ``HubError``.
    HAPI answers when the session is made. Messages it takes only from its CLI's first sign of life on, which on a busy
    computer comes seconds later (seen on a real hub): until then it says that the session is not running.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + UP_S
    while True:  # no event wakes this
        try:
            record = await api.session(session_id)
            if record.get("active") or loop.time() >= until:
                return record
        except HubUnreachable:
            if loop.time() >= until:
                raise
        await asyncio.sleep(LOOK_S)


async def carry_on(desk: Desk, api: HubApi, record: Json) -> Json:
    """Resume a session; its record as it goes on. Raises ``HubError``.

    It is followed before the hub is asked, so that whatever its agent says from then on has a place; and it is known
    what goes on before that is waited for, so that the successor is not met as a stranger and shown in another place.
    """
    view = SessionView(record)
    follower = await followed(desk, api, record)
    successor = await api.resume(view.id)
    if successor != view.id:
        async with desk.lock:
            await desk.succeed(follower, successor)
    fresh = await up(api, successor)
    async with desk.lock:
        session = desk.sessions.replace(fresh)
        if session is None:
            raise NotFound(N_("The hub does not know this (any more)."))
        if desk.of_session(successor) is follower:
            follower.session_changed(session, desk.clock())
        await desk.commit()
    return fresh

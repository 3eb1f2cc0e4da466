"""A session that ended goes on, perhaps under another id, which its lineage then follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.hub.rest import HubApi
from bridge.relay.desk import Desk
from bridge.relay.follow.sessions import SessionView
from bridge.relay.people.sessions.facts import fetch, followed, up


async def carry_on(desk: Desk, api: HubApi, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Resume a session; its record as it goes on. Raises ``HubError``.

    It is followed before the hub is asked, so that whatever its agent says from then on has a place.
    """
    view = SessionView(record)
    follower = await followed(desk, api, record)
    successor = await api.resume(view.id)
    fresh = await up(api, successor)
    if successor == view.id:
        return await fetch(desk, api, view.id)
    async with desk.lock:
        await desk.succeed(follower, successor)
        session = desk.sessions.replace(fresh)
        if session is not None and desk.of_session(successor) is follower:
            follower.session_changed(session, desk.clock())
        await desk.commit()
    return fresh

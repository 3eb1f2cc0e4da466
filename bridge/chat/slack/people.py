"""Who somebody is: a name to show, and whether they belong to the workspace. Asked once in a while, by users.info."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from bridge.chat.errors import SurfaceError
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.payload import Json, child, string

MOST = 2000
LIFE_S = 600.0
"""A guest who becomes a member, or somebody who leaves, is known as such after ten minutes at most."""
LIMIT_S = 0.8
"""Slack waits three seconds for an acknowledgement; a name is not worth missing it."""

_log = logging.getLogger(__name__)


class People:
    """Names and standings, remembered for ten minutes."""

    def __init__(self, client: SlackClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Json]] = OrderedDict()
        self._asking = asyncio.Lock()

    async def about(self, user: str, team: str) -> Json:
        """``{"name", "standing"}`` of a user id; empty where Slack does not say, which counts as a stranger.

        ``team``: the workspace's own id.
        """
        at, who = self._known.get(user, (0.0, {}))
        if who and self._clock() - at < LIFE_S:
            return who
        try:
            async with asyncio.timeout(LIMIT_S), self._asking:
                again, known = self._known.get(user, (at, who))
                if again != at:  # somebody else has asked meanwhile
                    return known
                answer = await self._client.call("users.info", {"user": user})
        except (SurfaceError, TimeoutError) as error:
            _log.info("Slack does not say who %s is: %s", user, str(error) or "no answer in time")
            return who  # better an old answer than none
        who = _read(child(answer, "user"), team)
        self._known[user] = (self._clock(), who)
        self._known.move_to_end(user)
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        return who


def _read(user: Json, team: str) -> Json:
    profile = child(user, "profile")
    names = (string(profile, "display_name"), string(profile, "real_name"), string(user, "real_name"))
    return {"name": next(filter(None, names), string(user, "name")), "standing": _standing(user, team)}


def _standing(user: Json, team: str) -> str:
    if user.get("is_stranger") or user.get("deleted") or not string(user, "id"):
        return "stranger"
    # In an organization of several workspaces colleagues have another team, but the same enterprise.
    if team and string(user, "team_id") not in ("", team) and not child(user, "enterprise_user"):
        return "stranger"
    return "guest" if user.get("is_restricted") or user.get("is_ultra_restricted") else "member"

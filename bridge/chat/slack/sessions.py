"""Agent sessions: how a thread's session stands, shown by Slack itself, with a Stop button while it works.

(docs.slack.dev/ai/agent-sessions.) Only an app that is declared an agent may have them. Slack takes "processing" back
after an hour, so it is said again before that.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable

from bridge.cards.text import clean
from bridge.cards.words import cut, one_line
from bridge.chat.capabilities import State
from bridge.chat.errors import ChatGone, PlaceGone, Rejected
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.features import AGENTS, Features
from bridge.chat.slack.payload import Json, string

STATUSES: dict[State, str] = {"working": "processing", "waiting": "suspended", "idle": "active"}
KEEPS_S = 1800.0
MOST = 500
"""Threads whose status is remembered."""
TITLE = 200
NO_STOP = "without its Stop button, since the app does not subscribe to agent_session_stopped (slack-manifest)"
_OF_THIS_ONE = frozenset(["user_not_in_channel", "invalid_arguments"])
"""What Slack says of a call, not of the workspace."""

_log = logging.getLogger(__name__)


class Sessions:
    """The agent sessions of one workspace. ``clock``: seconds, monotonic."""

    def __init__(self, client: SlackClient, features: Features, clock: Callable[[], float]) -> None:
        self._client = client
        self._features = features
        self._clock = clock
        self._set: OrderedDict[tuple[str, str], tuple[str, float]] = OrderedDict()

    def status(self, channel: str, thread: str) -> str | None:
        """What a thread's session was last set to here, where there are sessions."""
        if not self._features.present(AGENTS):
            return None
        return self._set.get((channel, thread), (None, 0.0))[0]

    async def set(self, channel: str, thread: str, state: State, title: str, *, person: str, left: bool) -> None:
        """Set a thread's session to a state, made at need with this title, for this person of a DM (else empty).

        Where the workspace has none, and where it is so already, nothing. ``left``: see :class:`.surface.Standing`.
        """
        if not self._features.usable(AGENTS):
            return
        where, status = (channel, thread), STATUSES[state]
        before, since = self._set.get(where, ("" if left or state != "idle" else status, self._clock()))
        known = self._features.present(AGENTS) or state == "idle"
        if before == status and known and (state != "working" or self._clock() - since < KEEPS_S):
            return
        params: Json = {"channel_id": channel, "thread_ts": thread, "status": status}
        params |= {"title": cut(one_line(clean(title)), TITLE) or None, "initiator_user_id": person or None}
        try:
            answer = await self._client.call("agents.sessions.setStatus", params)
        except (PlaceGone, ChatGone) as error:
            _log.debug("no agent session here: %s", error)
        except Rejected as error:
            if error.code not in _OF_THIS_ONE:
                self._features.refused(AGENTS, str(error))
                return
            _log.warning("an agent session's status is not shown: %s", error)
        else:
            self._features.found(AGENTS, NO_STOP if "agent_session_stopped" in string(answer, "warning") else "")
        self._keep(where, status)

    def moved(self, channel: str, thread: str, status: str) -> None:
        """Slack has set a thread's session by itself: a stream started there, or was stopped."""
        self._keep((channel, thread), status)

    def _keep(self, where: tuple[str, str], status: str) -> None:
        self._set[where] = (status, self._clock())
        self._set.move_to_end(where)
        if len(self._set) > MOST:
            self._set.popitem(last=False)

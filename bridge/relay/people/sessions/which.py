"""Which session is meant, where a command was written in a place that is no session's: a button each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_said
from bridge.cards.session.session_list import Listed, present_which
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.people.commands.table import Asked
from bridge.relay.people.sessions.listing import every_session


async def ask_which(
    desk: Desk,
    api: HubApi,
    asked: Asked,
    do: str,
    fitting: Callable[[Sequence[Listed]], Sequence[Listed]] = lambda sessions: sessions,
    *,
    words: str = "",
) -> Card:
    """Ask which session an act ``do`` is for, of the ``fitting`` ones that who asks may see; or say that there is none.

    ``words``: what the act needs besides.
    """
    every = await every_session(desk, api, asked.received.leave)
    found = fitting(every.sessions)
    if not found:
        return every.told(present_said(tr("There is no session for that.")))
    return every.told(present_which(tr("Which session?"), found, do, {"words": words} if words else {}))


async def ask_which_running(desk: Desk, api: HubApi, asked: Asked, do: str) -> Card:
    """Ask which of the sessions that are active an act ``do`` is for; or say that none is."""
    every = await every_session(desk, api, asked.received.leave)
    active = [each for each in every.sessions if each.active]
    if not active:
        none_runs = tr("No session is running. /new starts one.")
        return every.told(present_said(tr("There is no session for that.") if every.elsewhere else none_runs))
    return every.told(present_which(tr("Which session?"), active, do))

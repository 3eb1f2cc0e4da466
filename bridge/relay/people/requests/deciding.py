"""Deciding: the calls to the hub that a claim stands for, with the second half some of them have.

The permission, or its denial, stands once the first call came back. What goes wrong after it undoes nothing: it is only
said, where the session is shown.
"""

from __future__ import annotations

import asyncio

from bridge.cards.own.bridge_notes import present_command_error
from bridge.hub.errors import HubError, HubUnreachable, NotPending
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.notes import note
from bridge.relay.people.stopping import stop_session
from bridge.store import conversations
from bridge.store.records import Decision

TRIES_S = (1.0, 2.0, 4.0, 8.0)
"""Waits between the tries while the hub can't be reached. After a decision's last one the buttons come back."""


async def decide(desk: Desk, api: HubApi, claim: Decision) -> None:
    """Bring a claim's choice to the hub: its call, once; then its second half, again while the hub can't be reached.

    Raises what the first call raises (:class:`~bridge.hub.errors.HubError`).
    """
    choice = claim.choice
    if choice["call"] == "approve":
        await api.approve(claim.session_id, claim.request_id, **choice.get("with", {}))
        if "mode" in choice:
            await _switch(desk, api, claim, str(choice["mode"]))
        return
    try:
        await api.deny(claim.session_id, claim.request_id, **choice.get("with", {}))
    except NotPending:
        if not choice.get("stop"):
            raise
    if choice.get("stop"):
        await _stop(desk, api, claim)


async def tell_half_done(desk: Desk, claim: Decision, *, allowed: bool) -> None:
    """A decision of before a restart stands; its second half may not have been reached. It is not made up for, since
    time has gone by: what shows that it is missing is said. ``allowed``: what the hub says of the request."""
    follower, mode = desk.of_session(claim.session_id), claim.choice.get("mode")
    if follower is None:
        return
    if mode is not None and allowed and follower.session.mode != mode:
        said = tr("Allowed, but the mode was not switched: the bridge was restarted in between.")
        await _say(desk, claim, f"not-switched/{claim.id}", said)
    if claim.choice.get("stop") and not allowed and follower.running:
        said = tr("Denied, but the turn was not stopped: the bridge was restarted in between.")
        await _say(desk, claim, f"not-stopped/{claim.id}", said)


async def _stop(desk: Desk, api: HubApi, claim: Decision) -> None:
    """The second half of Stop. The denial stands by now, so trouble here releases nothing, but is said."""
    words = await stop_session(desk, api, claim.session_id, tries_s=TRIES_S)
    if words is not None:
        said = tr("Denied, but the turn could not be stopped: {why}", why=words)
        await _say(desk, claim, f"not-stopped/{claim.id}", said)


async def _switch(desk: Desk, api: HubApi, claim: Decision, mode: str) -> None:
    """The second half of Allow and switch mode. The permission stands by now, so trouble here is only said."""
    waits = list(TRIES_S)
    while True:
        try:
            await api.configure(claim.session_id, "permission-mode", mode)
        except HubError as error:
            if isinstance(error, HubUnreachable) and waits:
                await asyncio.sleep(waits.pop(0))
                continue
            said = tr("Allowed, but the mode could not be switched: {why}", why=error.spoken())
            await _say(desk, claim, f"not-switched/{claim.id}", said)
        return


async def _say(desk: Desk, claim: Decision, what: str, words: str) -> None:
    follower = desk.of_session(claim.session_id)
    lineage = follower.lineage if follower is not None else claim.session_id
    async with desk.store.begin() as tx:
        for place in await conversations.bound(tx, lineage):
            await note(tx, place, what, present_command_error(words), desk.clock())
    desk.nudge()

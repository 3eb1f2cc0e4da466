"""Presses about a running turn: stop it."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.people.presses.pressed import Known, Pressed, Refused, Words
from bridge.relay.people.stopping import stop_session


@dataclass(frozen=True, slots=True)
class TurnPresses:
    """Carries out presses about turns."""

    desk: Desk
    api: HubApi

    def handlers(self) -> dict[str, Known]:
        """By the act's name."""
        return {"stop": Known(self._stop, waits=True, audited=True)}

    async def _stop(self, pressed: Pressed) -> Words:
        words = await stop_session(self.desk, self.api, pressed.act.session or "")
        if words is not None:
            raise Refused(tr("Not stopped: {why}", why=words))
        return tr("Stopping…")

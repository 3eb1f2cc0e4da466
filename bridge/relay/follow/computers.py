"""Computers: told to the sessions on them when one goes off, or comes back."""

from __future__ import annotations

from bridge.cards.turn.notices import present_machine_off, present_machine_on
from bridge.hub.events import HubEvent
from bridge.relay.desk import Desk


class Computers:
    """Remembers which computers were on when the hub last spoke of them. What was never heard of is no news."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._on: dict[str, bool] = {}

    async def changed(self, event: HubEvent) -> None:
        """Take a ``machine-updated`` event, with the desk's lock; what is to be said is stored with the next commit."""
        record = event.data.get("data")
        machine_id, active = event.data.get("machineId"), record.get("active") if isinstance(record, dict) else None
        if not isinstance(machine_id, str) or not isinstance(active, bool):
            return
        before = self._on.get(machine_id)
        self._on[machine_id] = active
        if before is None or before == active:
            return
        async with self._desk.lock:
            for follower in self._desk.live():
                if machine_id in follower.session.machines:
                    name = follower.session.machine
                    notice = present_machine_on(name) if active else present_machine_off(name)
                    follower.say(f"machine/{event.id}", notice)

"""Taking messages back from the hub's queue, while the agent has not taken them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import structlog

from bridge.hub.errors import HubError, HubUnreachable
from bridge.hub.rest import HubApi
from bridge.relay.desk import Desk
from bridge.store import says
from bridge.store.records import SayRecord

Outcome = Literal["back", "taken", "unknown"]
"""It is withdrawn; the agent has it; the hub could not say, so it stays as it was."""
BUSY_S: Final[Sequence[float]] = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Waits between the tries to take a message back."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TakingBack:
    """Asks the hub for messages back."""

    desk: Desk
    api: HubApi

    async def take_back(self, say: SayRecord) -> Outcome:
        """Withdraw a message from the hub's queue. Takes up to a minute while the hub can't say. Changes no row."""
        for wait_s in (*BUSY_S, 0.0):
            async with self.desk.store.read() as tx:
                now = await says.get(tx, say.local_id)
            if now is None or now.state == "cancelled":
                return "back"  # the hub told of it before it answered, or we went down in between
            if now.state == "taken":
                return "taken"
            if now.state == "queued":
                try:
                    status = (await self.api.cancel_message(now.session_id, say.local_id)).get("status")
                except HubError as error:
                    log.info("say.not_taken_back", local_id=say.local_id, error=str(error))
                    status = "busy" if isinstance(error, HubUnreachable) else "refused"
                if status in ("cancelled", "invoked", "refused"):
                    found: dict[str, Outcome] = {"cancelled": "back", "invoked": "taken"}
                    return found.get(str(status), "unknown")
            await asyncio.sleep(wait_s)
        return "unknown"

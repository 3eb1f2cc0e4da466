"""What somebody did, as it came in and is handed on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bridge.chat.intents import Intent
from bridge.relay.desk import Link
from bridge.relay.people.beside import Later
from bridge.relay.people.roles.roles import NOBODY, Leave
from bridge.store import inbox
from bridge.store.engine import Tx


@dataclass(frozen=True, slots=True)
class Received:
    """An intent with what is known of its arrival, and of who acts."""

    link: Link
    intent: Intent
    update_id: str
    received_ms: int
    row: int = 0
    late_since_ms: int | None = None
    """When the platform had last been heard before this came, if that was long before: it may be as old as that."""
    leave: Leave = NOBODY
    """What the person may do; filled in by dispatch."""
    again: Callable[[], Awaitable[Later | None]] | None = None
    """Hands the intent to dispatch once more, for what has waited meanwhile: whoever acts is asked again."""

    async def settle(self, tx: Tx) -> None:
        """Note that the update was carried out, in the transaction of what must not happen twice."""
        await inbox.done(tx, self.row)

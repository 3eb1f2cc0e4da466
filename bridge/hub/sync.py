"""skeleton"""

from dataclasses import dataclass

from bridge.hub.rest import HubApi
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Json, Position


@dataclass(frozen=True, slots=True)
class Collected:
    """Messages after an anchor, in order ``(invokedAt ?? createdAt, seq)``."""

    messages: tuple[Json, ...]
    epoch: int | None
    head: Position | None
    reset: bool
    """The history changed since the anchor's epoch: rows may also have vanished or moved."""
    complete: bool
    """False if ``most`` cut older rows off."""


class MessageSync:
    def __init__(self, api: HubApi) -> None:
        raise NotImplementedError

    async def tail(self, session_id: str, window: MessageWindow) -> bool:
        """Bring the window up to the hub's newest message; one sync at a time per session. True if it was replaced."""
        raise NotImplementedError

    async def queued_state(self, session_id: str, window: MessageWindow) -> bool:
        """After a gap: settle what became of the queued rows."""
        raise NotImplementedError

    async def collect_after(
        self, session_id: str, anchor: Position | None, epoch: int | None, *, most: int = 20_000
    ) -> Collected:
        """Every message after the anchor (None: the latest page plus queued rows)."""
        raise NotImplementedError

"""skeleton"""

from typing import Any

from bridge.hub.wire import Json, Position


class MessageWindow:
    """The newest messages of one session, in order, kept up to date from pages and events. Pure."""

    epoch: int | None
    newest: Position | None
    older: Position | None
    has_more: bool

    def __init__(self, *, limit: int | None = 400) -> None:
        raise NotImplementedError

    @property
    def messages(self) -> list[Json]:
        """Display order; each the hub's message, plus a client-side ``status`` where one is known."""
        raise NotImplementedError

    def ingest(self, messages: list[Json]) -> bool:
        """``message-received``. True if what is shown changed."""
        raise NotImplementedError

    def consumed(self, local_ids: list[str], invoked_at: int) -> bool:
        raise NotImplementedError

    def indeterminate(self, local_ids: list[str]) -> bool:
        raise NotImplementedError

    def requeued(self, local_ids: list[str]) -> bool:
        raise NotImplementedError

    def cancelled(self, message_id: str | None, local_id: str | None = None) -> bool:
        raise NotImplementedError

    def invalidate(self) -> None:
        """``messages-invalidated``: the next tail sync starts from scratch."""
        raise NotImplementedError

    def queued_local_ids(self) -> list[str]:
        raise NotImplementedError

    def apply_queued_state(self, asked: list[str], answer: Any) -> bool:
        raise NotImplementedError

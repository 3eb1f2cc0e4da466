"""What drawing a lineage's posts needs to know of it. A follower is one."""

from __future__ import annotations

from typing import Protocol

from bridge.relay.follow.requests import RequestBook
from bridge.relay.follow.sessions import SessionView


class Subject(Protocol):
    """A lineage as it stands."""

    requests: RequestBook
    session: SessionView
    own_origins: tuple[str, ...]
    """What the ``localId`` of messages written on our own surfaces starts with."""
    echoes: dict[str, str]
    """Posts of messages that were written on one of our surfaces, which is not to repeat them, with its name."""

    approvers: bool
    """Whether others than the owner may decide its requests now."""
    second_approver: bool
    """Whether two people must allow what is dangerous."""
    rooms: bool
    """Whether any session is shown in a room, where details hang under a turn as posts of their own."""

    @property
    def lineage(self) -> str: ...

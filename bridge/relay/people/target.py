"""Whom somebody's words are for."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.relay.follow.follower import Follower
from bridge.relay.follow.requests import Request


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a text is for: one follower, or a card it replies to, or several to choose from."""

    follower: Follower | None = None
    request: Request | None = None
    """The request whose card was replied to."""
    choices: tuple[Follower, ...] = ()
    gone: bool = False
    """It replies to a message of a session that is no more."""
    attaches: bool = False
    """It was said where no session is shown: the one that is chosen will be shown there, so that its answer is."""

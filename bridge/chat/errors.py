"""What a platform's call may end in. Each surface turns its platform's own errors into these; the words are for people.

Which of a platform's answers means what stands in ``telegram/errors.py`` and ``slack/errors.py``.
"""

from __future__ import annotations


class SurfaceError(Exception):
    """A platform call that did not succeed. The words are for people and hold no secret (invariant 7)."""


class RetryAfter(SurfaceError):
    """The platform asked to wait. Nothing was posted."""

    def __init__(self, seconds: float, *, whole_bot: bool = False, edits_only: bool = False) -> None:
        """``edits_only``: no message of the bot may be changed meanwhile, but others may be posted."""
        super().__init__(f"asked to wait {seconds:g} s")
        self.seconds = seconds
        self.whole_bot = whole_bot
        self.edits_only = edits_only


class Unreachable(SurfaceError):
    """The platform was certainly not reached, or refused without doing it: safe to repeat."""


class OutcomeUnknown(SurfaceError):
    """The call went out and no answer came: it may or may not have been done (invariant 3)."""


class Rejected(SurfaceError):
    """The platform will never take this payload; repeating is useless. ``str()`` says why."""

    def __init__(self, words: str = "", code: str = "") -> None:
        """``code``: the platform's own word for it, where it has one."""
        super().__init__(words)
        self.code = code


class MessageGone(SurfaceError):
    """The message to edit no longer exists."""


class PlaceGone(SurfaceError):
    """The topic or thread no longer exists, or topics were switched off; the chat itself is still there."""


class ChatGone(SurfaceError):
    """The chat does not take messages from this bot: blocked, kicked, deleted. Pause, don't loop."""


class ChatMoved(SurfaceError):
    """The chat has a new id."""

    def __init__(self, chat: str) -> None:
        super().__init__(f"the chat is now {chat}")
        self.chat = chat


class LoginRefused(SurfaceError):
    """The platform refuses the token: nothing will work until the configuration is mended."""


class AnotherPoller(SurfaceError):
    """Somebody else fetches this bot's updates (Telegram's 409)."""

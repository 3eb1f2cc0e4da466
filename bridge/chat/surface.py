"""What a platform must do for the bridge: one small protocol that every surface satisfies.

What it may do besides, it announces (``capabilities.py``). Everything here is awaited with a limit (invariant 8) and
raises only the errors of ``errors.py``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bridge.cards.model import Card, File, Line


@dataclass(frozen=True, slots=True)
class Place:
    """A spot on a platform where a session's posts appear: a chat, a topic or thread in it."""

    conversation: int
    """The store's id of the conversation."""
    chat: str
    thread: str | None = None
    """The platform's topic or thread; ``None`` where the chat itself is the place."""
    header: Line = ()
    """Line that names the session, where several sessions share one place; else empty."""
    room: bool = False
    """The chat is one session's own (``Roomed``). ``thread`` is then a message under which a post hangs."""


@dataclass(frozen=True, slots=True)
class Part:
    """One platform message of a post, ready to be sent: a pure function of card and place."""

    kind: Literal["text", "file"]
    payload: dict[str, Any]
    """The platform's own parameters, without address, ring and reply."""
    file: File | None = None
    content: bytes | None = None
    """The bytes of a file that has a ``source``; put in before it is sent."""
    live: dict[str, Any] | None = None
    """The same in a form that grows, where the platform can show work while it is done (see ``Card.progress``). Whether
    a message is shown so is the surface's own affair: it takes sends and edits of either form."""

    @property
    def digest(self) -> str:
        """Hash of everything the reader would see."""
        body = [self.kind, self.payload, self.file.model_dump() if self.file else None]
        body += [self.live] if self.live is not None else []
        text = json.dumps(body, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast a surface may speak. Sends and edits share the budgets."""

    chat_interval_s: float = 1.0
    """Mean seconds between calls to one chat (topics and threads share their chat's)."""
    chat_burst: int = 3
    bot_per_s: float = 25.0
    """Calls per second of the whole bot."""
    edit_interval_s: float = 3.0
    """Least seconds between two preview edits of one message."""
    group_interval_s: float | None = None
    """Mean seconds between calls to one chat of many people, where those have a rate of their own besides."""
    group_burst: int = 4

    def faster(self, factor: float) -> Rates:
        """The same shape, ``factor`` times as fast (tests)."""
        return Rates(
            self.chat_interval_s / factor,
            self.chat_burst,
            self.bot_per_s * factor,
            self.edit_interval_s / factor,
            self.group_interval_s / factor if self.group_interval_s is not None else None,
            self.group_burst,
        )


class Surface(Protocol):
    """One platform's bot."""

    name: str
    """Short word used in the store and in ``localId`` and ``sentFrom``: ``telegram``, ``slack``."""
    rates: Rates
    capabilities: frozenset[str]

    def render(self, key: str, card: Card, place: Place) -> list[Part]:
        """Draw a card as the platform's messages. Pure and total (invariant 5); at least one part.

        ``key`` is the post's key, from which button tokens are made (``cards.model.button_token``).
        """
        ...

    def duller(self, part: Part) -> Part | None:
        """A plainer form of a part that was rejected (no styles, no buttons that are not needed), or ``None``."""
        ...

    async def send(
        self, place: Place, part: Part, *, ring: bool, reply_to: str | None = None, key: str, index: int
    ) -> str:
        """Post one part and return the platform's message id. ``key`` and ``index`` mark it where metadata exists.

        Raises the errors of :mod:`bridge.chat.errors`.
        """
        ...

    async def edit(self, place: Place, message: str, part: Part) -> None:
        """Change a message in place. "Not modified" is success. :class:`MessageGone` if it no longer exists."""
        ...

    async def delete(self, place: Place, message: str) -> None:
        """Delete a message; one that is gone already is success. :class:`Rejected` where it no longer can be."""
        ...

    async def find(self, place: Place, key: str, index: int, since_ms: int) -> str | None:
        """The message that a send of unknown outcome left, if any (capability ``find``)."""
        ...

    async def open_place(self, chat: str, title: str, *, mark: str = "", wanted_ms: int | None = None) -> str | None:
        """Make a topic or thread for a session; its id, or ``None`` where the chat has none (any more).

        ``mark`` is this place's alone, and ``wanted_ms`` says since when (epoch ms) it may have been made without our
        knowing: a platform that can be asked is asked first.
        """
        ...

    async def rename_place(self, place: Place, title: str) -> None: ...

    async def typing(self, place: Place) -> None:
        """Show that somebody is at work, for the few seconds the platform keeps it up."""
        ...

    async def react(self, place: Place, message: str, mark: Literal["queued", "taken", "failed", "none"]) -> None:
        """Mark a person's message."""
        ...

    async def acknowledge_press(self, press: str, text: str, *, alert: bool = False) -> None:
        """Answer a button press, visible to the presser alone. A press too old to answer is success."""
        ...

    def updates(self) -> AsyncIterator[Sequence[RawUpdate]]:
        """Batches of what people did, oldest first; asking for the next batch confirms the one before. An empty batch
        says that the platform was heard.

        The caller stores a batch before it asks on (invariant 1). Raises :class:`SurfaceError` when the platform
        can't be reached or refuses; iterate anew to go on. Waiting between tries is the caller's.
        """
        ...


@dataclass(frozen=True, slots=True)
class RawUpdate:
    """One update as the platform delivered it, with the id it is deduplicated by."""

    id: str
    payload: dict[str, Any] = field(hash=False)

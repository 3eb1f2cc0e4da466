"""What a platform must do for the bridge, and what it may.

One small protocol that every surface satisfies, and capabilities it announces; the core asks for a capability, never
for a platform by name. Everything here is awaited with a limit (invariant 8) and raises only the errors below.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

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
    """The chat is one session's own (:class:`Roomed`). ``thread`` is then a message under which a post hangs."""


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


class Capability:
    """Names a surface may put into :attr:`Surface.capabilities`."""

    TOPICS = "topics"
    """Can make a place of its own for each session (``open_place``)."""
    TYPING = "typing"
    REACTIONS = "reactions"
    FIND = "find"
    """Can be asked whether a send of unknown outcome arrived (``find``)."""
    REPLIES = "replies"
    """A person's message can be a reply to one certain message of the bot."""
    FORMS = "forms"
    """Can ask the presser of a button for words (:class:`Asking`)."""
    STATES = "states"
    """Can show how the session of a place stands (:class:`Standing`)."""
    LEARNS = "learns"
    """Finds out what its workspace has, and wants to be reminded of it (:class:`Learning`)."""
    PINS = "pins"
    """Can keep a message in sight (:class:`Pinning`)."""
    POLLS = "polls"
    """Fetches what people did, and hears the platform every minute or so, be there news or not: how old news may be is
    known by how long the platform was not heard before them."""
    GROUPS = "groups"
    """Chats of many people have a rate of their own (:class:`Grouping`)."""
    PAGE = "page"
    """Has a page of the bot's own for each person (:class:`Paged`). A press there has an empty ``message``."""
    ROOMS = "rooms"
    """Can make a chat for each session, in which posts can hang under another post's message (:class:`Roomed`)."""


@dataclass(frozen=True, slots=True)
class Form:
    """A question to one person. Their answer comes as the press of ``token`` again, with ``text``."""

    token: str
    title: str
    """Shortened where the platform has little room (Slack: 24 characters)."""
    label: str
    hint: str = ""
    submit: str = ""
    """On the button that sends it; empty: *Send*."""
    needed: bool = True
    """Whether it may not be left empty."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """Whether a workspace has a feature of its platform that not every one has."""

    feature: str
    state: Literal["present", "refused"]
    why: str
    """The platform's words, where it refused."""
    at_ms: int
    """When it was found so (epoch ms)."""


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

        Raises the errors of this module.
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


@runtime_checkable
class Asking(Protocol):
    """What a surface with the capability ``forms`` has besides."""

    async def ask(self, press: str, form: Form) -> None:
        """Open a form for the person whose press (``Press.press``) this was. :class:`Rejected` if it is too old."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """A chat to make for one session."""

    title: str
    about: str
    """What it is for, in words for people: the session's directory and machine."""
    mark: str
    """Stays the same for the session, whatever it is called: a room that was made, or half made, is known by it."""
    taken: frozenset[str] = frozenset()
    """Chats that are other sessions' rooms."""


@runtime_checkable
class Roomed(Protocol):
    """What a surface with the capability ``rooms`` has besides. ``rename_place`` renames rooms, too."""

    async def open_room(self, home: str, room: Room) -> str:
        """Make a room that the person of the chat ``home`` is in; its chat. One that was made before for the same
        session is taken up instead. :class:`Rejected` where there can be none, with words on what would help."""
        ...

    def keep_rooms(self, chats: Sequence[str]) -> None:
        """These chats are rooms, made earlier: whatever is written there is for their sessions."""
        ...


@runtime_checkable
class Pinning(Protocol):
    """What a surface with the capability ``pins`` has besides."""

    async def pin(self, place: Place, message: str) -> None:
        """Keep a message of ours in sight, without ringing. One that is pinned already is success."""
        ...


@runtime_checkable
class Linking(Protocol):
    """What a surface has whose places and messages have addresses."""

    def address(self, place: Place, message: str | None) -> str | None:
        """An https address that leads to a message, else to the place; ``None`` where there is none."""
        ...


@runtime_checkable
class Grouping(Protocol):
    """What a surface with the capability ``groups`` has besides."""

    def is_group(self, chat: str) -> bool:
        """Whether a chat is one of many people, for which :attr:`Rates.group_interval_s` holds."""
        ...


@runtime_checkable
class Paged(Protocol):
    """What a surface with the capability ``page`` has besides."""

    async def publish(self, person: str, cards: Sequence[tuple[str, Card]]) -> None:
        """Show these cards, each with its post's key, on the page of a person, in place of what was there."""
        ...


@dataclass(frozen=True, slots=True)
class RawUpdate:
    """One update as the platform delivered it, with the id it is deduplicated by."""

    id: str
    payload: dict[str, Any] = field(hash=False)


State = Literal["working", "waiting", "idle"]
"""How a session stands: its agent is at work, waits for a person's decision, or neither."""


@runtime_checkable
class Standing(Protocol):
    """What a surface with the capability ``states`` has besides."""

    async def stand(self, place: Place, state: State, title: str, *, left: bool = False) -> None:
        """Show how the place's session, called ``title``, stands. Said again and again while it is so. ``left``: a
        former process may have left another state there."""
        ...


@runtime_checkable
class Learning(Protocol):
    """What a surface with the capability ``learns`` has besides."""

    def recall(self, known: Sequence[Learnt]) -> None:
        """All that is known of the workspace; what is not among it is to be found out (again)."""
        ...

    def news(self) -> Sequence[Learnt]:
        """What was found out since this was asked last."""
        ...


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

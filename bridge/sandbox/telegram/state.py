"""What the sandbox Telegram remembers: users, chats, topics, messages with their history.

Tests and the page observe these objects; only the server and the people in it change them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(slots=True, eq=False)
class User:
    """A person, or the bot. ``has_blocked_bot`` makes every send to the private chat fail with 403."""

    id: int
    name: str
    username: str | None = None
    is_bot: bool = False
    has_blocked_bot: bool = False


@dataclass(slots=True, eq=False)
class Topic:
    """A forum topic, in a supergroup or in a private chat. ``id`` is the ``message_thread_id``."""

    id: int
    name: str
    icon_color: int = 7322096
    icon_custom_emoji_id: str | None = None
    closed: bool = False
    deleted: bool = False


@dataclass(slots=True, frozen=True)
class File:
    """Bytes sent by either side. ``kind`` is ``document`` or ``photo``; ``claimed_size`` pretends a big file."""

    id: str
    kind: str
    name: str
    mime: str
    data: bytes = field(repr=False)
    claimed_size: int | None = None

    @property
    def size(self) -> int:
        """Bytes, as the Bot API reports them."""
        return len(self.data) if self.claimed_size is None else self.claimed_size


@dataclass(slots=True, frozen=True)
class Button:
    """One inline button as the person sees it; ``raw`` is what the bot sent."""

    row: int
    column: int
    text: str
    data: str | None
    url: str | None
    copy_text: str | None
    style: str | None
    disabled: bool
    raw: Json


@dataclass(slots=True, frozen=True)
class Revision:
    """What a message said from ``at`` (seconds since the epoch) on. The first one is the message as sent."""

    at: float
    text: str
    entities: tuple[Json, ...]
    reply_markup: Json | None
    file: File | None


@dataclass(slots=True, frozen=True)
class CallbackAnswer:
    """What the bot answered to a press: a toast, or an alert box to close. ``text`` may be empty."""

    at: float
    text: str
    alert: bool
    url: str | None = None


@dataclass(slots=True, eq=False)
class Callback:
    """A press and its answer. Telegram gives a press no time; ``at`` is the sandbox's own note."""

    id: str
    at: float
    message: "Message"
    user: User
    data: str
    answer: CallbackAnswer | None = None


@dataclass(slots=True, eq=False)
class Message:
    """A message in a chat. ``text`` is the caption where ``file`` is set. Times are seconds since the epoch.

    ``silent`` means that it did not ring; ``reactions`` maps a user id to emoji; ``service`` holds the extra fields
    of a service message (``forum_topic_created`` and so on); ``preview`` tells whether links may be previewed.
    """

    chat: "Chat" = field(repr=False)
    id: int
    sender: User
    at: float
    text: str = ""
    entities: list[Json] = field(default_factory=list)
    reply_markup: Json | None = None
    thread: int | None = None
    reply_to: int | None = None
    silent: bool = False
    preview: bool = True
    file: File | None = None
    media_group: str | None = None
    deleted: bool = False
    edited_at: float | None = None
    reactions: dict[int, list[str]] = field(default_factory=dict)
    history: list[Revision] = field(default_factory=list, repr=False)
    service: Json | None = None

    @property
    def from_bot(self) -> bool:
        return self.sender.is_bot

    @property
    def edits(self) -> list[Revision]:
        """What it was changed to, one after another; empty for a message never edited."""
        return self.history[1:]

    @property
    def buttons(self) -> list[Button]:
        """The inline buttons in reading order."""
        return list(self._buttons())

    def button(self, text_or_data: str) -> Button:
        """The button with this text or callback data. Raises LookupError naming the buttons there are."""
        found = self.find_button(text_or_data)
        if found is None:
            raise LookupError(f"no button {text_or_data!r} on {self.id}; there are {[b.text for b in self.buttons]}")
        return found

    def find_button(self, text_or_data: str) -> Button | None:
        """The button with this text or callback data, exact matches first, then texts that contain it."""
        buttons = self.buttons
        exact = [b for b in buttons if text_or_data in (b.text, b.data)]
        return next(iter(exact or [b for b in buttons if text_or_data in b.text]), None)

    def marked(self, kind: str) -> list[str]:
        """The pieces of text under entities of this type (``bold``, ``pre``, ``blockquote``…), in order."""
        units = self.text.encode("utf-16-le")
        spans = [(e["offset"] * 2, (e["offset"] + e["length"]) * 2) for e in self.entities if e["type"] == kind]
        return [units[start:end].decode("utf-16-le") for start, end in spans]

    def record(self, at: float) -> None:
        """Adds what it says now to the history."""
        self.history.append(Revision(at, self.text, tuple(self.entities), self.reply_markup, self.file))

    def _buttons(self) -> Iterator[Button]:
        for row, line in enumerate((self.reply_markup or {}).get("inline_keyboard", [])):
            for column, raw in enumerate(line):
                copied = raw.get("copy_text")
                yield Button(
                    row,
                    column,
                    raw["text"],
                    raw.get("callback_data"),
                    raw.get("url"),
                    copied and copied["text"],
                    raw.get("style"),
                    "disabled" in raw,
                    raw,
                )


@dataclass(slots=True, eq=False)
class Chat:
    """A private chat, a basic group, or a supergroup. ``messages`` is in order of sending, deleted ones marked.

    ``actions`` lists what the bot was seen doing ("typing"), as (time, action, thread).
    """

    id: int
    kind: str
    title: str
    has_topics: bool = False
    members: dict[int, User] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list, repr=False)
    topics: dict[int, Topic] = field(default_factory=dict)
    pinned: list[int] = field(default_factory=list)
    actions: list[tuple[float, str, int | None]] = field(default_factory=list, repr=False)
    migrated_to: int | None = None
    bot_removed: bool = False
    next_id: int = 1

    @property
    def is_private(self) -> bool:
        return self.kind == "private"

    @property
    def person(self) -> User:
        """The person of a private chat."""
        return self.members[self.id]

    @property
    def visible(self) -> list[Message]:
        """The messages still there, service messages left out."""
        return [m for m in self.messages if not m.deleted and m.service is None]

    @property
    def from_bot(self) -> list[Message]:
        """The bot's messages still there, in order."""
        return [m for m in self.visible if m.from_bot]

    def message(self, message_id: int) -> Message | None:
        """The message with this id, unless it was deleted."""
        return next((m for m in reversed(self.messages) if m.id == message_id and not m.deleted), None)

    def find(self, text: str, *, thread: int | None = None) -> Message | None:
        """The newest visible message containing ``text``, in any thread unless one is named."""
        near = (m for m in reversed(self.visible) if thread is None or m.thread == thread)
        return next((m for m in near if text in m.text), None)

    def topic(self, name: str) -> Topic | None:
        """The topic with this name that was not deleted."""
        return next((t for t in self.topics.values() if t.name == name and not t.deleted), None)

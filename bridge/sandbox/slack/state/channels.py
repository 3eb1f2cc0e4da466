"""Channels, their messages with all they said before, and the agent sessions of threads."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bridge.sandbox.slack.state.streams import Stream
from bridge.sandbox.slack.state.users import User
from bridge.sandbox.slack.walk import Placed, find_element, mentions_in, placed_elements, texts_in

Json = dict[str, Any]
STATUS_S = 120.0
"""A status line goes by itself after so long without a message (docs.slack.dev, assistant.threads.setStatus)."""


@dataclass(slots=True, eq=False)
class File:
    """A file, or the place for one: ``data`` is None until it was uploaded, ``shared`` tells whether it was posted."""

    id: str
    name: str
    mime: str
    user: User
    size: int
    data: bytes | None = field(default=None, repr=False)
    title: str = ""
    snippet_type: str | None = None
    created: float = 0.0
    channels: list[str] = field(default_factory=list)
    shared: bool = False


@dataclass(slots=True, frozen=True)
class Revision:
    """What a message said from ``at`` (seconds since the epoch) on. The first one is the message as sent."""

    at: float
    text: str
    blocks: tuple[Json, ...]
    attachments: tuple[Json, ...]
    metadata: Json | None


@dataclass(slots=True, eq=False)
class Message:
    """A message in a channel. ``ts`` is its id in the channel; a thread's replies have its parent's as ``thread_ts``.

    ``ephemeral_to`` is who alone sees it; ``reactions`` maps a name to user ids; ``unfurls`` tells whether links may
    be previewed; ``username`` and ``icon`` are a post's own, where a bot gave them.
    """

    channel: "Channel" = field(repr=False)
    ts: str
    user: User
    at: float
    text: str = ""
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    thread_ts: str | None = None
    broadcast: bool = False
    subtype: str | None = None
    files: list[File] = field(default_factory=list)
    ephemeral_to: User | None = None
    stream: Stream | None = None
    deleted: bool = False
    edited_at: float | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    history: list[Revision] = field(default_factory=list, repr=False)
    unfurls: bool = True
    mrkdwn: bool = True
    link_names: bool = False
    username: str | None = None
    icon: Json | None = None
    extra: Json = field(default_factory=dict)

    @property
    def from_bot(self) -> bool:
        return self.user.is_bot

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread, below a parent."""
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def edits(self) -> list[Revision]:
        """What it was changed to, one after another; empty for a message never edited."""
        return self.history[1:]

    @property
    def all_blocks(self) -> list[Json]:
        """Its blocks and those of its attachments, in reading order."""
        return [*self.blocks, *(block for one in self.attachments for block in one.get("blocks", []))]

    @property
    def elements(self) -> list[Placed]:
        """The interactive elements in reading order."""
        return list(placed_elements(self.all_blocks))

    @property
    def buttons(self) -> list[Placed]:
        """The buttons in reading order."""
        return [one for one in self.elements if one.type == "button"]

    @property
    def mentions(self) -> list[str]:
        """Whom this message would ping, or name as a link: ``@U1``, ``!here``, ``#C1``, in reading order."""
        return mentions_in(self.text, self.all_blocks, mrkdwn=self.mrkdwn, link_names=self.link_names)

    @property
    def words(self) -> str:
        """All that a person reads in it: text where there are no blocks, else every text in blocks, attachments and
        the stream.
        """
        return "\n".join(_texts(self))

    def element(self, label_or_action_id: str) -> Placed:
        """The element with this label or action_id. Raises LookupError naming those there are."""
        return find_element(self.elements, label_or_action_id, f"message {self.ts}")

    def record(self, at: float) -> None:
        """Adds what it says now to the history."""
        self.history.append(Revision(at, self.text, tuple(self.blocks), tuple(self.attachments), self.metadata))


@dataclass(slots=True, eq=False)
class Channel:
    """A DM (``im``), a group DM (``mpim``), a ``public`` or a ``private`` channel.

    ``messages`` is in order of sending, replies and ephemeral ones among them, deleted ones marked. ``statuses`` lists
    what assistant.threads.setStatus showed, as (time, thread_ts, status); ``titles`` and ``prompts`` are by thread.
    """

    id: str
    kind: str
    name: str
    creator: User
    created: float
    members: dict[str, User] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list, repr=False)
    archived: bool = False
    topic: str = ""
    purpose: str = ""
    is_ext_shared: bool = False
    pinned: list[str] = field(default_factory=list)
    statuses: list[tuple[float, str, str]] = field(default_factory=list, repr=False)
    titles: dict[str, str] = field(default_factory=dict)
    prompts: dict[str, list[Json]] = field(default_factory=dict)

    @property
    def is_im(self) -> bool:
        return self.kind == "im"

    @property
    def person(self) -> User:
        """The person of a DM with the bot."""
        return next(user for user in self.members.values() if not user.is_bot)

    @property
    def visible(self) -> list[Message]:
        """The messages still there that everybody sees."""
        return [m for m in self.messages if not m.deleted and m.ephemeral_to is None]

    @property
    def from_bot(self) -> list[Message]:
        """The bots' messages still there, in order."""
        return [m for m in self.visible if m.from_bot]

    @property
    def top_level(self) -> list[Message]:
        """What stands in the channel itself, broadcast replies included."""
        return [m for m in self.visible if not m.is_reply or m.broadcast]

    def thread(self, parent: "Message | str") -> list[Message]:
        """The parent, where it is still there, and its replies, oldest first."""
        ts = parent if isinstance(parent, str) else (parent.thread_ts or parent.ts)
        return [m for m in self.visible if ts in (m.ts, m.thread_ts)]

    def ephemeral(self, user: User) -> list[Message]:
        """What was shown to this user alone and not replaced or removed since."""
        return [m for m in self.messages if m.ephemeral_to is user and not m.deleted]

    def message(self, ts: str) -> Message | None:
        """The message with this ts, unless it was deleted."""
        return next((m for m in reversed(self.messages) if m.ts == ts and not m.deleted), None)

    def find(self, text: str, *, thread: str | None = None) -> Message | None:
        """The newest visible message whose text or words contain ``text``, anywhere unless a thread is named."""
        near = self.visible if thread is None else self.thread(thread)
        return next((m for m in reversed(near) if text in m.text or text in m.words), None)

    def status(self, thread: str, now: float | None = None) -> str:
        """What the assistant's status line says in this thread at that time; empty for nothing. Without ``now``: what
        it said last, however long ago."""
        at, words = next(((at, words) for at, ts, words in reversed(self.statuses) if ts == thread), (0.0, ""))
        return words if now is None or now < at + STATUS_S else ""

    def status_until(self, thread: str) -> float:
        """When Slack takes the line away by itself (seconds since the epoch)."""
        return next((at + STATUS_S for at, ts, _ in reversed(self.statuses) if ts == thread), 0.0)


@dataclass(slots=True, eq=False)
class Session:
    """An agent session of a thread. ``status`` is processing, active, suspended or closed; ``warned`` that no Stop
    button is shown, since the app does not subscribe to it.
    """

    channel: Channel
    thread_ts: str | None
    status: str
    title: str
    initiator: User | None
    warned: bool
    history: list[tuple[float, str]] = field(default_factory=list)


def _texts(message: Message) -> Iterator[str]:
    if message.stream is not None and not message.stream.replaced:
        yield from message.stream.texts()
    if not message.all_blocks:
        yield message.text
    yield from texts_in(message.all_blocks)
    for one in message.attachments:
        yield from (one[name] for name in ("pretext", "title", "text") if one.get(name))

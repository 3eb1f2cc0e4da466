"""What the store hands out and takes in: frozen records, one per table row. All times are epoch milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from bridge.cards.levels import Level
from bridge.cards.model import Card

FollowState = Literal["live", "ended", "removed"]
ConversationKind = Literal["topic", "chat", "room"]
ConversationState = Literal["wanted", "open", "gone", "blocked"]
Urgency = Literal["approval", "answer", "notice", "preview"]
DeliveryState = Literal["open", "closed", "skipped", "failed"]
PartState = Literal["sending", "sent", "gone", "deleting"]
SayState = Literal["kept", "sending", "queued", "taken", "failed", "cancelled", "indeterminate", "joined"]
"""``kept`` here, ``sending``, ``queued`` in the hub, ``taken`` by the agent; ``joined``: part of another one."""
StartState = Literal["wanted", "sent", "done", "failed"]
DecisionState = Literal["claimed", "sent", "settled", "released"]


@dataclass(frozen=True, slots=True)
class Follow:
    """A lineage the bridge follows: the session it is now, and from where on its messages are shown."""

    lineage: str
    session_id: str
    title: str = ""
    since_at: int | None = None
    since_seq: int | None = None
    anchor_at: int | None = None
    anchor_seq: int | None = None
    state: FollowState = "live"
    data: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat, a topic or thread in one, or a room: a chat that is one session's own, in which posts hang under others.

    A topic or room is ``wanted`` until the courier has made it. A topic has no thread till then; a room's chat is its
    ``home`` till then, the chat where its session is shown if there can be no room (any more).
    """

    id: int
    surface: str
    chat: str
    thread: str | None
    kind: ConversationKind
    state: ConversationState
    level: Level
    title: str
    home: str | None
    about: str | None
    """What a room is for, in words for people: its session's directory and machine."""
    created_ms: int


@dataclass(frozen=True, slots=True)
class Wish:
    """What a post should look like now."""

    key: str
    lineage: str
    kind: str
    """The relay's own word for it: ``turn``, ``answer``, ``approval``, ``notice``, ..."""
    urgency: Urgency
    card: Card
    session_id: str | None = None
    ring: bool = False
    """The post's first text rings when it is first sent."""
    final: bool = False
    """No further change is expected; once delivered, the card is forgotten (ids and hash stay)."""
    min_level: Level = "quiet"
    """Least level of a conversation that shows this post."""
    keep_card: bool = False
    """Keep the card after delivery, because a button still needs it (*Send all here*)."""
    conversations: tuple[int, ...] | None = None
    """Where to show it, instead of wherever the lineage is bound (answers to commands)."""
    reply_to: str | None = None
    """A platform message the post answers; use only with one conversation."""
    under: str | None = None
    """Key of the post it hangs under, in rooms; elsewhere it stands in line like any other."""
    detail: bool = False
    """It says what its ``under`` post leaves out in rooms (``Card.detail_from``), and so is shown in rooms alone."""


@dataclass(frozen=True, slots=True)
class Post:
    """A post as stored. ``card`` is ``None`` once it is settled."""

    key: str
    lineage: str
    session_id: str | None
    kind: str
    urgency: Urgency
    position: int
    card: Card | None
    digest: str
    ring: bool
    final: bool
    settled: bool
    withdrawn: bool
    keep_card: bool
    min_level: Level
    reply_to: str | None
    under: str | None
    detail: bool
    created_ms: int
    updated_ms: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """How far a post has come in one conversation. ``digest`` is that of the card that stands there in full."""

    post_key: str
    conversation_id: int
    digest: str | None
    state: DeliveryState
    shown: bool
    """All its parts were posted at some time: what is left are changes."""
    rung: bool
    """Its ring was sent, or may have been."""
    error: str | None


@dataclass(frozen=True, slots=True)
class PartRecord:
    """One platform message of a post."""

    post_key: str
    conversation_id: int
    index: int
    kind: Literal["text", "file"]
    message: str | None
    digest: str | None
    """Of what the message shows; ``None`` while that is not known (a change under way, or of unknown outcome)."""
    state: PartState
    sent_ms: int | None
    changed_ms: int | None
    """When the message appeared or last changed: presses within 0.8 s of it are not taken."""
    hung_on: str | None = None
    """The message in whose thread it stands, or was sent to, where its post hangs under another."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """An update as the platform delivered it, kept until it was carried out."""

    id: int
    surface: str
    update_id: str
    payload: dict[str, Any] = field(hash=False)
    received_ms: int
    state: Literal["new", "done", "failed"]
    attempts: int
    error: str | None
    late_since_ms: int | None = None
    """When the platform was last heard before this came, if that was long before: it may be as old as that."""


@dataclass(frozen=True, slots=True)
class SayRecord:
    """A person's message on its way to the hub. ``local_id`` makes a repeat harmless there."""

    local_id: str
    lineage: str
    session_id: str
    conversation_id: int
    message: str
    person_id: str
    person_name: str
    text: str
    state: SayState
    created_ms: int
    updated_ms: int
    attempts: int = 0
    next_try_ms: int | None = None
    data: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on one permission request and its exact arguments."""

    id: int
    session_id: str
    request_id: str
    argument_hash: str
    claim_key: str | None
    surface: str
    person_id: str
    person_name: str
    choice: dict[str, Any] = field(hash=False)
    state: DecisionState
    claimed_ms: int
    settled_ms: int | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """Somebody who wrote to the bot, with the role they were given, if any."""

    surface: str
    platform_id: str
    name: str
    role: str | None
    refused_ms: int | None
    standing: Literal["member", "guest", "stranger"] = "member"
    """What they were to their workspace when they wrote last (see :class:`bridge.chat.intents.Person`)."""


@dataclass(frozen=True, slots=True)
class RoleHere:
    """Somebody's role in one conversation, whatever it is elsewhere. ``none``: they may do nothing here."""

    surface: str
    platform_id: str
    conversation_id: int
    role: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """A one-time code that gives a role. Of the code itself only a hash is kept."""

    code_id: str
    """Its first part, by which it is found."""
    surface: str
    salt: str
    digest: str
    role: str
    conversation_id: int | None
    """Where the role will hold; ``None``: everywhere."""
    note_key: str
    """The post that shows the code to the owner."""
    expires_ms: int
    tries: int = 0


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit log: who did what, or tried to, and what came of it."""

    at_ms: int
    surface: str
    person_id: str
    person_name: str
    act: str
    """``decide``, ``stop``, ``pair``, ``invite``, ``role``, ``spawn``, ``mode``, …"""
    outcome: str
    """``done``, ``refused: …``, or what the hub says."""
    choice: str | None = None
    role: str | None = None
    """The person's role at that moment."""
    chat: str | None = None
    thread: str | None = None
    session_id: str | None = None
    request_id: str | None = None
    argument_hash: str | None = None
    detail: str | None = None
    times: int = 1
    """How often, where that is counted instead of repeated."""
    id: int = 0


@dataclass(frozen=True, slots=True)
class StartRecord:
    """A session that somebody asked for, by the card on which they pressed Start."""

    key: str
    conversation_id: int
    """Where it was asked, and will be shown."""
    plan: dict[str, Any] = field(hash=False)
    state: StartState
    session_id: str | None
    """Known once the hub has told it."""
    asked_ms: int

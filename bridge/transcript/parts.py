"""What one wire message says, before it meets the others: an entry with its parts.

The families' decoders make entries; the fold turns them into blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from bridge.transcript.blocks import ABSENT, Attachment, Origin
from bridge.transcript.usage import Usage


@dataclass(slots=True)
class TextPart:
    """Agent text; `stream_id` ties its snapshots together. `role` is the envelope's where it is a foreign one."""

    kind: ClassVar[str] = "text"
    text: str
    stream_id: str | None = None
    model: str | None = None
    role: str | None = None


@dataclass(slots=True)
class ReasoningPart:
    """The agent's thinking."""

    kind: ClassVar[str] = "reasoning"
    text: str
    stream_id: str | None = None


@dataclass(slots=True)
class CallPart:
    """A tool's call. `input` is ABSENT where the wire has none."""

    kind: ClassVar[str] = "call"
    id: str
    name: str
    input: Any = ABSENT
    description: str | None = None
    title: str | None = None
    native_kind: str | None = None
    progress: Any = None


@dataclass(slots=True)
class ResultPart:
    """A tool's result. `permissions` is what the tool result itself tells about the approval."""

    kind: ClassVar[str] = "result"
    id: str
    content: Any
    is_error: bool = False
    permissions: dict[str, Any] | None = None


@dataclass(slots=True)
class PromptPart:
    """A sub-agent's prompt or a turn that the system put in; not shown, but it names its sidechain."""

    kind: ClassVar[str] = "prompt"
    text: str


@dataclass(slots=True)
class SummaryPart:
    """A conversation's summary."""

    kind: ClassVar[str] = "summary"
    text: str


@dataclass(slots=True)
class ReviewPart:
    """A code review's verdict."""

    kind: ClassVar[str] = "review"
    review: dict[str, Any]


@dataclass(slots=True)
class ImagePart:
    """An image the agent made."""

    kind: ClassVar[str] = "image"
    image_id: str
    file_name: str | None
    mime_type: str | None


Part = TextPart | ReasoningPart | CallPart | ResultPart | PromptPart | SummaryPart | ReviewPart | ImagePart


@dataclass(slots=True)
class Entry:
    """One decoded message. `role`: user (`text`), agent (`parts`) or event (`event`)."""

    origin: Origin
    role: str
    parts: list[Part] = field(default_factory=list)
    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    event: dict[str, Any] = field(default_factory=dict)
    usage: Usage | None = None
    sidechain: bool = False
    parent_tool: str | None = None
    """The tool call that this message's sub-agent runs under."""
    uuid: str | None = None
    parent_uuid: str | None = None

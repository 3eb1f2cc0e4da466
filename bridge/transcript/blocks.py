"""The block model: what a session's messages decode to.

Kinds and their JSON projection are those of HAPI's reference client (`to_json`); everything else a block
carries (origin, stream id, request id, times) is for the bridge and stays out of the projection.

Blocks are live: the fold changes a tool call in place when its result arrives and reports it again. Whoever
needs a block as it was keeps `to_json(block)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bridge.transcript.details import ABSENT, Attachment, BackgroundEnd, Origin, Permission, Tool

__all__ = [
    "ABSENT",
    "AgentEvent",
    "AgentReasoning",
    "AgentText",
    "Attachment",
    "BackgroundEnd",
    "Block",
    "CliOutput",
    "CodexReview",
    "GeneratedImage",
    "Origin",
    "Permission",
    "Signal",
    "Tool",
    "ToolCall",
    "ToolGroup",
    "UserText",
    "to_json",
]


@dataclass(slots=True, eq=False)
class Block:
    """What every block has. `id` is the reference's, unique within a transcript except for odd input."""

    kind: ClassVar[str] = "block"

    id: str = ""
    created_at: Any = 0
    """Epoch ms."""
    origin: Origin = field(default_factory=Origin)
    index: int = 0
    """Which part of the origin message (0 = first)."""
    stream_id: str | None = None
    """The wire's id of a streamed text, the same through all its snapshots."""

    @property
    def message_id(self) -> str:
        """The id of the wire message the block first came from."""
        return self.origin.message_id

    @property
    def local_id(self) -> str | None:
        """The sender's own id of the message, where it is a text."""
        value = self.origin.local_id
        return value if isinstance(value, str) else None

    @property
    def invoked_at(self) -> int | None:
        """When the agent took the message, epoch ms; None while queued or unknown."""
        return _milliseconds(self.origin.invoked_at)

    @property
    def seq(self) -> int | None:
        """The hub's insert counter of the origin message."""
        return _milliseconds(self.origin.seq)

    @property
    def meta(self) -> Mapping[str, Any]:
        """The envelope's `meta`; empty where there is none."""
        value = self.origin.meta
        return value if isinstance(value, dict) else {}

    @property
    def sent_from(self) -> str | None:
        """`meta.sentFrom`: webapp, cli, telegram-bot …"""
        value = self.meta.get("sentFrom")
        return value if isinstance(value, str) else None

    def _fields(self) -> dict[str, Any]:
        """What the kind adds to the projection."""
        return {}


@dataclass(slots=True, eq=False)
class UserText(Block):
    """What a user said; `attachments` is empty where there are none."""

    kind: ClassVar[str] = "user-text"
    text: str = ""
    attachments: tuple[Attachment, ...] = ()

    def _fields(self) -> dict[str, Any]:
        if not self.attachments:
            return {"text": self.text}
        return {"text": self.text, "attachments": [each.fields() for each in self.attachments]}


@dataclass(slots=True, eq=False)
class AgentText(Block):
    """Markdown from the agent. `role` is the envelope's where it is neither user nor agent (`system`, `tool` …)."""

    kind: ClassVar[str] = "agent-text"
    text: str = ""
    model: str | None = None
    role: str | None = None

    def _fields(self) -> dict[str, Any]:
        return {"text": self.text}


@dataclass(slots=True, eq=False)
class AgentReasoning(Block):
    """The agent's thinking, Markdown."""

    kind: ClassVar[str] = "agent-reasoning"
    text: str = ""

    def _fields(self) -> dict[str, Any]:
        return {"text": self.text}


@dataclass(slots=True, eq=False)
class CliOutput(Block):
    """A slash command of the terminal and what it printed, tags and all. `source` is user or assistant."""

    kind: ClassVar[str] = "cli-output"
    text: str = ""
    source: str = "user"

    def _fields(self) -> dict[str, Any]:
        return {"text": self.text, "source": self.source}


@dataclass(slots=True, eq=False)
class AgentEvent(Block):
    """A row between messages; `event` has a `type` (`limit-reached`, `compact`, `error` …) and its fields."""

    kind: ClassVar[str] = "agent-event"
    event: dict[str, Any] = field(default_factory=dict)
    ended: BackgroundEnd | None = None
    """The task in the background whose end the event tells."""

    @property
    def type(self) -> str:
        """The event's type."""
        value = self.event.get("type")
        return value if isinstance(value, str) else ""

    def _fields(self) -> dict[str, Any]:
        return {"event": self.event}


@dataclass(slots=True, eq=False)
class CodexReview(Block):
    """A code review's verdict; `review` as the reference normalises it (findings, overallCorrectness …)."""

    kind: ClassVar[str] = "codex-review"
    review: dict[str, Any] = field(default_factory=dict)

    def _fields(self) -> dict[str, Any]:
        return {"review": self.review}


@dataclass(slots=True, eq=False)
class GeneratedImage(Block):
    """An image the agent made; its bytes are at the hub's `generated-images/<image_id>`."""

    kind: ClassVar[str] = "generated-image"
    image_id: str = ""
    file_name: str | None = None
    mime_type: str | None = None

    def _fields(self) -> dict[str, Any]:
        return {"imageId": self.image_id, "fileName": self.file_name, "mimeType": self.mime_type}


@dataclass(slots=True, eq=False)
class ToolCall(Block):
    """A tool card; `children` are the blocks of the sub-agent that ran under it."""

    kind: ClassVar[str] = "tool-call"
    tool: Tool = field(default_factory=lambda: Tool(id="", name=""))
    children: list[Block] = field(default_factory=list)

    def _fields(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"tool": self.tool.fields()}
        if self.children:
            answer["children"] = [to_json(child) for child in self.children]
        return answer


@dataclass(slots=True, eq=False)
class ToolGroup(Block):
    """Neighbouring small tool cards shown as one; only among visible blocks."""

    kind: ClassVar[str] = "tool-group"
    tools: tuple[ToolCall, ...] = ()

    @property
    def first_tool_id(self) -> str:
        """The block id of the first tool."""
        return self.tools[0].id

    @property
    def last_tool_id(self) -> str:
        """The block id of the last tool."""
        return self.tools[-1].id

    def _fields(self) -> dict[str, Any]:
        return {
            "firstToolId": self.first_tool_id,
            "lastToolId": self.last_tool_id,
            "tools": [to_json(tool) for tool in self.tools],
        }


@dataclass(slots=True, eq=False)
class Signal:
    """An event that is not shown as a block but matters: `ready`, `turn-duration`, `token-count`,
    `abort-restore`, `thread-goal-updated`, `thread-goal-cleared`, `agent-run-…`; `data` has its fields."""

    type: str
    origin: Origin
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def message_id(self) -> str:
        """The id of the wire message that brought it."""
        return self.origin.message_id

    @property
    def created_at(self) -> Any:
        """Epoch ms."""
        return self.origin.created_at


def to_json(block: Block) -> dict[str, Any]:
    """The block as the reference's client projects it (`expected.blocks` of the golden fixtures)."""
    answer: dict[str, Any] = {"kind": block.kind, "id": block.id, "createdAt": block.created_at}
    origin = block.origin
    if origin.local_id is not ABSENT and not isinstance(block, AgentEvent | ToolGroup):
        answer["localId"] = origin.local_id
    if origin.invoked_at is not ABSENT and origin.invoked_at is not None:
        answer["invokedAt"] = origin.invoked_at
    answer.update(block._fields())
    return answer


def _milliseconds(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None

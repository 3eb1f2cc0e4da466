"""The second contract's vocabulary: content types, roles and turn states, found in our blocks.

The reference shows a payload it does not know as its JSON text, so the blocks stay as they are; what such a
text is, is recognised here, after the blocks, for whoever presents them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bridge.transcript.blocks import ABSENT, AgentEvent, AgentText, Block, ToolCall, UserText
from bridge.transcript.values import record, stringify, text, too_deep


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class ContentType(StrEnum):
    """What is said. `PROMPT` is never shown."""

    TEXT = "text"
    MARKDOWN = "markdown"
    SUMMARY = "summary"
    THINKING = "thinking"
    TOOLCALL_INPUT = "toolcall_input"
    TOOLCALL_OUTPUT = "toolcall_output"
    USER_MESSAGE = "user_message"
    ERROR = "error"
    PROMPT = "prompt"


class TurnState(StrEnum):
    """Where a turn stands. `INTERRUPTED` waits for a tool or an approval; `MERGED` went into another turn."""

    PENDING = "pending"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    MERGED = "merged"


@dataclass(slots=True, frozen=True)
class Scenario:
    """A scenario that a user message brings along; `content` is Markdown."""

    filepath: str
    title: str
    content: str


@dataclass(slots=True, frozen=True)
class FileReference:
    """A file of a user message. `file_id` is `{md5}.{ext}` where `is_valid`."""

    file_id: str
    mime_type: str
    extra: dict[str, Any]

    @property
    def is_valid(self) -> bool:
        """Whether the id is 32 lowercase hexadecimal digits and a short extension."""
        return _FILE_ID.fullmatch(self.file_id) is not None

    @property
    def name(self) -> str:
        """The name to show: `extra.name`, else the id."""
        return text(self.extra.get("name")) or self.file_id


@dataclass(slots=True, frozen=True)
class UserMessage:
    """A `user_message` payload."""

    text: str
    scenarios: tuple[Scenario, ...] = ()
    files: tuple[FileReference, ...] = ()


@dataclass(slots=True, frozen=True)
class Content:
    """What a block is in the second contract's words. `text` is what to show of it."""

    role: Role
    type: ContentType
    text: str = ""
    user_message: UserMessage | None = None

    @property
    def is_hidden(self) -> bool:
        """Whether it is never shown, at no level."""
        return self.type is ContentType.PROMPT


_FILE_ID = re.compile(r"[0-9a-f]{32}\.[0-9A-Za-z]{1,10}")

_BY_KIND = {
    "user-text": (Role.USER, ContentType.TEXT),
    "agent-text": (Role.ASSISTANT, ContentType.MARKDOWN),
    "agent-reasoning": (Role.ASSISTANT, ContentType.THINKING),
    "cli-output": (Role.TOOL, ContentType.TOOLCALL_OUTPUT),
    "codex-review": (Role.ASSISTANT, ContentType.MARKDOWN),
    "generated-image": (Role.ASSISTANT, ContentType.MARKDOWN),
    "agent-event": (Role.SYSTEM, ContentType.TEXT),
    "tool-call": (Role.TOOL, ContentType.TOOLCALL_INPUT),
    "tool-group": (Role.TOOL, ContentType.TOOLCALL_INPUT),
}
_BY_EVENT = {
    "error": ContentType.ERROR,
    "api-error": ContentType.ERROR,
    "compact-summary": ContentType.SUMMARY,
    "recap": ContentType.SUMMARY,
}
_ROLE_OF_TYPE = {
    ContentType.USER_MESSAGE: Role.USER,
    ContentType.ERROR: Role.SYSTEM,
    ContentType.PROMPT: Role.SYSTEM,
    ContentType.TOOLCALL_INPUT: Role.TOOL,
    ContentType.TOOLCALL_OUTPUT: Role.TOOL,
}
_WORDS = ("text", "content", "message", "summary", "thinking", "error", "output", "input")


def classify(block: Block) -> Content:
    """The block's role and content type, and what a payload shown as JSON text says. Never raises."""
    role, kind = _BY_KIND.get(block.kind, (Role.SYSTEM, ContentType.TEXT))
    if isinstance(block, AgentEvent):
        return Content(role, _BY_EVENT.get(block.type, kind))
    if isinstance(block, ToolCall):
        done = block.tool.result is not ABSENT
        return Content(role, ContentType.TOOLCALL_OUTPUT if done else kind)
    if isinstance(block, AgentText) and block.role is not None:
        role, kind = _foreign_role(block.role)
    if isinstance(block, UserText | AgentText):
        return _recognise(block.text, role) or Content(role, kind, block.text)
    return Content(role, kind, getattr(block, "text", ""))


def recognise_user_message(text: str) -> UserMessage | None:
    """The `user_message` payload that a text is the JSON of; None where it is none. Never raises."""
    fields = _payload(text)
    if fields is None or fields.get("type") != ContentType.USER_MESSAGE:
        return None
    return _user_message(fields)


def _recognise(shown: str, role: Role) -> Content | None:
    fields = _payload(shown)
    if fields is None:
        return None
    kind = ContentType(fields["type"])
    if kind is ContentType.USER_MESSAGE:
        message = _user_message(fields)
        return None if message is None else Content(Role.USER, kind, message.text, message)
    if kind is ContentType.TEXT and role is Role.USER:
        return None
    data = fields.get("data", fields.get("content", fields.get("text")))
    return Content(_ROLE_OF_TYPE.get(kind, role), kind, _said(data))


def _payload(shown: str) -> dict[str, Any] | None:
    bare = shown.strip()
    if not (bare.startswith("{") and bare.endswith("}") and '"type"' in bare):
        return None
    try:
        fields = record(json.loads(bare))
    except (ValueError, RecursionError):
        return None
    if fields is None or too_deep(fields) or fields.get("type") not in _TYPES:
        return None
    return fields if any(key in fields for key in ("data", "content", "text")) else None


_TYPES = tuple(each.value for each in ContentType)


def _user_message(fields: dict[str, Any]) -> UserMessage | None:
    data = record(fields.get("data"))
    words = text(data.get("text")) if data is not None else None
    if data is None or words is None:
        return None
    scenarios, files = data.get("scenarios"), data.get("files")
    return UserMessage(
        words,
        tuple(s for s in map(_scenario, scenarios) if s) if isinstance(scenarios, list) else (),
        tuple(f for f in map(_file, files) if f) if isinstance(files, list) else (),
    )


def _scenario(value: Any) -> Scenario | None:
    fields = record(value)
    if fields is None:
        return None
    path, title = text(fields.get("filepath")) or "", text(fields.get("title")) or ""
    if not (path or title):
        return None
    return Scenario(path, title or path, text(fields.get("file_content")) or "")


def _file(value: Any) -> FileReference | None:
    fields = record(value)
    file_id = text(fields.get("fileid")) if fields is not None else None
    if fields is None or not file_id:
        return None
    return FileReference(file_id, text(fields.get("mimetype")) or "", record(fields.get("extra")) or {})


def _foreign_role(role: str) -> tuple[Role, ContentType]:
    if role == Role.TOOL:
        return Role.TOOL, ContentType.TOOLCALL_OUTPUT
    if role == Role.ASSISTANT:
        return Role.ASSISTANT, ContentType.MARKDOWN
    return Role.SYSTEM, ContentType.TEXT


def _said(data: Any) -> str:
    fields = record(data)
    if fields is not None:
        for key in _WORDS:
            if isinstance(fields.get(key), str):
                return str(fields[key])
    return stringify(data)

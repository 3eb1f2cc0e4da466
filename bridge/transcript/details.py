"""What blocks are made of: where they came from, attachments, tools and permissions.

`fields()` of each is its part of the reference's JSON projection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


class _Absent:
    """The type of `ABSENT`: a key that the wire does not have, which JSON's null is not."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()


@dataclass(slots=True, eq=False)
class Origin:
    """The wire message that a block first came from; values as the wire had them, whatever their type."""

    message_id: str = ""
    created_at: Any = 0
    """Hub receive time, epoch ms."""
    local_id: Any = None
    invoked_at: Any = None
    """When the agent took the message, epoch ms; None while it is queued."""
    seq: Any = None
    meta: Any = None
    """The envelope's `meta`, e.g. `{"sentFrom": "webapp"}`."""


@dataclass(slots=True, frozen=True)
class BackgroundEnd:
    """A task in the background has ended."""

    task: str
    failed: bool


@dataclass(slots=True, eq=False)
class Attachment:
    """A file that a user sent along. `size` in bytes; `path` on the session's machine."""

    id: str
    filename: str
    mime_type: str
    size: Any
    path: str
    preview_url: str | None = None

    def fields(self) -> dict[str, Any]:
        """The JSON projection."""
        fields = {"id": self.id, "filename": self.filename, "mimeType": self.mime_type}
        return {**fields, "size": self.size, "path": self.path}


@dataclass(slots=True, eq=False)
class Permission:
    """What became of the question whether a tool may run.

    `status`: pending, approved, denied, canceled, or resolved (answered, outcome unknown). Absent fields are
    `ABSENT`. `request_id` is what an answer is sent to; None where the permission came with a tool result.
    """

    status: str
    request_id: str | None = None
    reason: Any = ABSENT
    mode: Any = ABSENT
    decision: Any = ABSENT
    allowed_tools: Any = ABSENT
    answers: Any = ABSENT
    created_at: Any = None
    completed_at: Any = None

    def fields(self) -> dict[str, Any]:
        """The JSON projection."""
        fields = {
            "status": self.status,
            "reason": self.reason,
            "mode": self.mode,
            "decision": self.decision,
            "allowedTools": self.allowed_tools,
            "answers": self.answers,
        }
        return {name: value for name, value in fields.items() if value is not ABSENT}


@dataclass(slots=True, eq=False)
class Tool:
    """A tool's call and result. `state`: pending, running, completed, error.

    `input` and `result` are ABSENT where the wire has none. Times in epoch ms, None where unknown.
    """

    id: str
    name: str
    state: str = "running"
    input: Any = ABSENT
    result: Any = ABSENT
    permission: Permission | None = None
    description: str | None = None
    title: str | None = None
    native_kind: str | None = None
    progress: Any = None
    started_at: Any = None
    completed_at: Any = None

    def fields(self) -> dict[str, Any]:
        """The JSON projection."""
        answer: dict[str, Any] = {"id": self.id, "name": self.name, "state": self.state}
        if self.input is not ABSENT:
            answer["input"] = self.input
        if self.result is not ABSENT:
            answer["result"] = self.result
        if self.permission is not None:
            answer["permission"] = self.permission.fields()
        return answer

"""Permissions from the session's `agentState`, tied to tool calls by `toolCallId ?? requestId`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.transcript.blocks import ABSENT, Permission
from bridge.transcript.values import cleaned, number, record, text, too_deep

_OUTCOMES = frozenset(("approved", "denied", "canceled", "resolved"))
_TOO_DEEP = "nested too deeply to show"
_DECISIONS = frozenset(("approved", "approved_for_session", "denied", "abort"))


@dataclass(slots=True)
class Request:
    """One request for permission, pending or answered, and the tool call it is about."""

    call_id: str
    tool_name: str
    input: Any
    permission: Permission

    @property
    def is_pending(self) -> bool:
        """Whether nobody has answered yet."""
        return self.permission.status == "pending"

    def same_as(self, other: Request | None) -> bool:
        """Whether two states of the session say the same about the call."""
        return (
            other is not None
            and self.tool_name == other.tool_name
            and self.input == other.input
            and self.permission.request_id == other.permission.request_id
            and self.permission.fields() == other.permission.fields()
        )


def read_agent_state(state: Any) -> dict[str, Request]:
    """The request that counts for each tool call.

    A pending request is ignored only if its own id is already completed; a pending one for the same call wins
    over an old completion. Unreadable entries are skipped.
    """
    fields = record(state)
    if fields is None:
        return {}
    found: dict[str, Request] = {}
    completed = record(fields.get("completedRequests")) or {}
    for request_id, value in completed.items():
        request = _request(request_id, value, pending=False)
        if request is not None:
            found[request.call_id] = request
    for request_id, value in (record(fields.get("requests")) or {}).items():
        request = None if request_id in completed else _request(request_id, value, pending=True)
        if request is not None:
            found[request.call_id] = request
    return found


def _request(request_id: str, value: Any, *, pending: bool) -> Request | None:
    fields = record(value)
    if fields is None:
        return None
    permission = Permission(
        "pending",
        request_id=request_id,
        created_at=number(fields.get("createdAt")),
        completed_at=number(fields.get("completedAt")),
    )
    if not pending:
        status = fields.get("status")
        if not (isinstance(status, str) and status in _OUTCOMES):
            return None
        permission.status = status
        permission.reason = _text(fields, "reason")
        permission.mode = _text(fields, "mode")
        permission.decision = _text(fields, "decision")
        permission.allowed_tools = _given(fields, "allowTools", list)
        permission.answers = _given(fields, "answers", dict)
    arguments = fields.get("arguments")
    return Request(
        text(fields.get("toolCallId")) or request_id,
        text(fields.get("tool")) or "Tool",
        _TOO_DEEP if too_deep(arguments) else cleaned(arguments),
        permission,
    )


def result_permission(fields: Mapping[str, Any] | None) -> Permission | None:
    """The permission that a tool result tells of; None without a date, or where it is neither approved nor denied."""
    if fields is None or number(fields.get("date")) is None:
        return None
    if fields.get("result") not in ("approved", "denied"):
        return None
    decision = fields.get("decision")
    return Permission(
        fields["result"],
        mode=_text(fields, "mode"),
        decision=decision if isinstance(decision, str) and decision in _DECISIONS else ABSENT,
        allowed_tools=_given(fields, "allowedTools", list),
        completed_at=number(fields.get("date")),
    )


def merged(before: Permission | None, after: Permission) -> Permission:
    """`after` over `before`: what the later one does not say stays."""
    if before is None:
        return Permission(*(getattr(after, name) for name in Permission.__slots__))
    fresh = Permission(*(getattr(before, name) for name in Permission.__slots__))
    for name in Permission.__slots__:
        value = getattr(after, name)
        if value is not ABSENT and value is not None:
            setattr(fresh, name, value)
    return fresh


def _text(fields: Mapping[str, Any], key: str) -> Any:
    value = fields.get(key)
    return value if isinstance(value, str) else ABSENT


def _given(fields: Mapping[str, Any], key: str, kind: type) -> Any:
    value = fields.get(key)
    return cleaned(value) if isinstance(value, kind) and not too_deep(value) else ABSENT

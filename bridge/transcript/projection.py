"""Blocks as JSON: the reference's projection, which the golden fixtures hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.transcript.blocks import (
    ABSENT,
    AgentEvent,
    AgentReasoning,
    AgentText,
    Block,
    CliOutput,
    CodexReview,
    GeneratedImage,
    Permission,
    Tool,
    ToolCall,
    ToolGroup,
    UserText,
)


def to_json(block: Block) -> dict[str, Any]:
    """The block as the reference's client projects it (`expected.blocks` of the golden fixtures)."""
    answer: dict[str, Any] = {"kind": block.kind, "id": block.id, "createdAt": block.created_at}
    if block.origin.local_id is not ABSENT and not isinstance(block, AgentEvent | ToolGroup):
        answer["localId"] = block.origin.local_id
    if block.origin.invoked_at is not ABSENT and block.origin.invoked_at is not None:
        answer["invokedAt"] = block.origin.invoked_at
    extra = _EXTRA.get(block.kind)
    if extra is not None:
        answer.update(extra(block))
    return answer


def _user_text(block: UserText) -> dict[str, Any]:
    if not block.attachments:
        return {"text": block.text}
    return {
        "text": block.text,
        "attachments": [
            {"id": a.id, "filename": a.filename, "mimeType": a.mime_type, "size": a.size, "path": a.path}
            for a in block.attachments
        ],
    }


def _text(block: AgentText | AgentReasoning) -> dict[str, Any]:
    return {"text": block.text}


def _cli_output(block: CliOutput) -> dict[str, Any]:
    return {"text": block.text, "source": block.source}


def _event(block: AgentEvent) -> dict[str, Any]:
    return {"event": block.event}


def _review(block: CodexReview) -> dict[str, Any]:
    return {"review": block.review}


def _image(block: GeneratedImage) -> dict[str, Any]:
    return {"imageId": block.image_id, "fileName": block.file_name, "mimeType": block.mime_type}


def _tool_call(block: ToolCall) -> dict[str, Any]:
    answer: dict[str, Any] = {"tool": _tool(block.tool)}
    if block.children:
        answer["children"] = [to_json(child) for child in block.children]
    return answer


def _tool(tool: Tool) -> dict[str, Any]:
    answer: dict[str, Any] = {"id": tool.id, "name": tool.name, "state": tool.state}
    if tool.input is not ABSENT:
        answer["input"] = tool.input
    if tool.result is not ABSENT:
        answer["result"] = tool.result
    if tool.permission is not None:
        answer["permission"] = _permission(tool.permission)
    return answer


def _permission(permission: Permission) -> dict[str, Any]:
    fields = {
        "status": permission.status,
        "reason": permission.reason,
        "mode": permission.mode,
        "decision": permission.decision,
        "allowedTools": permission.allowed_tools,
        "answers": permission.answers,
    }
    return {name: value for name, value in fields.items() if value is not ABSENT}


def _group(block: ToolGroup) -> dict[str, Any]:
    return {
        "firstToolId": block.first_tool_id,
        "lastToolId": block.last_tool_id,
        "tools": [to_json(tool) for tool in block.tools],
    }


_EXTRA: dict[str, Callable[[Any], dict[str, Any]]] = {
    UserText.kind: _user_text,
    AgentText.kind: _text,
    AgentReasoning.kind: _text,
    CliOutput.kind: _cli_output,
    AgentEvent.kind: _event,
    CodexReview.kind: _review,
    GeneratedImage.kind: _image,
    ToolCall.kind: _tool_call,
    ToolGroup.kind: _group,
}

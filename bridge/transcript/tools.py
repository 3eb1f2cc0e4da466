"""Tool cards: one card per call id, put together from calls, results and permissions in whatever order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from bridge.transcript.blocks import ABSENT, Origin, Permission, Tool, ToolCall
from bridge.transcript.parts import CallPart, ResultPart
from bridge.transcript.permissions import Request, merged, result_permission
from bridge.transcript.values import number

_PLACEHOLDERS = frozenset(("unknown", "Tool"))
_FAILED = frozenset(("denied", "canceled"))


@dataclass(slots=True)
class Step:
    """A call or a result and the message it came with."""

    part: CallPart | ResultPart
    origin: Origin
    index: int


@dataclass(slots=True)
class Card:
    """A tool card with the steps that made it, so that a changed permission can make it anew."""

    block: ToolCall
    steps: list[Step] = field(default_factory=list)

    def add(self, step: Step, request: Request | None) -> None:
        """Take the next step. The card stands where its earliest step does, and keeps the first time it was taken."""
        self.steps.append(step)
        origin = self.block.origin
        if origin.invoked_at is None:
            origin.invoked_at = step.origin.invoked_at
        created, earlier = number(self.block.created_at), number(step.origin.created_at)
        if created is not None and earlier is not None and earlier < created:
            self.block.created_at = earlier
        self._apply(step, request)

    def refold(self, request: Request | None) -> None:
        """Make the card anew under another permission; the block stays the same object."""
        first = self.steps[0]
        self.block.tool = new_tool(first, request)
        for step in self.steps:
            self._apply(step, request)

    def _apply(self, step: Step, request: Request | None) -> None:
        tool, part = self.block.tool, step.part
        name, given = seed(step, request)
        if name not in _PLACEHOLDERS or tool.name in _PLACEHOLDERS:
            tool.name = name
        if given is not None and given is not ABSENT:
            tool.input = given
        if request is not None:
            pending = request.is_pending and tool.permission is not None
            tool.permission = merged(tool.permission, request.permission) if pending else request.permission
        if isinstance(part, CallPart):
            _take_call(tool, part, step)
        else:
            _take_result(tool, part, step, request)


def new_card(step: Step, request: Request | None) -> Card:
    """A card that opens with `step`."""
    block = ToolCall(
        id=step.part.id,
        created_at=step.origin.created_at,
        origin=replace(step.origin),
        index=step.index,
        tool=new_tool(step, request),
    )
    card = Card(block)
    card.add(step, request)
    return card


def new_tool(step: Step, request: Request | None) -> Tool:
    """The tool as it is before its first step was taken."""
    name, given = seed(step, request)
    return Tool(step.part.id, name, input=given)


def seed(step: Step, request: Request | None) -> tuple[str, Any]:
    """The name and input that a step brings: a call's own, a result's from the request it was asked by."""
    part = step.part
    if isinstance(part, CallPart):
        return part.name, part.input
    return ("Tool", None) if request is None else (request.tool_name, request.input)


def pending_card(request: Request) -> ToolCall:
    """The card of a pending request whose call no message shows."""
    origin = Origin(created_at=request.permission.created_at, local_id=None)
    tool = Tool(request.call_id, request.tool_name, "pending", request.input)
    tool.permission = request.permission
    return ToolCall(id=request.call_id, created_at=origin.created_at, origin=origin, tool=tool)


def _take_call(tool: Tool, part: CallPart, step: Step) -> None:
    if part.description is not None:
        tool.description = part.description
    if part.title is not None:
        tool.title = part.title
    if part.native_kind is not None:
        tool.native_kind = part.native_kind
    if part.progress is not None:
        tool.progress = part.progress
    if tool.started_at is None:
        tool.started_at = step.origin.created_at
    if tool.result is ABSENT:
        permission: Permission | None = tool.permission
        failed = permission is not None and permission.status in _FAILED
        tool.state = "error" if failed else "running"


def _take_result(tool: Tool, part: ResultPart, step: Step, request: Request | None) -> None:
    tool.result = part.content
    tool.state = "error" if part.is_error else "completed"
    tool.completed_at = step.origin.created_at
    told = result_permission(part.permissions)
    if told is not None:
        tool.permission = told if request is None else merged(request.permission, told)

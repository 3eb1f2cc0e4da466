"""Visible blocks: neighbouring small tools of one family shown as one group."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bridge.transcript.blocks import Block, ToolCall, ToolGroup
from bridge.transcript.values import record

_READING = frozenset(("Read", "Grep", "Glob", "LS"))
_EXPLORING = frozenset(("read", "listFiles", "search"))


def group_tools(blocks: Iterable[Block]) -> list[Block]:
    """The blocks with every run of two or more tools of one family folded into a `ToolGroup`."""
    shown: list[Block] = []
    run: list[ToolCall] = []
    family: str | None = None
    for block in blocks:
        own = _family(block) if isinstance(block, ToolCall) else None
        if own is None or own != family:
            _close(run, shown)
            run = []
        family = own
        if own is not None and isinstance(block, ToolCall):
            run.append(block)
        else:
            shown.append(block)
    _close(run, shown)
    return shown


def _close(run: list[ToolCall], shown: list[Block]) -> None:
    if len(run) < 2:
        shown.extend(run)
        return
    first = run[0]
    shown.append(
        ToolGroup(
            id=f"tool-group:{first.id}",
            created_at=first.created_at,
            origin=first.origin,
            index=first.index,
            tools=tuple(run),
        )
    )


def _family(block: ToolCall) -> str | None:
    tool = block.tool
    if tool.permission is not None and tool.permission.status == "pending":
        return None
    if tool.name in _READING:
        return "reading"
    if tool.name == "CodexBash" and _explores(tool.input):
        return "exploring"
    return None


def _explores(given: Any) -> bool:
    fields = record(given)
    if fields is None or fields.get("command_source") == "userShell":
        return False
    actions = fields.get("command_actions")
    if not isinstance(actions, list) or not actions:
        return False
    return all(isinstance(a, dict) and a.get("type") in _EXPLORING for a in actions)

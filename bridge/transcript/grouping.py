"""Visible blocks: neighbouring small tools of one family shown as one group."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bridge.transcript.blocks import Block, ToolCall, ToolGroup
from bridge.transcript.values import record

_ALONE = frozenset(
    (
        "Task",
        "Agent",
        "CodexAgent",
        "TodoWrite",
        "update_plan",
        "AskUserQuestion",
        "ask_user_question",
        "request_user_input",
        "ExitPlanMode",
        "exit_plan_mode",
        "AgyTaskLog",
    )
)
"""Tools that have a card of their own look: sub-agents, plans, questions, logs."""
_EXPLORING = ("read", "listFiles", "search")


def group_tools(blocks: Iterable[Block], *, has_more_messages: bool = False) -> list[Block]:
    """The blocks with every run of two or more tools of one family folded into a `ToolGroup`.

    A group is named after its first tool. While older messages are missing, the group at the very front may
    still grow there, so it is named after its last.
    """
    shown: list[Block] = []
    run: list[ToolCall] = []
    family: str | None = None
    for block in blocks:
        own = _family(block) if isinstance(block, ToolCall) else None
        if own is None or own != family:
            _close(run, shown, has_more_messages)
            run = []
        family = own
        if own is not None and isinstance(block, ToolCall):
            run.append(block)
        else:
            shown.append(block)
    _close(run, shown, has_more_messages)
    return shown


def _close(run: list[ToolCall], shown: list[Block], has_more: bool) -> None:
    if len(run) < 2:
        shown.extend(run)
        return
    first = run[0]
    named_after = run[-1] if has_more and not shown else first
    shown.append(
        ToolGroup(
            id=f"tool-group:{named_after.id}",
            created_at=first.created_at,
            origin=first.origin,
            index=first.index,
            tools=tuple(run),
        )
    )


def _family(block: ToolCall) -> str | None:
    tool = block.tool
    if tool.name in _ALONE or (tool.permission is not None and tool.permission.status == "pending"):
        return None
    return "exploring" if tool.name == "CodexBash" and _explores(tool.input) else "plain"


def _explores(given: Any) -> bool:
    fields = record(given)
    if fields is None or fields.get("command_source") == "userShell":
        return False
    actions = fields.get("command_actions")
    if not isinstance(actions, list) or not actions:
        return False
    return all(isinstance(each, dict) and each.get("type") in _EXPLORING for each in actions)

"""Thread goals: state that travels as messages and is shown by no block."""

from __future__ import annotations

from typing import Any

from bridge.transcript.blocks import Origin
from bridge.transcript.parts import Entry
from bridge.transcript.values import first_number, first_text, record

_STATES = frozenset(["active", "paused", "budgetLimited", "usageLimited", "blocked", "complete"])
_NUMBERS = {
    "tokenBudget": ("tokenBudget", "token_budget"),
    "tokensUsed": ("tokensUsed", "tokens_used"),
    "timeUsedSeconds": ("timeUsedSeconds", "time_used_seconds"),
    "createdAt": ("createdAt", "created_at"),
    "updatedAt": ("updatedAt", "updated_at"),
}


def decode_goal(data: dict[str, Any], origin: Origin) -> Entry | None:
    """`thread_goal_updated` and `thread_goal_cleared` as events; an invalid goal is dropped."""
    event: dict[str, Any] = {"type": data["type"].replace("_", "-")}
    for key, spellings in {"threadId": ("threadId", "thread_id"), "turnId": ("turnId", "turn_id")}.items():
        value = first_text(data, *spellings)
        if value is not None:
            event[key] = value
    if data["type"] == "thread_goal_updated":
        goal = _goal(record(data.get("goal")))
        if goal is None:
            return None
        event["goal"] = goal
    return Entry(origin, "event", event=event)


def _goal(fields: dict[str, Any] | None) -> dict[str, Any] | None:
    if fields is None:
        return None
    thread = first_text(fields, "threadId", "thread_id")
    objective, status = first_text(fields, "objective"), first_text(fields, "status")
    if thread is None or objective is None or status not in _STATES:
        return None
    goal: dict[str, Any] = {"threadId": thread, "objective": objective, "status": status}
    for key, spellings in _NUMBERS.items():
        value = first_number(fields, *spellings)
        if value is not None:
            goal[key] = value
    return goal

"""Plans: the generic family's `plan` and `plan_update` as one completed `update_plan` tool."""

from __future__ import annotations

from typing import Any

from bridge.transcript.parts import CallPart, Part, ResultPart
from bridge.transcript.values import first_text, record, trimmed

_LISTS = {"plan": ("entries", "plan", "items", "steps"), "plan_update": ("plan", "update", "items", "steps")}
_WORDS = ("step", "content", "text", "title", "description")
_STATES = {
    "completed": "completed",
    "complete": "completed",
    "done": "completed",
    "in_progress": "in_progress",
    "inprogress": "in_progress",
    "active": "in_progress",
    "running": "in_progress",
}


def decode_plan(data: dict[str, Any]) -> list[Part]:
    """A call and its result under the source's own plan id; nothing for an empty plan."""
    steps = _steps(data)
    if not steps:
        return []
    if data.get("type") == "plan":
        plan: dict[str, Any] = {"plan": steps, "source": "cursor"}
        return [CallPart("cursor-plan-state", "update_plan", plan), ResultPart("cursor-plan-state", plan)]
    plan = {"plan": steps, "source": "codex"}
    result = {**plan, "status": "updated"}
    return [CallPart("codex-plan-state", "update_plan", plan), ResultPart("codex-plan-state", result)]


def _steps(data: dict[str, Any]) -> list[dict[str, str]]:
    for key in _LISTS[data["type"]]:
        if isinstance(data.get(key), list):
            return [step for step in map(_step, data[key]) if step is not None]
    return []


def _step(value: Any) -> dict[str, str] | None:
    if isinstance(value, str):
        return {"step": value, "status": "pending"}
    fields = record(value)
    words = first_text(fields, *_WORDS) if fields is not None else None
    if fields is None or not words:
        return None
    return {"step": words, "status": _STATES.get(_bare(first_text(fields, "status", "state")), "pending")}


def _bare(state: str | None) -> str:
    return trimmed(state or "").lower().replace(" ", "_").replace("-", "_")

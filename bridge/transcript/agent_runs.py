"""Background agent runs: `agent-run-start`, `-update` and `-trace` as one card per agent."""

from __future__ import annotations

from typing import Any

from bridge.transcript.blocks import Origin
from bridge.transcript.parts import Entry
from bridge.transcript.values import first_text

STATES = {
    "completed": "completed",
    "complete": "completed",
    "done": "completed",
    "finished": "completed",
    "success": "completed",
    "failed": "error",
    "error": "error",
    "canceled": "error",
    "cancelled": "error",
}
"""The card's state by the run's status; any other status runs."""

AGENT_RUNS = frozenset(("agent-run-start", "agent-run-update", "agent-run-trace"))


def decode_agent_run(data: dict[str, Any], origin: Origin) -> Entry | None:
    """The run as an event; the fold keeps its card under the agent's id, else under the message's."""
    agent = first_text(data, "agentId", "agent_id")
    status = first_text(data, "agentStatus", "agent_status", "status") or "running"
    event: dict[str, Any] = {
        "type": data["type"],
        "agentId": agent,
        "agentStatus": status,
        "statusText": first_text(data, "statusText", "status_text") or status,
        "summary": first_text(data, "summary"),
    }
    return Entry(origin, "event", event=event)

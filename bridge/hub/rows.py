"""What the message window needs to know about one message, whatever its content. Pure and total.

A message is the hub's JSON object; a row of ours may also carry ``status``: sending, queued, sent or failed. Rules: hub
contract, Messages and Optimistic sends; which agent rows are hidden: HAPI's message contract, skip filters.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal

from bridge.hub.wire import Json, Position, whole

_VISIBLE_SYSTEM = {"api_error", "turn_duration", "microcompact_boundary", "compact_boundary", "away_summary"}
_HIDDEN_OUTPUT = {"rate_limit_event", "tool_progress"}
_EMPTY_IS_HIDDEN = {"away_summary", "agy_message"}

Kind = Literal["waiting", "trace", "regular"]

#: Sorts rows: by time, then ``seq`` (rows the hub has not numbered yet come last), then arrival.
Key = tuple[float, float, int, str]


def key_of(message: Mapping[str, Any], arrival: int) -> Key:
    """The sorting key of a message: ``(invokedAt ?? createdAt, seq, arrival, id)``."""
    at, seq = _at(message), whole(message.get("seq"))
    return (at, math.inf if seq is None else seq, arrival, str(message["id"]))


def numbered_position(message: Mapping[str, Any]) -> Position | None:
    """Where a message stands, ``None`` as long as the hub has not numbered it."""
    seq = whole(message.get("seq"))
    return None if seq is None else Position(_at(message), seq)


def _at(message: Mapping[str, Any]) -> int:
    at = whole(message.get("invokedAt"))
    return at if at is not None else whole(message.get("createdAt")) or 0


def local_id_of(message: Mapping[str, Any]) -> str | None:
    """The sender's own id of a message, if it has one."""
    local_id = message.get("localId")
    return local_id if isinstance(local_id, str) and local_id else None


def is_optimistic(message: Mapping[str, Any]) -> bool:
    """A row of our own that the hub has not echoed yet: its id is still its local id."""
    return message.get("id") == message.get("localId")


def is_waiting(message: Mapping[str, Any]) -> bool:
    """A user message the agent has not taken: ``invokedAt`` is there and null (absent means taken, in old hubs)."""
    return "invokedAt" in message and message["invokedAt"] is None and is_user(message)


def is_queued(message: Mapping[str, Any]) -> bool:
    """Waiting, and neither of unknown delivery nor failed to send."""
    return is_waiting(message) and message.get("deliveryState") != "indeterminate" and message.get("status") != "failed"


def is_user(message: Mapping[str, Any]) -> bool:
    """Written by a person, by its envelope."""
    return envelope(message.get("content")).get("role") == "user"


def envelope(content: Any) -> Json:
    """The record with ``role`` and ``content`` inside a message's content: itself, or one of three places within."""
    if not isinstance(content, dict):
        return {}
    if _is_envelope(content):
        return content
    for inner in (content, content.get("data"), content.get("payload")):
        found = inner.get("message") if isinstance(inner, dict) else None
        if isinstance(found, dict) and _is_envelope(found):
            return found
    return {}


def _is_envelope(record: Json) -> bool:
    return isinstance(record.get("role"), str) and "content" in record


def _agent_data(message: Mapping[str, Any], family: str) -> Json:
    record = envelope(message.get("content"))
    payload = record.get("content")
    if record.get("role") != "agent" or not isinstance(payload, dict) or payload.get("type") != family:
        return {}
    data = payload.get("data")
    return data if isinstance(data, dict) else {}


def reasoning_stream(message: Mapping[str, Any]) -> str | None:
    """The stream id of a reasoning row: its rows are growing snapshots of one text."""
    data = _agent_data(message, "codex")
    stream = data.get("id")
    return stream if data.get("type") == "reasoning" and isinstance(stream, str) and stream else None


def kind_of(message: Mapping[str, Any]) -> Kind:
    """What trimming tells apart: waiting rows, traces of background agents (these are many, and must not push the chat
    out of the window), and the rest."""
    if is_waiting(message):
        return "waiting"
    kind = _agent_data(message, "codex").get("type")
    return "trace" if isinstance(kind, str) and kind.startswith("agent-run-") else "regular"


def is_hidden(message: Mapping[str, Any]) -> bool:
    """A row the chat never shows (Claude's internal records)."""
    data = _agent_data(message, "output")
    if _is_set(data.get("isMeta")) or _is_set(data.get("isCompactSummary")):
        return True
    kind = data.get("type")
    if not isinstance(kind, str):
        return False
    subtype = data.get("subtype")
    if kind in _HIDDEN_OUTPUT or (kind == "system" and not (isinstance(subtype, str) and subtype in _VISIBLE_SYSTEM)):
        return True
    text = data.get("content")
    name = subtype if kind == "system" else kind
    return name in _EMPTY_IS_HIDDEN and not (isinstance(text, str) and text.strip())


def _is_set(value: Any) -> bool:
    """Truth as the reference's language has it: an empty list is true."""
    return isinstance(value, dict | list) or bool(value)

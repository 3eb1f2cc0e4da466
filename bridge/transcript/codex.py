"""The generic agent family (`codex` envelope): every flavor but Claude's SDK and agy speaks it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from bridge.transcript.agent_runs import decode_agent_run
from bridge.transcript.blocks import ABSENT, Origin
from bridge.transcript.goals import decode_goal
from bridge.transcript.parts import (
    CallPart,
    Entry,
    ImagePart,
    ReasoningPart,
    ResultPart,
    ReviewPart,
    TextPart,
)
from bridge.transcript.plans import decode_plan
from bridge.transcript.review import parse_review
from bridge.transcript.usage import codex_usage
from bridge.transcript.values import count, first_number, first_text, record, text, text_or, truthy

_PI_STREAM = re.compile(r"pi-.+-turn-\d+-message-\d+-text-\d+", re.ASCII)


def decode_codex(payload: dict[str, Any], origin: Origin, unknown: Counter[str]) -> Entry | None:
    """One message of the family; unknown types are dropped, as the contract says, and counted."""
    data = record(payload.get("data"))
    kind = data.get("type") if data is not None else None
    decoder = _TYPES.get(kind) if isinstance(kind, str) else None
    if data is None or decoder is None:
        count(unknown, f"codex:{kind}" if isinstance(kind, str) else "codex:untyped")
        return None
    return decoder(data, origin)


def _message(data: dict[str, Any], origin: Origin) -> Entry | None:
    words = text(data.get("message"))
    if words is None:
        return None
    stream = text(data.get("id"))
    if not (data.get("streamSnapshot") is True or (stream and _PI_STREAM.fullmatch(stream))):
        review = parse_review(words)
        if review is not None:
            return Entry(origin, "agent", [ReviewPart(review)])
    return Entry(origin, "agent", [TextPart(words, stream)])


def _reasoning(data: dict[str, Any], origin: Origin) -> Entry | None:
    words = text(data.get("message"))
    return None if words is None else Entry(origin, "agent", [ReasoningPart(words, text(data.get("id")))])


def _error(data: dict[str, Any], origin: Origin) -> Entry | None:
    words = text(data.get("message"))
    return None if words is None else Entry(origin, "event", event={"type": "error", "message": words})


def _tool_call(data: dict[str, Any], origin: Origin) -> Entry | None:
    call = text(data.get("callId"))
    if call is None:
        return None
    part = CallPart(
        call,
        text_or(data.get("name"), "unknown"),
        data.get("input", ABSENT),
        description=text(data.get("description")),
        title=first_text(data, "nativeTitle", "title"),
        native_kind=first_text(data, "nativeKind", "kind"),
        progress=data.get("progress"),
    )
    return Entry(origin, "agent", [part])


def _tool_result(data: dict[str, Any], origin: Origin) -> Entry | None:
    call = text(data.get("callId"))
    if call is None:
        return None
    return Entry(origin, "agent", [ResultPart(call, data.get("output", ABSENT), truthy(data.get("is_error")))])


def _image(data: dict[str, Any], origin: Origin) -> Entry | None:
    image = first_text(data, "imageId", "image_id")
    if not image:
        return None
    name, mime = first_text(data, "fileName", "file_name"), first_text(data, "mimeType", "mime_type")
    return Entry(origin, "agent", [ImagePart(image, name, mime)])


def _context_compacted(data: dict[str, Any], origin: Origin) -> Entry:
    event: dict[str, Any] = {"type": "compact", "trigger": text_or(data.get("trigger"), "auto")}
    tokens = first_number(data, "preTokens", "pre_tokens")
    event["preTokens"] = 0 if tokens is None else tokens
    return Entry(origin, "event", event=event)


def _compact_summary(data: dict[str, Any], origin: Origin) -> Entry | None:
    summary = text(data.get("summary"))
    if summary is None:
        return None
    event: dict[str, Any] = {"type": "compact-summary", "summary": summary}
    for key in ("tokensBefore", "estimatedTokensAfter"):
        tokens = first_number(data, key)
        if tokens is not None:
            event[key] = tokens
    return Entry(origin, "event", event=event)


def _token_count(data: dict[str, Any], origin: Origin) -> Entry | None:
    usage = codex_usage(data)
    if usage is None:
        return None
    return Entry(origin, "event", event={"type": "token-count", **usage.to_json()}, usage=usage)


def _plan(data: dict[str, Any], origin: Origin) -> Entry | None:
    parts = decode_plan(data)
    return Entry(origin, "agent", parts) if parts else None


_TYPES: dict[str, Callable[[dict[str, Any], Origin], Entry | None]] = {
    "message": _message,
    "reasoning": _reasoning,
    "error": _error,
    "tool-call": _tool_call,
    "tool-call-result": _tool_result,
    "generated-image": _image,
    "context_compacted": _context_compacted,
    "compact-summary": _compact_summary,
    "token_count": _token_count,
    "thread_goal_updated": decode_goal,
    "thread_goal_cleared": decode_goal,
    "plan": _plan,
    "plan_update": _plan,
    "agent-run-start": decode_agent_run,
    "agent-run-update": decode_agent_run,
    "agent-run-trace": decode_agent_run,
}

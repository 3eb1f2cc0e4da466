"""The `output` family: Claude's SDK log entries as they are, and agy's messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from bridge.transcript.agy import decode_agy_action, decode_agy_message
from bridge.transcript.blocks import ABSENT, Origin
from bridge.transcript.parts import (
    CallPart,
    Entry,
    Part,
    PromptPart,
    ReasoningPart,
    ResultPart,
    SummaryPart,
    TextPart,
)
from bridge.transcript.usage import claude_usage
from bridge.transcript.values import count, number, record, stringify, text, text_or, trimmed, truthy

_HIDDEN = frozenset({"rate_limit_event", "tool_progress"})


def decode_output(payload: dict[str, Any], origin: Origin, unknown: Counter[str]) -> Entry | None:
    """One log entry; hidden ones give None, visible unknown ones are shown as they came, and counted."""
    data = record(payload.get("data"))
    kind = data.get("type") if data is not None else None
    if data is not None:
        if _is_hidden(data, kind):
            return None
        decoder = _TYPES.get(kind) if isinstance(kind, str) else None
        entry = decoder(data, origin) if decoder is not None else None
        if entry is not None:
            entry.sidechain = entry.sidechain or truthy(data.get("isSidechain"))
            entry.parent_tool = text(data.get("parentToolUseId"))
            entry.uuid, entry.parent_uuid = text(data.get("uuid")), text(data.get("parentUuid"))
            return entry
    count(unknown, f"output:{kind}" if isinstance(kind, str) else "output:untyped")
    return Entry(origin, "agent", [TextPart(stringify(payload))])


def _is_hidden(data: dict[str, Any], kind: Any) -> bool:
    if truthy(data.get("isMeta")) or truthy(data.get("isCompactSummary")):
        return True
    if kind == "system":
        subtype = data.get("subtype")
        if subtype == "away_summary":
            return not trimmed(text_or(data.get("content"), ""))
        return not (isinstance(subtype, str) and subtype in _SYSTEM)
    if kind == "agy_message":
        return not trimmed(text_or(data.get("content"), ""))
    return isinstance(kind, str) and kind in _HIDDEN


def _assistant(data: dict[str, Any], origin: Origin) -> Entry | None:
    message = _message(data)
    if message is None:
        return None
    content, model = message.get("content"), text(message.get("model"))
    parts: list[Part] = []
    if isinstance(content, str):
        parts.append(TextPart(content, model=model))
    elif isinstance(content, list):
        for each in content:
            block = record(each)
            part = _assistant_part(block, model) if block is not None else None
            if part is not None:
                parts.append(part)
    return Entry(origin, "agent", parts, usage=claude_usage(message.get("usage")))


def _message(data: dict[str, Any]) -> dict[str, Any] | None:
    """The SDK's message. To the reference a list is an object too, only one without fields: it shows nothing."""
    message = data.get("message")
    return {} if isinstance(message, list) else record(message)


def _assistant_part(block: dict[str, Any], model: str | None) -> Part | None:
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return TextPart(block["text"], model=model)
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return ReasoningPart(block["thinking"])
    if kind == "tool_use" and isinstance(block.get("id"), str):
        given = block.get("input", ABSENT)
        fields = record(given)
        description = text(fields.get("description")) if fields is not None else None
        return CallPart(block["id"], text_or(block.get("name"), "Tool"), given, description=description)
    return None


def _user(data: dict[str, Any], origin: Origin) -> Entry | None:
    message = _message(data)
    if message is None:
        return None
    content = message.get("content")
    if isinstance(content, str):
        return Entry(origin, "agent", [PromptPart(content)], sidechain=True)
    if not isinstance(content, list):
        return Entry(origin, "agent")
    texts = [block["text"] for block in map(_text_block, content) if block is not None]
    if texts and len(texts) == len(content):
        if truthy(data.get("isSidechain")):
            return Entry(origin, "agent", [PromptPart("\n".join(texts))])
        return Entry(origin, "user", text="\n".join(texts))
    parts: list[Part] = []
    for each in content:
        block = record(each)
        if block is None:
            continue
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            parts.append(TextPart(block["text"]))
        elif block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str):
            parts.append(_tool_result(block, data))
    return Entry(origin, "agent", parts)


def _text_block(value: Any) -> dict[str, Any] | None:
    block = record(value)
    if block is None or block.get("type") != "text" or not isinstance(block.get("text"), str):
        return None
    return block


def _tool_result(block: dict[str, Any], data: dict[str, Any]) -> ResultPart:
    content = data["toolUseResult"] if "toolUseResult" in data else block.get("content", ABSENT)
    error = truthy(block.get("is_error"))
    return ResultPart(block["tool_use_id"], content, error, record(block.get("permissions")))


def _summary(data: dict[str, Any], origin: Origin) -> Entry | None:
    summary = text(data.get("summary"))
    return None if summary is None else Entry(origin, "agent", [SummaryPart(summary)])


def _system(data: dict[str, Any], origin: Origin) -> Entry | None:
    return Entry(origin, "event", event=_SYSTEM[data["subtype"]](data))


def _api_error(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "api-error",
        "retryAttempt": number(data.get("retryAttempt")) or 0,
        "maxRetries": number(data.get("maxRetries")) or 0,
        "error": data.get("error"),
    }


def _turn_duration(data: dict[str, Any]) -> dict[str, Any]:
    event: dict[str, Any] = {"type": "turn-duration", "durationMs": number(data.get("durationMs")) or 0}
    target = text(data.get("messageId"))
    return event if target is None else {**event, "targetMessageId": target}


def _microcompact(data: dict[str, Any]) -> dict[str, Any]:
    trigger, before, saved = _compaction(data, "microcompact")
    return {"type": "microcompact", "trigger": trigger, "preTokens": before, "tokensSaved": saved}


def _compact(data: dict[str, Any]) -> dict[str, Any]:
    trigger, before, _ = _compaction(data, "compact")
    return {"type": "compact", "trigger": trigger, "preTokens": before}


def _compaction(data: dict[str, Any], kind: str) -> tuple[str, int | float, int | float]:
    """What set it off, the tokens before, and those saved. Claude Code's log has the names in camel case; what it
    streams to HAPI's CLI (2.1.197, seen on a real hub) has them in snake case."""
    if (fields := record(data.get(f"{kind}Metadata"))) is not None:
        before, saved = number(fields.get("preTokens")), number(fields.get("tokensSaved"))
    else:
        fields = record(data.get(f"{kind}_metadata")) or {}
        before, saved = number(fields.get("pre_tokens")), number(fields.get("tokens_saved"))
    return text_or(fields.get("trigger"), "auto"), before or 0, saved or 0


def _recap(data: dict[str, Any]) -> dict[str, Any]:
    return {"type": "recap", "text": data["content"]}


_SYSTEM: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "api_error": _api_error,
    "turn_duration": _turn_duration,
    "microcompact_boundary": _microcompact,
    "compact_boundary": _compact,
    "away_summary": _recap,
}

_TYPES: dict[str, Callable[[dict[str, Any], Origin], Entry | None]] = {
    "assistant": _assistant,
    "user": _user,
    "system": _system,
    "summary": _summary,
    "agy_message": decode_agy_message,
    "agy_tool_action": decode_agy_action,
}

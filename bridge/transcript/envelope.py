"""From a wire message to an entry: the role-wrapped envelope and the choice of family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from bridge.transcript.blocks import ABSENT, Origin
from bridge.transcript.claude import decode_output
from bridge.transcript.codex import decode_codex
from bridge.transcript.events import decode_event
from bridge.transcript.parts import Entry, TextPart
from bridge.transcript.user import decode_user
from bridge.transcript.values import cleaned, count, record, stringify, survey

Decoder = Callable[[dict[str, Any], Origin, Counter[str]], Entry | None]

_FAMILIES: dict[str, Decoder] = {"codex": decode_codex, "output": decode_output, "event": decode_event}

_PROBES = (("message",), ("data", "message"), ("payload", "message"))


def decode(message: Mapping[str, Any], unknown: Counter[str]) -> Entry | None:
    """One wire message as an entry; None where the contract says it is not for showing.

    Never raises. Types it does not know are counted in `unknown`.
    """
    origin = _origin(message)
    content = message.get("content", ABSENT)
    plain = survey(content)
    if plain is None:
        count(unknown, "too-deep")
        return Entry(origin, "event", event={"type": "unreadable", "reason": "nested too deeply"})
    if not plain:
        content = cleaned(content)
    envelope = unwrap(content)
    if envelope is None:
        count(unknown, "envelope")
        origin.invoked_at = None
        return as_text(content, origin)
    origin.meta = envelope.get("meta")
    role, payload = envelope["role"], envelope["content"]
    if role == "user":
        return decode_user(payload, origin)
    if role == "agent":
        return _decode_agent(payload, origin, unknown)
    count(unknown, f"role:{role}")
    return Entry(origin, "agent", [TextPart(stringify(payload), role=role)])


def unwrap(content: Any) -> dict[str, Any] | None:
    """The record that has a text `role` and a `content`: the content itself or one of three places in it."""
    outer = record(content)
    if outer is None:
        return None
    if _is_envelope(outer):
        return outer
    for probe in _PROBES:
        inner: dict[str, Any] | None = outer
        for key in probe:
            inner = record(inner.get(key)) if inner is not None else None
        if inner is not None and _is_envelope(inner):
            return inner
    return None


def as_text(value: Any, origin: Origin) -> Entry:
    """An unknown value as agent text."""
    return Entry(origin, "agent", [TextPart(stringify(value))])


def _is_envelope(value: dict[str, Any]) -> bool:
    return isinstance(value.get("role"), str) and "content" in value


def _decode_agent(payload: Any, origin: Origin, unknown: Counter[str]) -> Entry | None:
    fields = record(payload)
    kind = fields.get("type") if fields is not None else None
    family = _FAMILIES.get(kind) if isinstance(kind, str) else None
    if fields is None or family is None:
        count(unknown, f"family:{kind}" if isinstance(kind, str) else "family:untyped")
        return as_text(payload, origin)
    return family(fields, origin, unknown)


def _origin(message: Mapping[str, Any]) -> Origin:
    message_id = message.get("id")
    return Origin(
        message_id=message_id if isinstance(message_id, str) else stringify(_stamp(message_id)),
        created_at=_stamp(message.get("createdAt", 0)),
        local_id=_stamp(message.get("localId", ABSENT)),
        invoked_at=_stamp(message.get("invokedAt")),
        seq=_stamp(message.get("seq")),
    )


def _stamp(value: Any) -> Any:
    kind = type(value)
    if kind is str or value is None or value is ABSENT or (kind is int and value.bit_length() < 64):
        return value
    return None if survey(value) is None else cleaned(value)

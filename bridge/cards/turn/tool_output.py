"""What a tool gave back, as a person reads it: text as text, output streams, JSON laid out, long ones folded."""

from __future__ import annotations

from typing import Any, Final, Literal

from bridge.cards.layout import lay_out
from bridge.cards.model import Code, Fold, Piece, Span
from bridge.cards.words import brief, size, whole_number
from bridge.language import tr, trn

_FOLD_LINES: Final = 12
_FOLD_LENGTH: Final = 800
"""Beyond so many lines or characters output is folded away."""


def output_pieces(result: Any) -> tuple[Piece, ...]:
    """The pieces that show a tool's result: any value, any size. Empty where there is nothing to show."""
    text = output_text(result)
    source = text if text is not None else lay_out(result) if result not in (None, [], {}) else ""
    if not source.strip():
        return ()
    keep: Literal["start", "end"] = "end" if text is not None and _is_stream(result) else "start"
    name = "output.json" if text is None else "output.txt"
    code = Code(source=source, language="json" if text is None else "", spill=name, keep=keep)
    lines = source.count("\n") + 1
    if lines <= _FOLD_LINES and len(source) <= _FOLD_LENGTH:
        return (code,)
    return (Fold(title=(Span(text=trn("{n} line", "{n} lines", lines), italic=True),), pieces=(code,)),)


def output_text(result: Any) -> str | None:
    """The result as plain text, None where it is data: text parts joined, images named, streams one after another."""
    if isinstance(result, str):
        return result
    if isinstance(result, list) and result:
        parts = [_part(item) for item in result]
        return "\n".join(part for part in parts if part is not None) if None not in parts else None
    if isinstance(result, dict):
        if _is_stream(result):
            return _streams(result)
        for key in ("content", "output", "text"):
            inner = result.get(key)
            if isinstance(inner, str) and not set(result) - {key, "type", "isError", "is_error"}:
                return inner
            if (
                key == "content"
                and isinstance(inner, list)
                and inner
                and all(_part(item) is not None for item in inner)
            ):
                return "\n".join(_part(item) or "" for item in inner)
    return None


def _is_stream(result: Any) -> bool:
    return isinstance(result, dict) and any(isinstance(result.get(key), str) for key in ("stdout", "stderr"))


def _streams(result: dict[str, Any]) -> str:
    out = [result[key] for key in ("stdout", "stderr") if isinstance(result.get(key), str) and result[key]]
    code = result.get("exit_code", result.get("exitCode"))
    if isinstance(code, int) and not isinstance(code, bool) and code:
        out.append(tr("exit code {code}", code=whole_number(code)))
    return "\n".join(part.rstrip("\n") for part in out)


def _part(item: Any) -> str | None:
    """One part of a result's content, None where it is none that text can stand for."""
    if not isinstance(item, dict):
        return item if isinstance(item, str) else None
    kind = item.get("type")
    if kind == "text" and isinstance(item.get("text"), str):
        return str(item["text"])
    if kind == "image":
        source = item.get("source") if isinstance(item.get("source"), dict) else item
        data = source.get("data") if isinstance(source, dict) else None
        media = brief(source.get("media_type", source.get("mimeType")), 60) if isinstance(source, dict) else ""
        weight = size(len(data) * 3 // 4) if isinstance(data, str) else ""
        return "[" + ", ".join(part for part in (tr("image"), media, weight) if part) + "]"
    return None

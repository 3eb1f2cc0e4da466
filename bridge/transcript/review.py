"""Code reviews: an agent text that is a JSON object with review markers."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from bridge.transcript.values import first_number, first_text, number, record, too_deep, trimmed

_MARKERS = ("findings", "overall_correctness", "overall_explanation")


def parse_review(text: str) -> dict[str, Any] | None:
    """The review that a text is, with the reference's names; None where the text is none."""
    bare = trimmed(text)
    if not (bare.startswith("{") and bare.endswith("}")) or not any(marker in bare for marker in _MARKERS):
        return None
    try:
        value = json.loads(bare, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    fields = record(value)
    if fields is None or too_deep(fields) or not any(marker in fields for marker in _MARKERS):
        return None
    findings = fields.get("findings")
    return {
        "findings": [f for f in map(_finding, findings) if f] if isinstance(findings, list) else [],
        "overallCorrectness": first_text(fields, "overall_correctness"),
        "overallExplanation": first_text(fields, "overall_explanation"),
        "overallConfidenceScore": number(fields.get("overall_confidence_score")),
    }


def _refused(constant: str) -> NoReturn:
    """Python would take NaN and Infinity, which are no JSON."""
    raise ValueError(constant)


def _finding(value: Any) -> dict[str, Any] | None:
    fields = record(value)
    if fields is None:
        return None
    location = record(fields.get("code_location")) or {}
    lines = record(location.get("line_range")) or {}
    return {
        "title": first_text(fields, "title"),
        "body": first_text(fields, "body"),
        "confidenceScore": number(fields.get("confidence_score")),
        "priority": number(fields.get("priority")),
        "filePath": first_text(location, "absolute_file_path", "file_path"),
        "lineStart": first_number(lines, "start"),
        "lineEnd": first_number(lines, "end"),
    }

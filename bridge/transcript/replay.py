"""Fixtures and pages run through the fold: what `conformance` and `render --to blocks` answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bridge.transcript.blocks import to_json
from bridge.transcript.fold import Transcript
from bridge.transcript.values import record


def fold_page(page: Mapping[str, Any]) -> Transcript:
    """A page `{"messages": […], "agentState": …, "options"?: …}` folded in the order given.

    What is no message at all is shown as it came, like any content without an envelope.
    """
    options = record(page.get("options")) or {}
    transcript = Transcript(has_more_messages=options.get("hasMoreMessages") is True)
    transcript.set_agent_state(page.get("agentState"))
    messages = page.get("messages")
    for message in messages if isinstance(messages, list) else ():
        transcript.feed(message if isinstance(message, dict) else {"content": message})
    return transcript


def render_blocks(page: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The page's root blocks as JSON, as in the golden fixtures' `expected.blocks`."""
    return [to_json(block) for block in fold_page(page).blocks]


def run_chat(document: Mapping[str, Any]) -> list[str]:
    """Run one chat case; answers its differences in words, none where it passes."""
    expected = record(document.get("expected"))
    given = record(document.get("input"))
    if expected is None or given is None:
        return ["a chat case needs `input` and `expected`"]
    transcript = fold_page(given)
    usage = transcript.latest_usage
    actual = {
        "blocks": [to_json(block) for block in transcript.blocks],
        "visibleBlocks": [to_json(block) for block in transcript.visible_blocks()],
        "hasReadyEvent": transcript.has_ready_event,
        "latestUsage": usage.to_json() if usage is not None else None,
    }
    found: list[str] = []
    for key, value in expected.items():
        found.extend(differences(value, actual.get(key), key))
    return found


def differences(expected: Any, actual: Any, path: str) -> Iterator[str]:
    """Where two JSON values differ, as `path: expected …, got …`."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in dict.fromkeys([*expected, *actual]):
            if key not in actual:
                yield f"{path}.{key}: missing"
            elif key not in expected:
                yield f"{path}.{key}: not expected, got {_short(actual[key])}"
            else:
                yield from differences(expected[key], actual[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{path}: expected {len(expected)} elements, got {len(actual)}"
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(one, other, f"{path}[{index}]")
    elif not _same(expected, actual):
        yield f"{path}: expected {_short(expected)}, got {_short(actual)}"


def _same(expected: Any, actual: Any) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return bool(expected == actual)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 200 else shown[:199] + "…"

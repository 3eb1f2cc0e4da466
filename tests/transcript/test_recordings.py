"""Sessions recorded from a real hub (release 0.30.7): pages and event frames decode to the same blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.transcript.blocks import to_json
from bridge.transcript.fold import Transcript
from bridge.transcript.replay import fold_page, render_blocks
from tests.transcript.record_sessions import FOLDER, SESSIONS, record

Recording = dict[str, Any]

EXPECTED: dict[str, list[tuple[str, str]]] = {
    "generic": [
        ("user-text", "Count the tests."),
        ("agent-reasoning", "Where are the tests?"),
        ("tool-call", "CodexBash completed approved"),
        ("tool-call", "update_plan completed"),
        ("agent-text", "There are **two** test files."),
    ],
    "claude": [
        ("user-text", "Find the retry logic."),
        ("agent-reasoning", "A sub-agent can look."),
        ("agent-event", "title-changed"),
        ("tool-call", "Task completed [Grep completed]"),
        ("agent-event", "api-error"),
        ("agent-text", "It is in `upload.ts`."),
    ],
    "agy": [
        ("user-text", "Which Gradle?"),
        ("agent-text", "Looking."),
        ("tool-call", "Bash completed"),
        ("agent-text", "Gradle 8.7."),
    ],
}


def _load(name: str) -> Recording:
    recording: Recording = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return recording


def _said(block: dict[str, Any]) -> str:
    if block["kind"] == "agent-event":
        return str(block["event"]["type"])
    if block["kind"] != "tool-call":
        return str(block["text"])
    tool = block["tool"]
    words = [tool["name"], tool["state"]]
    if "permission" in tool:
        words.append(tool["permission"]["status"])
    if "children" in block:
        words.append(f"[{', '.join(_said(child) for child in block['children'])}]")
    return " ".join(words)


def _outline(blocks: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(block["kind"], _said(block)) for block in blocks]


def _live(recording: Recording) -> Transcript:
    """What a follower sees: each frame as it came, messages stamped when they are taken."""
    transcript = Transcript()
    queued: dict[str, dict[str, Any]] = {}
    for frame in recording["frames"]:
        if frame["type"] == "message-received":
            message = frame["message"]
            transcript.feed(message)
            if message["localId"] is not None:
                queued[message["localId"]] = message
        elif frame["type"] == "messages-consumed":
            for local_id in frame["localIds"]:
                transcript.feed({**queued[local_id], "invokedAt": frame["invokedAt"]})
        elif "agentState" in (frame.get("data") or {}):
            state = frame["data"]["agentState"]
            transcript.set_agent_state(state.get("value", state) if state is not None else None)
    return transcript


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_recorded_page_decodes_to_what_was_said(name: str) -> None:
    assert _outline(render_blocks(_load(name))) == EXPECTED[name]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_frames_end_in_the_blocks_of_the_page(name: str) -> None:
    recording = _load(name)
    live = _live(recording)
    assert [to_json(block) for block in live.blocks] == render_blocks(recording)
    assert live.has_ready_event
    assert not live.unknown


def test_a_recorded_session_has_its_usage() -> None:
    usage = fold_page(_load("generic")).latest_usage
    assert usage is not None
    assert (usage.context_size, usage.context_window, usage.output_tokens) == (1200, 200000, 40)


@pytest.mark.real_hub
async def test_the_hub_still_speaks_as_recorded(tmp_path: Path) -> None:
    recordings = await record(tmp_path)
    assert recordings.keys() == SESSIONS.keys()
    for name, recording in recordings.items():
        assert _outline(render_blocks(recording)) == EXPECTED[name]
        assert [to_json(block) for block in _live(recording).blocks] == render_blocks(recording)

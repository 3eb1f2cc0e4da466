"""Small neighbouring tools are shown as one group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.transcript.blocks import ToolGroup
from bridge.transcript.fold import Transcript

Message = dict[str, Any]
Build = Callable[..., Message]

EXPLORING = {"command_actions": [{"type": "read"}], "command_source": "agent"}


def _groups(transcript: Transcript) -> list[tuple[str, list[str]]]:
    return [
        (block.id, [tool.id for tool in block.tools])
        for block in transcript.visible_blocks()
        if isinstance(block, ToolGroup)
    ]


def _tools(codex: Build, *calls: tuple[str, str, Any], more: bool = False) -> Transcript:
    transcript = Transcript(has_more_messages=more)
    for number, (call, name, given) in enumerate(calls):
        transcript.feed(codex(f"m{number}", type="tool-call", callId=call, name=name, input=given))
    return transcript


def test_neighbours_form_a_group_and_questions_stand_alone(codex: Build) -> None:
    transcript = _tools(
        codex,
        ("a", "Read", {}),
        ("b", "Bash", {}),
        ("c", "AskUserQuestion", {}),
        ("d", "Grep", {}),
    )
    assert _groups(transcript) == [("tool-group:a", ["a", "b"])]
    assert [block.id for block in transcript.visible_blocks()] == ["tool-group:a", "c", "d"]


def test_codex_exploration_is_a_family_of_its_own(codex: Build) -> None:
    transcript = _tools(
        codex, ("a", "Read", {}), ("b", "CodexBash", EXPLORING), ("c", "CodexBash", EXPLORING), ("d", "Read", {})
    )
    assert _groups(transcript) == [("tool-group:b", ["b", "c"])]


def test_a_pending_permission_breaks_a_group(codex: Build) -> None:
    transcript = _tools(codex, ("a", "Read", {}), ("b", "Read", {}), ("c", "Read", {}))
    transcript.set_agent_state({"requests": {"b": {"tool": "Read", "arguments": {}}}})
    assert _groups(transcript) == []


def test_a_group_that_may_grow_at_the_front_is_named_after_its_last(codex: Build) -> None:
    transcript = _tools(codex, ("a", "Read", {}), ("b", "Read", {}), more=True)
    assert _groups(transcript) == [("tool-group:b", ["a", "b"])]

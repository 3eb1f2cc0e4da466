"""Sub-agents: what they did stands under the Task that called them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.transcript.blocks import ToolCall, to_json
from bridge.transcript.fold import Transcript

Message = dict[str, Any]
Build = Callable[..., Message]


def _task(claude: Build, message_id: str, call: str, prompt: str = "look", **data: Any) -> Message:
    given = {"type": "tool_use", "id": call, "name": "Task", "input": {"prompt": prompt}}
    return claude(message_id, "assistant", [given], **data)


def _texts(transcript: Transcript) -> dict[str, list[str]]:
    return {
        block.id: [to_json(child).get("text", child.id) for child in block.children]
        for block in transcript.blocks
        if isinstance(block, ToolCall)
    }


def test_a_child_changes_its_root_card(claude: Build) -> None:
    transcript = Transcript()
    transcript.feed(_task(claude, "m1", "t"))
    changes = transcript.feed(claude("m2", "assistant", "hm", isSidechain=True, parentToolUseId="t"))
    assert [block.id for block in changes.changed] == ["t"]
    assert changes.added == ()
    assert _texts(transcript) == {"t": ["hm"]}


def test_a_grandchild_changes_the_card_at_the_root(claude: Build) -> None:
    transcript = Transcript()
    transcript.feed(_task(claude, "m1", "t"))
    transcript.feed(_task(claude, "m2", "u", isSidechain=True, parentToolUseId="t"))
    changes = transcript.feed(claude("m3", "assistant", "deep", isSidechain=True, parentToolUseId="u"))
    assert [block.id for block in changes.changed] == ["t"]
    outer = to_json(transcript.blocks[0])
    assert outer["children"][0]["children"][0]["text"] == "deep"


def test_children_that_come_before_their_task_are_shown_with_it(claude: Build) -> None:
    transcript = Transcript()
    early = transcript.feed(claude("m1", "assistant", "hm", isSidechain=True, parentToolUseId="t"))
    assert not early
    transcript.feed(_task(claude, "m2", "t"))
    assert _texts(transcript) == {"t": ["hm"]}


def test_a_prompt_names_the_task_where_no_id_does(claude: Build) -> None:
    transcript = Transcript()
    transcript.feed(_task(claude, "m1", "t", prompt="look"))
    transcript.feed(claude("m2", "user", "look", isSidechain=True, uuid="u1"))
    transcript.feed(claude("m3", "assistant", "hm", isSidechain=True, uuid="u2", parentUuid="u1"))
    assert _texts(transcript) == {"t": ["hm"]}


def test_a_message_waits_for_the_parent_it_answers(claude: Build) -> None:
    transcript = Transcript()
    transcript.feed(_task(claude, "m1", "t", prompt="look"))
    transcript.feed(claude("m2", "assistant", "second", isSidechain=True, uuid="u3", parentUuid="u2"))
    transcript.feed(claude("m3", "assistant", "first", isSidechain=True, uuid="u2", parentUuid="u1"))
    assert _texts(transcript) == {"t": []}
    transcript.feed(claude("m4", "user", "look", isSidechain=True, uuid="u1"))
    assert _texts(transcript) == {"t": ["first", "second"]}


def test_a_sub_agents_usage_is_not_the_sessions(claude: Build) -> None:
    transcript = Transcript()
    message = claude("m1", "assistant", "hm", isSidechain=True, parentToolUseId="t")
    message["content"]["content"]["data"]["message"]["usage"] = {"input_tokens": 1, "output_tokens": 2}
    transcript.feed(message)
    assert transcript.latest_usage is None


def test_a_permission_reaches_the_card_of_a_sub_agents_tool(claude: Build) -> None:
    transcript = Transcript()
    transcript.feed(_task(claude, "m1", "t"))
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}
    transcript.feed(claude("m2", "assistant", [call], isSidechain=True, parentToolUseId="t"))
    changes = transcript.set_agent_state({"requests": {"c": {"tool": "Bash", "arguments": {"command": "ls"}}}})
    assert [block.id for block in changes.changed] == ["t"]
    assert len(transcript.blocks) == 1
    child = to_json(transcript.blocks[0])["children"][0]
    assert child["tool"]["permission"] == {"status": "pending"}

"""What each family's messages decode to, where the fixtures leave a rule to one case or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bridge.transcript.blocks import AgentText, Block, ToolCall, UserText, to_json
from bridge.transcript.fold import Transcript

Message = dict[str, Any]
Build = Callable[..., Message]


def _blocks(*messages: Message) -> list[Block]:
    transcript = Transcript()
    for message in messages:
        transcript.feed(message)
    return list(transcript.blocks)


def _shown(*messages: Message) -> list[dict[str, Any]]:
    return [to_json(block) for block in _blocks(*messages)]


@pytest.mark.parametrize("wrap", [("message",), ("data", "message"), ("payload", "message")])
def test_the_envelope_is_found_in_three_more_places(wire: Build, wrap: tuple[str, ...]) -> None:
    content: Any = {"role": "user", "content": "hello", "meta": {"sentFrom": "webapp"}}
    for key in reversed(wrap):
        content = {key: content}
    (block,) = _blocks(wire("m1", content))
    assert isinstance(block, UserText)
    assert (block.text, block.sent_from) == ("hello", "webapp")


def test_without_an_envelope_the_whole_content_is_shown_as_json(wire: Build) -> None:
    assert [block["text"] for block in _shown(wire("m1", {"a": [1.0, None]}), wire("m2", "bare"))] == [
        '{\n  "a": [\n    1,\n    null\n  ]\n}',
        "bare",
    ]


def test_a_foreign_role_keeps_its_name_beside_the_text(wire: Build) -> None:
    (block,) = _blocks(wire("m1", {"role": "system", "content": "maintenance at noon"}))
    assert isinstance(block, AgentText)
    assert (block.text, block.role) == ("maintenance at noon", "system")


def test_a_queued_message_shows_its_order_and_origin(user: Build) -> None:
    (block,) = _blocks(user("m1", "hi", meta={"sentFrom": "telegram-bot"}, invokedAt=None, seq=9, localId="l"))
    assert (block.message_id, block.index, block.seq, block.local_id) == ("m1", 0, 9, "l")
    assert (block.sent_from, block.invoked_at) == ("telegram-bot", None)


def test_unknown_generic_types_are_dropped_but_unknown_claude_types_are_shown(codex: Build, claude: Build) -> None:
    shown = _shown(codex("m1", type="hologram"), claude("m2", "hologram", "x"))
    assert [(block["id"], block["kind"]) for block in shown] == [("m2:0", "agent-text")]


@pytest.mark.parametrize("flag", ["isMeta", "isCompactSummary"])
def test_hidden_claude_entries_stay_hidden(claude: Build, flag: str) -> None:
    assert _shown(claude("m1", "assistant", "secret", **{flag: True})) == []


def test_a_claude_text_may_be_bare(claude: Build) -> None:
    assert [block["text"] for block in _shown(claude("m1", "assistant", "hello"))] == ["hello"]


def test_a_prompt_that_the_system_put_in_is_never_shown(claude: Build) -> None:
    assert _shown(claude("m1", "user", "You are a helpful agent.")) == []


def test_a_user_message_that_the_cli_wrapped_is_the_users(claude: Build) -> None:
    shown = _shown(claude("m1", "user", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
    assert [(block["kind"], block["text"]) for block in shown] == [("user-text", "a\nb")]


def test_a_usage_limit_written_as_text_is_an_event(codex: Build) -> None:
    shown = _shown(codex("m1", type="message", message="Claude AI usage limit reached|1755010800|five_hour"))
    assert shown[0]["event"] == {"type": "limit-reached", "endsAt": 1755010800, "limitType": "five_hour"}


def test_cli_output_of_the_agent_is_not_a_chat_bubble(wire: Build) -> None:
    data = {"type": "assistant", "message": {"content": "<local-command-stdout>ok</local-command-stdout>"}}
    content = {"role": "agent", "content": {"type": "output", "data": data}, "meta": {"sentFrom": "cli"}}
    shown = _shown(wire("m1", content))
    assert [(block["kind"], block["source"]) for block in shown] == [("cli-output", "assistant")]


def test_a_review_of_a_pi_stream_stays_text(codex: Build) -> None:
    verdict = '{"findings": [], "overall_correctness": "ok"}'
    plain = codex("m1", type="message", id="s", message=verdict)
    pi = codex("m2", type="message", id="pi-x-turn-1-message-2-text-3", message=verdict)
    assert [block["kind"] for block in _shown(plain, pi)] == ["codex-review", "agent-text"]


def test_plans_of_both_flavors_keep_one_card_each(codex: Build) -> None:
    shown = _shown(
        codex("m1", type="plan", entries=[{"content": "a", "status": "in-progress"}]),
        codex("m2", type="plan_update", plan=[{"step": "b", "status": "done"}]),
        codex("m3", type="plan", entries=[{"content": "a", "status": "completed"}]),
        codex("m4", type="plan", entries=[]),
    )
    assert [(block["id"], block["tool"]["input"]["plan"]) for block in shown] == [
        ("cursor-plan-state", [{"step": "a", "status": "completed"}]),
        ("codex-plan-state", [{"step": "b", "status": "completed"}]),
    ]


def test_an_agent_run_is_one_card_through_its_updates(codex: Build, event: Build) -> None:
    shown = _shown(
        codex("m1", type="agent-run-start", agentId="a", summary="look"),
        event("m2", type="agent-run-update", agentId="a", status="done", summary="found"),
    )
    (block,) = shown
    assert (block["id"], block["tool"]["name"], block["tool"]["state"]) == ("a", "CodexAgent", "completed")
    assert block["tool"]["input"]["summary"] == "found"


def test_progress_and_titles_reach_the_card(codex: Build) -> None:
    (block,) = _blocks(
        codex("m1", type="tool-call", callId="c", name="Bash", nativeTitle="Run tests", nativeKind="execute"),
        codex("m2", type="tool-call", callId="c", name="Bash", progress={"done": 3}, description="half way"),
    )
    assert isinstance(block, ToolCall)
    tool = block.tool
    assert (tool.title, tool.native_kind, tool.progress, tool.description) == (
        "Run tests",
        "execute",
        {"done": 3},
        "half way",
    )


def test_a_late_call_names_the_card_that_its_result_opened(codex: Build) -> None:
    (block,) = _shown(
        codex("m1", type="tool-call-result", callId="c", output="ok", at=9),
        codex("m2", type="tool-call", callId="c", name="Read", input={"file_path": "/a"}, at=5),
    )
    assert block["createdAt"] == 5
    assert block["tool"] == {
        "id": "c",
        "name": "Read",
        "state": "completed",
        "input": {"file_path": "/a"},
        "result": "ok",
    }


def test_one_row_tells_the_newest_of_a_run_of_api_errors(event: Build) -> None:
    transcript = Transcript()
    transcript.feed(event("m1", type="api-error", retryAttempt=1))
    changes = transcript.feed(event("m2", type="api-error", retryAttempt=2))
    assert changes.removed == ("m1",)
    assert [block.id for block in changes.added] == ["m2"]
    assert [block.id for block in transcript.blocks] == ["m2"]


def test_an_event_repeated_at_once_is_shown_once(event: Build) -> None:
    shown = _shown(
        event("m1", type="message", message="Compacting."),
        event("m2", type="ready"),
        event("m3", type="message", message="Compacting.", note="again"),
        event("m4", type="message", message="Done."),
    )
    assert [block["id"] for block in shown] == ["m1", "m4"]


def test_an_agy_task_log_is_a_chip_and_its_echo_is_taken_off(wire: Build) -> None:
    def agy(message_id: str, words: str) -> Message:
        data = {"type": "agy_message", "content": words}
        return wire(message_id, {"role": "agent", "content": {"type": "output", "data": data}})

    shown = _shown(
        agy("m1", "Inside the task-7 log there is more"),
        agy("m2", "Built.\n[Message] timestamp=2026 raw"),
        agy("m3", "  "),
    )
    assert [block["id"] for block in shown] == ["m1:tasklog", "m2:0"]
    assert shown[0]["tool"]["input"] == {"task": "task-7"}
    assert shown[1]["text"] == "Built."


@pytest.mark.parametrize("message", [[], [1]])
@pytest.mark.parametrize("kind", ["assistant", "user"])
def test_a_list_in_the_place_of_the_message_is_a_message_without_content(wire: Build, kind: str, message: Any) -> None:
    """To the reference's language a list is an object; anything else there is shown as it came."""
    data = {"type": kind, "message": message}
    assert _shown(wire("m1", {"role": "agent", "content": {"type": "output", "data": data}})) == []
    data = {"type": kind, "message": "words"}
    assert len(_shown(wire("m2", {"role": "agent", "content": {"type": "output", "data": data}}))) == 1


def test_events_are_the_same_only_where_their_json_is(event: Build) -> None:
    def kept(first: Message, second: Message) -> int:
        return len(_shown(event("m1", **first), event("m2", **second)))

    assert kept({"type": "later", "x": 1}, {"type": "later", "x": 1.0}) == 1
    assert kept({"type": "later", "x": 1}, {"type": "later", "x": True}) == 2
    assert kept({"type": "switch", "mode": 0}, {"type": "switch", "mode": False}) == 2
    assert kept({"type": "recap", "text": None}, {"type": "recap"}) == 2
    assert kept({"type": "title-changed"}, {"type": "message"}) == 2
    assert kept({"type": "title-changed", "title": "t"}, {"type": "message", "message": "t"}) == 1


def test_the_context_is_summed_as_the_reference_sums(claude: Build) -> None:
    """Its numbers are doubles: beyond 2**53 they are rounded to even ones."""
    transcript = Transcript()
    message = claude("m1", "assistant", "hi")
    usage = {"input_tokens": 1769, "output_tokens": 88, "cache_read_input_tokens": 2**53}
    message["content"]["content"]["data"]["message"]["usage"] = usage
    transcript.feed(message)
    assert transcript.latest_usage is not None
    assert transcript.latest_usage.context_size == 9007199254742760


def test_a_notice_needs_an_opened_and_closed_summary(claude: Build) -> None:
    def said(inner: str) -> list[str]:
        words = f"\ufeff <task-notification>{inner}</task-notification>"
        return [block["event"]["message"] for block in _shown(claude("m1", "user", words))]

    assert said("</summary><summary> done\n</summary><summary>more</summary>") == ["done"]
    assert said("<summary>never closed") == []
    assert said("<summary> </summary>") == []


def test_the_last_line_of_a_shown_file_goes_only_at_its_end(wire: Build) -> None:
    last = "The above content does NOT show the entire, complete file contents"

    def shown(words: str) -> Any:
        data = {"type": "agy_tool_action", "name": "VIEW_FILE", "toolName": "view_file", "content": words}
        (block,) = _shown(wire("m1", {"role": "agent", "content": {"type": "output", "data": data}}))
        return block["tool"]["result"]

    assert shown(f"1: a\n{last}.\n \n") == "1: a"
    assert shown(f"1: {last}, and more") == "1: "
    assert shown(f"{last}\n1: a") == f"{last}\n1: a"
    assert shown(last) == ""


@pytest.mark.parametrize("kind", ["compact", "microcompact"])
def test_a_compaction_is_read_from_claudes_log_and_from_its_stream(wire: Build, kind: str) -> None:
    log = {f"{kind}Metadata": {"trigger": "manual", "preTokens": 110, "tokensSaved": 9}}
    stream = {f"{kind}_metadata": {"trigger": "manual", "pre_tokens": 110, "tokens_saved": 9}}
    kinds = {"type": "system", "subtype": f"{kind}_boundary"}
    (logged,), (streamed,) = (
        _shown(wire("m1", {"role": "agent", "content": {"type": "output", "data": {**kinds, **fields}}}))
        for fields in (log, stream)
    )
    assert logged["event"] == streamed["event"]
    assert (logged["event"]["trigger"], logged["event"]["preTokens"]) == ("manual", 110)

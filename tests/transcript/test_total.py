"""Invariant 5: decoding never raises, whatever the bytes; its answer is bounded and can be written as JSON."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.transcript.blocks import ToolCall, to_json
from bridge.transcript.content import classify, recognise_user_message
from bridge.transcript.fold import Transcript
from bridge.transcript.replay import render_blocks
from bridge.transcript.values import stringify

Json = Any

_LIMIT = "Claude AI usage limit reached|1"
_LAST_LINE = "The above content shows the entire, complete file contents"

_texts = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["\ud83d", "\udc00x", "\x00", "call-1", "call-2", "text", "Task", _LIMIT]),
)
_numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.sampled_from([10**400, -(10**4_000), 2**53 + 1, 1e308, 5e-324]),
)
_scalars = st.one_of(st.none(), st.booleans(), _numbers, _texts)

_TYPE_WORDS = """
    codex output event text message reasoning error tool-call tool-call-result generated-image plan
    plan_update context_compacted compact-summary token_count thread_goal_updated agent-run-update
    assistant user system summary agy_message agy_tool_action tool_use tool_result thinking
    api-error limit-warning title-changed ready recap
"""
_types = st.sampled_from(_TYPE_WORDS.split())
_KEY_WORDS = """
    role content type data message payload meta id callId name input output is_error text thinking
    tool_use_id parentToolUseId parentUuid uuid isSidechain isMeta usage input_tokens output_tokens
    info last plan entries items steps step status state goal threadId objective subtype
    compactMetadata summary imageId toolName toolUseId attachments permissions result date
    allowedTools decision mode toolUseResult sentFrom command_actions retryAttempt maxRetries error
    title prompt agentId event 0 7 __proto__
"""
_keys = st.sampled_from(_KEY_WORDS.split())
_values: st.SearchStrategy[Json] = st.recursive(
    st.one_of(_scalars, _types),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(_keys, st.text(max_size=6)), inner, max_size=6),
    ),
    max_leaves=25,
)


def _agent(family: str) -> st.SearchStrategy[Json]:
    data = st.dictionaries(_keys, _values, max_size=8).flatmap(
        lambda fields: _types.map(lambda kind: {**fields, "type": kind})
    )
    return data.map(lambda fields: {"role": "agent", "content": {"type": family, "data": fields}})


def _claude_blocks(value: Json) -> Json:
    return {
        "role": "agent",
        "content": {"type": "output", "data": {"type": value[0], "message": {"content": value[1]}, **value[2]}},
    }


_blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "tool_use", "tool_result"])},
    optional={
        "text": _texts,
        "thinking": _texts,
        "id": st.sampled_from(["call-1", "call-2", "call-3", ""]),
        "tool_use_id": st.sampled_from(["call-1", "call-2", "call-3", ""]),
        "name": st.sampled_from(["Task", "Bash", "mcp__hapi__change_title", "unknown"]),
        "input": _values,
        "content": _values,
        "permissions": _values,
    },
)
_links = st.fixed_dictionaries(
    {},
    optional={
        "isSidechain": st.booleans(),
        "parentToolUseId": st.sampled_from(["call-1", "call-2", "call-3", "call-4", ""]),
        "uuid": st.sampled_from(["u1", "u2", "u3"]),
        "parentUuid": st.sampled_from(["u1", "u2", "u3"]),
    },
)
_claude = st.tuples(st.sampled_from(["assistant", "user"]), st.lists(_blocks, max_size=4), _links).map(_claude_blocks)
_contents = st.one_of(_values, _agent("codex"), _agent("output"), _agent("event"), _claude, _claude)
_messages = st.fixed_dictionaries(
    {"id": st.one_of(st.sampled_from(["m1", "m2", "m3"]), st.text(max_size=5), _scalars), "content": _contents},
    optional={"createdAt": _values, "localId": _values, "invokedAt": _values, "seq": _values},
)
_requests = st.dictionaries(
    st.sampled_from(["call-1", "call-2", "r1", "r2"]),
    st.one_of(
        _values,
        st.fixed_dictionaries(
            {"tool": st.sampled_from(["Task", "Bash"]), "arguments": _values},
            optional={
                "toolCallId": st.sampled_from(["call-1", "call-3"]),
                "status": st.sampled_from(["approved", "denied", "resolved", "odd"]),
                "createdAt": _values,
                "answers": _values,
                "allowTools": _values,
            },
        ),
    ),
    max_size=3,
)
_states = st.one_of(_values, st.fixed_dictionaries({"requests": _requests, "completedRequests": _requests}))

thorough = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def _strict(value: Json) -> str:
    return json.dumps(value, allow_nan=False)


@thorough
@given(st.lists(_messages, max_size=8), _states, st.integers(0, 8), st.booleans())
def test_any_messages_and_any_state_decode(messages: list[Json], state: Json, state_at: int, more: bool) -> None:
    transcript = Transcript(has_more_messages=more)
    for number, message in enumerate(messages):
        if number == state_at:
            transcript.set_agent_state(state)
        transcript.feed(message)
    transcript.set_agent_state(state)
    shown = [to_json(block) for block in transcript.blocks]
    parts = sum(len(_strict(message)) for message in _written(messages)) + len(_strict(_written(state)))
    assert len(shown) <= parts + 1
    assert len(_strict(shown)) < 200_000 + 40 * parts
    _strict([to_json(block) for block in transcript.visible_blocks()])
    for block in transcript.blocks:
        _strict(classify(block).text)


def _written(value: Json) -> Json:
    """The value with the numbers that JSON lacks written as texts, to measure it by."""
    if isinstance(value, dict):
        return {key: _written(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_written(each) for each in value]
    return "number" if isinstance(value, int | float) else value


@thorough
@given(st.lists(_messages, max_size=8), _states)
def test_one_pass_and_one_at_a_time_agree(messages: list[Json], state: Json) -> None:
    named = [{**message, "id": f"m{number}"} for number, message in enumerate(messages)]
    early, late = Transcript(), Transcript()
    early.set_agent_state(state)
    for message in named:
        early.feed(message)
        late.feed(message)
    late.set_agent_state(state)
    again = Transcript()
    for message in named:
        again.feed({**message, "content": "draft"})
    again.set_agent_state(state)
    for message in named:
        again.feed(message)
    expected = [to_json(block) for block in early.blocks]
    assert [to_json(block) for block in late.blocks] == expected
    assert [to_json(block) for block in again.blocks] == expected


@thorough
@given(_values)
def test_any_page_renders(page: Json) -> None:
    _strict(render_blocks(page if isinstance(page, dict) else {"messages": page}))


@thorough
@given(_values)
def test_any_value_has_a_text_and_no_reader_raises(value: Json) -> None:
    shown = stringify(value)
    recognise_user_message(shown)
    _strict(shown)


def _in_family(family: str, data: Json) -> Json:
    return {"role": "agent", "content": {"type": family, "data": data}}


def _deep(levels: int, kind: str) -> Json:
    value: Json = "end"
    for _ in range(levels):
        value = [value] if kind == "list" else {"content": value}
    return value


@pytest.mark.parametrize("kind", ["list", "dict"])
@pytest.mark.parametrize(
    "place",
    [
        lambda deep: deep,
        lambda deep: {"role": "user", "content": deep},
        lambda deep: {
            "role": "agent",
            "content": {"type": "codex", "data": {"type": "tool-call", "callId": "c", "input": deep}},
        },
        lambda deep: {"role": "agent", "content": {"type": "event", "data": {"type": "x", "more": deep}}},
    ],
)
def test_ten_thousand_levels_become_one_counted_dull_block(kind: str, place: Any) -> None:
    transcript = Transcript()
    message = {"id": "m1", "createdAt": 1, "localId": None, "content": place(_deep(10_000, kind))}
    changes = transcript.feed(message)
    assert [to_json(block)["event"] for block in changes.added] == [
        {"type": "unreadable", "reason": "nested too deeply"}
    ]
    assert transcript.unknown == {"too-deep": 1}
    assert len(_strict([to_json(block) for block in transcript.blocks])) < 300


def test_deep_stamps_and_deep_arguments_are_left_out() -> None:
    transcript = Transcript()
    deep = _deep(10_000, "list")
    transcript.feed({"id": deep, "createdAt": deep, "localId": deep, "invokedAt": deep, "content": "x"})
    transcript.set_agent_state(
        {
            "requests": {"r": {"tool": "Bash", "arguments": deep, "createdAt": deep}},
            "completedRequests": {
                "q": {"tool": "Bash", "status": "approved", "answers": {"0": deep}, "arguments": deep}
            },
        }
    )
    _strict([to_json(block) for block in transcript.blocks])
    pending = transcript.blocks[-1]
    assert isinstance(pending, ToolCall)
    assert pending.tool.input == "nested too deeply to show"


def test_a_deep_message_that_comes_again_is_taken_again() -> None:
    transcript = Transcript()
    for _ in range(2):
        transcript.feed({"id": "m1", "content": _deep(10_000, "dict")})
    assert len(transcript.blocks) == 1


def test_parents_in_a_circle_end() -> None:
    """Two Tasks that each claim to run under the other show nothing of themselves in themselves."""
    transcript = Transcript()

    def task(number: int, call: str, under: str | None) -> Json:
        data = {"type": "assistant", "uuid": f"u{number}", "isSidechain": under is not None, "parentToolUseId": under}
        data["message"] = {"content": [{"type": "tool_use", "id": call, "name": "Task", "input": {}}]}
        return {"id": f"m{number}", "content": {"role": "agent", "content": {"type": "output", "data": data}}}

    for number, (call, under) in enumerate([("a", "b"), ("b", "a"), ("a", "a"), ("a", None), ("b", None), ("a", "b")]):
        transcript.feed(task(number, call, under))
    assert len(_strict([to_json(block) for block in transcript.blocks])) < 5_000


def test_a_task_without_an_id_does_not_hold_the_conversation_itself() -> None:
    """Invariant 5: an empty id must not be taken for the root, which would then be its own child."""
    task = _in_family("codex", {"type": "tool-call", "callId": "", "name": "Task", "input": {"prompt": "look"}})
    links = {"isSidechain": True, "parentToolUseId": "", "uuid": "u"}
    child = _claude_blocks(("assistant", [{"type": "text", "text": "x"}], links))
    transcript = Transcript()
    transcript.feed({"id": "m1", "content": task})
    transcript.feed({"id": "m2", "content": child})
    shown = [to_json(block) for block in transcript.blocks]
    assert [block["id"] for block in shown] == ["", "m2:0"]
    assert "children" not in shown[0]


def _many(opening: str, closing: str = "") -> str:
    return opening * (1_000_000 // len(opening)) + closing


@pytest.mark.parametrize(
    "data",
    [
        {"type": "user", "message": {"content": _many("<summary>")}},
        {"type": "user", "message": {"content": "<task-notification>" + _many("<summary>")}},
        {"type": "agy_message", "content": _many("\n[Message] timestamp")},
        {"type": "agy_tool_action", "name": "VIEW_FILE", "content": _LAST_LINE + _many(" ", "\nx")},
        {"type": "agy_tool_action", "name": "VIEW_FILE", "content": _many(_LAST_LINE, "\nx")},
        {"type": "agy_tool_action", "name": "ERROR_MESSAGE", "content": _many("\nGuidance:")},
    ],
    ids=["tags", "notice", "echo", "file end", "file ends", "guidance"],
)
def test_text_made_to_be_slow_is_read_in_one_go(data: Json) -> None:
    """Invariant 5: bounded in time too; what costs its square here would take minutes."""
    started = time.process_time()
    Transcript().feed({"id": "m1", "content": {"role": "agent", "content": {"type": "output", "data": data}}})
    assert time.process_time() - started < 5


@pytest.mark.parametrize("downwards", [True, False])
def test_a_thousand_tasks_in_each_other_stay_within_bounds(downwards: bool) -> None:
    transcript = Transcript()
    chain = range(1_000) if downwards else reversed(range(1_000))
    for number in chain:
        data = {"type": "assistant", "isSidechain": number > 0, "parentToolUseId": f"t{number - 1}" if number else None}
        data["message"] = {"content": [{"type": "tool_use", "id": f"t{number}", "name": "Task", "input": {}}]}
        transcript.feed({"id": f"m{number}", "content": {"role": "agent", "content": {"type": "output", "data": data}}})
    assert len(transcript.blocks) == 1
    _strict([to_json(block) for block in transcript.blocks])


def test_huge_texts_pass_whole() -> None:
    words = "a\x00\ud800" * 400_000
    transcript = Transcript()
    transcript.feed({"id": "m", "content": {"role": "user", "content": words}})
    assert to_json(transcript.blocks[0])["text"] == words

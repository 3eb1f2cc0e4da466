"""The fold one message at a time: whatever the interleaving, the blocks are those of one pass over the whole."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bridge.transcript.blocks import Block, ToolCall, to_json
from bridge.transcript.fold import Changes, Transcript

Cases = list[dict[str, Any]]
Message = dict[str, Any]


class Mirror:
    """Keeps blocks by nothing but the changes it is told, as the relay does."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}

    def take(self, changes: Changes) -> None:
        for gone in changes.removed:
            del self.kept[gone]
        for block in changes.added:
            self.kept[block.id] = copy.deepcopy(to_json(block))
        for block in changes.changed:
            assert block.id in self.kept, f"{block.id} changed before it was added"
            self.kept[block.id] = copy.deepcopy(to_json(block))


def _fed(case: Mapping[str, Any], *, state_at: int, early_state: Any = None) -> tuple[Transcript, Mirror]:
    given = case["input"]
    transcript = Transcript(has_more_messages=given["options"]["hasMoreMessages"])
    mirror = Mirror()
    mirror.take(transcript.set_agent_state(early_state))
    for number, message in enumerate(given["messages"]):
        if number == state_at:
            mirror.take(transcript.set_agent_state(given["agentState"]))
        mirror.take(transcript.feed(message))
    mirror.take(transcript.set_agent_state(given["agentState"]))
    return transcript, mirror


def _json(blocks: Any) -> list[dict[str, Any]]:
    return [to_json(block) for block in blocks]


@pytest.mark.parametrize("seed", range(4))
def test_permissions_may_arrive_at_any_moment(own_cases: Cases, seed: int) -> None:
    chance = random.Random(seed)
    for case in own_cases:
        transcript, _ = _fed(case, state_at=chance.randrange(len(case["input"]["messages"]) + 1))
        assert _json(transcript.blocks) == case["expected"]["blocks"]


def test_a_state_that_was_pending_first_ends_as_the_completed_one(own_cases: Cases) -> None:
    for case in own_cases:
        state = case["input"]["agentState"] or {}
        early = {"requests": {**(state.get("completedRequests") or {}), **(state.get("requests") or {})}}
        transcript, mirror = _fed(case, state_at=10**9, early_state=early)
        assert _json(transcript.blocks) == case["expected"]["blocks"]
        assert mirror.kept == {block.id: to_json(block) for block in transcript.blocks}


def test_changes_tell_everything_that_the_blocks_show(own_cases: Cases) -> None:
    for number, case in enumerate(own_cases):
        transcript, mirror = _fed(case, state_at=number % 7)
        assert mirror.kept == {block.id: to_json(block) for block in transcript.blocks}


def test_messages_that_come_again_change_nothing(own_cases: Cases) -> None:
    chance = random.Random(1)
    for case in own_cases:
        given = case["input"]
        transcript = Transcript(has_more_messages=given["options"]["hasMoreMessages"])
        transcript.set_agent_state(given["agentState"])
        for number, message in enumerate(given["messages"]):
            transcript.feed(message)
            again = given["messages"][chance.randrange(number + 1)]
            assert not transcript.feed(copy.deepcopy(again))
        assert _json(transcript.blocks) == case["expected"]["blocks"]


def test_a_message_that_comes_again_with_other_words_replaces_itself(own_cases: Cases) -> None:
    for number, case in enumerate(own_cases[:120]):
        given = case["input"]
        transcript = Transcript(has_more_messages=given["options"]["hasMoreMessages"])
        mirror = Mirror()
        mirror.take(transcript.set_agent_state(given["agentState"]))
        place = number % len(given["messages"])
        for index, message in enumerate(given["messages"]):
            first = {**message, "content": {"role": "user", "content": "draft"}} if index == place else message
            mirror.take(transcript.feed(first))
        mirror.take(transcript.feed(given["messages"][place]))
        assert _json(transcript.blocks) == case["expected"]["blocks"]
        assert mirror.kept == {block.id: to_json(block) for block in transcript.blocks}


def test_a_queued_message_that_was_taken_is_one_change(user: Callable[..., Message]) -> None:
    transcript = Transcript()
    for number in range(50):
        transcript.feed(user(f"m{number}", "hello", invokedAt=None))
    changes = transcript.feed(user("m20", "hello", invokedAt=77))
    assert [block.id for block in changes.changed] == ["m20"]
    assert changes.added == ()
    assert changes.changed[0].invoked_at == 77
    assert transcript.blocks[20] is changes.changed[0]


def test_a_late_result_is_a_change_of_its_card(codex: Callable[..., Message]) -> None:
    transcript = Transcript()
    opened = transcript.feed(codex("m1", type="tool-call", callId="c", name="Bash", input={"command": "ls"}))
    transcript.feed(codex("m2", type="message", message="waiting"))
    closed = transcript.feed(codex("m3", type="tool-call-result", callId="c", output="done", at=5_000))
    assert opened.added == closed.changed
    card = closed.changed[0]
    assert isinstance(card, ToolCall)
    assert (card.tool.state, card.tool.result) == ("completed", "done")
    assert (card.tool.started_at, card.tool.completed_at) == (1_000, 5_000)


def test_a_pending_request_has_a_card_until_its_call_arrives(codex: Callable[..., Message]) -> None:
    transcript = Transcript()
    state = {"requests": {"r": {"tool": "Bash", "toolCallId": "c", "arguments": {"command": "ls"}, "createdAt": 4}}}
    asked = transcript.set_agent_state(state)
    assert [to_json(block)["tool"]["state"] for block in asked.added] == ["pending"]
    called = transcript.feed(codex("m1", type="tool-call", callId="c", name="Bash", input={"command": "ls"}))
    assert [block.id for block in called.changed] == ["c"]
    assert called.added == ()
    assert called.removed == ()
    card = called.changed[0]
    assert isinstance(card, ToolCall)
    assert card.tool.permission is not None
    assert (card.tool.state, card.tool.permission.status) == ("running", "pending")
    assert card.tool.permission.request_id == "r"
    gone = transcript.set_agent_state({})
    assert [block.id for block in gone.changed] == ["c"]
    assert card.tool.permission is None


def test_stream_snapshots_stay_one_block_with_the_newest_text(codex: Callable[..., Message]) -> None:
    transcript = Transcript()
    first = transcript.feed(codex("m1", type="message", id="s", message="Tra"))
    second = transcript.feed(codex("m2", type="message", id="s", message="Tracking"))
    assert first.added == second.changed
    assert [to_json(block)["text"] for block in transcript.blocks] == ["Tracking"]
    assert second.changed[0].stream_id == "s"
    assert not transcript.feed(codex("m3", type="message", id="s", message="Tracking"))


def test_events_that_no_block_shows_are_signals(event: Callable[..., Message]) -> None:
    transcript = Transcript()
    changes = transcript.feed(event("m1", type="ready"))
    assert [(signal.type, signal.message_id) for signal in changes.signals] == [("ready", "m1")]
    assert transcript.has_ready_event
    assert list(transcript.blocks) == []


def test_a_title_learned_late_takes_the_place_of_the_result_card(codex: Callable[..., Message]) -> None:
    transcript = Transcript()
    mirror = Mirror()
    for message in (
        codex("m1", type="tool-call-result", callId="c", output="ok"),
        codex("m2", type="message", message="next"),
        codex("m3", type="tool-call", callId="c", name="mcp__hapi__change_title", input={"title": "New"}),
    ):
        mirror.take(transcript.feed(message))
    assert [block.id for block in transcript.blocks] == ["m1:0", "m2:0"]
    assert mirror.kept.keys() == {"m1:0", "m2:0"}


def test_unknown_types_are_counted_for_the_metrics(
    codex: Callable[..., Message], event: Callable[..., Message]
) -> None:
    transcript = Transcript()
    transcript.feed(codex("m1", type="hologram"))
    transcript.feed(codex("m2", type="hologram"))
    transcript.feed(event("m3", type="quota-sync"))
    assert transcript.unknown == {"codex:hologram": 2, "event:quota-sync": 1}


def test_the_counter_stays_small_whatever_types_are_called(event: Callable[..., Message]) -> None:
    transcript = Transcript()
    for number in range(1_000):
        transcript.feed(event(f"m{number}", type=f"odd-{number}"))
    assert len(transcript.unknown) <= 201
    assert sum(transcript.unknown.values()) == 1_000


def _work(transcript: Transcript, message: Message) -> int:
    """How many blocks a step touches: the cost that must not grow."""
    changes = transcript.feed(message)
    blocks: tuple[Block, ...] = (*changes.added, *changes.changed)
    return len(blocks) + len(changes.removed)


def test_a_step_touches_no_more_blocks_at_the_end_than_at_the_start(own_cases: Cases) -> None:
    transcript = Transcript()
    touched: list[int] = []
    for lap in range(6):
        for number, case in enumerate(own_cases[:100]):
            for message in case["input"]["messages"]:
                content = message.get("content")
                touched.append(
                    _work(transcript, {**message, "id": f"{lap}/{number}/{message['id']}", "content": content})
                )
    assert max(touched[-500:]) <= max(touched[:500]) + 2

"""Which requests wait, and how they ended: what ``agentState`` says, never what we sent (invariant 4)."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cards.fingerprint import canonical_text
from bridge.relay.follow.requests import RequestBook
from tests.relay.conftest import Script, text_of

ENTRY = {"tool": "Bash", "arguments": {"command": "ls"}}


def book(**pending: Any) -> RequestBook:
    made = RequestBook("s1")
    made.apply("s1", {"requests": pending}, active=True)
    return made


@pytest.mark.parametrize(
    ("completion", "state"),
    [
        ({"status": "approved", "decision": "approved"}, "approved"),
        ({"status": "approved", "decision": "approved_for_session"}, "approved_for_session"),
        ({"status": "denied", "decision": "denied"}, "denied"),
        ({"status": "denied", "decision": "abort"}, "aborted"),
        ({"status": "canceled"}, "canceled"),
        ({"status": "resolved"}, "resolved"),
        ({"status": "something new"}, "resolved"),
        ({"status": 7}, "resolved"),
    ],
)
def test_a_completion_says_how_a_request_ended(completion: dict[str, Any], state: str) -> None:
    requests = book(r1=ENTRY)
    (done,) = requests.apply("s1", {"requests": {}, "completedRequests": {"r1": {**ENTRY, **completion}}}, active=True)
    assert done.state == state
    assert requests.waiting() == []


def test_a_pending_entry_is_ignored_only_if_its_own_id_is_completed() -> None:
    requests = RequestBook("s1")
    done = {"r1": {**ENTRY, "toolCallId": "t1", "status": "approved"}}
    pending = {"r1": ENTRY, "r2": {**ENTRY, "toolCallId": "t1"}}
    changed = requests.apply("s1", {"requests": pending, "completedRequests": done}, active=True)
    assert [request.id for request in changed] == ["r2"], "a new request for the same tool call wins"


def test_a_request_that_vanishes_is_over_with_an_unknown_outcome() -> None:
    requests = book(r1=ENTRY)
    (gone,) = requests.apply("s1", {"requests": {}}, active=True)
    assert gone.state == "vanished"


def test_changed_arguments_make_a_new_card_and_supersede_the_old_one() -> None:
    requests = book(r1=ENTRY)
    changed = requests.apply("s1", {"requests": {"r1": {"tool": "Bash", "arguments": {"command": "rm"}}}}, active=True)
    assert [(request.key, request.state) for request in changed] == [
        ("s1/approval/r1", "superseded"),
        ("s1/approval/r1/2", "pending"),
    ]


def test_a_decision_of_somebody_else_does_not_carry_our_persons_name() -> None:
    requests = book(r1=ENTRY)
    request = requests.waiting()[0]
    request.sending("allow", "Ada", "Telegram")
    requests.apply("s1", {"completedRequests": {"r1": {**ENTRY, "status": "denied"}}}, active=True)
    assert (request.state, request.decided_by) == ("denied", "")


def test_an_ended_session_leaves_no_live_buttons(script: Script) -> None:
    script.ask("r1")
    script.wishes()
    script.follower.session_over("terminated", script.now, say=True)
    (card,) = script.shown("approval")
    assert card.final
    assert card.card.acts() == []
    assert "session is gone" in text_of(card)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["requests", "completedRequests", "r1", "tool", "status"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_agent_state_is_survived(state: Any) -> None:
    """Invariant 5."""
    requests = book(r1=ENTRY)
    requests.apply("s1", state, active=True)
    requests.restore(requests.to_json())


def test_four_hundred_requests_that_wait_are_taken_in_without_getting_slower_and_slower() -> None:
    requests: dict[str, Any] = {}
    made = RequestBook("s1")
    began = time.process_time()
    for number in range(400):
        requests[f"r{number}"] = {"tool": "Bash", "arguments": {"command": f"make {number}"}}
        assert len(made.apply("s1", {"requests": dict(requests)}, active=True)) == 1
        made.to_json()
    assert time.process_time() - began < 6


def test_what_waits_is_judged_anew_after_a_restart() -> None:
    before = book(r1=ENTRY)
    after = RequestBook("s1", lambda tool, arguments: "Does harm")
    after.restore(json.loads(json.dumps(before.to_json())))
    (changed,) = after.apply("s1", {"requests": {"r1": ENTRY}}, active=True)
    assert (changed.state, changed.danger) == ("pending", "Does harm")
    assert after.apply("s1", {"requests": {"r1": ENTRY}}, active=True) == []


def test_requests_of_one_tool_are_counted_across_a_restart() -> None:
    before = book(r1=ENTRY, r2=ENTRY)
    after = RequestBook("s1")
    after.restore(json.loads(json.dumps(before.to_json())))
    *_, third = after.apply("s1", {"requests": {"r1": ENTRY, "r2": ENTRY, "r3": ENTRY}}, active=True)
    assert third.alike == 2


def test_what_waits_unchanged_is_not_read_anew_with_every_change_of_its_session(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its arguments may be megabytes, and hundreds may wait."""
    written: list[Any] = []

    def counted(value: Any) -> str:
        written.append(value)
        return canonical_text(value)

    monkeypatch.setattr("bridge.relay.follow.requests.canonical_text", counted)
    for number in range(50):
        script.ask(f"r{number}", "Write", {"file_path": "a", "content": f"{number} " + "x" * 10_000})
    assert len(written) == 50, "each once, however many wait"
    script.record = json.loads(json.dumps(script.record))
    script.update(thinking=True)
    assert len(written) == 50
    script.record = json.loads(json.dumps(script.record))
    script.record["agentState"]["requests"]["r7"]["arguments"]["content"] += "\u200b"
    script.wishes()
    script.update()
    assert len(written) == 51
    superseded, fresh = (wish for wish in script.wishes() if "/approval/r7" in wish.key)
    assert superseded.final
    assert fresh.key == "s1/approval/r7/2"
    assert not fresh.final

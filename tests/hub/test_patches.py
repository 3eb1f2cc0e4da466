"""Session patches: versions gate, time only moves forward, the unknown means refetch. Never raises (invariant 5)."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.hub.patches import apply_patch, is_whole_session, same

SESSION: dict[str, Any] = {
    "id": "s",
    "active": True,
    "activeAt": 1_000_000,
    "updatedAt": 1_000_000,
    "thinking": False,
    "agentState": {"requests": {}},
    "agentStateVersion": 3,
    "serviceTier": None,
}

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "active",
        "thinking",
        "activeAt",
        "updatedAt",
        "model",
        "serviceTier",
        "permissionMode",
        "metadata",
        "agentState",
        "todos",
        "teamState",
        "activeTurnStartedAt",
        "scratchlistUpdatedAt",
        "backgroundTaskCount",
        "somethingElse",
    ]
)
WRAPPED = st.fixed_dictionaries({"version": st.integers(-1, 6) | VALUES, "value": VALUES})
PATCHES = st.dictionaries(KEYS, VALUES | WRAPPED, max_size=4)


def test_an_older_agent_state_cannot_bring_a_settled_request_back() -> None:
    """Invariant 4 stands on this."""
    stale = {"agentState": {"version": 3, "value": {"requests": {"r": {"tool": "Bash"}}}}}
    result = apply_patch(SESSION, stale)
    assert result.outcome == "unchanged"
    assert result.session["agentState"] == {"requests": {}}


def test_a_newer_value_is_stored_without_its_wrapper() -> None:
    result = apply_patch(SESSION, {"agentState": {"version": 4, "value": None}})
    assert result.session["agentState"] is None
    assert result.session["agentStateVersion"] == 4


@pytest.mark.parametrize(
    "patch",
    [
        None,
        [],
        "x",
        {},
        {"thinking": True, "newField": 1},
        {"thinking": "yes"},
        {"thinking": 1},
        {"activeAt": float("nan")},
        {"activeAt": True},
        {"agentState": {"requests": {}}},
        {"agentState": {"version": "4", "value": {}}},
        {"agentState": {"version": 4}},
        {"agentState": {"version": 4, "value": []}},
        {"todos": {"version": 4, "value": None}},
        {5: 6},
    ],
)
def test_what_the_strict_shape_does_not_know_means_refetch(patch: Any) -> None:
    result = apply_patch(SESSION, patch)
    assert result.outcome == "refetch"
    assert result.session is SESSION


def test_a_keep_alive_changes_nothing_until_a_minute_has_passed() -> None:
    assert apply_patch(SESSION, {"activeAt": 1_059_999, "active": True}).outcome == "unchanged"
    assert apply_patch(SESSION, {"activeAt": 1_060_000}).outcome == "applied"
    assert apply_patch(SESSION, {"activeAt": 1_000_001, "thinking": True}).session["activeAt"] == 1_000_001
    assert apply_patch({"id": "s"}, {"activeAt": 5}).outcome == "applied"


def test_a_scratchlist_trigger_is_passed_on() -> None:
    result = apply_patch(SESSION, {"scratchlistUpdatedAt": 5})
    assert (result.outcome, result.scratchlist) == ("unchanged", True)


def test_null_and_absent_differ() -> None:
    assert apply_patch(SESSION, {"serviceTier": None}).outcome == "unchanged"
    assert apply_patch(SESSION, {"model": None}).session["model"] is None
    assert apply_patch(SESSION, {"model": None}).outcome == "applied"


def test_a_whole_session_is_told_from_a_patch() -> None:
    assert is_whole_session("s", {"id": "s", "seq": 0, "createdAt": 5, "new": []})
    assert not is_whole_session("s", {"id": "other", "seq": 0, "createdAt": 5})
    assert not is_whole_session("s", {"thinking": True})
    assert not is_whole_session("s", None)


def test_true_is_not_one() -> None:
    assert same({"a": [1, 1.0]}, {"a": [1.0, 1]})
    assert not same({"a": True}, {"a": 1})
    assert not same([1], [1, 2])
    assert not same({"a": None}, {})


@given(st.lists(PATCHES, max_size=6))
def test_any_patches_leave_a_session_and_never_touch_what_they_were_given(patches: list[dict[str, Any]]) -> None:
    """Invariant 5; and versions and ``updatedAt`` never go back."""
    session: dict[str, Any] = SESSION
    for patch in patches:
        before = (copy.deepcopy(session), copy.deepcopy(patch))
        result = apply_patch(session, patch)
        assert repr((session, patch)) == repr(before)
        assert result.outcome == "applied" or result.session is session
        for mark in ("updatedAt", "agentStateVersion", "metadataVersion", "todosUpdatedAt", "teamStateUpdatedAt"):
            assert result.session.get(mark, 0) >= session.get(mark, 0)
        session = result.session


@given(PATCHES)
def test_the_same_patch_twice_is_one_change(patch: dict[str, Any]) -> None:
    """Delivery is at least once."""
    once = apply_patch(SESSION, patch)
    twice = apply_patch(once.session, patch)
    assert same(twice.session, once.session)

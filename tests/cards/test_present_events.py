"""Notices: limits, errors, compaction, the session's own ups and downs."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.levels import Level
from bridge.cards.model import Card, Code, Fold, Markdown, Text
from bridge.cards.turn import notices
from bridge.cards.turn.events import Notice, present_event, present_turn_end
from bridge.transcript.blocks import AgentEvent

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
TYPES = [
    "limit-reached",
    "limit-warning",
    "recap",
    "error",
    "api-error",
    "compact",
    "microcompact",
    "compact-summary",
    "switch",
    "message",
    "ready",
    "thread-goal-updated",
    "thread-goal-cleared",
    "abort-restore",
    "title-changed",
    "turn-duration",
]
FIELDS = [
    "endsAt",
    "limitType",
    "utilization",
    "text",
    "message",
    "error",
    "retryAttempt",
    "maxRetries",
    "trigger",
    "preTokens",
    "tokensSaved",
    "summary",
    "tokensBefore",
    "estimatedTokensAfter",
    "mode",
    "goal",
]


def present(**event: Any) -> Notice:
    event["type"] = event.pop("kind")
    found = present_event(AgentEvent(event=event))
    assert found is not None
    return found


def text(card: Card) -> str:
    return "\n".join(
        "".join(span.text for span in line) for piece in card.pieces if isinstance(piece, Text) for line in piece.lines
    )


@pytest.mark.parametrize(
    ("event", "words", "level"),
    [
        (
            {"kind": "limit-reached", "endsAt": 1_755_010_800, "limitType": "five_hour"},
            "🔴 Usage limit reached · 5 hours · resets 12 Aug 15:00 UTC",
            "quiet",
        ),
        (
            {"kind": "limit-warning", "utilization": 0.9, "endsAt": 1_755_010_800, "limitType": "seven_day_opus"},
            "🟡 90 % of the usage limit used · seven day opus · resets 12 Aug 15:00 UTC",
            "quiet",
        ),
        ({"kind": "recap", "text": "Was *refactoring*."}, "Recap: Was *refactoring*.", "normal"),
        ({"kind": "error", "message": "exited (code 1)"}, "🔴 Error: exited (code 1)", "quiet"),
        (
            {"kind": "api-error", "retryAttempt": 2, "maxRetries": 10, "error": {"error": {"message": "Overloaded"}}},
            "🟠 The model's API failed, attempt 2 of 10: Overloaded",
            "normal",
        ),
        (
            {"kind": "api-error", "retryAttempt": 3, "maxRetries": 3},
            "🔴 The model's API failed, attempt 3 of 3",
            "quiet",
        ),
        (
            {"kind": "compact", "trigger": "auto", "preTokens": 186_211},
            "Context compacted · by itself · 186.2k tokens before",
            "normal",
        ),
        (
            {"kind": "compact", "trigger": "manual", "preTokens": 0},
            "Context compacted · on request",
            "normal",
        ),
        (
            {"kind": "microcompact", "trigger": "auto", "preTokens": 145_200, "tokensSaved": 38_700},
            "Context compacted · by itself · 145.2k tokens before · 38.7k saved",
            "normal",
        ),
        (
            {"kind": "compact-summary", "summary": "", "tokensBefore": 145_000, "estimatedTokensAfter": 12_000},
            "Context compacted · 145k → 12k tokens",
            "normal",
        ),
        ({"kind": "switch", "mode": "local"}, "Now steered from the terminal", "normal"),
        ({"kind": "switch", "mode": "remote"}, "Now steered from here", "normal"),
        ({"kind": "message", "message": "Background command done"}, "Background command done", "normal"),
        (
            {
                "kind": "thread-goal-updated",
                "goal": {"objective": "Ship", "status": "budgetLimited", "tokensUsed": 1500},
            },
            "Goal stopped: its budget is used up: Ship · 1.5k tokens",
            "normal",
        ),
        ({"kind": "thread-goal-cleared"}, "Goal cleared", "normal"),
        ({"kind": "quota-sync", "quota": {}}, "Event: quota-sync", "full"),
    ],
)
def test_each_event_has_its_words(event: dict[str, Any], words: str, level: Level) -> None:
    notice = present(**event)
    assert text(notice.card) == words
    assert notice.min_level == level
    assert not notice.ring


def test_a_limits_end_is_a_moment_in_seconds() -> None:
    (piece,) = present(kind="limit-reached", endsAt=1_755_010_800).card.pieces
    assert isinstance(piece, Text)
    assert piece.lines[0][-1].unix_s == 1_755_010_800


@pytest.mark.parametrize("kind", ["title-changed", "turn-duration", "ready", "token-count"])
def test_what_is_no_notice_is_none(kind: str) -> None:
    assert present_event(AgentEvent(event={"type": kind, "title": "x"})) is None


def test_a_summary_and_the_details_of_an_error_are_folded() -> None:
    fold = present(kind="compact-summary", summary="## Context").card.pieces[1]
    assert isinstance(fold, Fold)
    assert fold.pieces == (Markdown(source="## Context", spill="summary.md"),)
    fold = present(kind="error", message="first\nsecond").card.pieces[1]
    assert isinstance(fold, Fold)
    assert fold.pieces == (Code(source="first\nsecond", spill="error.txt"),)


def test_a_withdrawn_text_is_kept_whole() -> None:
    assert "one\n\ntwo" in text(present(kind="abort-restore", text="one\n\ntwo").card)


@settings(deadline=None)
@given(st.sampled_from(TYPES) | st.text(), st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_event_makes_a_notice_or_nothing(kind: str, fields: dict[str, Any]) -> None:
    """Invariant 5."""
    notice = present_event(AgentEvent(event={**fields, "type": kind}))
    if notice is not None:
        assert text(notice.card).strip() or len(notice.card.pieces) > 1
        assert Card.model_validate_json(notice.card.model_dump_json()) == notice.card


@pytest.mark.parametrize("event", [None, [], {}, {"type": None}, {"type": []}])
def test_garbage_for_an_event_is_one_dull_line(event: Any) -> None:
    notice = present_event(AgentEvent(event=event))
    assert notice is not None
    assert notice.min_level == "full"


@pytest.mark.parametrize(
    ("notice", "words"),
    [
        (notices.present_session_end("completed"), "🟢 Session ended"),
        (notices.present_session_end("error"), "🔴 Session ended with an error"),
        (notices.present_session_end("odd"), "Session ended: odd"),
        (notices.present_session_end(None), "Session ended"),
        (notices.present_session_gone(), "This session was removed from HAPI. What is written here stays."),
        (notices.present_session_moved("Fix"), "The session goes on as: Fix."),
        (
            notices.present_hub_trouble("connection refused"),
            "🔴 HAPI can't be reached: connection refused\nTrying on. What you write is kept and sent when it is back.",
        ),
        (notices.present_hub_back(), "🟢 HAPI is back."),
        (notices.present_machine_off("laptop"), "🔴 laptop is off line."),
        (notices.present_machine_on(""), "🟢 The computer of this session is on line again."),
    ],
)
def test_the_sessions_own_notices_never_ring(notice: Notice, words: str) -> None:
    assert text(notice.card) == words
    assert not notice.ring


def test_a_turn_without_words_ends_with_one() -> None:
    assert text(present_turn_end("done")) == "🟢 Done."
    assert text(present_turn_end("failed", "exit 1")) == "🔴 The turn failed: exit 1"

"""What Slack's refusals mean, word by word."""

import pytest

from bridge.chat.errors import (
    AnotherPoller,
    ChatGone,
    LoginRefused,
    MessageGone,
    OutcomeUnknown,
    PlaceGone,
    Rejected,
    RetryAfter,
    SurfaceError,
    Unreachable,
)
from bridge.chat.slack.errors import Failure, disconnected, verdict

POST, EDIT = "chat.postMessage", "chat.update"


def refused(error: str, method: str = POST, status: int = 200, **more: object) -> SurfaceError | None:
    return verdict(method, Failure("answered", error, status, error, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        ("channel_not_found", ChatGone),
        ("not_in_channel", ChatGone),
        ("is_archived", ChatGone),
        ("cannot_dm_bot", ChatGone),
        ("invalid_auth", LoginRefused),
        ("account_inactive", LoginRefused),
        ("token_revoked", LoginRefused),
        ("not_allowed_token_type", LoginRefused),
        ("thread_not_found", PlaceGone),
        ("cannot_reply_to_message", PlaceGone),
        ("msg_too_long", Rejected),
        ("msg_blocks_too_long", Rejected),
        ("invalid_blocks", Rejected),
        ("no_text", Rejected),
        ("something_new", Rejected),
        ("ratelimited", RetryAfter),
        ("rate_limited", RetryAfter),
        ("fatal_error", OutcomeUnknown),
        ("internal_error", OutcomeUnknown),
        ("service_unavailable", OutcomeUnknown),
        ("request_timeout", Unreachable),
    ],
)
def test_a_refused_post(error: str, meaning: type[SurfaceError]) -> None:
    assert type(refused(error)) is meaning


@pytest.mark.parametrize(
    "error", ["message_not_found", "cant_update_message", "edit_window_closed", "streaming_state_conflict"]
)
def test_a_message_that_takes_no_edit_is_gone(error: str) -> None:
    assert isinstance(refused(error, EDIT), MessageGone)


@pytest.mark.parametrize(
    ("method", "error"),
    [
        ("chat.delete", "message_not_found"),
        ("reactions.add", "already_reacted"),
        ("reactions.remove", "no_reaction"),
        ("chat.postEphemeral", "user_not_in_channel"),
    ],
)
def test_what_is_so_already_is_success(method: str, error: str) -> None:
    assert refused(error, method) is None


def test_a_flood_is_a_flood_whatever_it_says_and_waits_as_long_as_it_says() -> None:
    flood = refused("invalid_blocks", status=429, retry_after_s=12.0)
    assert isinstance(flood, RetryAfter)
    assert flood.seconds == 12.0
    silent = refused("ratelimited")
    assert isinstance(silent, RetryAfter)
    assert silent.seconds > 0


def test_what_was_never_sent_is_safe_and_what_was_not_answered_is_unknown() -> None:
    """Invariant 3."""
    assert isinstance(verdict(POST, Failure("unsent", "no route")), Unreachable)
    assert isinstance(verdict(POST, Failure("unanswered", "silence")), OutcomeUnknown)
    assert isinstance(verdict("conversations.replies", Failure("unanswered", "silence")), Unreachable)


@pytest.mark.parametrize(("status", "meaning"), [(502, OutcomeUnknown), (504, OutcomeUnknown), (302, Unreachable)])
def test_answers_that_are_not_slacks(status: int, meaning: type[SurfaceError]) -> None:
    assert isinstance(verdict(POST, Failure("answered", f"HTTP {status}", status)), meaning)


def test_reasons_are_passed_on_and_scopes_named() -> None:
    words = str(refused("invalid_blocks", details=("[ERROR] must be shorter [json-pointer:/blocks/0]",)))
    assert words == "Slack: chat.postMessage: invalid_blocks (must be shorter [json-pointer:/blocks/0])"
    missing = refused("missing_scope", "reactions.add", needed="reactions:write")
    assert isinstance(missing, Rejected)
    assert "lacks reactions:write, which reactions.add needs" in str(missing)
    assert isinstance(refused("missing_scope", needed="chat:write"), LoginRefused)


def test_the_token_to_check_is_named() -> None:
    assert "SLACK_APP_TOKEN" in str(refused("invalid_auth", "apps.connections.open"))
    assert "SLACK_BOT_TOKEN" in str(refused("invalid_auth"))


def test_reasons_to_disconnect() -> None:
    assert isinstance(disconnected("link_disabled"), LoginRefused)
    assert isinstance(disconnected("too_many_websockets"), AnotherPoller)
    assert disconnected("warning") is None
    assert disconnected("refresh_requested") is None

"""What a Slack failure means: one table, from Slack's ``error`` words to the errors of :mod:`bridge.chat.errors`.

The words are those of the methods' reference pages, and of field reports. HTTP 429 is looked at first. Slack says of
``fatal_error`` and ``internal_error`` that part of the call may have been done: they count as "no answer".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

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

WAIT_WITHOUT_SECONDS_S = 30.0
"""How long to wait when Slack says "ratelimited" and not for how long."""

EDITS = frozenset(["chat.update", "chat.appendStream", "chat.stopStream"])
"""Slack counts each for itself, in the whole workspace: what it is told to wait concerns no post."""

NO_SLACK = "no Slack answers like this; is SLACK_API_BASE_URL right, is a login page in between?"
SOCKET_MODE_OFF = "Socket Mode is switched off for this Slack app, or the app was removed from the workspace"
TOO_MANY_SOCKETS = (
    "this Slack app has ten Socket Mode connections already: other programs use its SLACK_APP_TOKEN and take part of"
    " what people say. Give the bridge an app of its own"
)


class StillStreaming(MessageGone):
    """The message is being streamed: until that is stopped it can't be changed."""


class NotStreaming(Rejected):
    """The message is not being streamed any more: its time was up, or somebody pressed Slack's Stop."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that did not succeed, as the wire saw it, with no secret in its words.

    ``stage``: ``unsent`` (certainly not sent), ``unanswered`` (sent, at least in part, and no readable answer came), or
    ``answered`` (``status`` is the HTTP status; ``error`` Slack's word for it, empty if the body was not Slack's;
    ``details`` its explanations; ``needed`` the scopes a refusal names).
    """

    stage: Literal["unsent", "unanswered", "answered"]
    words: str
    status: int = 0
    error: str = ""
    details: tuple[str, ...] = ()
    needed: str = ""
    retry_after_s: float | None = None


class NameRefused(Rejected):
    """A channel can't be called so: the name is taken, or not of Slack's form."""


_LOGIN = {
    "invalid_auth": "Slack does not know this token",
    "not_authed": "Slack got no token",
    "token_revoked": "this Slack token was revoked",
    "token_expired": "this Slack token has expired",
    "account_inactive": "the Slack app was removed from the workspace, or its bot user switched off",
    "not_allowed_token_type": "this is the wrong kind of Slack token",
    "org_login_required": "the workspace is moving to another organization, its tokens no longer work",
    "team_access_not_granted": "the Slack app was not given access to this workspace",
    "no_permission": "the Slack token lacks a permission for this",
}
_CHAT_GONE = frozenset(
    (
        "channel_not_found",
        "not_in_channel",
        "is_archived",
        "user_not_found",
        "user_disabled",
        "user_not_visible",
        "cannot_dm_bot",
        "messages_tab_disabled",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "restricted_action_non_threadable_channel",
        "team_not_found",
        "channel_type_not_supported",
        "is_inactive",
        "ekm_access_denied",
        "not_in_chat",
        "external_channel_migrating",
    )
)
_PLACE_GONE = frozenset(["thread_not_found", "cannot_reply_to_message", "invalid_thread_ts"])
_MESSAGE_GONE = frozenset(["message_not_found", "cant_update_message", "edit_window_closed", "update_failed"])
_NOT_STREAMING = frozenset(["message_not_in_streaming_state", "stopped_by_user"])
_REPEAT = frozenset(["request_timeout", "team_added_to_org", "rollup_error", "access_limited", "accesslimited"])
"""Refused without being done."""
_UNKNOWN = frozenset(["fatal_error", "internal_error", "service_unavailable"])
_DONE: frozenset[tuple[str, str]] = frozenset(
    {
        ("chat.delete", "message_not_found"),
        ("chat.delete", "thread_not_found"),
        ("reactions.add", "already_reacted"),
        ("pins.add", "already_pinned"),
        ("pins.remove", "no_pin"),
        ("reactions.remove", "no_reaction"),
        ("chat.postEphemeral", "user_not_in_channel"),
        ("conversations.invite", "already_in_channel"),
    }
)
"""What was asked for is so already, or nobody is there who could see it: success."""
_SAFE_TO_REPEAT = frozenset(
    (
        "auth.test",
        "apps.connections.open",
        "users.info",
        "conversations.open",
        "conversations.info",
        "conversations.replies",
        "conversations.history",
        "conversations.invite",
        "conversations.rename",
        "conversations.setPurpose",
        "conversations.setTopic",
        "users.conversations",
        "files.getUploadURLExternal",
        "assistant.threads.setStatus",
        "views.publish",
        "reactions.add",
        "reactions.remove",
    )
)
"""Methods whose outcome nobody needs to know: without an answer they are simply called again."""
_ESSENTIAL = frozenset(["auth.test", "apps.connections.open", "conversations.open", "chat.postMessage", "chat.update"])
"""Without the scopes of these nothing works."""


def verdict(method: str, failure: Failure) -> SurfaceError | None:
    """The error to raise for a failed call, or ``None`` where its aim is reached already.

    The result holds no secret as long as the failure's words hold none.
    """
    words = f"Slack: {failure.words}"
    if failure.stage == "unsent":
        return Unreachable(words)
    if failure.stage == "unanswered":
        return _no_outcome(method, words)
    error = failure.error
    if failure.status == 429 or error in ("ratelimited", "rate_limited"):
        return RetryAfter(failure.retry_after_s or WAIT_WITHOUT_SECONDS_S, edits_only=method in EDITS)
    if not error:
        if failure.status >= 500:
            return _no_outcome(method, words)
        return Unreachable(f"{words}: {NO_SLACK}")
    if (method, error) in _DONE:
        return None
    return _by_error(method, failure, f"Slack: {method}: {error}{_because(failure.details)}")


def _by_error(method: str, failure: Failure, words: str) -> SurfaceError:
    error = failure.error
    if error == "missing_scope":
        scopes = failure.needed.replace(",", " or ") or "a scope"
        words = (
            f"the Slack app lacks {scopes}, which {method} needs: compare its scopes with `hapi-bridge slack-manifest`,"
            " then install it again"
        )
        return LoginRefused(words) if method in _ESSENTIAL else Rejected(words, error)
    if error in _LOGIN and (error != "no_permission" or method in _ESSENTIAL):
        token = "SLACK_APP_TOKEN" if method == "apps.connections.open" else "SLACK_BOT_TOKEN"
        return LoginRefused(f"{_LOGIN[error]} ({error}): check {token}")
    if error in _REPEAT:
        return Unreachable(words)
    if error in _UNKNOWN or failure.status >= 500:
        return _no_outcome(method, words)
    if error == "name_taken" or error.startswith("invalid_name"):
        return NameRefused(words)
    if error in _PLACE_GONE:
        return PlaceGone(words)
    if error == "streaming_state_conflict":
        return StillStreaming(words)
    if error in _NOT_STREAMING:
        return NotStreaming(words)
    if error in _MESSAGE_GONE:
        return MessageGone(words)
    if error in _CHAT_GONE:
        return ChatGone(words)
    return Rejected(words, error)


def disconnected(reason: str) -> SurfaceError | None:
    """What Slack's ``disconnect`` frame means: ``None`` where another connection is to be opened, as usual."""
    if reason == "link_disabled":
        return LoginRefused(SOCKET_MODE_OFF)
    if reason == "too_many_websockets":
        return AnotherPoller(TOO_MANY_SOCKETS)
    return None


def _no_outcome(method: str, words: str) -> SurfaceError:
    return Unreachable(words) if method in _SAFE_TO_REPEAT else OutcomeUnknown(words)


def _because(details: Iterable[str]) -> str:
    """Slack's explanations, such as which block is wrong; the first few."""
    said = [detail.removeprefix("[ERROR] ") for detail in details][:3]
    return f" ({'; '.join(said)})" if said else ""

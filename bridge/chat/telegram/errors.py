"""What a Telegram failure means: one table, from the words of the Bot API to the errors of :mod:`bridge.chat.errors`.

Telegram tells most refusals apart only by their English description, so the table goes by phrases of it; they are those
of the Bot API server's source and of field reports. Codes are looked at first: a 429 is a flood, whatever it says
(a flood error taken for a parse error would lose a message).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from bridge.chat.errors import (
    AnotherPoller,
    ChatGone,
    ChatMoved,
    LoginRefused,
    MessageGone,
    OutcomeUnknown,
    PlaceGone,
    Rejected,
    RetryAfter,
    SurfaceError,
    Unreachable,
)
from bridge.language import N_

FLOOD_WITHOUT_SECONDS_S = 5.0
"""How long to wait when Telegram says 429 and not for how long."""

ANOTHER_POLLER = N_(
    "Another program fetches the updates of this Telegram bot (409). Most likely it is HAPI's own Telegram bot: the hub"
    " polls with its TELEGRAM_BOT_TOKEN itself; or a second HAPI Bridge with a store of its own. Give the bridge a bot"
    " of its own (@BotFather, /newbot)"
)
NO_TOKEN = "this is no Telegram bot token (they look like 123456:ABC-def): check TELEGRAM_BOT_TOKEN"
NO_BOT_API = "no Bot API server answers like this; is the address right, is a login page in between?"
WEBHOOK_SET = N_(
    "another program takes the updates of this Telegram bot: it has set a webhook (409). Give the bridge a bot of its"
    " own (@BotFather, /newbot)"
)
TOKEN_REFUSED = "Telegram does not know this bot token: check TELEGRAM_BOT_TOKEN, or ask @BotFather for a new one"


class PlaceClosed(PlaceGone):
    """The topic is closed; an administrator of a supergroup may reopen it."""


class WebhookSet(AnotherPoller):
    """A webhook takes the updates; it can be removed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that did not succeed, as the wire saw it, with no secret in its words.

    ``stage``: ``unsent`` (certainly not sent), ``unanswered`` (sent, at least in part, and no readable answer came), or
    ``answered`` (``code`` is the HTTP status, and ``words`` the description, if ``from_api``: the body was the Bot
    API's own and not a gateway's page).
    """

    stage: Literal["unsent", "unanswered", "answered"]
    words: str
    code: int = 0
    from_api: bool = True
    retry_after_s: float | None = None
    migrate_to: str | None = None


@dataclass(frozen=True, slots=True)
class _Rule:
    """``outcome`` None: what was asked for is so already, which is success. ``method``: only those beginning so."""

    phrase: str
    outcome: type[SurfaceError] | None
    method: str = ""


_RULES = (
    # Already as wished.
    _Rule("message is not modified", None),
    _Rule("message to delete not found", None),
    _Rule("message to unpin not found", None),
    _Rule("message_id_invalid", None, "deleteMessage"),
    _Rule("query is too old", None),
    _Rule("query_id_invalid", None),
    _Rule("topic_not_modified", None),
    # The message. A file can't become a text by editing: for the courier that message is gone too, and it posts anew.
    _Rule("message to edit not found", MessageGone),
    _Rule("message to react not found", MessageGone),
    _Rule("message can't be edited", MessageGone),
    _Rule("there is no text in the message to edit", MessageGone),
    _Rule("message_id_invalid", MessageGone),
    _Rule("message can't be deleted", Rejected),
    # The topic.
    _Rule("message thread not found", PlaceGone),
    _Rule("topic_deleted", PlaceGone),
    _Rule("topic_closed", PlaceClosed),
    _Rule("topic_id_invalid", PlaceGone),
    _Rule("not a forum", PlaceGone),
    _Rule("channel_forum_missing", PlaceGone),
    # The chat. Missing rights count for what is posted only: a bot that may not make topics may well write.
    _Rule("chat not found", ChatGone),
    _Rule("peer_id_invalid", ChatGone),
    _Rule("group chat was deactivated", ChatGone),
    _Rule("chat_write_forbidden", ChatGone),
    _Rule("have no rights to send", ChatGone),
    _Rule("not enough rights to send", ChatGone, "send"),
    _Rule("bot is not a member", ChatGone),
)
_SAFE_TO_REPEAT = frozenset({"getUpdates", "getMe", "getFile", "getWebhookInfo", "deleteWebhook"})
"""Methods whose outcome nobody needs to know: without an answer they are simply called again."""


def verdict(method: str, failure: Failure, *, about_chat: bool) -> SurfaceError | None:
    """The error to raise for a failed call, or ``None`` where its aim is reached already.

    ``about_chat``: the call named a chat, so that a flood need not mean the whole bot. The result holds no secret as
    long as ``failure.words`` holds none.
    """
    words = f"Telegram: {failure.words}"
    if failure.stage == "unsent":
        return Unreachable(words)
    if failure.stage == "unanswered":
        return _no_outcome(method, words)
    code = failure.code
    if code == 429:
        return RetryAfter(_flood_seconds(failure), whole_bot=not about_chat)
    if code == 413:
        return Rejected("Telegram: too large to be sent (413)")
    if code >= 500:
        # A 502 or 504 is the gateway's: behind it the call may have been done. The Bot API's own 500 says "restart" or
        # "request aborted", which does not tell either. So none of them counts as "certainly not done" (invariant 3).
        return _no_outcome(method, words)
    if not failure.from_api:
        return Unreachable(f"{words}: {NO_BOT_API}")
    if failure.migrate_to:
        return ChatMoved(failure.migrate_to)
    if code == 409:
        return WebhookSet(WEBHOOK_SET) if "webhook" in failure.words.lower() else AnotherPoller(ANOTHER_POLLER)
    if code == 404 and "method" in failure.words.lower():
        return Rejected(f"Telegram: this Bot API server does not know {method}")
    if code in (401, 404):
        return LoginRefused(TOKEN_REFUSED)
    if code == 403:
        return ChatGone(words)
    return _by_words(method, failure.words.lower(), words)


def _by_words(method: str, description: str, words: str) -> SurfaceError | None:
    for rule in _RULES:
        if rule.phrase in description and method.startswith(rule.method):
            return None if rule.outcome is None else rule.outcome(words)
    return Rejected(words)


def _no_outcome(method: str, words: str) -> SurfaceError:
    return Unreachable(words) if method in _SAFE_TO_REPEAT else OutcomeUnknown(words)


def _flood_seconds(failure: Failure) -> float:
    if failure.retry_after_s is not None:
        return failure.retry_after_s
    named = re.search(r"retry after (\d+)", failure.words)
    return float(named.group(1)) if named else FLOOD_WITHOUT_SECONDS_S

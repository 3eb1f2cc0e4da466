"""What can go wrong between us and the hub, in words a user understands.

``str(error)`` is English, for a log line; :meth:`HubError.spoken` says the same in a chat. Neither holds a token, nor
the hub's own wording, which may change between releases; that is kept in ``detail`` for logs. Which class applies is
decided by status and code alone.
"""

from typing import Any

from bridge.language import tr


class HubError(Exception):
    """Base of all: ``status`` and ``code`` as the hub gave them, ``detail`` the hub's own words (for logs only).

    ``words`` are marked for translation (``N_``); ``values`` stand in them as ``{name}``.
    """

    def __init__(
        self, words: str, *, status: int | None = None, code: str | None = None, detail: str = "", **values: Any
    ) -> None:
        super().__init__(words.format(**values) if values else words)
        self.words = words
        self.values = values
        self.status = status
        self.code = code
        self.detail = detail

    def spoken(self) -> str:
        """What went wrong, in the language spoken."""
        return tr(self.words, **self.values)


class HubUnreachable(HubError):
    """No useful answer: no connection, or 429, 502, 504 or a 503 without a code. Trying again later makes sense.

    Raised for a POST only when it certainly was not carried out; else it is ``OutcomeUnknown``.
    ``retry_after_s`` is what the hub asked for, if it did.
    """

    def __init__(
        self,
        words: str,
        *,
        status: int | None = None,
        code: str | None = None,
        detail: str = "",
        retry_after_s: float | None = None,
        **values: Any,
    ) -> None:
        super().__init__(words, status=status, code=code, detail=detail, **values)
        self.retry_after_s = retry_after_s


class OutcomeUnknown(HubUnreachable):
    """A call that changes something was sent and its answer was lost: it may or may not have been carried out."""


class NotAHub(HubError):
    """Something answers at that address, but it is not a HAPI hub."""


class HubTooNew(HubError):
    """The hub speaks a newer protocol than this bridge knows."""


class AccessTokenRejected(HubError):
    """The hub does not take the access token. Final: asking again with the same token cannot help."""


class SignInRefused(HubError):
    """The hub refuses a token it has just given out (401 twice in a row)."""


class ComputerUnreachable(HubError):
    """The hub is fine, but the computer that runs the session can't be reached.

    503 with ``no_machine_online``, ``machine_offline`` or ``rpc_target_missing``; 200 with ``{success: false}``; and
    the 500 that answers approve, deny, abort, switch and uploads when the CLI's socket is gone or silent, plain text or
    ``{success: false}``.
    """


class NotStarted(HubError):
    """The computer did not start a session; ``detail`` is its reason, ``code`` agent_unavailable,
    runner_upgrade_required, outside_workspace_roots, or none."""


class SessionInactive(HubError):
    """409 ``session_inactive``: the session does not run; offer Reopen."""


class Conflict(HubError):
    """Any other 409: the hub's state and ours differ; fetch the session again."""


class NotFound(HubError):
    """404: no such session, message, machine or file."""


class NotPending(NotFound):
    """404 to approve or deny: the request is no longer open (answered elsewhere, cancelled, expired)."""


class Forbidden(HubError):
    """403: not for this access token's namespace."""


class BadRequest(HubError):
    """400 or 422: the hub does not take this input (for approve: a mode this kind of agent lacks)."""


class TooLarge(HubError):
    """413: an upload or an answer over the hub's limit."""


class HubFailed(HubError):
    """500 and everything the contract does not name."""


class MalformedAnswer(HubError):
    """The hub answered 200 with something that is not the JSON the contract promises."""


class CursorStuck(HubError):
    """A page said there is more but did not move its cursor: going on would loop for ever."""

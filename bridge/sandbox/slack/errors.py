"""Refusals, in Slack's own words. What only this server refuses has a message starting with ``sandbox:``."""

from typing import Any


class SlackError(Exception):
    """An answer with ``ok: false``; ``more`` goes beside ``error``. ``status`` is 200 except where Slack says else."""

    def __init__(self, error: str, *, status: int = 200, retry_after: int | None = None, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.retry_after = retry_after
        self.more = more

    def answer(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"ok": False, "error": self.error} | self.more

    @property
    def words(self) -> str:
        """The error and what explains it, for the log of calls."""
        reasons = self.more.get("response_metadata", {}).get("messages", [])
        return " ".join([self.error, *reasons])


def invalid_arguments(words: str) -> SlackError:
    """``invalid_arguments`` with the reason where Slack puts it."""
    return SlackError("invalid_arguments", response_metadata={"messages": [f"[ERROR] {words}"]})


def stricter(words: str) -> SlackError:
    """What Slack would take in silence, cut or mangle; the bridge must never send it."""
    return invalid_arguments(f"sandbox: {words}")


def invalid_blocks(problems: list[str]) -> SlackError:
    """``invalid_blocks`` naming each problem with its place, as ``what [json-pointer:/blocks/0/text]``."""
    return SlackError(
        "invalid_blocks",
        errors=problems,
        response_metadata={"messages": [f"[ERROR] {problem}" for problem in problems]},
    )


def missing_scope(needed: str, provided: frozenset[str]) -> SlackError:
    """``missing_scope``."""
    return SlackError("missing_scope", needed=needed, provided=",".join(sorted(provided)))


def ratelimited(seconds: int) -> SlackError:
    """429 with ``Retry-After`` in whole seconds."""
    return SlackError("ratelimited", status=429, retry_after=seconds)

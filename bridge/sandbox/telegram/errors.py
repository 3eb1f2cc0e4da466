"""Refusals, in Telegram's own words. What only this server refuses starts with ``sandbox:``, so that nobody takes it
for Telegram's."""

from typing import Any


class BotApiError(Exception):
    """An answer with ``ok: false``. ``parameters`` may hold ``retry_after`` or ``migrate_to_chat_id``."""

    def __init__(self, code: int, description: str, parameters: dict[str, Any] | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def answer(self) -> dict[str, Any]:
        """The body of the answer."""
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        return body if self.parameters is None else body | {"parameters": self.parameters}


def bad_request(words: str) -> BotApiError:
    """400 with Telegram's sentence."""
    return BotApiError(400, f"Bad Request: {words}")


def stricter(words: str) -> BotApiError:
    """400 for what Telegram would take in silence, or mangle; the bridge must never send it."""
    return BotApiError(400, f"Bad Request: sandbox: {words}")


def too_many_requests(seconds: int) -> BotApiError:
    """429 with the wait in whole seconds."""
    return BotApiError(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})

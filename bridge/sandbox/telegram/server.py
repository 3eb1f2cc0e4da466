"""The sandbox Telegram over HTTP: Bot API requests in, answers out, with limits and faults between."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from bridge.sandbox.telegram.faults import Faults
from bridge.sandbox.telegram.limits import Limits, RateMeter
from bridge.sandbox.telegram.world import World


class TelegramServer(World):
    """One bot's Bot API on a loopback port."""

    faults: Faults
    rates: RateMeter
    base_url: str

    def __init__(
        self,
        *,
        token: str = "123456:sandbox",
        topics: bool = True,
        limits: Limits | None = None,
        strict_entities_only: bool = True,
        callback_seconds: float = 15.0,
        schema: Path | None = None,
        clock: Callable[[], float] = time.time,
        host: str = "127.0.0.1",
        port: int = 0,
        name: str = "HAPI Bridge",
        username: str = "hapi_bridge_bot",
    ) -> None:
        """``topics``: whether private chats may have topics (getMe's ``has_topics_enabled``). ``limits``: the rates, none by
        default. ``strict_entities_only``: refuse ``parse_mode``. ``callback_seconds``: how long a press may be answered.
        ``schema``: the JSON Schema of all methods, checked where given (needs jsonschema). ``clock``: seconds since the epoch.
        """
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        raise NotImplementedError

    async def __aexit__(self, *exc: object) -> None:
        raise NotImplementedError

    async def poll_elsewhere(self, timeout: float = 0.0) -> None:
        """Another program calls getUpdates with this token once: whoever was waiting gets 409."""
        raise NotImplementedError

"""Tokens of the sandbox hub: an access token against a signed one that expires, in the form of a JWT."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from typing import Any


class Tokens:
    """Gives out and checks tokens. ``life_s``: seconds until they expire. ``clock``: seconds since the epoch."""

    def __init__(self, access_token: str, life_s: float, clock: Callable[[], float]) -> None:
        self.access_token = access_token
        self.life_s = life_s
        self.exchanges = 0
        self._clock = clock
        self._key = secrets.token_bytes(32)

    def exchange(self, access_token: str) -> str | None:
        """A token for the access token (``base`` or ``base:namespace``), or None where it is not the hub's."""
        base = access_token.partition(":")[0]
        if not hmac.compare_digest(base.encode(), self.access_token.encode()):
            return None
        self.exchanges += 1
        now = self._clock()
        return self._sign({"uid": 1, "ns": "default", "iat": int(now), "exp": now + self.life_s})

    def valid(self, token: str) -> bool:
        """Whether this hub gave the token out and it has not expired."""
        head, _, signature = token.rpartition(".")
        if not hmac.compare_digest(self._signature(head).encode(), signature.encode()):
            return False
        body = head.partition(".")[2]
        return bool(json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["exp"] > self._clock())

    def _sign(self, claims: dict[str, Any]) -> str:
        head = ".".join(_encode(json.dumps(part).encode()) for part in ({"alg": "HS256"}, claims))
        return f"{head}.{self._signature(head)}"

    def _signature(self, head: str) -> str:
        return _encode(hmac.new(self._key, head.encode(), hashlib.sha256).digest())


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")

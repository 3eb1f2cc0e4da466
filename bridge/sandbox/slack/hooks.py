"""HTTP mode: requests to the app, signed as Slack signs them (docs.slack.dev, verifying requests from Slack)."""

import hashlib
import hmac
import json
import time
from urllib.parse import urlencode

import aiohttp

from bridge.sandbox.slack.sockets import NotAcknowledged
from bridge.sandbox.slack.state import Json

CHALLENGE = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"


class Hooks:
    """Sends events, interactions, commands and option requests to the app's request URL."""

    def __init__(self, url: str, signing_secret: str) -> None:
        self.url = url
        self._secret = signing_secret

    def sign(self, body: str, timestamp: int) -> str:
        """The value of ``X-Slack-Signature``: v0, HMAC-SHA256 over ``v0:timestamp:body``."""
        base = f"v0:{timestamp}:{body}".encode()
        return "v0=" + hmac.new(self._secret.encode(), base, hashlib.sha256).hexdigest()

    async def verify(self, seconds: float = 3.0) -> None:
        """The url_verification challenge, as when the URL is entered. Raises ValueError if the app answers wrong."""
        challenge = {"type": "url_verification", "token": "sandbox", "challenge": CHALLENGE}
        status, text, _ = await self.post(json.dumps(challenge), "application/json", seconds)
        if status != 200 or CHALLENGE not in text:
            raise ValueError(f"{self.url} answered the challenge with {status} {text[:200]!r}")

    async def deliver(self, kind: str, payload: Json, seconds: float, retry: tuple[int, str] | None) -> Json | None:
        """Sends one and returns what the app answered, None for an empty body. Raises NotAcknowledged."""
        body, content_type = encode(kind, payload)
        headers = {} if retry is None else {"X-Slack-Retry-Num": str(retry[0]), "X-Slack-Retry-Reason": retry[1]}
        try:
            status, text, found = await self.post(body, content_type, seconds, headers=headers)
        except TimeoutError:
            raise NotAcknowledged("http_timeout") from None
        except aiohttp.ClientError:
            raise NotAcknowledged("connection_failed") from None
        if not 200 <= status < 300:
            raise NotAcknowledged("http_error")
        if not text.strip():
            return None
        answer = json.loads(text) if found.startswith("application/json") else {"text": text}
        return answer if isinstance(answer, dict) else {"text": text}

    async def post(
        self,
        body: str,
        content_type: str,
        seconds: float,
        *,
        headers: dict[str, str] | None = None,
        signature: str | None = None,
        age: float = 0.0,
    ) -> tuple[int, str, str]:
        """One POST: status, body and content type of the answer. ``signature`` replaces the right one; ``age`` (s)
        moves the timestamp into the past, signed rightly. Raises TimeoutError or aiohttp.ClientError.
        """
        timestamp = int(time.time() - age)  # the app compares it with its own clock, not with a test's
        signed = {
            "Content-Type": content_type,
            "X-Slack-Request-Timestamp": str(timestamp),
            "X-Slack-Signature": self.sign(body, timestamp) if signature is None else signature,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        }
        limit = aiohttp.ClientTimeout(total=seconds)
        async with (
            aiohttp.ClientSession(timeout=limit) as session,
            session.post(self.url, data=body.encode(), headers=signed | (headers or {})) as answer,
        ):
            return answer.status, await answer.text(), answer.content_type


def encode(kind: str, payload: Json) -> tuple[str, str]:
    """The body and content type in which Slack sends this kind of thing."""
    if kind == "events_api":
        return json.dumps(payload), "application/json"
    fields = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
    return urlencode(fields), "application/x-www-form-urlencoded"

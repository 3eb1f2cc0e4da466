"""Signing in: the access token is exchanged for a short-lived JWT, by one exchange at a time.

Rules (hub contract, Auth): a JWT lives about 4 h and is renewed 60 s before its end; concurrent 401s share one
exchange; failed exchanges wait 15 s between tries; a refusal of the access token itself is final.
"""

import asyncio
import base64
import binascii
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from bridge.hub.counts import HubCounts
from bridge.hub.errors import AccessTokenRejected, HubError, HubTooNew, HubUnreachable, NotAHub
from bridge.hub.wire import Undecodable, decode, is_number
from bridge.language import N_

PROTOCOL = 1


@dataclass(frozen=True, slots=True)
class AuthTiming:
    """All in seconds."""

    timeout_s: float = 15.0
    renew_before_end_s: float = 60.0
    between_failures_s: float = 15.0
    between_lost_s: float = 1.0
    """After a try the hub never answered; it did no work for that, and may be back any moment (a reboot)."""


async def check_health(
    http: httpx.AsyncClient, base_url: str, counts: HubCounts | None = None, *, timeout_s: float = 10.0
) -> int:
    """Ask ``GET /health`` (no token needed) and return the hub's protocol version.

    Raises ``HubTooNew`` on a newer protocol, ``NotAHub`` if something else answers there or the address can't be used,
    ``HubUnreachable`` if nothing does.
    """
    answer = await _ask(http, "GET", f"{base_url}/health", timeout_s)
    if answer.status_code != 200:
        raise _no_hub(base_url, answer)
    body = _json(answer, counts or HubCounts())
    version = body.get("protocolVersion") if isinstance(body, dict) else None
    if not is_number(version):
        raise NotAHub(N_("{url} answers, but not like a HAPI hub. Check the address."), status=200, url=base_url)
    if version > PROTOCOL:
        raise HubTooNew(
            N_(
                "The hub at {url} speaks protocol version {version}; this bridge knows version {known}. "
                "Update the bridge."
            ),
            url=base_url,
            version=version,
            known=PROTOCOL,
        )
    return int(version)


class TokenSource:
    """Hands out the current JWT. Safe to share between tasks; holds the access token and shows it nowhere.

    ``clock`` is monotonic seconds (tests replace it).
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        base_url: str,
        access_token: str,
        *,
        timing: AuthTiming | None = None,
        counts: HubCounts | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = http
        self._base_url = base_url.rstrip("/")
        self._access_token = access_token
        self._timing = timing or AuthTiming()
        self._counts = counts or HubCounts()
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._jwt: str | None = None
        self._renew_at = 0.0
        self._ends_at = 0.0
        self._failure: HubError | None = None
        self._not_before = 0.0

    async def token(self) -> str:
        """The current JWT, exchanged anew if there is none or it is about to end.

        Raises ``AccessTokenRejected`` (final, remembered), ``HubUnreachable`` or ``NotAHub``. Within 15 s of an
        exchange the hub answered with a failure (1 s if it did not answer) that is raised again without asking. A JWT
        that has not quite ended is still given out when its renewal fails.
        """
        if self._jwt is not None and self._clock() < self._renew_at:
            return self._jwt
        try:
            return await self._exchange_unless(lambda: self._jwt is not None and self._clock() < self._renew_at)
        except HubUnreachable:
            if self._jwt is not None and self._clock() < self._ends_at:
                return self._jwt
            raise

    async def renew(self, stale: str) -> str:
        """A JWT other than ``stale``, which the hub has just answered with 401. Concurrent callers share one exchange.

        Raises as ``token`` does.
        """
        return await self._exchange_unless(lambda: self._jwt is not None and self._jwt != stale)

    async def _exchange_unless(self, have_one: Callable[[], bool]) -> str:
        async with self._one_at_a_time:
            if isinstance(self._failure, AccessTokenRejected):
                raise self._failure.with_traceback(None)  # else it would grow with every raise
            if have_one() and self._jwt is not None:
                return self._jwt
            if self._failure is not None and self._clock() < self._not_before:
                raise self._failure.with_traceback(None)
            try:
                self._jwt = await self._exchange()
            except HubError as error:
                self._failure = error
                lost = isinstance(error, HubUnreachable) and error.status is None
                wait_s = self._timing.between_lost_s if lost else self._timing.between_failures_s
                self._not_before = self._clock() + wait_s
                raise
            self._failure = None
            self._note_end(self._jwt)
            return self._jwt

    async def _exchange(self) -> str:
        self._counts.token_exchanges += 1
        answer = await _ask(
            self._http,
            "POST",
            f"{self._base_url}/api/auth",
            self._timing.timeout_s,
            json={"accessToken": self._access_token},
        )
        if answer.status_code in (400, 401, 403):
            raise AccessTokenRejected(
                N_(
                    "The hub does not accept the access token (HAPI_ACCESS_TOKEN). "
                    "It may have been changed on the hub: copy the current one from its settings."
                ),
                status=answer.status_code,
            )
        body = _json(answer, self._counts) if answer.status_code == 200 else None
        jwt = body.get("token") if isinstance(body, dict) else None
        if not isinstance(jwt, str) or not jwt.isascii() or not jwt.isprintable() or not jwt:
            raise _no_hub(self._base_url, answer)
        return jwt

    def _note_end(self, jwt: str) -> None:
        """Plan the renewal from the token's own life span, so that a wrong clock on either side does no harm."""
        life = _life_s(jwt)
        now = self._clock()
        self._ends_at = now + life
        # A life shorter than twice the margin would be renewed on every call.
        self._renew_at = now + max(life - self._timing.renew_before_end_s, life / 2)


def _life_s(jwt: str) -> float:
    """``exp - iat`` of a JWT in seconds; without an ``iat`` against the wall clock; unreadable: for ever."""
    try:
        payload = jwt.split(".")[1]
        claims = decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)), HubCounts())
    except (IndexError, binascii.Error, ValueError):
        return float("inf")
    if not isinstance(claims, dict) or not is_number(claims.get("exp")):
        return float("inf")
    begin = claims["iat"] if is_number(claims.get("iat")) else time.time()
    return max(0.0, float(claims["exp"] - begin))


async def _ask(http: httpx.AsyncClient, method: str, url: str, timeout_s: float, json: Any = None) -> httpx.Response:
    try:
        async with asyncio.timeout(timeout_s):
            return await http.request(method, url, json=json, timeout=timeout_s)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise NotAHub(N_("{url} is not a usable address for a hub."), url=url) from error
    except (httpx.HTTPError, TimeoutError, OSError) as error:
        raise HubUnreachable(N_("The hub can't be reached."), detail=type(error).__name__) from error


def _json(answer: httpx.Response, counts: HubCounts) -> Any:
    try:
        return decode(answer.content, counts)
    except Undecodable:
        return None


def _no_hub(base_url: str, answer: httpx.Response) -> HubError:
    if answer.status_code in (429, 502, 503, 504) or answer.status_code >= 500:
        return HubUnreachable(N_("The hub can't be reached."), status=answer.status_code)
    return NotAHub(
        N_("{url} answers, but not like a HAPI hub (HTTP {number}). Check the address."),
        status=answer.status_code,
        url=base_url,
        number=answer.status_code,
    )

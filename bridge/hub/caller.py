"""One HTTP call to the hub: signed in, limited in time, tried again where that is safe, its failure put into words."""

import asyncio
import json as jsonlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx
import stamina

from bridge.hub.auth import TokenSource
from bridge.hub.counts import HubCounts
from bridge.hub.errors import (
    BadRequest,
    ComputerUnreachable,
    Conflict,
    Forbidden,
    HubError,
    HubFailed,
    HubUnreachable,
    MalformedAnswer,
    NotFound,
    OutcomeUnknown,
    SessionInactive,
    SignInRefused,
    TooLarge,
)
from bridge.hub.wire import Json, Undecodable, decode
from bridge.language import N_

_COMPUTER_AWAY = {"no_machine_online", "machine_offline", "rpc_target_missing"}
_AWAY = N_("The computer that runs this session can't be reached.")
_HUB_AWAY = N_("The hub can't be reached.")


@dataclass(frozen=True, slots=True)
class RestTiming:
    """Seconds, except ``attempts``. ``timeout_s`` is over the 30 s the hub itself waits for the session's computer."""

    connect_s: float = 10.0
    timeout_s: float = 45.0
    attempts: int = 4
    wait_initial_s: float = 0.3
    wait_max_s: float = 5.0
    wait_jitter_s: float = 0.3


def path(*parts: str) -> str:
    """``/api/…`` with every part encoded, so that an id can't leave its place in the path."""
    return "/api/" + "/".join(_encode(part) for part in parts)


def _encode(part: str) -> str:
    encoded = quote(part, safe="", errors="replace")
    # Dot segments would be resolved by the HTTP client.
    return encoded if encoded.strip(".") else encoded.replace(".", "%2E")


class HubCaller:
    """Sends requests for ``HubApi`` and the event stream's owner; knows no endpoint."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        base_url: str,
        tokens: TokenSource,
        *,
        timing: RestTiming | None = None,
        counts: HubCounts | None = None,
    ) -> None:
        self._http = http
        self._base_url = base_url.rstrip("/")
        self._tokens = tokens
        self._timing = timing or RestTiming()
        self.counts = counts or HubCounts()

    async def get(self, url: str, query: Mapping[str, str | int] | None = None) -> Any:
        """GET, tried again with backoff on lost connections, 429, 502, 504 and an uncoded 503. Returns the JSON."""
        return self._result(await self._get(url, query))

    async def get_bytes(self, url: str) -> tuple[bytes, str]:
        """As ``get``, for files: the bytes and their MIME type."""
        answer = await self._get(url, None)
        mime_type = answer.headers.get("content-type", "application/octet-stream").partition(";")[0]
        if mime_type == "application/json":
            self._result(answer)
            raise MalformedAnswer(N_("The hub sent no file."), status=answer.status_code)
        return answer.content, mime_type

    async def _get(self, url: str, query: Mapping[str, str | int] | None) -> httpx.Response:
        timing = self._timing
        async for attempt in stamina.retry_context(
            on=_wait_before_retry,
            attempts=timing.attempts,
            timeout=timing.timeout_s * 2,
            wait_initial=timing.wait_initial_s,
            wait_max=timing.wait_max_s,
            wait_jitter=timing.wait_jitter_s,
        ):
            with attempt:
                return await self._signed_in("GET", url, query=query)
        raise AssertionError("stamina lets the last failure through")

    async def change(
        self, method: str, url: str, body: Mapping[str, Any] | None = None, *, timeout_s: float | None = None
    ) -> Any:
        """POST, PATCH, PUT or DELETE, sent once (twice only after a 401, which carries nothing out). Returns the JSON.

        Raises ``OutcomeUnknown`` if the answer was lost after sending, ``HubUnreachable`` if it certainly was not
        carried out, else the class that status and code say.
        """
        return self._result(await self._signed_in(method, url, body=body or {}, timeout_s=timeout_s))

    async def _signed_in(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        timeout_s: float | None = None,
    ) -> httpx.Response:
        jwt = await self._tokens.token()
        answer = await self._once(method, url, jwt, query, body, timeout_s)
        if answer.status_code == 401:
            jwt = await self._tokens.renew(jwt)
            answer = await self._once(method, url, jwt, query, body, timeout_s)
        if answer.status_code == 401:
            self.counts.calls_failed += 1
            raise SignInRefused(N_("The hub refuses the sign-in it has just given out."), status=401)
        if answer.status_code >= 300:
            self.counts.calls_failed += 1
            raise self._error(method, answer)
        return answer

    async def _once(
        self,
        method: str,
        url: str,
        jwt: str,
        query: Mapping[str, str | int] | None,
        body: Mapping[str, Any] | None,
        timeout_s: float | None,
    ) -> httpx.Response:
        limit = timeout_s or self._timing.timeout_s
        headers = {"Authorization": f"Bearer {jwt}"}
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            # ASCII, since lone surrogates can't be encoded as UTF-8.
            content = jsonlib.dumps(body, allow_nan=False).encode("ascii")
        self.counts.calls += 1
        try:
            async with asyncio.timeout(limit):
                return await self._http.request(
                    method,
                    self._base_url + url,
                    params=dict(query) if query else None,
                    content=content,
                    headers=headers,
                    timeout=httpx.Timeout(limit, connect=self._timing.connect_s),
                )
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            self.counts.calls_failed += 1
            raise HubUnreachable(_HUB_AWAY, detail=type(error).__name__) from error
        except (httpx.HTTPError, TimeoutError, OSError) as error:
            self.counts.calls_failed += 1
            raise _lost(method, type(error).__name__) from error

    def _error(self, method: str, answer: httpx.Response) -> HubError:
        """The failure an answer stands for, by status and code."""
        status = answer.status_code
        try:
            body = decode(answer.content, self.counts)
        except Undecodable:
            body = None
        record: Json = body if isinstance(body, dict) else {}
        code = record["code"] if isinstance(record.get("code"), str) else None
        detail = str(record.get("error") or answer.text)[:500]

        def make(kind: type[HubError], words: str) -> HubError:
            return kind(words, status=status, code=code, detail=detail)

        if status == 503 and code in _COMPUTER_AWAY:
            return make(ComputerUnreachable, _AWAY)
        if status in (429, 503) and code is None:
            return HubUnreachable(
                _HUB_AWAY, status=status, detail=detail, retry_after_s=_retry_after(answer.headers.get("retry-after"))
            )
        if status in (502, 504) and code is None:
            # A relay in between lost the hub's answer, or never reached the hub.
            return _lost(method, detail, status)
        if status == 409 and code == "session_inactive":
            return make(SessionInactive, N_("This session is not running. Let it go on first: /resume"))
        if status == 500 and method == "POST" and (body is None or record.get("success") is False):
            return make(ComputerUnreachable, _AWAY)
        if status not in _BY_STATUS:
            words = N_("The hub could not do this (HTTP {number}).")
            return HubFailed(words, status=status, code=code, detail=detail, number=status)
        return make(*_BY_STATUS[status])

    def _result(self, answer: httpx.Response) -> Any:
        try:
            body = decode(answer.content, self.counts)
        except Undecodable as error:
            raise MalformedAnswer(N_("The hub's answer can't be read."), status=answer.status_code) from error
        if isinstance(body, dict) and body.get("success") is False:
            # The hub is fine, and relays that the session's computer failed or did not answer.
            raise ComputerUnreachable(_AWAY, status=answer.status_code, detail=str(body.get("error") or "")[:500])
        return body


_BY_STATUS: dict[int, tuple[type[HubError], str]] = {
    400: (BadRequest, N_("The hub does not accept this.")),
    403: (Forbidden, N_("This access token may not do that.")),
    404: (NotFound, N_("The hub does not know this (any more).")),
    409: (Conflict, N_("The session has changed meanwhile.")),
    413: (TooLarge, N_("This is too large for the hub.")),
    422: (BadRequest, N_("The hub does not accept this.")),
}


def _lost(method: str, detail: str, status: int | None = None) -> HubUnreachable:
    if method == "GET":
        return HubUnreachable(_HUB_AWAY, status=status, detail=detail)
    return OutcomeUnknown(
        N_("The connection to the hub broke before it answered; it may or may not have done this."),
        status=status,
        detail=detail,
    )


def _wait_before_retry(error: Exception) -> bool | float:
    if not isinstance(error, HubUnreachable):
        return False
    return True if error.retry_after_s is None else min(error.retry_after_s, 30.0)


def _retry_after(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None

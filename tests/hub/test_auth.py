"""Signing in: one exchange at a time, early renewal, a final word when the access token is refused."""

import asyncio

import httpx
import pytest
from aiohttp import web

from bridge.hub.auth import AuthTiming, TokenSource, check_health
from bridge.hub.errors import AccessTokenRejected, HubTooNew, HubUnreachable, NotAHub
from bridge.hub.rest import HubApi
from tests.hub.conftest import ACCESS_TOKEN, FaultyHub, jwt, mute, plain, reply


class Clock:
    """Monotonic seconds that move when the test says."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_a_storm_of_expired_calls_shares_one_exchange(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", reply({"machines": []}))
    await api.machines()
    faulty.good.clear()  # as after four hours: the JWT in use is no longer good
    await asyncio.gather(*(api.machines() for _ in range(30)))
    assert faulty.exchanges == 2


async def test_concurrent_first_calls_share_one_exchange(faulty: FaultyHub, tokens: TokenSource) -> None:
    got = await asyncio.gather(*(tokens.token() for _ in range(20)))
    assert faulty.exchanges == 1
    assert len(set(got)) == 1


async def test_the_token_is_renewed_a_minute_before_it_ends_even_with_a_wrong_wall_clock(
    faulty: FaultyHub, http: httpx.AsyncClient
) -> None:
    """The hub's clock may be days off: only the token's own life span counts."""
    clock = Clock()
    issued = [jwt(1, 600, begin=5.0), jwt(2, 600, begin=9e9)]
    faulty.auth = lambda request: reply({"token": issued[faulty.exchanges - 1]})(request)
    tokens = TokenSource(http, faulty.url, ACCESS_TOKEN, clock=clock)
    assert await tokens.token() == issued[0]
    clock.now += 539
    assert await tokens.token() == issued[0]
    clock.now += 2
    assert await tokens.token() == issued[1]
    assert faulty.exchanges == 2


async def test_a_failed_renewal_does_not_take_a_token_away_that_still_works(
    faulty: FaultyHub, http: httpx.AsyncClient
) -> None:
    clock = Clock()
    tokens = TokenSource(http, faulty.url, ACCESS_TOKEN, clock=clock)
    faulty.jwt_life_s = 600
    first = await tokens.token()
    faulty.auth = plain("down", 502)
    clock.now += 550
    assert await tokens.token() == first
    clock.now += 60
    with pytest.raises(HubUnreachable):
        await tokens.token()


async def test_after_a_failed_exchange_the_hub_is_left_alone_for_15_seconds(
    faulty: FaultyHub, http: httpx.AsyncClient
) -> None:
    clock = Clock()
    faulty.auth = plain("down", 503)
    tokens = TokenSource(http, faulty.url, ACCESS_TOKEN, clock=clock)
    for _ in range(5):
        with pytest.raises(HubUnreachable):
            await tokens.token()
    assert faulty.exchanges == 1
    clock.now += 15.1
    faulty.auth = None
    assert await tokens.token()
    assert faulty.exchanges == 2


async def test_a_hub_that_was_not_there_is_asked_again_soon(http: httpx.AsyncClient) -> None:
    """Nobody answered, so nobody is spared by waiting long; a hub that boots is found at once."""
    clock = Clock()
    tokens = TokenSource(http, "http://127.0.0.1:9", ACCESS_TOKEN, clock=clock)
    with pytest.raises(HubUnreachable) as first:
        await tokens.token()
    with pytest.raises(HubUnreachable) as second:
        await tokens.token()
    assert second.value is first.value
    clock.now += 1.1
    with pytest.raises(HubUnreachable) as third:
        await tokens.token()
    assert third.value is not first.value


async def test_a_refused_access_token_is_final_and_said_in_clear_words(
    faulty: FaultyHub, http: httpx.AsyncClient
) -> None:
    """Invariant 7: the words name the setting, never the token."""
    clock = Clock()
    faulty.auth = reply({"error": "Invalid access token"}, 401)
    tokens = TokenSource(http, faulty.url, ACCESS_TOKEN, clock=clock)
    with pytest.raises(AccessTokenRejected, match="HAPI_ACCESS_TOKEN") as caught:
        await tokens.token()
    assert ACCESS_TOKEN not in f"{caught.value!r} {caught.value} {caught.value.detail}"
    clock.now += 3600
    with pytest.raises(AccessTokenRejected):
        await tokens.renew("some old one")
    assert faulty.exchanges == 1


async def test_a_caller_that_goes_away_does_not_spoil_the_exchange_for_the_others(
    faulty: FaultyHub, tokens: TokenSource
) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def too_late(request: web.Request) -> web.StreamResponse:
        faulty.auth = None
        asked.set()
        await gone.wait()
        return web.json_response({"token": jwt(99)})

    faulty.auth = too_late
    leaving = asyncio.create_task(tokens.token())
    staying = asyncio.create_task(tokens.token())
    await asked.wait()
    leaving.cancel()
    assert await staying
    gone.set()
    assert leaving.cancelled()
    assert faulty.exchanges == 2


@pytest.mark.parametrize("body", [{"token": 5}, {"token": ""}, {"token": "a\nb"}, {"token": "ä"}, [], "x", None])
async def test_an_exchange_that_answers_nonsense_is_not_taken_for_a_token(
    faulty: FaultyHub, tokens: TokenSource, body: object
) -> None:
    faulty.auth = reply(body)
    with pytest.raises(NotAHub):
        await tokens.token()


@pytest.mark.parametrize("token", ["x", "a.b.c", "a.%%%.c", "a.bnVsbA.c", "a.eyJleHAiOiJzb29uIn0.c"])
async def test_a_token_whose_end_cannot_be_read_is_used_until_the_hub_refuses_it(
    faulty: FaultyHub, tokens: TokenSource, token: str
) -> None:
    faulty.auth = reply({"token": token})
    assert await tokens.token() == token
    assert await tokens.token() == token
    assert faulty.exchanges == 1


async def test_a_short_lived_token_is_not_renewed_on_every_call(faulty: FaultyHub, tokens: TokenSource) -> None:
    faulty.jwt_life_s = 30
    for _ in range(5):
        await tokens.token()
    assert faulty.exchanges == 1


async def test_health_names_a_newer_protocol(faulty: FaultyHub, http: httpx.AsyncClient) -> None:
    faulty.on("/health", reply({"status": "ok", "protocolVersion": 2, "more": []}))
    with pytest.raises(HubTooNew, match="version 2"):
        await check_health(http, faulty.url)


async def test_health_ignores_what_it_does_not_know(faulty: FaultyHub, http: httpx.AsyncClient) -> None:
    faulty.on("/health", reply({"protocolVersion": 1, "capabilities": {"warp": True}, "x": None}))
    assert await check_health(http, faulty.url) == 1


@pytest.mark.parametrize("answer", [plain("<html>Welcome to nginx", 200), reply([1]), plain("no", 404)])
async def test_health_tells_another_server_from_a_hub(
    faulty: FaultyHub, http: httpx.AsyncClient, answer: object
) -> None:
    faulty.answers["/health"] = [answer]  # type: ignore[list-item]
    with pytest.raises(NotAHub, match="Check the address"):
        await check_health(http, faulty.url)


async def test_health_tells_a_bad_address_from_a_hub_that_is_down(http: httpx.AsyncClient) -> None:
    with pytest.raises(NotAHub):
        await check_health(http, "ftp://example")
    with pytest.raises(NotAHub):
        await check_health(http, "http://hub:notaport")
    with pytest.raises(HubUnreachable):
        await check_health(http, "http://127.0.0.1:9")


async def test_a_hub_that_never_answers_is_given_up(faulty: FaultyHub, http: httpx.AsyncClient) -> None:
    """Invariant 8: every wait has a limit."""

    faulty.auth = mute
    tokens = TokenSource(http, faulty.url, ACCESS_TOKEN, timing=AuthTiming(timeout_s=0.1))
    with pytest.raises(HubUnreachable):
        await tokens.token()

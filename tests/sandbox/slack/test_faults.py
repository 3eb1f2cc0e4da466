"""Faults to order, as slack_sdk and slack-bolt see them: each one hits exactly what it was ordered for."""

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, Limits, SlackServer, User


async def test_a_flood_names_its_wait_and_performs_nothing(
    client: AsyncWebClient, server: SlackServer, dm: Channel
) -> None:
    server.faults.flood("chat.postMessage", times=2, retry_after=17)
    for _ in range(2):
        with pytest.raises(SlackApiError) as caught:
            await client.chat_postMessage(channel=dm.id, text="text")
        response = caught.value.response
        assert (response.status_code, response["error"], response.headers["Retry-After"]) == (429, "ratelimited", "17")
    assert dm.messages == []
    await client.chat_postMessage(channel=dm.id, text="text")
    assert [(call.code, call.fault) for call in server.calls] == [(429, "flood"), (429, "flood"), (200, "")]


@pytest.mark.parametrize("code", [500, 503])
async def test_a_server_error_performs_nothing(
    code: int, client: AsyncWebClient, server: SlackServer, dm: Channel
) -> None:
    server.faults.error("chat.postMessage", code=code)
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=dm.id, text="text")
    assert caught.value.response.status_code == code
    assert dm.messages == []


async def test_a_lost_answer_hides_what_was_done_and_metadata_tells(
    client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    """Invariant 3: where a send's outcome is unknown, Slack is asked by message metadata."""
    parent = server.say(dm, ada, "go")
    server.faults.lose_answer("chat.postMessage")
    metadata = {"event_type": "hapi_post", "event_payload": {"key": "k1", "parts": ["a"]}}
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=dm.id, text="text", thread_ts=parent.ts, metadata=metadata)
    assert (server.calls[-1].code, server.calls[-1].fault) == (0, "lost answer")
    found = await client.conversations_replies(channel=dm.id, ts=parent.ts, include_all_metadata=True)
    assert found["messages"][1]["metadata"] == metadata
    bare = await client.conversations_replies(channel=dm.id, ts=parent.ts)
    assert "metadata" not in bare["messages"][1]


async def test_a_dropped_connection_performs_nothing(client: AsyncWebClient, server: SlackServer, dm: Channel) -> None:
    server.faults.drop("chat.postMessage")
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=dm.id, text="text")
    assert dm.messages == []


async def test_a_delay_past_the_clients_patience_is_a_timeout_yet_performed(
    make_client: Callable[..., AsyncWebClient], server: SlackServer, dm: Channel
) -> None:
    server.faults.delay("chat.postMessage", seconds=1.3)
    with pytest.raises(asyncio.TimeoutError):
        await make_client(server, timeout=1).chat_postMessage(channel=dm.id, text="late")
    await server.wait_for(lambda: dm.find("late"), what="the late message")


async def test_orders_for_any_method_spare_the_way_events_come(client: AsyncWebClient, server: SlackServer) -> None:
    server.faults.error()
    await AsyncWebClient(base_url=server.base_url).apps_connections_open(app_token=server.app_token)
    with pytest.raises(SlackApiError):
        await client.auth_test()
    server.faults.error(times=9)
    server.faults.clear()
    await client.auth_test()


async def test_lost_acks_bring_the_event_again_under_the_same_id(
    app: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.office.lose_acks(2)
    server.say(dm, ada, "once")
    await server.wait_for(lambda: len(app.bodies) == 3, what="two retries")
    assert len({body["event_id"] for body in app.bodies}) == 1
    assert app.retries == [("0", ""), ("1", "timeout"), ("2", "timeout")]
    (delivery,) = server.office.deliveries
    await server.wait_for(lambda: delivery.state == "acked", what="the acknowledgement")


async def test_duplicated_events_show_no_sign_of_it_but_their_id(
    app: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.office.duplicate_events()
    server.say(dm, ada, "twice")
    server.say(dm, ada, "once")
    await server.wait_for(lambda: len(app.bodies) == 3, what="three events")
    assert sorted(body["event"]["text"] for body in app.bodies) == ["once", "twice", "twice"]
    assert len({body["event_id"] for body in app.bodies}) == 2
    assert {num for num, _ in app.retries} == {"0"}


async def test_an_app_that_does_not_acknowledge_is_given_up_after_three_retries(
    app: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    app.status = 500
    server.office.ack_seconds = 0.05
    server.say(dm, ada, "hello")
    (delivery,) = server.office.deliveries
    await server.wait_for(lambda: delivery.state == "failed", what="giving up")
    assert [attempt.result for attempt in delivery.attempts] == ["timeout"] * 4
    pressed = server.global_shortcut("stop", ada)
    with pytest.raises(TimeoutError, match="did not acknowledge shortcut"):
        await server.answered(pressed)
    assert len(pressed.attempts) == 1


async def test_a_cut_socket_comes_back_and_brings_what_was_said_meanwhile(
    app: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    assert server.sockets.cut() == 1
    server.say(dm, ada, "in between")
    event = await server.wait_for(lambda: app.event("message"), what="the event")
    assert event["text"] == "in between"
    assert app.retries == [("1", "timeout")]


async def test_rates_are_kept_per_channel_for_posts_and_per_method_for_the_rest(
    make_client: Callable[..., AsyncWebClient], clock: Any
) -> None:
    async with SlackServer(limits=Limits(), clock=clock) as limited:
        client = make_client(limited)
        one, two = (limited.dm(limited.add_user(name)) for name in ("ada", "bob"))
        for _ in range(3):
            await client.chat_postMessage(channel=one.id, text="burst")
        with pytest.raises(SlackApiError) as caught:
            await client.chat_postMessage(channel=one.id, text="too fast")
        assert caught.value.response.headers["Retry-After"] == "1"
        await client.chat_postMessage(channel=two.id, text="other channel")
        clock.advance(1)
        ts = (await client.chat_postMessage(channel=one.id, text="later"))["ts"]
        for number in range(50):
            await client.chat_update(channel=one.id, ts=ts, text=f"edit {number}")
        with pytest.raises(SlackApiError) as caught:
            await client.chat_update(channel=one.id, ts=ts, text="tier 3")
        assert caught.value.response.headers["Retry-After"] == "60"
        clock.advance(60)
        await client.chat_update(channel=one.id, ts=ts, text="tier 3")
        assert limited.rates.violations == 2

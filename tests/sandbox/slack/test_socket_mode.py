"""Socket Mode as slack-bolt's own handler sees it: hello, envelopes, acknowledgements, disconnects."""

import json
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bridge.sandbox.slack import Channel, SlackServer, User


async def connect(session: aiohttp.ClientSession, client: AsyncWebClient, server: SlackServer) -> Any:
    """A bare socket that has had its hello."""
    address = (await client.apps_connections_open(app_token=server.app_token))["url"]
    socket = await session.ws_connect(address)
    assert (await socket.receive_json(timeout=5))["type"] == "hello"
    return socket


async def test_an_envelope_carries_the_event_and_wants_its_id_back(
    client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    async with aiohttp.ClientSession() as session:
        socket = await connect(session, client, server)
        server.say(dm, ada, "hello")
        envelope = await socket.receive_json(timeout=5)
        assert (envelope["type"], envelope["retry_attempt"], envelope["accepts_response_payload"]) == (
            "events_api",
            0,
            False,
        )
        payload = envelope["payload"]
        assert (payload["type"], payload["team_id"], payload["event"]["channel_type"]) == (
            "event_callback",
            server.team.id,
            "im",
        )
        await socket.send_str("not json")
        await socket.send_str(json.dumps({"envelope_id": envelope["envelope_id"]}))
        (delivery,) = server.office.deliveries
        await server.wait_for(lambda: delivery.state == "acked", what="the acknowledgement")


async def test_addresses_are_good_once(client: AsyncWebClient, server: SlackServer) -> None:
    address = (await client.apps_connections_open(app_token=server.app_token))["url"]
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(address) as socket:
            assert (await socket.receive_json())["type"] == "hello"
        async with session.get(address.replace("ws", "http", 1)) as answer:
            assert answer.status == 404


async def test_of_several_connections_one_gets_each_event(
    client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    async with aiohttp.ClientSession() as session:
        sockets = [await connect(session, client, server) for _ in range(2)]
        for text in ("one", "two"):
            server.say(dm, ada, text)
        texts = []
        for socket in sockets:
            envelope = await socket.receive_json(timeout=5)
            texts.append(envelope["payload"]["event"]["text"])
            await socket.send_json({"envelope_id": envelope["envelope_id"]})
        assert sorted(texts) == ["one", "two"]


async def test_an_eleventh_connection_is_one_too_many(client: AsyncWebClient, server: SlackServer) -> None:
    async with aiohttp.ClientSession() as session:
        kept = [await connect(session, client, server) for _ in range(10)]
        address = (await client.apps_connections_open(app_token=server.app_token))["url"]
        eleventh = await session.ws_connect(address)
        assert (await eleventh.receive_json(timeout=5))["reason"] == "too_many_websockets"
        assert len(kept) == len(server.sockets.open)


async def test_bolt_comes_back_when_it_is_asked_to_refresh(
    app: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    for reason in ("warning", "refresh_requested"):
        before = server.sockets.connections[0].number
        await server.sockets.disconnect(reason)
        await server.wait_for(
            lambda before=before: [c for c in server.sockets.open if c.number != before],  # type: ignore[misc]
            what=f"a new socket after {reason}",
        )
    server.say(dm, ada, "still there?")
    await server.wait_for(lambda: app.event("message"), what="the event")


async def test_events_wait_for_an_app_that_starts_later(
    client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.office.retry_delays = (0.0, 5.0, 5.0)
    server.say(dm, ada, "early")
    async with aiohttp.ClientSession() as session:
        socket = await connect(session, client, server)
        envelope = await socket.receive_json(timeout=5)
        assert (envelope["payload"]["event"]["text"], envelope["retry_attempt"]) == ("early", 1)


async def test_no_event_comes_that_the_app_has_no_scope_or_subscription_for(
    app: Any, server: SlackServer, dm: Channel, channel: Channel, ada: User
) -> None:
    server.scopes.discard("im:history")
    server.say(dm, ada, "no scope")
    server.subscriptions = frozenset({"app_mention"})
    server.say(channel, ada, "no subscription")
    server.say(server.add_channel("other", ada, with_bot=False), ada, f"not there {server.mention()}")
    server.say(channel, ada, f"{server.mention()} hello")
    await server.wait_for(lambda: app.event("app_mention"), what="the mention")
    assert [event["type"] for event in app.events] == ["app_mention"]

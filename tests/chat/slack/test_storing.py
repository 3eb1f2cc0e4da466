"""Nothing is acknowledged to Slack that was not stored, and what is delivered again counts once."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from bridge.chat.errors import AnotherPoller, LoginRefused, OutcomeUnknown, SurfaceError, Unreachable
from bridge.chat.intents import Command, Press, Say
from bridge.chat.slack.client import Timeouts
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import Part, Place, RawUpdate
from bridge.sandbox.slack import Channel, Delivery, SlackServer, User
from bridge.sandbox.slack.sockets import MAX_CONNECTIONS


async def first(surface: SlackSurface) -> list[RawUpdate]:
    """The first batch with something in it, which is never confirmed."""
    async for batch in surface.updates():
        if batch:
            return list(batch)
    raise AssertionError("updates never end by themselves")


def texts(intents: list[Any]) -> list[str]:
    return [intent.text for intent in intents]


async def acked(server: SlackServer, count: int) -> None:
    await server.wait_for(lambda: sum(d.state == "acked" for d in server.office.deliveries) >= count, what="the acks")


async def test_an_event_is_acknowledged_when_it_is_stored_and_not_sooner(
    store: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    """Invariant 1."""
    store.hold.clear()
    server.say(dm, ada, "hello")
    [delivery] = server.office.deliveries
    await asyncio.sleep(0.3)
    assert (delivery.state, delivery.attempts) == ("waiting", [])
    store.hold.set()
    await acked(server, 1)
    assert texts(store.intents) == ["hello"]
    assert [attempt.result for attempt in delivery.attempts] == ["acked"]


async def test_a_failure_to_store_leaves_the_event_to_slacks_retry(
    make: Callable[..., SlackSurface], server: SlackServer, dm: Channel, ada: User, quick: Timeouts, storing: Any
) -> None:
    """Invariant 1: no acknowledgement, and the retry finds the store mended."""
    server.office.ack_seconds = 0.5

    async with make(timeouts=replace(quick, ack_s=0.2)) as surface:

        async def break_down() -> None:
            async for batch in surface.updates():
                if batch:
                    raise OSError("disk full")

        failing = asyncio.create_task(break_down())
        await server.wait_for(lambda: server.sockets.open, what="the socket")
        server.say(dm, ada, "precious")
        with pytest.raises(OSError, match="disk full"):
            await failing
        [delivery] = server.office.deliveries
        await server.wait_for(lambda: delivery.attempts, what="the first attempt")
        assert delivery.attempts[0].result == "timeout"
        async with storing(surface) as mended:
            assert texts(await mended.until(1)) == ["precious"]
            await acked(server, 1)


async def test_a_batch_whose_iteration_ended_comes_again_while_slack_still_waits(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, storing: Any
) -> None:
    """Invariant 1."""
    reading = asyncio.create_task(first(surface))
    await server.wait_for(lambda: server.sockets.open, what="the socket")
    server.say(dm, ada, "precious")
    [once] = await reading
    async with storing(surface) as store:
        await store.until(1)
        await acked(server, 1)
    assert list(store.rows) == [once.id]
    assert [attempt.result for attempt in server.office.deliveries[0].attempts] == ["acked"]


async def test_an_acknowledgement_that_is_lost_brings_the_event_again_and_it_counts_once(
    store: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.office.lose_acks()
    server.say(dm, ada, "once")
    await acked(server, 1)
    assert len(server.office.deliveries[0].attempts) == 2
    assert texts(store.intents) == ["once"]
    assert store.repeated == list(store.rows)


async def test_an_event_delivered_twice_over_two_connections_counts_once(
    store: Any, make: Callable[..., SlackSurface], server: SlackServer, dm: Channel, ada: User, storing: Any
) -> None:
    async with make() as second, storing(second) as other:
        await server.wait_for(lambda: len(server.sockets.open) == 2, what="the second socket")
        server.office.duplicate_events()
        server.say(dm, ada, "once")
        await acked(server, 2)
    assert list(store.rows) == list(other.rows)


async def test_message_and_mention_of_one_post_count_once(
    store: Any, server: SlackServer, channel: Channel, ada: User
) -> None:
    post = server.say(channel, ada, f"{server.mention()} look at the parser")
    await acked(server, 2)
    [intent] = store.intents
    assert (intent.text, intent.where.thread, store.repeated) == ("look at the parser", post.ts, list(store.rows))


async def test_what_was_said_while_the_bridge_was_away_is_heard_when_it_is_back(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, storing: Any
) -> None:
    server.say(dm, ada, "early")
    async with storing(surface) as store:
        assert texts(await store.until(1)) == ["early"]


async def test_what_asks_nothing_of_the_bridge_is_acknowledged_and_not_kept(
    store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, home: Place, text: Any
) -> None:
    await surface.send(home, text("mine"), ring=False, key="k", index=0)
    server.say(dm, server.add_bot("other"), "I am a bot, too")
    server.open_home(ada, "messages")
    await acked(server, 3)
    assert store.rows == {}


async def test_a_press_a_form_and_a_command_are_acknowledged_when_stored(
    store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, home: Place, button: Any
) -> None:
    """Invariant 1."""
    ts = await surface.send(home, button("Allow", "tok"), ring=False, key="k", index=0)
    store.hold.clear()
    gestures = [
        server.press(dm.message(ts), "Allow", ada),  # type: ignore[arg-type]
        server.slash_command(dm, ada, "/hapi", "status"),
    ]
    await asyncio.sleep(0.2)
    assert {gesture.state for gesture in gestures} == {"waiting"}
    store.hold.set()
    for gesture in gestures:
        await server.answered(gesture)
    assert {type(intent) for intent in store.intents} == {Press, Command}


async def test_a_press_that_can_not_be_stored_is_told_to_the_presser_by_slack(
    make: Callable[..., SlackSurface], server: SlackServer, dm: Channel, ada: User, home: Place, button: Any, quick: Any
) -> None:
    server.office.ack_seconds = 0.5
    async with make(timeouts=replace(quick, ack_s=0.1)) as surface:
        ts = await surface.send(home, button(), ring=False, key="k", index=0)
        reading = asyncio.create_task(first(surface))
        await server.wait_for(lambda: server.sockets.open, what="the socket")
        gesture = server.press(dm.message(ts), "Allow", ada)  # type: ignore[arg-type]
        await reading
        with pytest.raises(TimeoutError, match="did not acknowledge"):
            await server.answered(gesture)


async def test_neither_secrets_nor_addresses_for_answers_are_stored(
    store: Any, surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, home: Place, button: Any
) -> None:
    """Invariant 7."""
    ts = await surface.send(home, button(), ring=False, key="k", index=0)
    server.press(dm.message(ts), "Allow", ada)  # type: ignore[arg-type]
    server.say(dm, ada, "hello")
    server.slash_command(dm, ada, "/hapi", "help")
    await store.until(3)
    for row in store.rows.values():
        assert not {"token", "response_url"} & row.payload.keys()


async def test_names_and_standing_are_stored_with_what_people_say(
    store: Any, server: SlackServer, channel: Channel, ada: User
) -> None:
    people = {
        "member": ada,
        "guest": server.add_user("gil", guest=True),
        "stranger": server.add_user("sam", stranger=True),
    }
    for number, person in enumerate(people.values(), 1):
        server.join(channel, person)
        server.say(channel, person, f"{server.mention()} hello {number}")
        await store.until(number)
    assert [(intent.person.name, intent.person.standing) for intent in store.intents] == [
        (person.name, standing) for standing, person in people.items()
    ]


async def test_who_slack_says_nothing_about_counts_as_a_stranger(
    store: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.faults.error("users.info", code=500)
    server.say(dm, ada, "hello")
    [intent] = await store.until(1)
    assert (intent.person.id, intent.person.standing) == (ada.id, "stranger")


async def test_people_are_asked_about_once(store: Any, server: SlackServer, dm: Channel, ada: User) -> None:
    for number in range(1, 4):
        server.say(dm, ada, str(number))
        await store.until(number)
    assert [call.method for call in server.calls].count("users.info") == 1


async def test_a_burst_keeps_its_order_while_slack_is_asked_once_who_speaks(
    store: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    server.faults.delay("users.info", seconds=0.2)
    for number in range(20):
        server.say(dm, ada, str(number))
    assert texts(await store.until(20)) == [str(number) for number in range(20)]
    assert [call.method for call in server.calls].count("users.info") == 1
    assert {intent.person.standing for intent in store.intents} == {"member"}


async def test_a_connection_that_breaks_is_opened_anew_and_nothing_is_missed(
    store: Any, server: SlackServer, dm: Channel, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.chat.slack.socket.LEAST_LIFE_S", 0.0)
    server.sockets.cut()
    server.say(dm, ada, "in between")
    assert texts(await store.until(1)) == ["in between"]


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_slacks_wish_for_a_new_connection_is_followed_before_the_old_one_goes(
    store: Any, server: SlackServer, dm: Channel, ada: User, reason: str
) -> None:
    await server.sockets.disconnect(reason)
    await server.wait_for(lambda: len(server.sockets.connections) == 2, what="the second socket")
    for number in range(1, 5):
        server.say(dm, ada, str(number))
    assert sorted(texts(await store.until(4))) == ["1", "2", "3", "4"]
    await acked(server, 4)
    assert {len(delivery.attempts) for delivery in server.office.deliveries} == {1}


async def test_socket_mode_that_is_switched_off_is_told_as_such(surface: SlackSurface, server: SlackServer) -> None:
    reading = asyncio.create_task(first(surface))
    await server.wait_for(lambda: server.sockets.open, what="the socket")
    await server.sockets.disconnect("link_disabled")
    with pytest.raises(LoginRefused, match="Socket Mode is switched off"):
        await reading


async def test_a_wrong_app_token_is_named(make: Callable[..., SlackSurface]) -> None:
    async with make(app_token="xapp-wrong") as surface:
        with pytest.raises(LoginRefused, match="SLACK_APP_TOKEN"):
            await first(surface)


async def test_an_app_token_without_its_scope_is_told_by_the_scope(surface: SlackSurface, server: SlackServer) -> None:
    server.app_scopes.clear()
    with pytest.raises(LoginRefused, match="connections:write"):
        await first(surface)


async def test_too_many_connections_are_other_programs(
    surface: SlackSurface, server: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.sandbox.slack.sockets.MAX_CONNECTIONS", 0)
    assert MAX_CONNECTIONS == 10
    with pytest.raises(AnotherPoller, match="other programs use its SLACK_APP_TOKEN"):
        await first(surface)


async def test_a_slack_that_is_down_is_told_once_and_iterating_anew_goes_on(
    surface: SlackSurface, server: SlackServer, dm: Channel, ada: User, storing: Any
) -> None:
    server.faults.error("apps.connections.open", code=502)
    with pytest.raises(Unreachable):
        await first(surface)
    async with storing(surface) as store:
        await server.wait_for(lambda: server.sockets.open, what="the socket")
        server.say(dm, ada, "back")
        assert texts(await store.until(1)) == ["back"]


async def test_a_connection_that_breaks_at_once_is_left_to_the_callers_backoff(
    surface: SlackSurface, server: SlackServer
) -> None:
    """Invariant 8: no reconnect storm."""
    reading = asyncio.create_task(first(surface))
    await server.wait_for(lambda: server.sockets.open, what="the socket")
    server.sockets.cut()
    with pytest.raises(Unreachable, match="as soon as it was there"):
        await reading


async def test_a_connection_that_falls_silent_is_given_up(quick: Timeouts) -> None:
    """Invariant 8, the watchdog: no answer to a ping, no event, and no word that it ended."""
    silent = asyncio.Event()

    async def open_connection(request: web.Request) -> web.Response:
        return web.json_response({"ok": True, "url": f"ws://{request.host}/link"})

    async def link(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        await socket.send_json({"type": "hello"})
        await silent.wait()
        return socket

    site = web.Application()
    site.add_routes([web.post("/api/apps.connections.open", open_connection), web.get("/link", link)])
    async with TestServer(site) as running:
        base_url = str(running.make_url("/api/"))
        async with SlackSurface(
            "xoxb-x", base_url, app_token="xapp-x", timeouts=replace(quick, heartbeat_s=0.2)
        ) as dead:
            with pytest.raises(Unreachable, match="broke"):
                await asyncio.wait_for(first(dead), 5)
        silent.set()


async def test_an_address_that_is_no_slack_is_told_as_such(quick: Timeouts) -> None:
    async def page(request: web.Request) -> web.Response:
        return web.Response(text="<html>Sign in</html>", content_type="text/html")

    site = web.Application()
    site.add_routes([web.post("/api/{method}", page)])
    async with TestServer(site) as running:
        base_url = str(running.make_url("/api/"))
        async with SlackSurface("xoxb-x", base_url, app_token="xapp-x", timeouts=quick) as surface:
            with pytest.raises(Unreachable, match="can't be read"):
                await surface.check()
            with pytest.raises(OutcomeUnknown):
                await surface.send(Place(1, "C1"), Part("text", {"text": "x"}), ring=False, key="k", index=0)


async def test_a_new_connection_is_told_by_an_empty_batch(surface: SlackSurface, server: SlackServer) -> None:
    """So that trouble told before is over before anybody says a word."""
    assert list(await anext(aiter(surface.updates()))) == []
    assert server.sockets.open


async def test_closing_the_surface_closes_its_connection(
    make: Callable[..., SlackSurface], server: SlackServer, storing: Any
) -> None:
    async with make() as surface, storing(surface):
        await server.wait_for(lambda: server.sockets.open, what="the socket")
    await server.wait_for(lambda: not server.sockets.connections, what="the end of the socket")


async def test_in_http_mode_too_an_event_is_acknowledged_when_it_is_stored(
    http_store: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    """Invariant 1."""
    http_store.hold.clear()
    server.say(dm, ada, "hello")
    [delivery] = server.office.deliveries
    await asyncio.sleep(0.2)
    assert delivery.state == "waiting"
    http_store.hold.set()
    await acked(server, 1)
    assert texts(http_store.intents) == ["hello"]


async def test_in_http_mode_what_is_not_stored_is_refused_and_comes_again(
    make: Callable[..., SlackSurface], http_store: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    http_store.hold.clear()
    server.say(dm, ada, "hello")
    [delivery] = server.office.deliveries
    await server.wait_for(lambda: delivery.attempts, what="the first attempt")
    assert delivery.attempts[0].result == "http_error"
    http_store.hold.set()
    await acked(server, 1)
    assert texts(http_store.intents) == ["hello"]


async def test_in_http_mode_presses_forms_and_commands_arrive(
    http_store: Any, server: SlackServer, dm: Channel, ada: User, button: Any
) -> None:
    message = server.post(dm, server.bot, **{k: button().payload[k] for k in ("text", "blocks")})
    await server.answered(server.press(message, "Allow", ada))
    await server.answered(server.slash_command(dm, ada, "/hapi", "stop"))
    assert {type(intent) for intent in http_store.intents} == {Press, Command}


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"signature": "v0=bad"}, "its signature is wrong: check SLACK_SIGNING_SECRET"),
        ({"age": 301.0}, "a replay"),
        ({"signature": ""}, "it is not signed"),
    ],
)
async def test_forged_and_replayed_requests_are_refused_with_a_line_in_the_log(
    http_store: Any, server: SlackServer, caplog: pytest.LogCaptureFixture, how: Any, why: str, ada: User, dm: Channel
) -> None:
    event = {"type": "message", "channel": dm.id, "user": ada.id, "text": "forged", "ts": "1.000001"}
    payload = {"type": "event_callback", "event_id": "Ev1", "event": event}
    with caplog.at_level(logging.WARNING):
        status, _ = await server.send_forged("events_api", payload, **how)
    assert (status, http_store.rows) == (401, {})
    [line] = [record.getMessage() for record in caplog.records if "refused" in record.getMessage()]
    assert why in line
    assert "forged" not in line


async def test_requests_that_are_no_json_or_no_text_are_refused(http_store: Any, server: SlackServer) -> None:
    hooks = server.office.hooks
    assert hooks is not None
    assert (await hooks.post("{", "application/json", 3.0))[0] == 400
    assert (await hooks.post('"text"', "application/json", 3.0))[0] == 400
    assert http_store.rows == {}


@pytest.mark.parametrize(
    ("timestamp", "signature"), [("9" * 5000, "v0=00"), ("1٢", "v0=00"), ("-1", "v0=00"), ("", "v0=é"), ("now", "v0=é")]
)
async def test_headers_that_no_slack_sends_are_refused_like_any_forgery(
    http_store: Any, server: SlackServer, caplog: pytest.LogCaptureFixture, timestamp: str, signature: str
) -> None:
    """Invariant 5: anybody can reach the address, so nothing in a request may end in the bridge's own error."""
    hooks = server.office.hooks
    assert hooks is not None
    when = timestamp if timestamp != "now" else str(int(time.time()))
    headers = {"X-Slack-Request-Timestamp": when}
    status, _, _ = await hooks.post("{}", "application/json", 3.0, headers=headers, signature=signature)
    assert (status, http_store.rows) == (401, {})
    assert "it is not signed" in caplog.text


ODD_EVENTS: tuple[object, ...] = ([], "x", None)


async def test_a_signed_challenge_of_an_odd_form_is_answered_quietly(
    http_store: Any, server: SlackServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Invariant 5."""
    hooks = server.office.hooks
    assert hooks is not None
    for event in ODD_EVENTS:
        body = json.dumps({"type": "url_verification", "challenge": "c1", "event": event, "view": "x"})
        assert (await hooks.post(body, "application/json", 3.0))[0] == 200
    assert "Traceback" not in caplog.text


async def test_an_envelope_of_no_known_form_disturbs_nothing(
    store: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    """Invariant 5."""
    for payload in ({"authorizations": 5}, {"type": "event_callback", "event": ["?"]}, {"user": 7, "team": []}):
        server.office.send(Delivery("events_api", payload, 0.0))
    server.say(dm, ada, "still here")
    assert texts(await store.until(1)) == ["still here"]


async def test_before_the_surface_is_open_slack_is_asked_to_come_again(make: Callable[..., SlackSurface]) -> None:
    site = web.Application()
    site.add_routes(make(app_token=None, signing_secret="s").routes())
    async with TestServer(site) as running, ClientSession() as session:
        answer = await session.post(running.make_url("/slack/events"), data=b"{}")
        assert answer.status == 503


async def test_neither_token_nor_secret_is_no_configuration() -> None:
    with pytest.raises(ValueError, match="SLACK_APP_TOKEN"):
        SlackSurface("xoxb-1")


async def test_the_intake_has_a_bound(
    make: Callable[..., SlackSurface], server: SlackServer, monkeypatch: pytest.MonkeyPatch, dm: Channel, ada: User
) -> None:
    """Invariant 8: beyond it Slack is left to deliver again."""
    monkeypatch.setattr("bridge.chat.slack.intake.MOST", 1)
    async with make() as surface:
        reading = asyncio.create_task(first(surface))
        await server.wait_for(lambda: server.sockets.open, what="the socket")
        server.say(dm, ada, "one")
        [update] = await reading
        assert isinstance(surface.intent(update), Say)
        server.say(dm, ada, "two")
        await server.wait_for(lambda: server.office.deliveries[1].attempts, what="the refusal")
        assert server.office.deliveries[1].attempts[0].result == "timeout"


async def test_an_unforeseen_error_of_the_listener_does_not_end_listening(
    surface: SlackSurface, server: SlackServer, monkeypatch: pytest.MonkeyPatch, storing: Any, dm: Channel, ada: User
) -> None:
    with monkeypatch.context() as patch:

        async def explode(self: object) -> SurfaceError:
            raise ZeroDivisionError

        patch.setattr("bridge.chat.slack.socket.SocketMode.run", explode)
        with suppress(Unreachable):
            await first(surface)
    async with storing(surface) as store:
        await server.wait_for(lambda: server.sockets.open, what="the socket")
        server.say(dm, ada, "still here")
        assert texts(await store.until(1)) == ["still here"]

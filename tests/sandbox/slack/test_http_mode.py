"""HTTP mode as slack-bolt's own verification sees it: the challenge, signatures, replays, retries, forms."""

from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bridge.sandbox.slack import Channel, SlackServer, User


async def test_events_and_forms_come_signed(web_app: Any, server: SlackServer, channel: Channel, ada: User) -> None:
    server.say(channel, ada, "hello")
    await server.wait_for(lambda: web_app.event("message"), what="the event")
    await server.answered(server.slash_command(channel, ada, "/hapi", "status"))
    web_app.answer = {"options": [{"text": {"type": "plain_text", "text": "one"}, "value": "1"}]}
    await server.answered(server.global_shortcut("stop", ada))
    event, command, shortcut = web_app.bodies
    assert (event["event"]["text"], command["command"], command["text"]) == ("hello", "/hapi", "status")
    assert (shortcut["type"], shortcut["callback_id"]) == ("shortcut", "stop")


async def test_wrong_signatures_and_old_timestamps_are_for_the_app_to_refuse(web_app: Any, server: SlackServer) -> None:
    payload = {"type": "event_callback", "event": {"type": "message", "text": "forged"}}
    assert (await server.send_forged("events_api", payload, signature="v0=bad"))[0] == 401
    assert (await server.send_forged("events_api", payload, age=301))[0] == 401
    assert (await server.send_forged("interactive", {"type": "block_actions"}, signature=""))[0] == 401
    assert web_app.bodies == []
    assert (await server.send_forged("events_api", payload))[0] == 200
    assert len(web_app.bodies) == 1


async def test_failed_events_come_again_with_number_and_reason(
    web_app: Any, server: SlackServer, dm: Channel, ada: User
) -> None:
    web_app.status = 500
    server.say(dm, ada, "hello")
    (delivery,) = server.office.deliveries
    await server.wait_for(lambda: delivery.state == "failed", what="giving up")
    assert web_app.retries == [("", ""), ("1", "http_error"), ("2", "http_error"), ("3", "http_error")]


async def test_a_request_url_must_answer_the_challenge(server: SlackServer) -> None:
    async def nothing(request: web.Request) -> web.Response:
        return web.Response(text="hello")

    site = web.Application()
    site.router.add_post("/", nothing)
    async with TestServer(site) as running:
        with pytest.raises(ValueError, match="answered the challenge with 200 'hello'"):
            await server.use_http(str(running.make_url("/")))
    with pytest.raises(RuntimeError, match="not in HTTP mode"):
        await server.send_forged("events_api", {})


async def test_an_app_that_is_down_gets_it_by_a_retry(
    server: SlackServer, web_app: Any, dm: Channel, ada: User
) -> None:
    assert server.office.hooks is not None
    address, server.office.hooks.url = server.office.hooks.url, "http://127.0.0.1:9/"
    server.office.retry_delays = (0.0, 0.2, 0.2)
    server.say(dm, ada, "hello")
    (delivery,) = server.office.deliveries
    await server.wait_for(lambda: delivery.attempts, what="a failed attempt")
    server.office.hooks.url = address
    await server.wait_for(lambda: delivery.state == "acked", what="the retry")
    assert web_app.retries[-1][1] == "connection_failed"

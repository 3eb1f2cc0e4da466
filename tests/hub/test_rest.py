"""REST calls: one retry after 401, backoff where it is safe, and failures by status and code, never by words."""

import asyncio

import pytest
from aiohttp import web

from bridge.hub.caller import path
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
    NotPending,
    NotStarted,
    OutcomeUnknown,
    SessionInactive,
    SignInRefused,
    TooLarge,
)
from bridge.hub.rest import HubApi
from bridge.hub.wire import PageRequest, Position
from tests.hub.conftest import FaultyHub, deep_page, hang_up, mute, plain, reply

SEND = "/api/sessions/s/messages"
APPROVE = "/api/sessions/s/permissions/r/approve"


async def send(api: HubApi) -> None:
    await api.send_message("s", "hello", "telegram-bot-1", "telegram-bot")


async def test_a_401_is_answered_by_one_exchange_and_one_retry(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", reply({"error": "Invalid token"}, 401), reply({"machines": [{"id": "m"}]}))
    assert await api.machines() == [{"id": "m"}]
    assert faulty.exchanges == 2


async def test_a_second_401_is_the_end(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", reply({"error": "Invalid token"}, 401))
    with pytest.raises(SignInRefused):
        await api.machines()
    assert len(faulty.seen_at("/api/machines")) == 2


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_reads_are_tried_again_while_the_hub_is_busy(faulty: FaultyHub, api: HubApi, status: int) -> None:
    faulty.on("/api/machines", plain("busy", status), plain("busy", status), reply({"machines": []}))
    assert await api.machines() == []


async def test_reads_survive_a_broken_connection(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", hang_up, reply({"machines": []}))
    assert await api.machines() == []


async def test_reads_give_up_in_the_end(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", plain("busy", 503))
    with pytest.raises(HubUnreachable):
        await api.machines()
    assert len(faulty.seen_at("/api/machines")) == 4


async def test_a_retry_waits_as_long_as_the_hub_asks(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", reply({}, 429, **{"Retry-After": "0.3"}), reply({"machines": []}))
    began = asyncio.get_running_loop().time()
    await api.machines()
    assert asyncio.get_running_loop().time() - began >= 0.3


@pytest.mark.parametrize("status", [400, 403, 404, 409, 413, 422, 500])
async def test_an_answer_that_will_not_change_is_not_asked_for_again(
    faulty: FaultyHub, api: HubApi, status: int
) -> None:
    faulty.on("/api/machines", reply({"error": "no"}, status))
    with pytest.raises(HubError):
        await api.machines()
    assert len(faulty.seen_at("/api/machines")) == 1


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (400, {"error": "x"}, BadRequest),
        (422, {"error": "x"}, BadRequest),
        (403, {"error": "x"}, Forbidden),
        (404, {"error": "x"}, NotFound),
        (409, {"error": "x", "code": "session_inactive"}, SessionInactive),
        (409, {"error": "session_inactive"}, Conflict),
        (409, {"error": "x", "code": "resume_unavailable"}, Conflict),
        (413, {}, TooLarge),
        (500, {"error": "x"}, HubFailed),
        (503, {"error": "x", "code": "no_machine_online"}, ComputerUnreachable),
        (503, {"error": "x", "code": "machine_offline"}, ComputerUnreachable),
        (503, {"error": "x", "code": "rpc_target_missing"}, ComputerUnreachable),
        (503, {"error": "x"}, HubUnreachable),
        (429, {"error": "x"}, HubUnreachable),
        (502, {"error": "x"}, OutcomeUnknown),
        (200, {"success": False, "error": "x"}, ComputerUnreachable),
        (418, {"error": "x", "code": ["odd"]}, HubFailed),
    ],
)
async def test_status_and_code_decide_what_went_wrong(
    faulty: FaultyHub, api: HubApi, status: int, body: object, expected: type[HubError]
) -> None:
    faulty.on(SEND, reply(body, status))
    with pytest.raises(HubError) as caught:
        await send(api)
    assert type(caught.value) is expected
    assert caught.value.status == status
    assert len(faulty.seen_at(SEND)) == 1


async def test_the_hubs_own_words_stay_out_of_what_the_user_reads(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on(SEND, reply({"error": "zod: something internal"}, 400))
    with pytest.raises(BadRequest) as caught:
        await send(api)
    assert "zod" not in str(caught.value)
    assert "zod" in caught.value.detail


async def test_an_empty_413_is_understood(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/sessions/s/upload", plain("", 413))
    with pytest.raises(TooLarge):
        await api.upload("s", "a.bin", b"x", "application/octet-stream")


async def test_a_plain_500_to_an_approval_means_the_computer_is_away(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on(APPROVE, plain("Internal Server Error", 500))
    with pytest.raises(ComputerUnreachable):
        await api.approve("s", "r")
    faulty.on("/api/sessions/s/abort", plain("Internal Server Error", 500))
    with pytest.raises(ComputerUnreachable):
        await api.abort("s")


async def test_a_404_to_an_approval_means_it_is_no_longer_open(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on(APPROVE, reply({"error": "Request not found"}, 404))
    with pytest.raises(NotPending):
        await api.approve("s", "r", decision="approved")
    with pytest.raises(NotPending):
        await api.deny("s", "r")


async def test_a_lost_answer_is_told_from_a_call_that_never_went_out(
    faulty: FaultyHub, api: HubApi, hasty: HubApi
) -> None:
    """Invariant 3 stands on this: only an unknown outcome needs care before repeating."""
    faulty.on(SEND, hang_up, mute)
    with pytest.raises(OutcomeUnknown):
        await send(api)
    with pytest.raises(OutcomeUnknown):
        await send(hasty)
    assert len(faulty.seen_at(SEND)) == 2


async def test_a_hub_that_is_not_there_was_certainly_not_asked(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", reply({"machines": []}))
    await api.machines()
    api._caller._base_url = "http://127.0.0.1:9"
    with pytest.raises(HubUnreachable) as caught:
        await send(api)
    assert not isinstance(caught.value, OutcomeUnknown)


async def test_an_id_cannot_leave_its_place_in_the_path(faulty: FaultyHub, api: HubApi) -> None:
    for odd in ("../../auth", "..", ".", "a/b?c#d", "%2e%2e", "\ud800", "ä b"):
        with pytest.raises(NotFound):
            await api.session(odd)
        asked = faulty.seen[-1]
        assert asked.path != "/api/auth"
        assert asked.rel_url.raw_path == path("sessions", odd)
        assert asked.rel_url.raw_path.startswith("/api/sessions/")
        assert "/" not in asked.rel_url.raw_path.removeprefix("/api/sessions/")


async def test_a_send_carries_what_the_contract_names_and_nothing_empty(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on(SEND, reply({"ok": True}))
    await api.send_message("s", "later \ud83d\ude00 \ud800", "slack-bot-1", "slack-bot", scheduled_at=5)
    assert faulty.bodies[-1] == {
        "text": "later \ud83d\ude00 \ud800",
        "localId": "slack-bot-1",
        "sentFrom": "slack-bot",
        "scheduledAt": 5,
    } | {"text": "later 😀 \ud800"}
    await api.send_message("s", "now", "slack-bot-2", "slack-bot", delivery_mode="steer")
    assert faulty.bodies[-1]["deliveryMode"] == "steer"


async def test_an_approval_sends_only_what_was_decided(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on(APPROVE, reply({"ok": True}))
    await api.approve("s", "r")
    assert faulty.bodies[-1] == {}
    await api.approve("s", "r", allow_tools=["Bash(ls)"], answers={"0": ["Yes"]}, mode="plan")
    assert faulty.bodies[-1] == {"allowTools": ["Bash(ls)"], "answers": {"0": ["Yes"]}, "mode": "plan"}


async def test_a_page_is_asked_for_by_positions_in_pairs(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on(SEND, reply({"messages": [], "page": {"direction": "after"}}))
    await api.messages("s", PageRequest(200, after=Position(5, 6), until=Position(7, 8), epoch=0))
    assert dict(faulty.seen[-1].query) == {
        "limit": "200",
        "afterAt": "5",
        "afterSeq": "6",
        "untilAt": "7",
        "untilSeq": "8",
        "epoch": "0",
    }


async def test_one_deeply_nested_message_does_not_cost_the_page(faulty: FaultyHub, api: HubApi) -> None:
    """Invariant 5."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=deep_page(10_000), content_type="application/json")

    faulty.on(SEND, answer)
    page = await api.messages("s")
    assert [message["id"] for message in page.messages] == ["before", "deep", "after"]
    assert api.counts.dulled_values == 1


@pytest.mark.parametrize("text", ["", "<html>", "[1]", "null", '{"sessions": 5}'])
async def test_an_answer_that_is_not_what_was_promised_is_named(faulty: FaultyHub, api: HubApi, text: str) -> None:
    faulty.on("/api/sessions", plain(text, 200))
    with pytest.raises(MalformedAnswer):
        await api.sessions()


async def test_resume_follows_the_session_that_carries_on(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/sessions/s/resume", reply({"type": "success", "sessionId": "t"}))
    faulty.on("/api/sessions/s/reopen", reply({"ok": True}))
    assert await api.resume("s") == "t"
    assert await api.reopen("s") == "s"


async def test_a_failed_spawn_is_a_200_and_still_a_failure(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines/m/spawn", reply({"type": "error", "message": "no such directory"}))
    with pytest.raises(NotStarted) as caught:
        await api.spawn("m", "/nowhere", agent="claude")
    assert caught.value.detail == "no such directory"
    assert faulty.bodies[-1] == {"directory": "/nowhere", "agent": "claude"}


async def test_unknown_settings_and_views_never_reach_the_hub(faulty: FaultyHub, api: HubApi) -> None:
    with pytest.raises(ValueError, match="unknown setting"):
        await api.configure("s", "abort", True)
    with pytest.raises(ValueError, match="unknown view"):
        await api.look("s", "messages")
    assert faulty.seen == []


async def test_a_setting_travels_under_its_own_key(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/sessions/s/model-reasoning-effort", reply({"ok": True}))
    await api.configure("s", "model-reasoning-effort", "high")
    assert faulty.bodies[-1] == {"modelReasoningEffort": "high"}


async def test_cancelling_a_call_ends_it(faulty: FaultyHub, api: HubApi) -> None:
    faulty.on("/api/machines", mute)
    task = asyncio.create_task(api.machines())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

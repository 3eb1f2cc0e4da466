"""The switches: each really acts on the servers, says whether it is in force, and ends by itself or when called off."""

import asyncio
import time
from typing import Any

import httpx
import pytest

from tests.sandbox.page.conftest import Json, Listener, Visit

NAMES = {
    "flood",
    "lost-answers",
    "hub-restart",
    "duplicate-events",
    "slow-network",
    "deleted-topic",
    "expired-stream",
}


def _set(monkeypatch: pytest.MonkeyPatch, **constants: float) -> None:
    for name, value in constants.items():
        monkeypatch.setattr(f"bridge.sandbox.stage.switches.{name}", value)


async def _telegram(visit: Visit, method: str, **params: Any) -> httpx.Response:
    server = visit.stage.telegram
    return await visit.client.post(f"{server.base_url}/bot{server.token}/{method}", json=params)


async def _slack(visit: Visit, method: str, **params: Any) -> Json:
    """What Slack answered. Not by its SDK, which tries again by itself."""
    server = visit.stage.slack
    headers = {"Authorization": f"Bearer {server.bot_token}"}
    found: Json = (await visit.client.post(f"{server.base_url}{method}", json=params, headers=headers)).json()
    return found


async def _answers(visit: Visit, url: str) -> bool:
    try:
        return (await visit.client.get(f"{url}/health")).status_code == 200
    except httpx.TransportError:
        return False


async def _until(events: Listener, name: str, *, on: bool) -> None:
    await events.next("fault", lambda event: event["faults"][name]["on"] is on)


async def test_all_are_listed_off_with_words(visit: Visit) -> None:
    """Without a bridge of the sandbox's own there is none to kill."""
    faults = (await visit.state())["faults"]
    assert faults.keys() == NAMES
    assert not any(each["on"] for each in faults.values())
    assert all(each["title"] and each["words"].endswith(".") for each in faults.values())
    status, words = await visit.refused("fault", name="kill-bridge", on=True)
    assert (status, words.startswith("there is no fault kill-bridge")) == (409, True)


async def test_flood_refuses_both_chats_and_is_over_when_switched_off(visit: Visit) -> None:
    async with visit.listening() as events:
        await visit.post("fault", name="flood", on=True)
        await _until(events, "flood", on=True)
        refused = await _telegram(visit, "sendMessage", chat_id=visit.stage.chat.id, text="x")
        assert (refused.status_code, refused.json()["parameters"]["retry_after"]) == (429, 2)
        assert (await _slack(visit, "chat.postMessage", channel=visit.stage.dm.id, text="x"))["error"] == "ratelimited"
        await visit.post("fault", name="flood", on=True)
        await visit.post("fault", name="flood", on=False)
        await _until(events, "flood", on=False)
    assert (await _telegram(visit, "sendMessage", chat_id=visit.stage.chat.id, text="x")).status_code == 200
    assert (await _slack(visit, "chat.postMessage", channel=visit.stage.dm.id, text="x"))["ok"]
    await visit.post("fault", name="flood", on=False)


async def test_flood_is_over_by_itself(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    _set(monkeypatch, FLOOD_S=0.1)
    async with visit.listening() as events:
        await visit.post("fault", name="flood", on=True)
        await _until(events, "flood", on=False)
    assert (await _telegram(visit, "getMe")).status_code == 200


async def test_lost_answers_are_performed_and_telegrams_sends_are_spared(visit: Visit) -> None:
    """What Telegram can't be asked about would come twice (invariant 3), so the switch does not do that."""
    chat, dm = visit.stage.chat, visit.stage.dm
    await visit.post("fault", name="lost-answers", on=True)
    with pytest.raises(httpx.HTTPError):
        await _slack(visit, "chat.postMessage", channel=dm.id, text="one")
    assert [one.text for one in dm.visible] == ["one"]
    assert (await _slack(visit, "chat.postMessage", channel=dm.id, text="two"))["ok"]
    sent = [await _telegram(visit, "sendMessage", chat_id=chat.id, text=f"{n}") for n in range(2)]
    assert [one.status_code for one in sent] == [200] * 2
    message = sent[0].json()["result"]["message_id"]
    with pytest.raises(httpx.HTTPError):
        await _telegram(visit, "editMessageText", chat_id=chat.id, message_id=message, text="edited")
    edited = chat.message(message)
    assert edited is not None
    assert edited.text == "edited"
    assert (await visit.state())["calls"][-1]["fault"] == "lost answer"


async def test_the_hub_restarts_and_has_forgotten_its_events(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    _set(monkeypatch, HUB_DOWN_S=0.3)
    hub = visit.stage.hub
    assert hub is not None
    life = hub.state.events.life
    async with visit.listening() as events:
        await visit.post("fault", name="hub-restart", on=True)
        await _until(events, "hub-restart", on=True)
        assert await visit.refused("fault", name="hub-restart", on=False) == (409, "this ends by itself")
        async with asyncio.timeout(5):
            while await _answers(visit, hub.url):  # noqa: ASYNC110 - asked as a client would
                await asyncio.sleep(0.01)
        await _until(events, "hub-restart", on=False)
        assert (await visit.client.get(f"{hub.url}/health")).status_code == 200
        assert hub.state.events.life != life
        await visit.post("scenario/play", name="plan")
        await events.next("hub", lambda event: event["hub"]["sessions"])


async def test_everything_is_told_twice(visit: Visit) -> None:
    """Updates, events, and the hub's events; nothing more once it is off."""
    stage, hub = visit.stage, visit.stage.hub
    assert hub is not None
    await visit.post("fault", name="duplicate-events", on=True)
    await visit.post("telegram/say", chat=stage.chat.id, text="hello")
    first = (await _telegram(visit, "getUpdates", timeout=1)).json()["result"]
    again = (await _telegram(visit, "getUpdates", timeout=1, offset=first[-1]["update_id"] + 1)).json()["result"]
    assert again == first
    over = (await _telegram(visit, "getUpdates", timeout=0, offset=first[-1]["update_id"] + 1)).json()["result"]
    assert over == []
    await visit.post("slack/say", channel=stage.dm.id, text="hello")
    await stage.slack.wait_for(lambda: len(stage.slack.office.deliveries) == 2, what="the twin")
    assert len({each.event_id for each in stage.slack.office.deliveries}) == 1
    assert hub.faults.duplicate_events
    await visit.post("fault", name="duplicate-events", on=False)
    async with asyncio.timeout(5):
        while (await visit.state())["faults"]["duplicate-events"]["on"]:  # noqa: ASYNC110 - asked as a page would
            await asyncio.sleep(0.01)
    assert not hub.faults.duplicate_events
    await visit.post("slack/say", channel=stage.dm.id, text="again")
    await asyncio.sleep(0.05)
    assert len(stage.slack.office.deliveries) == 3


async def test_what_a_scenario_breaks_is_shown_as_on_and_can_be_switched_off(visit: Visit) -> None:
    """The failing hub's scenario, as far as what lasts: its events come twice, and it restarts."""
    hub = visit.stage.hub
    assert hub is not None
    async with visit.listening() as events:
        await hub.state.trouble("repeat-events", "", 1, 0.0)
        await _until(events, "duplicate-events", on=True)
        shown = (await visit.state())["faults"]["duplicate-events"]
        assert (shown["on"], shown["words"]) == (True, "A scenario has the hub tell its events twice.")
        await visit.post("fault", name="duplicate-events", on=False)
        await _until(events, "duplicate-events", on=False)
        assert not hub.faults.duplicate_events
        restart = asyncio.ensure_future(hub.state.trouble("restart", "", 1, 0.2))
        await _until(events, "hub-restart", on=True)
        await restart
        await _until(events, "hub-restart", on=False)
    assert not any(each["on"] for each in (await visit.state())["faults"].values())


async def test_a_slow_network_slows_every_call(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    _set(monkeypatch, SLOW_S=0.4, SLOW_HUB_S=0.4)
    hub = visit.stage.hub
    assert hub is not None

    async def took(call: Any) -> float:
        begun = time.monotonic()
        await call
        return time.monotonic() - begun

    await visit.post("fault", name="slow-network", on=True)
    assert await took(_telegram(visit, "getMe")) >= 0.4
    assert await took(_slack(visit, "auth.test")) >= 0.4
    assert await took(visit.client.get(f"{hub.url}/api/sessions")) >= 0.4
    async with visit.listening() as events:
        await visit.post("fault", name="slow-network", on=False)
        await _until(events, "slow-network", on=False)
    assert [*hub.faults.pending, *visit.stage.telegram.faults.pending, *visit.stage.slack.faults.pending] == []


async def test_a_topic_is_deleted_until_there_is_another(visit: Visit) -> None:
    telegram, chat = visit.stage.telegram, visit.stage.chat
    status, words = await visit.refused("fault", name="deleted-topic", on=True)
    assert (status, words) == (409, "there is no topic to delete yet: start a scenario")
    old, _ = telegram.add_topic(chat, telegram.bot, "parser", 7322096, None)
    telegram.post(chat, telegram.bot, text="working", thread=old.id)
    async with visit.listening() as events:
        await visit.post("fault", name="deleted-topic", on=True)
        await _until(events, "deleted-topic", on=True)
        refused = await _telegram(visit, "sendMessage", chat_id=chat.id, message_thread_id=old.id, text="more")
        assert refused.json()["description"] == "Bad Request: message thread not found"
        await _telegram(visit, "createForumTopic", chat_id=chat.id, name="parser")
        await _until(events, "deleted-topic", on=False)


async def test_streams_expire(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that run at once, new ones soon; afterwards they last as long as ever."""
    _set(monkeypatch, STREAM_S=0.0)
    stage = visit.stage
    parent = stage.slack.post(stage.dm, stage.slack.bot, text="parser")
    start: Json = {"channel": stage.dm.id, "thread_ts": parent.ts, "markdown_text": "a"}
    running = await _slack(visit, "chat.startStream", **start)
    async with visit.listening() as events:
        await visit.post("fault", name="expired-stream", on=True)
        for ts in (running["ts"], (await _slack(visit, "chat.startStream", **start))["ts"]):
            answer = await _slack(visit, "chat.appendStream", channel=stage.dm.id, ts=ts, markdown_text="b")
            assert answer["error"] == "message_not_in_streaming_state"
        await visit.post("fault", name="expired-stream", on=False)
        await _until(events, "expired-stream", on=False)
    assert stage.slack.stream_seconds == 300.0


async def test_faults_are_over_when_the_page_ends(visit: Visit) -> None:
    """Nothing that was ordered keeps the stage from ending: the fixture ends it."""
    for name in NAMES - {"deleted-topic"}:
        await visit.post("fault", name=name, on=True)
    assert sum(each["on"] for each in (await visit.state())["faults"].values()) == len(NAMES) - 1


async def test_a_switch_toggled_fast_is_as_it_was_set_last(visit: Visit) -> None:
    """Also one that is taken back before it began, and one that begins again before it was taken back."""
    switches, slack = visit.page.switches, visit.stage.slack
    assert switches is not None
    for name in ("flood", "expired-stream", "slow-network", "duplicate-events"):
        switches.set(name, on=True)
        switches.set(name, on=False)
        switches.set(name, on=True)
    await asyncio.sleep(0.05)
    assert {name for name, each in switches.state().items() if each["on"]} == {
        "flood",
        "expired-stream",
        "slow-network",
        "duplicate-events",
    }
    assert len(slack.faults.pending) == 2, "each is in force once"
    for name in ("flood", "expired-stream", "slow-network", "duplicate-events"):
        switches.set(name, on=False)
        switches.set(name, on=True)
        switches.set(name, on=False)
    await asyncio.sleep(0.05)
    assert not any(each["on"] for each in switches.state().values())
    assert slack.faults.pending == []
    assert slack.stream_seconds == 300.0


async def test_a_hub_that_is_restarted_twice_at_once_comes_back(visit: Visit) -> None:
    """The switch, and a scenario's own restart, on the port that nobody else got in between."""
    hub = visit.stage.hub
    assert hub is not None
    async with asyncio.TaskGroup() as group:
        group.create_task(hub.restart(down_s=0.1))
        group.create_task(hub.restart(down_s=0.1))
        await asyncio.sleep(0.05)
        taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
        with pytest.raises(OSError, match="in use"):
            await asyncio.start_server(lambda *_: None, "127.0.0.1", hub.port)
        taken.close()
    assert await _answers(visit, hub.url)

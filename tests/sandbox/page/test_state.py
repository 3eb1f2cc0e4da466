"""Events with numbers, the calls and rates, the hub, scenarios, drawings."""

import asyncio
import json

from bridge.sandbox.bus import Call
from bridge.sandbox.page.calls import LONG_TEXT, MANY, REMEMBERED, SHOWN, CallLog, shortened
from bridge.sandbox.page.feed import AT_ONCE, KEPT, KEPT_BYTES, Feed
from tests.sandbox.page.conftest import Json, Visit


def _row(seq: int, data: Json) -> Json:
    """A message of an agent, as the hub's messages endpoint gives it."""
    content = {"role": "agent", "content": {"type": "codex", "data": data}}
    return {"id": f"m{seq}", "seq": seq, "localId": None, "content": content, "createdAt": seq, "invokedAt": seq}


async def test_a_page_that_comes_back_goes_on_where_it_was(visit: Visit) -> None:
    """No event twice, none left out; ``Last-Event-ID`` wins over what the address says."""
    chat = visit.stage.chat
    seq = (await visit.state())["seq"]
    for text in ("one", "two", "three"):
        await visit.post("telegram/say", chat=chat.id, text=text)
    async with visit.listening(since=seq) as events:
        first = await events.next("telegram.message")
        assert first["message"]["text"] == "one"
    async with visit.listening(since=0, **{"Last-Event-ID": str(first["seq"])}) as events:
        assert (await events.next("telegram.message"))["message"]["text"] == "two"
        assert (await events.next("telegram.message"))["message"]["text"] == "three"


async def test_a_page_that_missed_too_much_is_told_to_reload(visit: Visit) -> None:
    for unknown in (99_999, -1):
        async with visit.listening(since=unknown) as events:
            await events.next("reload")
    for _ in range(KEPT + 5):
        visit.page.feed.tell("bridge")
    async with visit.listening(since=2) as events:
        await events.next("reload")


async def test_the_feed_lets_nobody_fall_behind_for_ever() -> None:
    """Every queue has a bound (invariant 8): in number, and in bytes."""
    feed = Feed()
    for _ in range(KEPT + 1):
        feed.tell("call")
    assert feed.after(0) is None
    assert [event.seq for event in feed.after(1) or []] == list(range(2, 2 + AT_ONCE))
    for _ in range(20):
        feed.tell("call", words="x" * (KEPT_BYTES // 10))
    assert feed.after(feed.seq - 11) is None
    assert feed.after(feed.seq) == []
    assert [event.seq for event in feed.after(feed.seq - 1) or []] == [feed.seq]
    assert feed.after(feed.seq + 1) is None


async def test_calls_are_listed_with_the_rates_they_keep(visit: Visit) -> None:
    telegram, chat = visit.stage.telegram, visit.stage.chat
    url = f"{telegram.base_url}/bot{telegram.token}/sendMessage"
    async with visit.listening() as events:
        codes = [
            (await visit.client.post(url, json={"chat_id": chat.id, "text": "x" * 400})).status_code for _ in range(5)
        ]
        told = [await events.next("call") for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]
    assert [each["call"]["code"] for each in told] == codes
    assert told[3]["call"]["description"].startswith("Too Many Requests")
    assert len(told[0]["call"]["params"]["text"]) == LONG_TEXT + 1
    rate = next(one for one in told[2]["limits"] if one["name"] == f"chat {chat.id}")
    assert (rate["of"], rate["window_s"], 2 < rate["used"] <= 3) == (3, 3.0, True)
    state = await visit.state()
    assert state["calls"] == [each["call"] for each in told]
    assert {one["name"] for one in state["limits"]["telegram"]} == {f"chat {chat.id}", "bot"}
    assert telegram.token not in json.dumps(state), "no secret on the page (invariant 7)"


def test_a_server_that_is_shown_for_days_forgets_its_oldest_calls() -> None:
    """Every queue has a bound (invariant 8)."""
    feed, calls = Feed(), [Call(float(n), "getMe", {}, 200) for n in range(2 * REMEMBERED + 1)]
    log = CallLog(feed)
    log.note("telegram", calls[-1], [], calls)
    assert (len(calls), calls[-1].at) == (REMEMBERED, 2.0 * REMEMBERED)
    for _ in range(SHOWN + 5):
        log.note("slack", calls[-1], [], calls)
    assert len(log.state()) == SHOWN


def test_parameters_are_shortened() -> None:
    deep: list[object] = []
    for _ in range(50):
        deep = [deep]
    assert shortened({"a": list(range(20)), "b": "short"}) == {"a": [*range(MANY), "… 8 more"], "b": "short"}
    assert len(json.dumps(shortened(deep))) < 40


async def test_the_hub_and_scenarios_are_shown_as_they_change(visit: Visit) -> None:
    state = await visit.state()
    assert state["hub"] == {"url": visit.stage.hub_url, "sessions": [], "trouble": ""}
    assert state["bridge"] == {"state": "outside", "pid": None, "restarts": 0}
    plan = next(each for each in state["scenarios"] if each["name"] == "plan")
    assert (plan["title"], plan["playing"]) == ("Move sessions to Redis", False)
    assert plan["words"].startswith("A recap after an absence")
    async with visit.listening() as events:
        await visit.post("scenario/play", name="plan")
        told = await events.next("scenario")
        assert next(each for each in told["scenarios"] if each["name"] == "plan")["playing"]
        hub = await events.next("hub", lambda event: any(each["pending"] for each in event["hub"]["sessions"]))
    session = hub["hub"]["sessions"][0]
    assert (session["title"], session["active"], session["flavor"]) == ("Move sessions to Redis", True, "claude")
    assert (await visit.refused("scenario/play", name="../../etc/x.toml"))[0] == 404


async def test_too_many_sessions_are_refused(visit: Visit) -> None:
    answers = []
    for _ in range(41):
        answers.append((await visit.client.post("/api/scenario/play", json={"name": "plan"})).status_code)
    assert answers == [200] * 40 + [409]


async def test_a_piece_of_markdown_is_drawn_as_both_servers_would_hold_it(visit: Visit) -> None:
    before = await visit.state()
    drawn = await visit.post("render", text="# Title\n\n**bold** and `code`")
    assert drawn["telegram"][0]["text"].split() == ["Title", "bold", "and", "code"]
    assert {each["type"] for each in drawn["telegram"][0]["entities"]} >= {"bold", "code"}
    assert drawn["slack"][0]["_from_bot"]
    assert "bold" in json.dumps(drawn["slack"][0]["blocks"])
    after = await visit.state()
    assert (after["telegram"], after["slack"]) == (before["telegram"], before["slack"]), "nobody else sees it"


async def test_what_became_a_file_can_be_opened(visit: Visit) -> None:
    call = {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make"}, "id": "1"}
    result = {"type": "tool-call-result", "callId": "c1", "output": "x" * 60_000, "id": "2"}
    drawn = await visit.post("render", text=json.dumps({"messages": [_row(1, call), _row(2, result)]}))
    files = [each["document"]["file_id"] for each in drawn["telegram"] if "document" in each]
    assert files
    assert b"x" * 1000 in (await visit.client.get(f"/api/file/telegram/{files[0]}")).content
    shared = [file["id"] for each in drawn["slack"] for file in each.get("files", [])]
    assert shared
    assert b"x" * 1000 in (await visit.client.get(f"/api/file/slack/{shared[0]}")).content
    assert (await visit.client.get("/api/file/slack/F0")).status_code == 404


async def test_a_messages_page_is_drawn_block_by_block(visit: Visit) -> None:
    row = _row(1, {"type": "message", "message": "All green."})
    drawn = await visit.post("render", text=json.dumps({"messages": [row]}))
    assert [each["text"] for each in drawn["telegram"]] == ["All green."]
    assert len(drawn["slack"]) == 1


async def test_the_stream_ends_when_the_server_does(visit: Visit) -> None:
    async with visit.listening() as events:
        visit.page.feed.close()
        async with asyncio.timeout(5):
            try:
                await events.next("never")
            except AssertionError:
                return
    raise AssertionError("it went on")

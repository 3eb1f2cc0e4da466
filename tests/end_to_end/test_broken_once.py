"""One test per bug that was found by breaking the bridge on purpose, so that none of its kind comes back."""

import asyncio
import time
from contextlib import suppress
from typing import Any

import pytest

from bridge.hub.errors import HubUnreachable
from bridge.hub.rest import HubApi
from bridge.store import inbox as store_inbox
from tests.end_to_end.conftest import Playing, Stage
from tests.rig.fake_cli import FakeCli, NotConnected

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(150)]


def texts_of(cli: FakeCli) -> list[str]:
    updates = [update["body"] for update in cli.updates]
    return [body["message"]["content"]["content"]["text"] for body in updates if body["t"] == "new-message"]


async def answer(stage: Stage, cli: FakeCli, words: str) -> Any:
    await cli.say("codex", {"type": "message", "message": words})
    await cli.say("event", {"type": "ready"})
    return await stage.answer(words)


async def test_a_decision_taken_up_again_never_approves_changed_arguments(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    await stage.hub.stop()
    stage.telegram.press(card, "Allow", stage.ada)
    await stage.see(lambda: "Sending" in card.text, "claimed")
    await stage.stop()
    await stage.hub.start()
    for _ in range(100):
        try:
            await cli.ask("req1", "Bash", {"command": "rm -rf /"})
            break
        except NotConnected:
            await asyncio.sleep(0.2)
    cli.rpc_log.clear()
    await stage.start()
    await asyncio.sleep(5)
    assert not [1 for method, _ in cli.rpc_log if method == "permission"]


async def test_a_decision_retried_never_approves_changed_arguments(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No restart of the bridge: the hub restarts, and the arguments change before the retry that reaches it."""
    stage, cli = playing
    changed, looked = asyncio.Event(), asyncio.Event()
    look = HubApi.session

    async def session(api: HubApi, session_id: str) -> dict[str, Any]:
        if not changed.is_set():
            raise HubUnreachable("not yet")
        looked.set()
        return await look(api, session_id)

    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    monkeypatch.setattr("bridge.relay.people.requests.claims.TRIES_S", (0.2,) * 300)
    monkeypatch.setattr(HubApi, "session", session)
    await stage.hub.stop()
    stage.telegram.press(card, "Allow", stage.ada)
    await stage.see(lambda: "Sending" in card.text, "claimed")
    await stage.hub.start()
    await asyncio.wait_for(asked_anew(cli), 30)
    changed.set()
    await asyncio.wait_for(looked.wait(), 30)
    await stage.see(lambda: any("rm -rf" in one.text for one in stage.chat.from_bot), "the other arguments", 30)
    await stage.see(lambda: "Sending" not in card.text, "the decision came to nothing", 30)
    assert not [1 for method, _ in cli.rpc_log if method == "permission"]


async def asked_anew(cli: FakeCli) -> None:
    """The agent asks for something else under the same id, as soon as its CLI is connected again."""
    while True:
        with suppress(NotConnected):
            await cli.ask("req1", "Bash", {"command": "rm -rf /"})
            return
        await asyncio.sleep(0.1)


async def test_arguments_nested_too_deeply_can_not_be_approved_unseen(playing: Playing) -> None:
    stage, cli = playing
    deep: Any = "rm -rf /"
    for _ in range(150):
        deep = {"a": deep}
    await cli.ask("req1", "Custom", {"tree": deep})
    card = await stage.message("Approval needed")
    files = [m.file.data.decode() for m in stage.chat.from_bot if m.file]
    shown = card.text + "".join(files)
    assert "rm -rf /" in shown or not card.find_button("Allow")


async def test_a_deep_request_is_not_asked_anew_by_every_resync(playing: Playing) -> None:
    stage, cli = playing
    deep: Any = "x"
    for _ in range(150):
        deep = {"a": deep}
    await cli.ask("req1", "Custom", {"tree": deep})
    await stage.message("Approval needed")
    await asyncio.sleep(1.5)
    await stage.stop()
    await stage.start()
    await asyncio.sleep(3)
    cards = [m for m in stage.chat.from_bot if "Custom" in m.text]
    assert [m.text for m in cards if "Asked anew" in m.text] == []


async def test_a_lone_surrogate_in_a_request_id_ends_nothing(playing: Playing) -> None:
    stage, cli = playing
    await answer(stage, cli, "one")
    await cli.ask("req\ud800", "Bash", {"command": "ls"})
    await asyncio.sleep(2)
    await answer(stage, cli, "two")


async def test_a_reply_carried_out_again_does_not_answer_the_next_question(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, cli = playing
    questions = [
        {"question": f"Q{n}?", "multiSelect": False, "options": [{"label": "A"}, {"label": "B"}]} for n in (1, 2)
    ]
    await cli.ask("q1", "AskUserQuestion", {"questions": questions})
    card = await stage.message("Q1?")
    hold = asyncio.Event()
    real = store_inbox.done

    async def stuck(tx: Any, id: int) -> None:
        await hold.wait()

    monkeypatch.setattr(store_inbox, "done", stuck)
    stage.telegram.say(stage.chat, stage.ada, "first answer", reply_to=card.id, thread=card.thread)
    await asyncio.sleep(2)
    stopping = asyncio.create_task(stage.stop())
    await asyncio.sleep(0.2)
    monkeypatch.setattr(store_inbox, "done", real)
    await stopping
    await stage.start()
    await asyncio.sleep(4)
    assert not [1 for method, _ in cli.rpc_log if method == "permission"]


async def test_a_text_that_comes_before_the_hub_is_heard_is_kept(stage: Stage) -> None:
    stage.telegram.disable_topics(stage.chat)
    stage.telegram.topics_enabled = False
    await stage.start_process()
    cli = await stage.session(flavor="codex", path="/srv/api")
    await answer(stage, cli, "hello")
    await asyncio.sleep(0.5)
    await stage.kill_process()
    await stage.hub.stop()
    stage.telegram.say(stage.chat, stage.ada, "do this next")
    await stage.start_process(heard=False)
    await asyncio.sleep(3)
    await stage.hub.start()
    await asyncio.sleep(20)
    assert "do this next" in texts_of(cli) or any(
        b.text for m in stage.chat.from_bot for b in m.buttons if b.data not in (None, "-")
    )


async def test_a_turn_of_text_alone_that_ended_while_the_bridge_was_away_is_not_left_at_work(playing: Playing) -> None:
    stage, cli = playing
    cli.thinking = True
    await cli.alive()
    await cli.say("codex", {"type": "message", "message": "let me think"})
    await asyncio.sleep(5)
    activity = await stage.message("Working")
    await asyncio.sleep(1.5)
    await stage.stop()
    cli.thinking = False
    await cli.say("event", {"type": "ready"})
    await cli.alive()
    await asyncio.sleep(0.5)
    await stage.start()
    await stage.answer("let me think")
    await asyncio.sleep(6)
    assert "Working" not in activity.text
    assert not [b for b in activity.buttons if b.data not in (None, "-")]


async def test_two_bridges_on_one_store_post_nothing_twice(stage: Stage) -> None:
    await stage.start_process()
    first = stage.process
    await stage.start_process(heard=False)
    second, stage.process = stage.process, first
    await asyncio.sleep(6)
    cli = await stage.session(flavor="codex", path="/srv/api")
    for n in range(40):
        await cli.say("codex", {"type": "message", "message": f"text {n}"})
        await cli.say("event", {"type": "ready"})
        await asyncio.sleep(0.1)
    await cli.ask("req1", "Bash", {"command": "ls"})
    await asyncio.sleep(20)
    assert second is not None
    if second.returncode is None:
        second.kill()
        await second.wait()
    seen = [m.text for m in stage.chat.from_bot if m.text.startswith("text ")]
    cards = [m for m in stage.chat.from_bot if "Approval needed" in m.text]
    assert len(seen) == 40
    assert len(cards) == 1


async def test_a_clock_that_was_set_back_does_not_lock_the_buttons(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("Approval needed")
    await asyncio.sleep(1)
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() - 3600 * 1_000_000_000)
    await asyncio.sleep(0.5)
    query = stage.telegram.press(card, "Allow", stage.ada)
    said = await stage.telegram.answer_to(query, 10)
    assert said.text == "Sending…"


async def test_a_clock_that_was_set_back_does_not_hold_up_texts_and_edits(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, cli = playing
    hello = await answer(stage, cli, "hello")
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "make"}})
    activity = await stage.message("make")
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() - 3600 * 1_000_000_000)
    await cli.say("codex", {"type": "tool-call", "callId": "c2", "name": "Bash", "input": {"command": "make two"}})
    await stage.see(lambda: "make two" in activity.text, "edited", 10)
    stage.telegram.say(stage.chat, stage.ada, "hi there", thread=hello.thread)
    await stage.see(lambda: "hi there" in texts_of(cli), "text arrived", 10)


async def test_a_chat_that_was_paused_goes_on_when_its_owner_writes(playing: Playing) -> None:
    stage, cli = playing
    await answer(stage, cli, "one")
    stage.ada.has_blocked_bot = True
    await cli.say("codex", {"type": "message", "message": "two"})
    await cli.say("event", {"type": "ready"})
    await asyncio.sleep(2)
    stage.ada.has_blocked_bot = False  # the update of it is lost: Telegram keeps updates for a day
    stage.telegram.say(stage.chat, stage.ada, "I am back", thread=stage.topic("parser").id)
    await stage.answer("two", 15)


async def test_the_twin_of_a_card_whose_send_lost_its_answer_has_no_live_buttons_in_the_end(playing: Playing) -> None:
    """A send whose answer was lost stands twice; the twin has dead buttons, or takes part once it is pressed."""
    stage, cli = playing
    await answer(stage, cli, "one")
    stage.telegram.faults.lose_answer("sendMessage", times=1)
    await cli.ask("req1", "Bash", {"command": "ls"})
    await asyncio.sleep(4)
    cards = [m for m in stage.chat.from_bot if "Approval needed" in m.text]
    await stage.press(cards[0], "Allow")
    await asyncio.sleep(2)
    if not cli.rpc_log:
        await stage.press(cards[1], "Allow")
        await asyncio.sleep(2)
    assert not [m.text for m in cards if any(b.data not in (None, "-") for b in m.buttons)]


async def test_an_approval_is_not_sent_twice_to_the_agent_over_a_restart(playing: Playing) -> None:
    stage, cli = playing
    cli.auto_resolve = False
    gate = asyncio.Event()

    async def slow(params: Any) -> Any:
        await gate.wait()
        return {}

    cli.handle("permission", slow)
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.press(card, "Allow")
    await asyncio.sleep(0.5)
    await stage.stop()
    gate.set()
    await stage.start()
    await asyncio.sleep(3)
    sent = [params for method, params in cli.rpc_log if method == "permission"]
    assert len(sent) == 1


async def test_a_graceful_stop_doubles_nothing(stage: Stage) -> None:
    stage.telegram.faults.delay("sendMessage", seconds=0.2, times=1000)
    await stage.start_process()
    cli = await stage.session(flavor="codex", path="/srv/api")
    for n in range(10):
        await cli.say("codex", {"type": "message", "message": f"text {n}"})
        await cli.say("event", {"type": "ready"})
    await stage.message("text 3", 40)
    assert stage.process is not None
    stage.process.terminate()
    await stage.process.wait()
    await stage.start_process()
    await stage.message("text 9", 40)
    await asyncio.sleep(1)
    seen = [m.text for m in stage.chat.from_bot if m.text.startswith("text ")]
    assert len(seen) == 10


async def test_the_offer_is_closed_when_its_request_ends_elsewhere(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("Approval needed")
    stage.telegram.say(stage.chat, stage.ada, "wait", thread=card.thread)
    offer = await stage.message("What is your message?")
    await cli.resolve({"id": "req1", "approved": True})
    await stage.see(lambda: "Allowed" in card.text, "ended")
    await asyncio.sleep(3)
    assert "Deny and send" not in [b.text for b in offer.buttons if b.data not in (None, "-")]


async def test_an_edit_of_a_text_that_waits_in_an_offer(playing: Playing) -> None:
    stage, cli = playing
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("Approval needed")
    said = stage.telegram.say(stage.chat, stage.ada, "wiat", thread=card.thread)
    offer = await stage.message("What is your message?")
    stage.telegram.edit(said, "wait")
    await asyncio.sleep(2)
    shown = "wiat" not in offer.text
    await stage.press(offer, "Keep queued")
    await stage.see(lambda: texts_of(cli), "sent")
    assert texts_of(cli) == ["wait"]
    assert shown


async def test_an_agents_own_command_keeps_its_line_breaks(playing: Playing) -> None:
    stage, cli = playing
    hello = await answer(stage, cli, "hello")
    stage.telegram.say(stage.chat, stage.ada, "/compact\nkeep the plan", thread=hello.thread)
    await stage.see(lambda: texts_of(cli), "arrived")
    assert texts_of(cli) == ["/compact\nkeep the plan"]


@pytest.mark.parametrize("count", [98, 150])
async def test_a_question_with_many_options_keeps_its_ways_out(playing: Playing, count: int) -> None:
    stage, cli = playing
    options = [{"label": f"Option {n}"} for n in range(count)]
    await cli.ask(
        "q1", "AskUserQuestion", {"questions": [{"question": "Which?", "multiSelect": True, "options": options}]}
    )
    card = await stage.message("Which?")
    labels = [b.text for b in card.buttons]
    assert "Skip" in labels
    await stage.press(card, next(b.text for b in card.buttons if b.text.endswith("Option 3")))
    await stage.see(lambda: any("☑" in b.text for b in card.buttons), "picked")
    assert [b for b in card.buttons if b.text in ("Submit", "Next")]


async def test_a_stopped_turn_shows_no_tool_as_running(playing: Playing) -> None:
    stage, cli = playing
    await cli.say("codex", {"type": "tool-call", "callId": "c", "name": "Bash", "input": {"command": "x"}})
    await cli.ask("req1", "Bash", {"command": "ls"})
    await stage.message("Approval needed")
    assert cli.beat is not None
    cli.beat.cancel()
    await cli.end("terminated")
    await asyncio.sleep(4)
    live = [(m.text[:60]) for m in stage.chat.from_bot if any(b.data not in (None, "-") for b in m.buttons)]
    assert not live
    assert not [m.text for m in stage.chat.from_bot if "🟠" in m.text]


async def test_a_slow_telegram_answers_presses_soon(playing: Playing) -> None:
    stage, cli = playing
    for n in range(5):
        await cli.ask(f"req{n}", "Bash", {"command": f"do {n}."})
    cards = [await stage.message(f"do {n}.") for n in range(5)]
    await asyncio.sleep(1)
    for method in ("sendMessage", "editMessageText", "answerCallbackQuery", "sendChatAction", "setMessageReaction"):
        stage.telegram.faults.delay(method, seconds=3, times=1000)
    began = time.time()
    queries = [stage.telegram.press(card, "Allow", stage.ada) for card in cards]
    for query in queries:
        await stage.telegram.answer_to(query, 60)
    assert time.time() - began < 8


async def test_stop_the_turn_is_not_lost_when_the_abort_fails_after_the_deny(playing: Playing) -> None:
    stage, cli = playing
    tries: list[int] = []

    def abort(params: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise RuntimeError("not now")
        return {}

    cli.handle("abort", abort)
    await cli.ask("req1", "Bash", {"command": "sleep"})
    card = await stage.message("sleep")
    await stage.press(card, "Stop the turn")
    await asyncio.sleep(8 + 32)
    assert len(tries) > 1 or "the turn was stopped" not in card.text

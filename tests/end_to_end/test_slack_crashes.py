"""Slack, when something dies or is lost in the middle of the work: nothing lost, nothing doubled, the order kept.

Slack's messages carry their post's key, so after an unknown outcome the bridge asks before it posts again: there is no
"at most one doubled" here.
"""

import asyncio

import pytest

from bridge.sandbox.slack import Limits, Message
from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.fake_cli import FakeCli, NotConnected
from tests.rig.hapi_peer import HubClient

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]

COUNT = 100


def numbered(stage: SlackStage) -> list[str]:
    """The numbered texts in the DM, in the order they stand there, without the call below them."""
    return [words(one).split(" <@")[0] for one in stage.dm.from_bot if words(one).startswith("text ")]


def expected(count: int) -> list[str]:
    return [f"text {number}" for number in range(count)]


async def say_all(cli: FakeCli, pause_s: float) -> None:
    for number in range(COUNT):
        await insist(cli, "codex", {"type": "message", "message": f"text {number}"})
        await insist(cli, "event", {"type": "ready"})
        await asyncio.sleep(pause_s)


async def insist(cli: FakeCli, family: str, data: dict[str, object]) -> None:
    """Speak once the stand-in CLI is connected (again)."""
    while True:
        try:
            return await cli.say(family, data)
        except NotConnected:
            await asyncio.sleep(0.05)


async def test_a_hub_restart_in_the_middle_of_a_hundred_messages(own_slack: SlackStage) -> None:
    """Invariants 1 and 3."""
    stage = own_slack
    await stage.start()
    cli = await stage.session(flavor="codex", path="/srv/api")
    saying = asyncio.create_task(say_all(cli, 0.02))
    await stage.see(lambda: len(numbered(stage)) > 20, "some texts")
    await stage.hub.stop(kill=True)
    await stage.hub.start()
    await saying
    await stage.see(lambda: "text 99" in numbered(stage), "the last text", 60)
    there = await in_hub(stage, cli)
    assert len(there) > 60
    assert numbered(stage) == there, "what the hub has, the chat has: each once, in order"


async def in_hub(stage: SlackStage, cli: FakeCli) -> list[str]:
    """The numbered texts that the hub has: those the stand-in CLI spoke while the hub was down never reached it."""
    async with HubClient(stage.hub.url) as client:
        await client.auth()
        _, body = await client.call("GET", f"/api/sessions/{cli.sid}/messages?limit=200")
    texts = {row["content"]["content"]["data"].get("message") for row in body["messages"]}
    return [text for text in expected(COUNT) if text in texts]


async def test_a_kill_of_the_bridge_in_the_middle_of_a_hundred_messages(slack: SlackStage) -> None:
    """Invariants 1 and 3; and what the owner says meanwhile reaches the agent, once."""
    stage = slack
    await stage.start_process()
    cli = await stage.session(flavor="codex", path="/srv/api")
    saying = asyncio.create_task(say_all(cli, 0.02))
    await stage.see(lambda: len(numbered(stage)) > 20, "some texts", 30)
    stage.slack.faults.lose_answer("chat.postMessage", times=1)
    await stage.see(lambda: stage.slack.faults.hits, "a post whose answer is lost", 30)
    await stage.kill_process()
    said = stage.say("are you still there?", stage.root("api"))
    await asyncio.sleep(0.2)
    await stage.start_process()
    await saying
    await stage.see(lambda: "text 99" in numbered(stage), "the last text", 60)
    assert numbered(stage) == expected(COUNT)
    await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "the words said while nobody listened")
    assert texts_of(cli) == ["are you still there?"]
    assert [words(one) for one in stage.dm.top_level] == ["api"], "one thread"


async def test_a_press_outlives_a_kill_of_the_bridge(slack: SlackStage) -> None:
    """Invariants 1 and 4: what was acknowledged to Slack is stored, so it is carried out, once."""
    stage = slack
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await cli.ask("req1", "Bash", {"command": "make it"})
    card = await stage.message("make it")
    await stage.press(card, "Allow")
    await stage.kill_process()
    await stage.start_process()
    await stage.see(lambda: "Allowed by ada" in words(card), "the outcome")
    assert [params["approved"] for params in decisions_of(cli)] == [True]
    assert len([one for one in stage.dm.from_bot if "make it" in words(one)]) == 1


async def test_lost_answers_are_asked_about_and_nothing_is_doubled(at_slack: AtSlack) -> None:
    """Invariant 3: the outcome of a call that got no answer is looked up by the message's metadata."""
    stage, cli = at_slack
    stage.slack.faults.lose_answer("chat.postMessage", times=2)
    stage.slack.faults.lose_answer("chat.postMessage", times=2, skip=3)
    stage.slack.faults.drop("chat.postMessage", times=1, skip=4)
    for number in range(6):
        await answers(cli, f"text {number}")
    await stage.see(lambda: "text 5" in numbered(stage), "the last text", 40)
    assert numbered(stage) == expected(6)
    assert [words(one) for one in stage.dm.top_level] == ["parser"]
    asked = {
        call.method for call in stage.slack.calls if call.method in ("conversations.replies", "conversations.history")
    }
    assert asked == {"conversations.replies", "conversations.history"}, "the thread's first message was asked for, too"


async def test_an_approval_card_whose_answer_was_lost_can_still_be_pressed(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "hello")
    await stage.answer("hello")
    stage.slack.faults.lose_answer("chat.postMessage", times=1)
    await cli.ask("req1", "Bash", {"command": "make all"})
    card = await stage.message("make all")
    await asyncio.sleep(2)
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada" in words(card), "the outcome")
    assert len([one for one in stage.dm.from_bot if "make all" in words(one)]) == 1


async def test_a_press_on_a_card_whose_send_is_still_in_doubt_does_not_spoil_the_card(at_slack: AtSlack) -> None:
    """Invariants 3 and 4: the bridge does not know the message yet, and it may be the only one."""
    stage, cli = at_slack
    await answers(cli, "hello")
    await stage.answer("hello")
    stage.slack.faults.lose_answer("chat.postMessage", times=1)
    stage.slack.faults.delay("conversations.replies", seconds=2, times=1)
    await cli.ask("req1", "Bash", {"command": "make all"})
    card = await stage.message("make all")
    await stage.press(card, "Allow")
    assert await stage.refusal() == "The card has just changed. Look at it, then press again."
    await stage.see(lambda: not stage.slack.faults.pending, "the look for it")
    await asyncio.sleep(2.2)
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada" in words(card), "the outcome")
    assert len(decisions_of(cli)) == 1


async def test_a_mark_whose_call_got_no_answer_is_set_all_the_same(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.refusals |= {"already_reacted", "no_reaction"}
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    stage.slack.faults.lose_answer("reactions.add", times=2)
    stage.slack.faults.drop("reactions.remove", times=1)
    said = stage.say("go on", hello)
    await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "taken, and nothing else")


async def test_retry_after_is_obeyed_and_nothing_is_lost(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "text 0")
    await stage.answer("text 0")
    stage.slack.faults.flood("chat.postMessage", times=1, retry_after=2)
    before = len(stage.slack.calls)
    for number in range(1, 4):
        await answers(cli, f"text {number}")
    await stage.answer("text 3")
    assert numbered(stage) == expected(4)
    posts = [call for call in stage.slack.calls[before:] if call.method == "chat.postMessage"]
    assert posts[0].code == 429
    assert posts[1].at - posts[0].at >= 2


async def test_the_rates_that_slack_allows_are_kept(slack: SlackStage) -> None:
    """Four times as fast, on both sides: not one 429."""
    stage = slack
    stage.speed = 4.0
    stage.slack.rates.limits = Limits(speed=4.0)
    await stage.start()
    cli = await stage.session(flavor="codex", path="/srv/api")
    for number in range(8):
        call = {"type": "tool-call", "callId": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        await cli.say("codex", call)
        await answers(cli, f"text {number}")
    await stage.message("text 7", 30)
    assert numbered(stage) == expected(8)
    assert stage.slack.rates.violations == 0


async def test_an_approval_is_asked_while_changes_must_wait(at_slack: AtSlack) -> None:
    """Invariant 9: Slack counts ``chat.update`` for itself, in the whole workspace; previews that used it up hold no
    question up."""
    stage, cli = at_slack
    stage.slack.features.discard("streams")
    stage.refusals.add("unknown_method")
    await cli.say("codex", {"type": "tool-call", "callId": "c1", "name": "Bash", "input": {"command": "run 1"}})
    activity = await stage.message("run 1")
    stage.slack.faults.flood("chat.update", times=1, retry_after=3)
    await cli.say("codex", {"type": "tool-call", "callId": "c2", "name": "Bash", "input": {"command": "run 2"}})
    await stage.see(lambda: stage.slack.faults.hits, "a change that must wait")
    closed = stage.slack.calls[-1].at
    await cli.ask("req1", "Bash", {"command": "make it"})
    card = await stage.message("make it")
    assert card.at - closed < 2
    await stage.see(lambda: "run 2" in words(activity), "the change, in its time")
    assert activity.history[-1].at - closed >= 3


async def test_slack_out_of_reach_loses_nothing(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.slack.faults.error("*", times=1, code=503)
    stage.slack.faults.drop("*", times=1)
    for number in range(4):
        await answers(cli, f"text {number}")
    await stage.answer("text 3", 40)
    assert numbered(stage) == expected(4)


async def test_a_connection_that_is_cut_is_made_again_and_no_word_is_lost(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    stage.slack.sockets.cut()
    stage.say("said while the line was down", hello)
    await until(lambda: texts_of(cli) == ["said while the line was down"], "the text")


async def test_connections_that_slack_renews_lose_and_double_no_word(at_slack: AtSlack) -> None:
    """Slack closes each connection after some hours, having asked for another one before."""
    stage, cli = at_slack
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    async with asyncio.TaskGroup() as renewing:
        for number in range(12):
            stage.say(f"word {number}", hello)
            if number % 5 == 2:
                renewing.create_task(stage.slack.sockets.disconnect("refresh_requested"))
            await asyncio.sleep(0.02)
    await until(lambda: len(texts_of(cli)) >= 12, "all words", 30)
    assert sorted(texts_of(cli)) == sorted(f"word {number}" for number in range(12))


async def test_a_thread_whose_first_message_is_deleted_is_made_anew(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "one")
    one = await stage.answer("one")
    old = stage.root("parser")
    for message in reversed(stage.dm.thread(old)):
        stage.slack.delete(message)
    stage.refusals |= {"thread_not_found", "message_not_found"}
    await cli.ask("req1", "Bash", {"command": "make again"})
    await answers(cli, "two")
    two = await stage.answer("two")
    card = await stage.message("make again")
    root = stage.root("parser")
    assert root is not old
    assert two.thread_ts == card.thread_ts == root.ts
    assert one.deleted
    await stage.press(card, "Allow")
    await stage.see(lambda: "Allowed by ada" in words(card), "decided in the new thread")
    said = stage.say("on we go", two)
    await until(lambda: texts_of(cli) == ["on we go"], "a reply in the new thread")
    await stage.see(lambda: stage.reactions(said) == {"ok_hand"}, "taken")


async def test_a_reply_that_slack_posted_to_a_lost_thread_is_taken_back_and_posted_anew(at_slack: AtSlack) -> None:
    """Some Slacks post to a thread without its first message, where nobody finds it, instead of refusing."""
    stage, cli = at_slack
    stage.refusals.add("thread_not_found")
    stage.slack.ignores_lost_threads = True
    await answers(cli, "one")
    await stage.answer("one")
    old = stage.root("parser")
    for message in reversed(stage.dm.thread(old)):
        stage.slack.delete(message)
    await answers(cli, "two")
    await stage.see(lambda: len(stage.dm.from_bot) == 2 and stage.dm.top_level, "a new thread with the answer")
    root, two = stage.dm.from_bot
    assert (words(root), two.thread_ts) == ("parser", root.ts)
    assert "two" in words(two)


async def test_what_the_app_may_not_do_is_said_and_holds_nothing_else_up(slack: SlackStage) -> None:
    """Invariant 4: without files, what can't be shown whole can't be approved; all else goes on."""
    stage = slack
    stage.refusals.add("missing_scope")
    stage.slack.scopes -= {"reactions:write", "files:write", "users:read"}
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "one")
    one = await stage.answer("one")
    stage.say("go on", one)
    await until(lambda: texts_of(cli) == ["go on"], "the words, without a mark")
    await cli.ask("req1", "Bash", {"command": "\n".join(f"echo line {number}" for number in range(2000))})
    said = await stage.message("can't be shown here")
    assert "files:write" in words(said)
    await answers(cli, "two")
    await stage.message("two")
    assert not [button for one in stage.dm.from_bot for button in one.buttons if button.label == "Allow"]


async def test_a_token_that_is_refused_for_a_while_loses_nothing(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    stage.refusals.add("account_inactive")
    await answers(cli, "text 0")
    await stage.answer("text 0")
    stage.slack.token_state = "account_inactive"
    for number in range(1, 3):
        await answers(cli, f"text {number}")
    refused = len(stage.slack.calls)
    await stage.see(lambda: len(stage.slack.calls) > refused, "a refused call")
    stage.slack.token_state = ""
    await stage.answer("text 2", 30)
    assert numbered(stage) == expected(3)


async def test_a_long_turn_rings_once_and_stays_readable(at_slack: AtSlack) -> None:
    """25 minutes with 60 tools and 20 narrating texts, time compressed."""
    stage, cli = at_slack
    cli.thinking = True
    await cli.alive()
    for number in range(60):
        if number % 3 == 0:
            narration = f"Step {number // 3}: now I look at part {number}."
            await cli.say("codex", {"type": "message", "message": narration, "id": f"t{number}"})
        call = {"type": "tool-call", "callId": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        await cli.say("codex", call)
        await asyncio.sleep(0.01)
        await cli.say("codex", {"type": "tool-call-result", "callId": f"c{number}", "output": f"ok {number}"})
        await asyncio.sleep(0.01)
    await answers(cli, "Everything is done.")
    answer = await stage.answer("Everything is done.", 60)
    activity = await stage.message("60 tools", 60)
    assert stage.rings() == [answer]
    files = [file for one in stage.dm.from_bot for file in one.files]
    whole = activity.words + "".join((file.data or b"").decode() for file in files)
    assert all(f"Step {number}: now I look" in whole for number in range(20)), "nothing of the narration is lost"
    posts: list[Message] = stage.dm.thread(stage.root("parser"))[1:]
    assert len([one for one in posts if one.from_bot]) <= 3, "one activity post, perhaps its file, and the answer"


async def test_a_message_the_hub_did_not_take_is_said_with_a_retry(
    own_slack: SlackStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.relay.people.words.sending.TRIES_S", (0.1, 0.2))
    stage = own_slack
    await stage.start()
    cli = await stage.session(flavor="codex", path="/srv/api")
    await answers(cli, "hello")
    hello = await stage.answer("hello")
    await stage.hub.stop()
    said = stage.say("are you there?", hello)
    card = await stage.message("Not sent", 60)
    assert card.thread_ts == hello.thread_ts
    await stage.see(lambda: stage.reactions(said) == {"warning"}, "marked as failed")
    await stage.hub.start()
    await until(lambda: cli.sio.connected, "the stand-in CLI, which asks for no backlog", 20)
    await stage.press(card, "Retry")
    await until(lambda: "are you there?" in texts_of(cli), "it arrived", 30)
    await stage.see(lambda: "Sent" in words(card) and stage.reactions(said) == {"ok_hand"}, "card and mark say so")

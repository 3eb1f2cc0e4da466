"""One's own messages: put together, planned, cancelled and corrected, through the real hub and Telegram's client."""

import asyncio
import sqlite3
from typing import Any

import pytest

from tests.end_to_end.bridge_stage import answers, texts_of, told, until
from tests.end_to_end.conftest import AtSlack, Playing, Stage
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.fake_cli import FakeCli
from tests.rig.hapi_peer import HubClient

pytestmark = pytest.mark.real_hub


async def opened(playing: Playing) -> tuple[Stage, FakeCli, int | None]:
    """A session whose topic is there, and its thread; the agent takes nothing by itself."""
    stage, cli = playing
    cli.auto_consume = False
    await cli.say("codex", {"type": "message", "message": "ready for you"})
    await cli.say("event", {"type": "ready"})
    return stage, cli, (await stage.message("ready for you")).thread


async def merging(stage: Stage) -> tuple[Stage, FakeCli]:
    stage.manners["merge_pause_s"] = 0.6
    await stage.start()
    return stage, await stage.session(flavor="claude", path="/home/ada/parser")


async def test_quick_messages_reach_the_agent_as_one_and_are_all_marked(stage: Stage) -> None:
    """Invariant 3: nothing is lost and nothing comes twice, however the pieces were cut."""
    stage, cli, thread = await opened(await merging(stage))
    said = [stage.telegram.say(stage.chat, stage.ada, text, thread=thread) for text in ("fix it", "then test", "go")]
    await stage.see(lambda: all("👀" in str(one.reactions) for one in said), "all are queued")
    assert texts_of(cli) == ["fix it\nthen test\ngo"]
    await cli.consume([told(cli)[0]["localId"]])
    await stage.see(lambda: all("👌" in str(one.reactions) for one in said), "all are taken")


async def test_a_long_paste_that_telegram_cut_in_pieces_arrives_whole(stage: Stage) -> None:
    stage, cli, thread = await opened(await merging(stage))
    pieces = [f"{number} " + "x" * 4_000 for number in range(5)]
    for piece in pieces:
        stage.telegram.say(stage.chat, stage.ada, piece, thread=thread)
    await until(lambda: texts_of(cli), "the paste")
    assert texts_of(cli) == ["\n".join(pieces)]


async def test_an_edit_of_one_piece_sends_all_of_it_anew(stage: Stage) -> None:
    stage, cli, thread = await opened(await merging(stage))
    said = [stage.telegram.say(stage.chat, stage.ada, text, thread=thread) for text in ("fix it", "then tset")]
    await stage.see(lambda: all("👀" in str(one.reactions) for one in said), "queued")
    stage.telegram.edit(said[1], "then test")
    await until(lambda: "fix it\nthen test" in texts_of(cli), "sent anew")
    assert await queued_texts(stage, cli) == ["fix it\nthen test"], "the old one was taken back"


async def queued_texts(stage: Stage, cli: FakeCli) -> list[str]:
    return [row["content"]["content"]["text"] for row in await rows(stage, cli) if row["invokedAt"] is None]


async def rows(stage: Stage, cli: FakeCli) -> list[dict[str, Any]]:
    """The user messages that the hub has."""
    async with HubClient(stage.hub.url) as client:
        await client.auth()
        _, page = await client.call("GET", f"/api/sessions/{cli.sid}/messages?limit=200")
    return [row for row in page["messages"] if row["content"].get("role") == "user"]


async def test_a_queued_message_is_cancelled_by_replying_to_it(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = stage.telegram.say(stage.chat, stage.ada, "delete everything", thread=thread)
    await stage.see(lambda: "👀" in str(said.reactions), "queued")
    stage.telegram.say(stage.chat, stage.ada, "/cancel", thread=thread, reply_to=said)
    await stage.message("Taken back before the agent saw it.")
    assert await queued_texts(stage, cli) == []
    await stage.see(lambda: not said.reactions.get(stage.telegram.bot.id), "the mark is gone")


async def test_what_the_agent_has_taken_is_not_cancelled_and_that_is_said(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    cli.auto_consume = True
    said = stage.telegram.say(stage.chat, stage.ada, "delete everything", thread=thread)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    stage.telegram.say(stage.chat, stage.ada, "/cancel", thread=thread, reply_to=said)
    await stage.message("Too late: the agent has taken this message already.")


async def test_a_change_that_came_too_late_is_sent_as_a_correction(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    cli.auto_consume = True
    said = stage.telegram.say(stage.chat, stage.ada, "use port 80", thread=thread)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    stage.telegram.edit(said, "use port 8080")
    card = await stage.message("Too late")
    assert await stage.press(card, "Send as correction") == "Sent as a correction."
    await until(lambda: len(texts_of(cli)) == 2, "the correction")
    assert texts_of(cli) == ["use port 80", "Correction: use port 8080"]


async def test_a_planned_message_waits_in_the_hub_and_can_be_cancelled(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    stage.telegram.say(stage.chat, stage.ada, "/in 2h run the tests", thread=thread)
    card = await stage.message("Will be sent")
    assert "(Europe/Berlin)" in card.text
    row = await the_plan(stage, cli)
    assert row["scheduledAt"] is not None
    assert row["localId"].startswith("telegram-bot")
    assert await stage.press(card, "Cancel") == "Cancelled."
    await stage.see(lambda: "It will not be sent." in card.text, "cancelled")
    assert await rows(stage, cli) == []


async def the_plan(stage: Stage, cli: FakeCli) -> dict[str, Any]:
    """The planned message, once the hub has it."""
    async with asyncio.timeout(15):
        while not (found := await rows(stage, cli)):  # noqa: ASYNC110 - the hub has no bell for this
            await asyncio.sleep(0.05)
    return found[0]


async def test_a_planned_message_that_went_says_so(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    stage.telegram.say(stage.chat, stage.ada, "/in 2h run the tests", thread=thread)
    card = await stage.message("Will be sent")
    await cli.consume([(await the_plan(stage, cli))["localId"]])
    await stage.see(lambda: "The planned message was sent." in card.text, "sent")


async def test_a_time_that_would_have_to_be_guessed_is_refused_in_words(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    stage.telegram.say(stage.chat, stage.ada, "/at tomorrow morning run the tests", thread=thread)
    await stage.message("Write 18:30 or 2026-12-01 18:30")
    assert texts_of(cli) == []


async def test_the_queue_lists_what_waits_with_a_button_for_each(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = [stage.telegram.say(stage.chat, stage.ada, text, thread=thread) for text in ("first", "second")]
    await stage.see(lambda: all("👀" in str(one.reactions) for one in said), "queued")
    stage.telegram.say(stage.chat, stage.ada, "/queue", thread=thread)
    card = await stage.message("2 messages wait")
    assert await stage.press(card, "Cancel 1") == "Cancelled."
    await stage.see(lambda: "1 message waits" in card.text, "drawn anew")
    assert await queued_texts(stage, cli) == ["second"]
    assert await stage.press(card, "Cancel 1") == "Cancelled."
    await stage.see(lambda: "None of your messages waits." in card.text, "empty")


async def test_on_slack_quick_messages_are_one_and_the_queue_is_cancelled_from_its_list(slack: SlackStage) -> None:
    slack.manners["merge_pause_s"] = 0.6
    await slack.start()
    cli = await slack.session(flavor="claude", path="/home/ada/parser")
    cli.auto_consume = False
    await answers(cli, "ready for you")
    root = await slack.message("ready for you")
    said = [slack.say(text, root) for text in ("fix it", "then test")]
    await slack.see(lambda: all("eyes" in slack.reactions(one) for one in said), "queued")
    assert texts_of(cli) == ["fix it\nthen test"]
    slack.say(f"{slack.slack.mention()} queue", root)
    card = await slack.message("1 message waits")
    await slack.press(card, "Cancel 1")
    await slack.see(lambda: "None of your messages waits." in words(card), "cancelled")
    await slack.see(lambda: not any(slack.reactions(one) for one in said), "the marks are gone")


async def test_on_slack_a_message_is_planned_and_its_plan_cancelled(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await answers(cli, "ready for you")
    root = await stage.message("ready for you")
    stage.say(f"{stage.slack.mention()} in 2h run the tests", root)
    card = await stage.message("Will be sent")
    await stage.press(card, "Cancel")
    await stage.see(lambda: "It will not be sent." in words(card), "cancelled")
    assert texts_of(cli) == []


async def test_a_moment_that_passes_while_the_hub_is_away_sends_once_however_often_the_bridge_is_killed(
    stage: Stage,
) -> None:
    """Invariant 3. The hour that passes is taken from what was stored."""
    await stage.start_process()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    await answers(cli, "ready for you")
    ready = await stage.answer("ready for you")
    await stage.hub.stop(kill=True)
    stage.telegram.say(stage.chat, stage.ada, "/in 1h run the tests", reply_to=ready)
    await stage.message("Will be sent")
    await stage.kill_process()
    with sqlite3.connect(stage.folder / "data" / "bridge.sqlite3") as store:
        passed = "json_set(data, '$.scheduled_ms', json_extract(data, '$.scheduled_ms') - 3600000)"
        assert store.execute(f"UPDATE says SET data = {passed} WHERE text = 'run the tests'").rowcount == 1
    await stage.start_process(heard=False)
    await asyncio.sleep(1)
    await stage.kill_process()
    await stage.hub.start()
    await stage.start_process()
    await until(lambda: "run the tests" in texts_of(cli), "the planned message", 40)
    await stage.kill_process()
    await stage.start_process()
    card = await stage.message("The planned message was sent.")
    assert card.reply_to is not None
    assert [row["content"]["content"]["text"] for row in await rows(stage, cli)] == ["run the tests"]
    assert texts_of(cli) == ["run the tests"], "what may have been sent is asked for before it is sent again"

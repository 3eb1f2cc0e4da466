"""Albums, and files that do not arrive: what becomes of the message, through the real hub and Telegram's client."""

import asyncio
from typing import Any

import pytest

from bridge.sandbox.telegram import Message
from tests.end_to_end.bridge_stage import told, until
from tests.end_to_end.conftest import Playing, Stage
from tests.end_to_end.test_files import attached, opened, send, texts, uploads
from tests.rig.fake_cli import FakeCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(150)]


def album(stage: Stage, thread: int | None, *captions: str) -> list[Message]:
    return [
        send(stage, f"{number}.txt", b"%d" % number, caption=caption, media_group="7", thread=thread)
        for number, caption in enumerate(captions, start=1)
    ]


def names(cli: FakeCli) -> list[list[str]]:
    return [[one["filename"] for one in files] for files in attached(cli)]


async def test_an_album_is_one_message_with_all_its_files_in_order(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = album(stage, thread, "compare these", "", "with this")
    await stage.see(lambda: all("👌" in str(one.reactions) for one in said), "all are taken")
    assert texts(cli) == ["compare these\nwith this"]
    assert names(cli) == [["1.txt", "2.txt", "3.txt"]]
    assert uploads(cli) == [("1.txt", b"1"), ("2.txt", b"2"), ("3.txt", b"3")]


async def test_quick_texts_around_an_album_go_with_it(stage: Stage) -> None:
    stage.manners["merge_pause_s"] = 0.8
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    stage, cli, thread = await opened((stage, cli))
    stage.telegram.say(stage.chat, stage.ada, "look", thread=thread)
    album(stage, thread, "", "second")
    stage.telegram.say(stage.chat, stage.ada, "well?", thread=thread)
    await until(lambda: told(cli), "the message")
    assert texts(cli) == ["look\nsecond\nwell?"]
    assert names(cli) == [["1.txt", "2.txt"]]


async def test_while_an_approval_waits_an_album_is_asked_about_once(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    await cli.ask("r1", "Bash", {"command": "make"})
    await stage.message("Approval needed")
    album(stage, thread, "use these", "")
    card = await stage.message("What is your message?")
    await stage.see(lambda: "📎 1.txt, 2.txt" in card.text, "both on the card")
    assert await stage.press(card, "Keep queued") == "Sent, it waits in the queue."
    await until(lambda: told(cli), "the message")
    assert (texts(cli), names(cli)) == (["use these"], [["1.txt", "2.txt"]])


async def test_a_file_is_no_answer_to_a_question(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    question = {"question": "Which?", "header": "Which", "options": [{"label": "One", "description": ""}]}
    await cli.ask("q1", "AskUserQuestion", {"questions": [question]})
    asked = await stage.message("Which?")
    send(stage, caption="this one", thread=thread, reply_to=asked)
    card = await stage.message("and a file can't be one.")
    assert card.find_button("Use as answer") is None
    await stage.press(card, "Keep queued")
    await until(lambda: told(cli), "the message")
    assert names(cli) == [["report.pdf"]]


async def test_no_command_and_no_plan_takes_a_file_and_of_its_album_nothing_goes(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    album(stage, thread, "/in 2h look at these", "")
    await stage.message("HAPI plans no messages with files, so nothing was planned.")
    send(stage, caption="/stop", thread=thread)
    await stage.message("A command takes no files, so nothing was done. Send /stop without them.")
    stage.telegram.say(stage.chat, stage.ada, "after all", thread=thread)
    await until(lambda: told(cli), "the text")
    assert (texts(cli), names(cli)) == (["after all"], [[]])


async def test_the_agents_own_command_may_have_a_file(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    send(stage, caption="/review this", thread=thread)
    await until(lambda: told(cli), "the message")
    assert (texts(cli), names(cli)) == (["/review this"], [["report.pdf"]])


async def test_a_file_too_big_for_a_bot_is_said_and_the_rest_goes_without_it(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = send(stage, "film.mkv", caption="watch this", claimed_size=25_000_000, thread=thread)
    card = await stage.message("film.mkv: it has 25 MB, and Telegram gives a bot at most 20 MB")
    assert [one.text for one in card.buttons] == ["Retry", "Send without", "Discard"]
    await stage.see(lambda: "😢" in str(said.reactions), "marked")
    await stage.press(card, "Send without")
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert (texts(cli), names(cli)) == (["watch this"], [[]])
    await stage.see(lambda: "Sent." in card.text, "said on the card")


async def test_of_several_files_only_the_lost_one_is_left_out(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = album(stage, thread, "", "", "")
    assert said[1].file is not None
    del stage.telegram.files[said[1].file.id]
    card = await stage.message("Not sent: 2.txt: ")
    await stage.press(card, "Send without")
    await until(lambda: told(cli), "the message")
    assert (texts(cli), names(cli)) == ([""], [["1.txt", "3.txt"]])


async def test_a_file_alone_that_is_lost_can_be_tried_again_or_dropped(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    said = send(stage, thread=thread)
    assert said.file is not None
    file = stage.telegram.files.pop(said.file.id)
    card = await stage.message("Not sent: report.pdf: ")
    assert [one.text for one in card.buttons] == ["Retry", "Discard"]
    stage.telegram.files[file.id] = file
    assert await stage.press(card, "Retry") == "Trying again…"
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert names(cli) == [["report.pdf"]]
    send(stage, "other.txt", b"x", claimed_size=25_000_000, thread=thread)
    card = await stage.message("Not sent: other.txt: ")
    assert await stage.press(card, "Discard") == "Discarded."
    await stage.see(lambda: not card.buttons or "Discarded" in card.text, "discarded")
    assert len(told(cli)) == 1


async def test_a_download_that_fails_for_a_moment_is_tried_again(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    stage.telegram.faults.error("getFile", code=502)
    said = send(stage, thread=thread)
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert names(cli) == [["report.pdf"]]


async def test_a_computer_that_can_not_keep_a_file_is_named_as_the_reason(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    full: list[dict[str, Any]] = [{"success": False, "error": "ENOSPC: no space left on device"}]
    cli.handle("uploadFile", lambda params: full.pop() if full else {"success": True, "path": "/tmp/kept"})
    said = send(stage, caption="look", thread=thread)
    card = await stage.message("report.pdf: The session's computer could not keep the file.")
    await stage.press(card, "Retry")
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert [files[0]["path"] for files in attached(cli)] == ["/tmp/kept"]


async def test_a_cancelled_message_with_a_file_does_not_go(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    cli.auto_consume = False
    said = send(stage, caption="look", thread=thread)
    await stage.see(lambda: "👀" in str(said.reactions), "queued")
    stage.telegram.say(stage.chat, stage.ada, "/queue", thread=thread)
    await stage.message("look 📎 report.pdf")
    stage.telegram.say(stage.chat, stage.ada, "/cancel", thread=thread, reply_to=said)
    await stage.message("Taken back before the agent saw it.")


async def test_an_edited_caption_is_sent_anew_with_its_file(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    cli.auto_consume = False
    said = send(stage, caption="lok", thread=thread)
    await stage.see(lambda: "👀" in str(said.reactions), "queued")
    stage.telegram.edit(said, "look")
    await until(lambda: "look" in texts(cli), "sent anew")
    assert names(cli) == [["report.pdf"], ["report.pdf"]]


async def test_while_its_file_is_under_way_a_message_can_be_cancelled_and_changed(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    hold, arrived = asyncio.Event(), asyncio.Event()

    async def upload(params: dict[str, Any]) -> dict[str, Any]:
        arrived.set()
        await hold.wait()
        return {"success": True, "path": f"/tmp/{params['filename']}"}

    cli.handle("uploadFile", upload)
    first = send(stage, "first.txt", caption="not this", thread=thread)
    second = send(stage, "second.txt", caption="thsi", thread=thread)
    async with asyncio.timeout(15):
        await arrived.wait()
    stage.telegram.say(stage.chat, stage.ada, "/cancel", thread=thread, reply_to=first)
    await stage.message("Taken back before the agent saw it.")
    stage.telegram.edit(second, "this")
    stage.telegram.say(stage.chat, stage.ada, "/queue", thread=thread)
    await stage.message("this 📎 second.txt")
    hold.set()
    await stage.see(lambda: "👌" in str(second.reactions), "taken")
    assert (texts(cli), names(cli)) == (["this"], [["second.txt"]])


async def test_what_is_written_beside_a_file_that_is_lost_waits_with_it(stage: Stage) -> None:
    stage.manners["merge_pause_s"] = 0.8
    await stage.start()
    stage, cli, thread = await opened((stage, await stage.session(flavor="claude", path="/home/ada/parser")))
    stage.telegram.say(stage.chat, stage.ada, "look at this", thread=thread)
    send(stage, "film.mkv", claimed_size=25_000_000, thread=thread)
    card = await stage.message("Not sent: film.mkv: ")
    assert "look at this 📎 film.mkv" in card.text
    assert told(cli) == []
    await stage.press(card, "Send without")
    await until(lambda: told(cli), "the message")
    assert (texts(cli), names(cli)) == (["look at this"], [[]])


async def test_a_session_that_ended_takes_no_file_until_it_goes_on(playing: Playing) -> None:
    """HAPI keeps files with the agent's process, so there is nowhere to put one."""
    stage, cli, thread = await opened(playing)
    await cli.end()
    said = send(stage, caption="look", thread=thread)
    card = await stage.message("Not sent: report.pdf: This session is not running.", 60)
    assert [one.text for one in card.buttons] == ["Retry", "Send without", "Discard"]
    await cli.alive()
    await stage.press(card, "Retry")
    await stage.see(lambda: "👌" in str(said.reactions), "taken", 30)
    assert names(cli) == [["report.pdf"]]


async def test_a_changed_caption_within_an_album_that_is_asked_about_changes_its_one_card(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    await cli.ask("r1", "Bash", {"command": "make"})
    await stage.message("Approval needed")
    said = album(stage, thread, "use these", "with thsi")
    card = await stage.message("What is your message?")
    await stage.see(lambda: "with thsi" in card.text, "both on the card")
    stage.telegram.edit(said[1], "with this")
    await stage.see(lambda: "use these with this 📎 1.txt, 2.txt" in card.text, "changed on the card")
    assert len([one for one in stage.chat.from_bot if "What is your message?" in one.text]) == 1
    await stage.press(card, "Keep queued")
    await until(lambda: told(cli), "the message")
    assert (texts(cli), names(cli)) == (["use these\nwith this"], [["1.txt", "2.txt"]])

"""Files wherever a message may be: shown on the other chat, asked about, shown back, among several people."""

import asyncio
from typing import cast

import pytest

from bridge.sandbox.slack import Message as SlackMessage
from bridge.sandbox.telegram import Message as TelegramMessage
from tests.end_to_end.bridge_stage import answers, told, until
from tests.end_to_end.conftest import AtBoth, Playing
from tests.end_to_end.slack_stage import words
from tests.end_to_end.steering import Chatting
from tests.end_to_end.test_files import opened, send, texts
from tests.end_to_end.test_files_on_the_way import album, names
from tests.end_to_end.test_people import paired, said
from tests.end_to_end.test_stale import OLD

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(150)]


async def test_what_is_sent_on_one_chat_is_named_on_the_other(both: AtBoth) -> None:
    stage, cli = both
    await answers(cli, "hi")
    hello = await stage.on_telegram("hi")
    chat, ada = stage.chat, stage.telegram_ada
    stage.telegram.send_document(chat, ada, b"%PDF", "report.pdf", caption="sum these up", thread=hello.thread)
    shown = await stage.message("sum these up")
    assert "File: report.pdf · application/pdf · 4 B" in words(shown)
    await stage.message("hi")
    stage.slack.say(stage.dm, stage.ada, "and this", thread_ts=stage.find("hi"), files=[("shot.png", b"png")])
    assert "File: shot.png · image/png · 3 B" in (await stage.on_telegram("and this")).text


async def test_an_album_for_nobody_in_particular_is_asked_about_and_goes_whole(playing: Playing) -> None:
    stage, parser = playing
    site = await stage.session(flavor="claude", path="/home/ada/site")
    for cli in (parser, site):
        await answers(cli, f"hello from {cli.path}")
        await stage.message(f"hello from {cli.path}")
    album(stage, None, "compare", "")
    card = await stage.message("Which session is this for?")
    await stage.see(lambda: "📎 1.txt, 2.txt" in card.text, "both on the card")
    await stage.press(card, "site")
    await until(lambda: told(site), "the message")
    assert (texts(site), names(site), told(parser)) == (["compare"], [["1.txt", "2.txt"]], [])


async def test_an_old_album_is_shown_back_and_goes_whole(playing: Playing, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, cli, thread = await opened(playing)
    await stage.stop()
    album(stage, thread, "compare", "")
    await asyncio.sleep(1.1)  # Telegram tells when something was written in whole seconds
    await answers(cli, "meanwhile")
    with monkeypatch.context() as shorter:
        shorter.setattr(OLD, 100)
        await stage.start()
        card = await stage.message("compare")
        await stage.see(lambda: "📎 1.txt, 2.txt" in card.text, "both on the card")
        assert told(cli) == []
        await stage.press(card, "Do it now")
    await until(lambda: told(cli), "the message")
    assert (texts(cli), names(cli)) == (["compare"], [["1.txt", "2.txt"]])


async def test_among_several_people_a_file_comes_with_its_senders_name(playing: Playing) -> None:
    stage, cli = playing
    bob = stage.telegram.add_user(8, "Bob")
    await paired(stage, bob, "member")
    group = stage.telegram.group("Work", stage.ada, bob)
    topic = stage.telegram.create_topic(group, stage.ada, "parser")
    stage.telegram.say(group, stage.ada, "/attach parser", thread=topic)
    await said(stage, group, "parser is shown here from now on")
    for person in (stage.ada, bob):
        stage.telegram.send_document(group, person, b"1", f"{person.name}.txt", media_group="9", thread=topic)
    await until(lambda: len(told(cli)) == 2, "both, never put together")
    assert (texts(cli), names(cli)) == (["Ada:", "Bob:"], [["Ada.txt"], ["Bob.txt"]])


async def test_what_comes_late_of_an_album_that_named_the_bot_is_not_taken_for_talk(playing: Playing) -> None:
    """Invariant 1: only one message of an album has its caption, and it may have left."""
    stage, cli = playing
    await paired(stage, stage.telegram.add_user(8, "Bob"), "member")
    group = stage.telegram.group("Work", stage.ada, topics=False)
    stage.telegram.say(group, stage.ada, "/attach parser")
    await said(stage, group, "parser is shown here from now on")
    await answers(cli, "Hello, all of you.")
    await said(stage, group, "Hello, all of you.")

    def sends(name: str, media_group: str, caption: str = "") -> None:
        stage.telegram.send_document(group, stage.ada, b"1", name, media_group=media_group, caption=caption)

    sends("talk.txt", "8")
    sends("1.txt", "9", f"@{stage.telegram.bot.username} look")
    await until(lambda: told(cli), "the first")
    sends("2.txt", "9")
    await until(lambda: len(told(cli)) == 2, "the late one")
    assert names(cli) == [["1.txt"], ["2.txt"]]


async def test_where_words_are_asked_for_a_file_is_refused_and_words_still_count(playing: Playing) -> None:
    stage, cli, thread = await opened(playing)
    await cli.ask("r1", "Bash", {"command": "make"})
    await stage.press(await stage.message("Approval needed"), "Deny…")
    asked = await stage.message("Why not?")
    send(stage, caption="see there", thread=thread, reply_to=asked)
    await stage.message("Words are asked for here, and no file can go along.")
    stage.telegram.say(stage.chat, stage.ada, "too slow", thread=thread, reply_to=asked)
    await until(lambda: told(cli), "the reason")
    assert (texts(cli), names(cli)) == (["too slow"], [[]])


async def test_the_sandboxs_hub_takes_files_from_both_chats(chatting: Chatting) -> None:
    stage = chatting.stage
    stage.says(stage.played("parser"), "hello there")
    hello = await chatting.see("hello there")
    if chatting.name == "telegram":
        thread = cast(TelegramMessage, hello).thread
        stage.telegram.send_document(stage.chat, stage.telegram_ada, b"a;b", "a.csv", thread=thread)
    else:
        at = cast(SlackMessage, hello)
        stage.slack.say(stage.dm, stage.ada, "", thread_ts=at, files=[("a.csv", b"a;b")])
    await until(lambda: stage.calls("POST", "/messages"), "the message")
    assert list(stage.state.uploads.values()) == [b"a;b"]

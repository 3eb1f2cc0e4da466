"""The bridge speaks the language it was told to, in all tasks it starts, and English where a text is missing."""

import asyncio

import pytest

from bridge.language import languages, load, speaking, tr, trn


def test_a_text_is_english_unless_another_language_is_spoken() -> None:
    assert tr("which sessions there are") == "which sessions there are"
    with speaking("zh-CN"):
        assert tr("which sessions there are") == "查看所有会话"
    assert tr("which sessions there are") == "which sessions there are"


def test_a_missing_translation_is_said_in_english() -> None:
    with speaking("zh-CN"):
        assert tr("No one ever wrote this {what}.", what="sentence") == "No one ever wrote this sentence."


def test_numbers_choose_the_form_of_a_text() -> None:
    assert [trn("{n} session", "{n} sessions", n) for n in (0, 1, 2)] == ["0 sessions", "1 session", "2 sessions"]
    with speaking("zh-CN"):
        assert [trn("{n} session", "{n} sessions", n) for n in (1, 2)] == ["1 个会话", "2 个会话"]


def test_braces_in_what_is_put_in_stay_as_they_are() -> None:
    assert tr("Not stopped: {why}", why="{why} {0}") == "Not stopped: {why} {0}"
    assert tr("100 % {sure}") == "100 % {sure}"


async def test_tasks_speak_the_language_of_those_who_started_them() -> None:
    async def word() -> str:
        return tr("which sessions there are")

    with speaking("zh-CN"):
        inside = asyncio.create_task(word())
    outside = asyncio.create_task(word())
    assert (await inside, await outside) == ("查看所有会话", "which sessions there are")


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    assert languages() == ["en", "zh-CN"]
    with pytest.raises(LookupError, match="there are en, zh-CN"):
        load("tlh")

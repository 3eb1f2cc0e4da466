"""The long poll: nothing is confirmed that the caller has not stored, and nothing is lost or invented in between."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator

import pytest

from bridge.chat.errors import AnotherPoller, LoginRefused, Unreachable
from bridge.chat.intents import Command, Say
from bridge.chat.surface import RawUpdate
from bridge.chat.telegram.client import Timeouts
from bridge.chat.telegram.surface import TelegramSurface
from bridge.sandbox.telegram import Chat, TelegramServer, User


def texts(batch: list[RawUpdate]) -> list[str]:
    return [update.payload["message"]["text"] for update in batch]


async def batch_of(surface: TelegramSurface) -> list[RawUpdate]:
    """One batch with news that is never confirmed: the iteration ends with it."""
    async for batch in surface.updates():
        if batch:
            return list(batch)
    raise AssertionError("updates() ended")


async def waits(server: TelegramServer, polls: int) -> None:
    async with asyncio.timeout(5):
        while server.updates.polls < polls:  # noqa: ASYNC110 (the server tells of polls when they end)
            await asyncio.sleep(0.01)


@pytest.fixture
async def unhurried(server: TelegramServer, token: str) -> AsyncIterator[TelegramSurface]:
    """Polls for long, as in real use."""
    async with TelegramSurface(token, server.base_url, timeouts=Timeouts(poll_s=50)) as opened:
        yield opened


async def test_what_was_said_while_the_bridge_was_away_arrives_in_order(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    for word in ("one", "two", "three"):
        server.say(chat, owner, word)
    batch = await batch_of(surface)
    assert texts(batch) == ["one", "two", "three"]
    assert [update.id for update in batch] == [str(update.payload["update_id"]) for update in batch]


async def test_the_next_request_confirms_the_batch_and_not_sooner(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    """Invariant 1."""
    server.say(chat, owner, "one")
    updates = aiter(surface.updates())
    assert texts(list(await anext(updates))) == ["one"]
    assert len(server.updates.waiting) == 1
    server.say(chat, owner, "two")
    assert texts(list(await anext(updates))) == ["two"]
    assert [update["message"]["text"] for update in server.updates.waiting] == ["two"]


async def test_a_death_between_batch_and_confirmation_brings_the_same_updates_again(
    server: TelegramServer, token: str, quick: Timeouts, chat: Chat, owner: User
) -> None:
    """Invariant 1: whatever was not stored comes again, to this process or the next."""
    server.say(chat, owner, "precious")
    seen = []
    for _ in range(2):
        async with TelegramSurface(token, server.base_url, timeouts=quick) as surface:
            seen.append(await batch_of(surface))
            seen.append(await batch_of(surface))
    assert seen[0] == seen[1] == seen[2] == seen[3]
    assert texts(seen[0]) == ["precious"]


async def test_a_failure_to_store_brings_the_batch_again(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    """Invariant 1."""
    server.say(chat, owner, "precious")

    async def store() -> None:
        async for _ in surface.updates():
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await store()
    assert texts(await batch_of(surface)) == ["precious"]


async def test_after_a_stored_update_the_first_request_confirms_it(
    server: TelegramServer, token: str, quick: Timeouts, chat: Chat, owner: User
) -> None:
    server.say(chat, owner, "stored")
    server.say(chat, owner, "fresh")
    stored = server.updates.waiting[0]["update_id"]
    async with TelegramSurface(token, server.base_url, timeouts=quick, resume_from=stored) as surface:
        assert texts(await batch_of(surface)) == ["fresh"]


async def test_an_error_does_not_move_the_offset_and_iterating_anew_goes_on(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    server.say(chat, owner, "one")
    updates = aiter(surface.updates())
    assert texts(list(await anext(updates))) == ["one"]
    server.faults.error("getUpdates", code=502)
    with pytest.raises(Unreachable):
        await anext(updates)
    server.say(chat, owner, "two")
    assert texts(await batch_of(surface)) == ["two"]


async def test_a_lost_answer_brings_the_updates_again(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    server.say(chat, owner, "one")
    server.faults.lose_answer("getUpdates")
    with pytest.raises(Unreachable):
        await batch_of(surface)
    assert texts(await batch_of(surface)) == ["one"]


async def test_a_poll_without_news_is_repeated_and_news_comes_at_once(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    pending = asyncio.ensure_future(batch_of(surface))
    await waits(server, 2)
    server.say(chat, owner, "late")
    assert texts(await asyncio.wait_for(pending, 5)) == ["late"]


async def test_a_poll_without_news_says_that_telegram_was_heard(surface: TelegramSurface) -> None:
    assert list(await anext(aiter(surface.updates()))) == []


async def test_only_what_is_used_is_asked_for(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    server.say(chat, owner, "one")
    await batch_of(surface)
    [poll] = [call for call in server.calls if call.method == "getUpdates"]
    assert poll.params["allowed_updates"] == ["message", "edited_message", "callback_query", "my_chat_member"]


async def test_fields_the_library_does_not_know_stay_in_the_update(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    server.updates.push("message", {"message_id": 1, "brand_new": {"deep": [1, "ü"]}, "text": "x"})
    [update] = await batch_of(surface)
    assert update.payload["message"]["brand_new"] == {"deep": [1, "ü"]}


async def test_calls_go_out_while_a_poll_waits(
    unhurried: TelegramSurface, server: TelegramServer, chat: Chat, owner: User
) -> None:
    pending = asyncio.ensure_future(batch_of(unhurried))
    await waits(server, 1)
    await asyncio.wait_for(unhurried.check(), 5)
    server.say(chat, owner, "now")
    assert texts(await pending) == ["now"]


async def test_a_poll_is_cancelled_at_once(unhurried: TelegramSurface, server: TelegramServer) -> None:
    pending = asyncio.ensure_future(batch_of(unhurried))
    await waits(server, 1)
    began = time.monotonic()
    pending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pending
    assert time.monotonic() - began < 10


async def test_a_poll_that_hangs_is_given_up(server: TelegramServer, token: str) -> None:
    """Invariant 8, the watchdog."""
    quick = Timeouts(poll_s=0, poll_slack_s=0.3)
    server.faults.delay("getUpdates", seconds=30)
    async with TelegramSurface(token, server.base_url, timeouts=quick) as surface:
        with pytest.raises(Unreachable):
            await asyncio.wait_for(batch_of(surface), 5)


async def test_another_poller_is_named(unhurried: TelegramSurface, server: TelegramServer) -> None:
    pending = asyncio.ensure_future(batch_of(unhurried))
    await waits(server, 1)
    await server.poll_elsewhere()
    with pytest.raises(AnotherPoller, match="HAPI's own Telegram bot: the hub polls with its TELEGRAM_BOT_TOKEN"):
        await pending


async def test_a_wrong_token_is_told_from_the_poll_too(server: TelegramServer) -> None:
    async with TelegramSurface("42:wrong", server.base_url) as surface:
        with pytest.raises(LoginRefused):
            await batch_of(surface)


async def test_a_webhook_is_removed_once_with_a_word_in_the_log_and_without_losing_updates(
    surface: TelegramSurface, server: TelegramServer, chat: Chat, owner: User, caplog: pytest.LogCaptureFixture
) -> None:
    server.webhook_url = "https://example.org/hook"
    server.say(chat, owner, "kept")
    with caplog.at_level(logging.WARNING):
        assert texts(await batch_of(surface)) == ["kept"]
    assert server.webhook_url == ""
    assert [record.getMessage() for record in caplog.records if "webhook" in record.getMessage()] == [
        "a webhook is set for this Telegram bot; it is removed, so that the bridge can fetch updates"
    ]
    server.webhook_url = "https://example.org/again"
    with pytest.raises(AnotherPoller, match="webhook"):
        await batch_of(surface)
    assert server.webhook_url == "https://example.org/again"


async def test_updates_become_intents_and_commands_for_other_bots_do_not(
    surface: TelegramSurface, server: TelegramServer, owner: User
) -> None:
    group = server.group("Team", owner)
    for word in ("hello", "/stop@HAPI_bridge_bot now", "/stop@somebody_elses_bot"):
        server.say(group, owner, word)
    said, stop, foreign = [surface.intent(update) for update in await batch_of(surface)]
    assert isinstance(said, Say)
    assert isinstance(stop, Command)
    assert (stop.name, stop.arguments) == ("stop", "now")
    assert foreign is None

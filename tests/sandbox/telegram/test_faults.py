"""Faults to order, as python-telegram-bot sees them: each one hits exactly the calls it was ordered for."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
import telegram
from telegram.error import NetworkError, RetryAfter, TimedOut

from bridge.sandbox.telegram import Chat, TelegramServer


async def test_a_flood_names_its_wait_and_performs_nothing(
    bot: telegram.Bot, server: TelegramServer, chat: Chat
) -> None:
    server.faults.flood("sendMessage", times=2, retry_after=17)
    for _ in range(2):
        with pytest.raises(RetryAfter) as caught:
            await bot.send_message(7, "text")
        assert caught.value.retry_after == timedelta(seconds=17)
    assert chat.messages == []
    await bot.send_message(7, "text")
    assert len(chat.messages) == 1


@pytest.mark.parametrize("code", [500, 502])
async def test_a_server_error_performs_nothing(
    code: int, bot: telegram.Bot, server: TelegramServer, chat: Chat
) -> None:
    server.faults.error("sendMessage", code=code)
    with pytest.raises(NetworkError):
        await bot.send_message(7, "text")
    assert chat.messages == []
    assert server.calls[-1].code == code


async def test_a_lost_answer_hides_what_was_done(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    """Invariant 3: on Telegram this outcome can't be found out, so that one message may appear twice."""
    server.faults.lose_answer("sendMessage")
    with pytest.raises(NetworkError):
        await bot.send_message(7, "text")
    assert [message.text for message in chat.visible] == ["text"]
    assert (server.calls[-1].code, server.calls[-1].fault) == (0, "lost answer")


async def test_a_lost_answer_hides_a_refusal_too(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    server.faults.lose_answer("sendMessage")
    with pytest.raises(NetworkError, match="isconnected"):
        await bot.send_message(7, "<b>", parse_mode="HTML")


async def test_a_dropped_connection_performs_nothing(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    server.faults.drop("sendMessage")
    with pytest.raises(NetworkError):
        await bot.send_message(7, "text")
    assert chat.messages == []


async def test_a_delay_past_the_clients_patience_is_a_timeout_yet_performed(
    make_bot: Callable[..., telegram.Bot], server: TelegramServer, chat: Chat
) -> None:
    async with make_bot(read_timeout=0.2) as hasty:
        server.faults.delay("sendMessage", seconds=0.6)
        with pytest.raises(TimedOut):
            await hasty.send_message(7, "text")
        await server.wait_for(lambda: chat.find("text"), what="the late message")


async def test_faults_hit_the_ordered_calls_only(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    server.faults.error("editMessageText", skip=1)
    sent = await bot.send_message(7, "one")
    await bot.edit_message_text("two", 7, sent.message_id)
    with pytest.raises(NetworkError):
        await bot.edit_message_text("three", 7, sent.message_id)
    await bot.edit_message_text("four", 7, sent.message_id)
    assert [revision.text for revision in chat.from_bot[0].history] == ["one", "two", "four"]
    assert [(method, str(kind)) for method, kind in server.faults.hits] == [("editMessageText", "error")]


async def test_faults_for_any_method_spare_the_polling(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    server.faults.drop()
    assert await bot.get_updates() == ()
    with pytest.raises(NetworkError):
        await bot.send_chat_action(7, "typing")
    server.faults.drop("getUpdates")
    with pytest.raises(NetworkError):
        await bot.get_updates()


async def test_orders_can_be_called_off(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    server.faults.error("sendMessage", times=99)
    server.faults.clear()
    await bot.send_message(7, "text")


async def test_stopping_the_server_does_not_wait_for_a_delay(chat: Chat) -> None:
    async with asyncio.timeout(10):
        async with TelegramServer() as slow:
            slow.private_chat(slow.add_user(7, "Ada"))
            async with telegram.Bot(slow.token, base_url=f"{slow.base_url}/bot") as bot:
                slow.faults.delay("sendMessage", seconds=600)
                waiting = asyncio.create_task(bot.send_message(7, "text"))
                await slow.wait_for(lambda: slow.faults.hits, what="the delayed call")
                await slow.__aexit__()
                with pytest.raises(NetworkError):
                    await waiting

"""The rates, with a clock that moves when told: refused calls get 429 with the seconds to wait, and are counted."""

from collections.abc import AsyncIterator

import pytest
import telegram
from telegram.error import RetryAfter

from bridge.sandbox.telegram import Limits, TelegramServer
from bridge.sandbox.telegram.limits import RateMeter


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def meter(limits: Limits) -> tuple[RateMeter, Clock]:
    clock = Clock()
    return RateMeter(limits, clock), clock


def test_one_chat_takes_a_burst_and_then_one_a_second() -> None:
    rates, clock = meter(Limits(chat_burst=3))
    assert [rates.take(1, group=False) for _ in range(4)] == [None, None, None, 1]
    assert rates.take(2, group=False) is None, "another chat has its own rate"
    clock.now += 1
    assert [rates.take(1, group=False) for _ in range(2)] == [None, 1]
    assert rates.violations == 2


def test_a_call_within_the_named_wait_is_refused_again_and_does_not_lengthen_it() -> None:
    rates, clock = meter(Limits(chat_burst=1, chat_per_second=0.1))
    assert [rates.take(1, group=False), rates.take(1, group=False)] == [None, 10]
    clock.now += 4
    assert rates.take(1, group=False) == 6
    clock.now += 6
    assert rates.take(1, group=False) is None


def test_a_group_takes_20_a_minute() -> None:
    rates, clock = meter(Limits(chat_per_second=None))
    assert [rates.take(1, group=True) for _ in range(20)] == [None] * 20
    clock.now += 15
    assert rates.take(1, group=True) == 45
    clock.now += 45
    assert rates.take(1, group=True) is None


def test_the_bot_takes_30_a_second_over_all_chats() -> None:
    rates, clock = meter(Limits())
    assert [rates.take(chat, group=False) for chat in range(30)] == [None] * 30
    assert rates.take(30, group=False) == 1
    clock.now += 1
    assert rates.take(30, group=False) is None


def test_twenty_times_the_speed_takes_twenty_times_as_many() -> None:
    rates, clock = meter(Limits(chat_burst=1, speed=20))
    taken = []
    for _ in range(40):
        taken.append(rates.take(1, group=True))
        clock.now += 0.15
    assert taken == [None] * 40
    assert rates.violations == 0


def test_switched_off_nothing_is_refused() -> None:
    rates, _ = meter(Limits.off())
    assert {rates.take(1, group=True) for _ in range(100)} == {None}


@pytest.fixture
async def tight() -> AsyncIterator[tuple[TelegramServer, telegram.Bot]]:
    """A server with a burst of 2 a chat."""
    async with TelegramServer(limits=Limits(chat_burst=2), clock=Clock()) as server:
        server.private_chat(server.add_user(7, "Ada"))
        async with telegram.Bot(server.token, base_url=f"{server.base_url}/bot") as bot:
            yield server, bot


async def test_sends_and_edits_share_one_rate_over_all_topics(tight: tuple[TelegramServer, telegram.Bot]) -> None:
    server, bot = tight
    topic = await bot.create_forum_topic(7, "session")
    sent = await bot.send_message(7, "one", message_thread_id=topic.message_thread_id)
    await bot.edit_message_text("two", 7, sent.message_id)
    with pytest.raises(RetryAfter, match="Flood control exceeded"):
        await bot.send_message(7, "three")
    assert server.rates.violations == 1
    assert server.calls[-1].code == 429
    assert server.chats[7].find("three") is None


async def test_actions_reactions_and_answers_are_not_counted(tight: tuple[TelegramServer, telegram.Bot]) -> None:
    server, bot = tight
    sent = await bot.send_message(7, "one")
    for _ in range(5):
        await bot.send_chat_action(7, "typing")
        await bot.set_message_reaction(7, sent.message_id, "👀")
    assert server.rates.violations == 0

"""Long polling: what waits, what an offset confirms, and who may poll."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import telegram
from telegram.error import Conflict

from bridge.sandbox.telegram import Chat, TelegramServer, User


@pytest.fixture
async def other(make_bot: Callable[..., telegram.Bot]) -> AsyncIterator[telegram.Bot]:
    """A second program with the same token."""
    async with make_bot() as ready:
        yield ready


async def texts(bot: telegram.Bot, offset: int | None = None, limit: int | None = None) -> list[str | None]:
    return [update.message.text if update.message else None for update in await bot.get_updates(offset, limit)]


async def polling(
    server: TelegramServer, bot: telegram.Bot, timeout: int = 30
) -> asyncio.Task[tuple[telegram.Update, ...]]:
    """A poll that has reached the server and waits there."""
    before = server.updates.polls
    task = asyncio.create_task(bot.get_updates(timeout=timeout))
    await server.wait_for(lambda: server.updates.polls > before, what="the poll")
    return task


async def test_updates_wait_until_an_offset_confirms_them(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    """Invariant 1 needs it: the offset moves after the commit, and until then everything comes again."""
    for text in ("one", "two", "three"):
        server.say(chat, ada, text)
    first = (await bot.get_updates())[0].update_id
    assert await texts(bot) == ["one", "two", "three"]
    assert await texts(bot, first + 1, 1) == ["two"]
    assert await texts(bot, first + 1) == ["two", "three"]
    assert await texts(bot, first + 3) == []
    assert server.updates.waiting == []


async def test_a_negative_offset_forgets_all_but_the_last(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    for text in ("one", "two", "three"):
        server.say(chat, ada, text)
    assert await texts(bot, -1) == ["three"]
    assert len(server.updates.waiting) == 1


async def test_a_waiting_poll_is_answered_at_once(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    poll = await polling(server, bot)
    said = server.say(chat, ada, "hello")
    async with asyncio.timeout(5):
        updates = await poll
    assert updates[0].message is not None
    assert updates[0].message.message_id == said.id


async def test_a_poll_ends_empty_after_its_timeout(bot: telegram.Bot) -> None:
    async with asyncio.timeout(5):
        assert await bot.get_updates(timeout=1) == ()


async def test_updates_of_24_hours_ago_are_gone(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User, clock: Callable[[], float]
) -> None:
    server.say(chat, ada, "long ago")
    clock.advance(20 * 3600)  # type: ignore[attr-defined]
    server.say(chat, ada, "yesterday")
    clock.advance(5 * 3600)  # type: ignore[attr-defined]
    assert await texts(bot) == ["yesterday"]


async def test_the_later_poll_wins_and_the_earlier_gets_409(
    bot: telegram.Bot, other: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    earlier = await polling(server, bot)
    later = await polling(server, other)
    with pytest.raises(Conflict, match="terminated by other getUpdates request"):
        await earlier
    server.say(chat, ada, "hello")
    assert len(await later) == 1


async def test_a_poll_from_elsewhere_ends_ours(bot: telegram.Bot, server: TelegramServer) -> None:
    ours = await polling(server, bot)
    assert await server.poll_elsewhere() is True
    with pytest.raises(Conflict):
        await ours
    assert await server.poll_elsewhere() is False


async def test_while_another_program_keeps_polling_every_poll_gets_409(
    bot: telegram.Bot, server: TelegramServer
) -> None:
    server.updates.another_poller = True
    for _ in range(2):
        with pytest.raises(Conflict, match="only one bot instance"):
            await bot.get_updates()
    server.updates.another_poller = False
    assert await bot.get_updates() == ()


async def test_with_a_webhook_set_polling_conflicts_until_it_is_deleted(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    server.say(chat, ada, "before")
    await bot.set_webhook("https://example.org/hook")
    assert (await bot.get_webhook_info()).pending_update_count == 1
    with pytest.raises(Conflict, match="webhook is active"):
        await bot.get_updates()
    await bot.delete_webhook()
    assert await texts(bot) == ["before"]
    await bot.delete_webhook(drop_pending_updates=True)
    assert await texts(bot) == []


async def test_only_kinds_asked_for_are_queued_from_then_on(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    said = server.say(chat, ada, "hello")
    server.react(said, ada, "👍")
    assert [update["update_id"] for update in server.updates.waiting] == [1000], "reactions have to be asked for"
    await bot.get_updates(1001, allowed_updates=["message_reaction"])
    server.react(said, ada, "👎")
    server.say(chat, ada, "not wanted")
    (update,) = await bot.get_updates()
    assert update.message_reaction is not None
    old, new = update.message_reaction.old_reaction, update.message_reaction.new_reaction
    assert [old[0].to_dict()["emoji"], new[0].to_dict()["emoji"]] == ["👍", "👎"]


async def test_stopping_the_server_ends_a_waiting_poll(make_bot: Callable[..., telegram.Bot]) -> None:
    async with TelegramServer() as server, telegram.Bot(server.token, base_url=f"{server.base_url}/bot") as bot:
        poll = await polling(server, bot)
        async with asyncio.timeout(5):
            await server.__aexit__()
            assert await poll == ()

"""Topics, in private chats and in supergroups, made and unmade by either side."""

import pytest
import telegram
from telegram.error import BadRequest

from bridge.sandbox.telegram import Chat, TelegramServer, User


async def test_a_private_chat_has_topics_where_the_bot_has_them(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    me = await bot.get_me()
    assert me.has_topics_enabled is True
    topic = await bot.create_forum_topic(7, "repair")
    sent = await bot.send_message(7, "in it", message_thread_id=topic.message_thread_id)
    assert (sent.message_thread_id, sent.is_topic_message) == (topic.message_thread_id, True)
    server.say(chat, ada, "answer", thread=topic.message_thread_id)
    (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.message_thread_id == topic.message_thread_id
    assert update.message.reply_to_message is None


async def test_a_bot_without_topics_makes_none(bot: telegram.Bot, server: TelegramServer, ada: User) -> None:
    server.topics_enabled = False
    server.private_chat(ada)
    assert (await bot.get_me()).has_topics_enabled is False
    with pytest.raises(BadRequest, match="not a forum"):
        await bot.create_forum_topic(7, "repair")


async def test_a_topic_deleted_by_the_person_refuses_messages_and_edits(
    bot: telegram.Bot, server: TelegramServer, chat: Chat
) -> None:
    topic = await bot.create_forum_topic(7, "repair")
    thread = topic.message_thread_id
    sent = await bot.send_message(7, "in it", message_thread_id=thread)
    server.delete_topic(chat, thread)
    with pytest.raises(BadRequest, match="thread not found"):
        await bot.send_message(7, "again", message_thread_id=thread)
    with pytest.raises(BadRequest, match="to edit not found"):
        await bot.edit_message_text("changed", 7, sent.message_id)
    with pytest.raises(BadRequest, match="Topic_id_invalid"):
        await bot.edit_forum_topic(7, thread, name="other")
    with pytest.raises(BadRequest, match="thread not found"):
        await bot.send_chat_action(7, "typing", message_thread_id=thread)
    assert chat.topic("repair") is None


async def test_a_lost_topic_may_be_ignored_in_silence(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    """tdlib/telegram-bot-api#854: only the answer's missing thread tells."""
    topic = await bot.create_forum_topic(7, "repair")
    server.delete_topic(chat, topic.message_thread_id)
    server.ignores_lost_topics = True
    sent = await bot.send_message(7, "astray", message_thread_id=topic.message_thread_id)
    assert sent.message_thread_id is None


async def test_topics_switched_off_refuse_messages_and_keep_old_ones(
    bot: telegram.Bot, server: TelegramServer, chat: Chat
) -> None:
    topic = await bot.create_forum_topic(7, "repair")
    sent = await bot.send_message(7, "in it", message_thread_id=topic.message_thread_id)
    server.disable_topics(chat)
    with pytest.raises(BadRequest, match="thread not found"):
        await bot.send_message(7, "again", message_thread_id=topic.message_thread_id)
    with pytest.raises(BadRequest, match="not a forum"):
        await bot.create_forum_topic(7, "another")
    await bot.edit_message_text("changed", 7, sent.message_id)
    server.enable_topics(chat)
    await bot.create_forum_topic(7, "another")


async def test_topics_close_in_supergroups_only(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    private = await bot.create_forum_topic(7, "repair")
    with pytest.raises(BadRequest, match="not a supergroup"):
        await bot.close_forum_topic(7, private.message_thread_id)
    group = server.group("Team", ada)
    topic = await bot.create_forum_topic(group.id, "repair")
    thread = topic.message_thread_id
    await bot.close_forum_topic(group.id, thread)
    with pytest.raises(BadRequest, match="Topic_closed"):
        await bot.send_message(group.id, "text", message_thread_id=thread)
    with pytest.raises(BadRequest, match="Topic_not_modified"):
        await bot.close_forum_topic(group.id, thread)
    await bot.reopen_forum_topic(group.id, thread)
    await bot.send_message(group.id, "text", message_thread_id=thread)


async def test_an_administrator_closes_a_topic_and_the_bot_hears_of_it(
    bot: telegram.Bot, server: TelegramServer, ada: User
) -> None:
    group = server.group("Team", ada)
    topic = server.create_topic(group, ada, "repair")
    server.close_topic(group, ada, topic)
    with pytest.raises(BadRequest, match="Topic_closed"):
        await bot.send_message(group.id, "text", message_thread_id=topic.id)
    made, closed = [update.message for update in await bot.get_updates()]
    assert made is not None
    assert made.forum_topic_created is not None
    assert closed is not None
    assert closed.forum_topic_closed is not None


async def test_in_a_supergroup_every_topic_message_replies_to_the_topics_creation(
    bot: telegram.Bot, server: TelegramServer, ada: User
) -> None:
    """A trap: such a reply is none, and must not choose the session a text goes to."""
    group = server.group("Team", ada)
    topic = server.create_topic(group, ada, "repair")
    server.say(group, ada, "hello", thread=topic)
    update = (await bot.get_updates())[-1]
    assert update.message is not None
    assert update.message.reply_to_message is not None
    assert update.message.reply_to_message.forum_topic_created is not None


async def test_renaming_and_deleting_a_topic(bot: telegram.Bot, chat: Chat) -> None:
    topic = await bot.create_forum_topic(7, "repair", icon_color=9367192)
    thread = topic.message_thread_id
    with pytest.raises(BadRequest, match="Topic_not_modified"):
        await bot.edit_forum_topic(7, thread, name="repair")
    await bot.edit_forum_topic(7, thread, name="repaired")
    assert chat.topics[thread].name == "repaired"
    with pytest.raises(BadRequest, match="can't be deleted"):
        await bot.delete_message(7, thread)
    sent = await bot.send_message(7, "in it", message_thread_id=thread)
    await bot.delete_forum_topic(7, thread)
    assert chat.message(sent.message_id) is None


@pytest.mark.parametrize(("name", "words"), [(" ", "Topic_title_empty"), ("n" * 129, "topic name of 129 units")])
async def test_topic_names_have_1_to_128_units(name: str, words: str, bot: telegram.Bot, chat: Chat) -> None:
    with pytest.raises(BadRequest, match=words):
        await bot.create_forum_topic(7, name)


async def test_a_topic_has_one_of_six_colours(bot: telegram.Bot, chat: Chat) -> None:
    with pytest.raises(BadRequest, match="icon_color 1"):
        await bot.do_api_request("createforumtopic", api_kwargs={"chat_id": 7, "name": "repair", "icon_color": 1})

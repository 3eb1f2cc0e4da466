"""The person's side, and what can be observed: what tests, the demo and the page stand on."""

import asyncio
from collections.abc import Callable

import httpx
import pytest
import telegram
from telegram import BotCommand, InlineKeyboardMarkup, InputMediaDocument, MessageEntity
from telegram import InlineKeyboardButton as Button
from telegram.error import BadRequest

from bridge.sandbox.telegram import Chat, TelegramServer, User

KEYBOARD = InlineKeyboardMarkup(
    [[Button("Allow", callback_data="a1", style="success"), Button("Docs", url="https://example.org")]]
)


async def test_a_press_reaches_the_bot_and_its_answer_the_person(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    await bot.send_message(7, "May I?", reply_markup=KEYBOARD)
    pressed = server.press(chat.from_bot[0], "Allow", ada)
    query = (await bot.get_updates())[0].callback_query
    assert query is not None
    assert (query.id, query.data, query.from_user.id) == (pressed, "a1", 7)
    await bot.answer_callback_query(query.id, "Allowed", show_alert=True)
    answer = await server.answer_to(pressed)
    assert (answer.text, answer.alert) == ("Allowed", True)


async def test_a_press_is_answered_once_and_soon(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User, clock: Callable[[], float]
) -> None:
    await bot.send_message(7, "May I?", reply_markup=KEYBOARD)
    first, second = (server.press(chat.from_bot[0], "a1", ada) for _ in range(2))
    await bot.answer_callback_query(first)
    with pytest.raises(BadRequest, match="uery is too old"):
        await bot.answer_callback_query(first)
    with pytest.raises(BadRequest, match="Message_too_long"):
        await bot.answer_callback_query(second, "x" * 201)
    clock.advance(16)  # type: ignore[attr-defined]
    with pytest.raises(BadRequest, match="uery is too old"):
        await bot.answer_callback_query(second)
    with pytest.raises(TimeoutError, match="an answer to the press of a1"):
        await server.answer_to(second, timeout=0.01)


async def test_a_screen_not_yet_redrawn_can_be_pressed(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    """Invariant 4 is tested with such presses."""
    sent = await bot.send_message(7, "May I?", reply_markup=KEYBOARD)
    await bot.edit_message_text("Allowed.", 7, sent.message_id)
    message = chat.from_bot[0]
    with pytest.raises(LookupError, match="no button 'Allow'"):
        server.press(message, "Allow", ada)
    server.press(message, "Allow", ada, stale=True)
    query = (await bot.get_updates())[0].callback_query
    assert query is not None
    assert query.data == "a1"


async def test_buttons_that_tell_the_bot_nothing_are_no_presses(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    row = [Button("Done", api_kwargs={"disabled": {}}), Button("Copy", copy_text=telegram.CopyTextButton("ls"))]
    await bot.send_message(7, "over", reply_markup=InlineKeyboardMarkup([row]))
    done, copy = chat.from_bot[0].buttons
    assert (done.disabled, copy.copy_text) == (True, "ls")
    for text in ("Done", "Copy"):
        with pytest.raises(LookupError, match="tells the bot nothing"):
            server.press(chat.from_bot[0], text, ada)


async def test_words_commands_replies_and_edits_come_as_updates(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    sent = await bot.send_message(7, "question")
    said = server.say(chat, ada, "😀 /status now", reply_to=sent.message_id)
    server.edit(said, "/stop")
    message, edited = [update.effective_message for update in await bot.get_updates()]
    assert message is not None
    assert list(message.parse_entities(["bot_command"]).values()) == ["/status"]
    assert message.reply_to_message is not None
    assert message.reply_to_message.message_id == sent.message_id
    assert edited is not None
    assert (edited.text, edited.edit_date is not None) == ("/stop", True)


async def test_files_go_both_ways(bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User) -> None:
    server.send_document(chat, ada, b"from Ada", "notes.txt", caption="look", media_group="g1")
    message = (await bot.get_updates())[0].message
    assert message is not None
    assert (message.caption, message.media_group_id) == ("look", "g1")
    assert message.document is not None
    assert bytes(await (await bot.get_file(message.document)).download_as_bytearray()) == b"from Ada"
    sent = await bot.send_document(7, b"from the bot", filename="diff.patch", caption="a diff")
    await bot.edit_message_media(InputMediaDocument(b"newer", filename="diff2.patch"), 7, sent.message_id)
    await bot.send_photo(7, b"png", filename="shot.png")
    await bot.send_document(7, message.document.file_id)
    diff, photo, again = chat.from_bot
    assert [revision.file and (revision.file.name, revision.file.data) for revision in diff.history] == [
        ("diff.patch", b"from the bot"),
        ("diff2.patch", b"newer"),
    ]
    assert photo.file is not None
    assert photo.file.kind == "photo"
    assert again.file is not None
    assert again.file.data == b"from Ada"


async def test_downloads_need_the_token(server: TelegramServer, chat: Chat, ada: User) -> None:
    sent = server.send_document(chat, ada, b"secret", "notes.txt")
    assert sent.file is not None
    async with httpx.AsyncClient() as client:
        path = f"documents/{sent.file.id}"
        assert (await client.get(f"{server.base_url}/file/bot{server.token}/{path}")).content == b"secret"
        assert (await client.get(f"{server.base_url}/file/bot1:other/{path}")).status_code == 404


async def test_json_bodies_are_understood_as_well_as_forms(server: TelegramServer, chat: Chat) -> None:
    body = {"chat_id": 7, "text": "json", "entities": [{"type": "bold", "offset": 0, "length": 4}]}
    async with httpx.AsyncClient(base_url=f"{server.base_url}/bot{server.token}/") as client:
        answer = await client.post("sendMessage", json=body)
        assert answer.json()["result"]["text"] == "json"
        assert (await client.post("sendMessage", json=[1])).status_code == 400
        assert (await client.get("sendMessage", params={"chat_id": 7, "text": "query"})).json()["ok"] is True
        lone = await client.post(
            "sendMessage", content=b'{"chat_id": 7, "text": "\\ud83d"}', headers={"content-type": "application/json"}
        )
        assert "encoded in UTF-8" in lone.json()["description"]
        wrong = await client.post("sendMessage", json={"chat_id": 7, "text": 5})
        assert wrong.json()["description"] == 'Bad Request: field "text" must be of type String'


async def test_what_a_message_said_is_kept_with_its_times(
    bot: telegram.Bot, chat: Chat, clock: Callable[[], float]
) -> None:
    sent = await bot.send_message(7, "one", disable_notification=True)
    start = clock()
    clock.advance(5)  # type: ignore[attr-defined]
    await bot.edit_message_text("two", 7, sent.message_id, entities=[MessageEntity("bold", 0, 3)])
    (message,) = chat.from_bot
    assert (message.silent, message.edited_at) == (True, start + 5)
    assert [(edit.at - start, edit.text) for edit in message.edits] == [(5, "two")]
    await bot.delete_message(7, sent.message_id)
    assert (message.deleted, chat.visible) == (True, [])


async def test_waiting_ends_with_the_event_and_says_what_was_missing(
    bot: telegram.Bot, server: TelegramServer, chat: Chat
) -> None:
    waiting = asyncio.create_task(server.wait_for(lambda: chat.find("hello")))
    await bot.send_message(7, "hello there")
    found = await waiting
    assert found is not None
    assert found.text == "hello there"
    with pytest.raises(TimeoutError, match=r"still waiting for a pin; the last calls were .*sendMessage 200"):
        await server.wait_for(lambda: chat.pinned, timeout=0.01, what="a pin")


async def test_subscribers_see_everything_in_order_and_never_the_token(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    """Invariant 7, for the call log that the page will draw."""
    with server.bus.subscribe() as events:
        await bot.send_message(7, "May I?", reply_markup=KEYBOARD)
        await bot.send_chat_action(7, "typing")
        server.press(chat.from_bot[0], "Allow", ada)
        seen = [events.get_nowait() for _ in range(events.qsize())]
    assert [event.kind for event in seen] == ["message", "call", "action", "call", "press"]
    calls = [event.call for event in seen if event.call is not None]
    assert [call.params["text"] for call in calls if call.method == "sendMessage"] == ["May I?"]
    assert server.token not in repr(seen)
    assert server.calls[-2:] == calls


async def test_pins_commands_and_members(bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User) -> None:
    sent = await bot.send_message(7, "keep this")
    await bot.pin_chat_message(7, sent.message_id)
    pinned = (await bot.get_chat(7)).pinned_message
    assert pinned is not None
    assert pinned.message_id == sent.message_id
    await bot.unpin_chat_message(7)
    assert (await bot.get_chat(7)).pinned_message is None
    await bot.set_my_commands([BotCommand("stop", "stops the turn")])
    assert [command.command for command in await bot.get_my_commands()] == ["stop"]
    await bot.delete_my_commands()
    assert await bot.get_my_commands() == ()
    group = server.group("Team", ada)
    member = await bot.get_chat_member(group.id, server.bot.id)
    assert (member.status, (await bot.get_chat(group.id)).is_forum) == ("administrator", True)


async def test_blocking_is_told_as_a_change_of_membership(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    server.block(ada)
    server.block(ada, blocked=False)
    changes = [update.my_chat_member for update in await bot.get_updates()]
    assert [change and change.new_chat_member.status for change in changes] == ["kicked", "member"]


async def test_ids_of_messages_repeat_between_supergroups(bot: telegram.Bot, server: TelegramServer, ada: User) -> None:
    """A message id alone names nothing: it needs its chat."""
    one, two = server.group("One", ada), server.group("Two", ada)
    first, second = await bot.send_message(one.id, "a"), await bot.send_message(two.id, "b")
    assert first.message_id == second.message_id

"""What the strict server refuses, asked through python-telegram-bot.

It does so in Telegram's words; where it is stricter than Telegram, in its own after ``sandbox:``.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import telegram
from telegram import InlineKeyboardButton as Button
from telegram import InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, ChatMigrated, EndPointNotFound, Forbidden, InvalidToken, NetworkError

from bridge.sandbox.telegram import Chat, TelegramServer, User

Act = Callable[[telegram.Bot], Awaitable[Any]]


def says(words: str) -> re.Pattern[str]:
    """The words wherever they stand: python-telegram-bot starts them with a capital."""
    return re.compile(re.escape(words), re.IGNORECASE)


def raw(method: str, **params: Any) -> Act:
    """A call as it stands. In small letters, since python-telegram-bot warns of methods it knows."""
    return lambda bot: bot.do_api_request(method.lower(), api_kwargs=params)


def send(text: str = "text", **params: Any) -> Act:
    return raw("sendMessage", chat_id=7, text=text, **params)


def entities(*found: dict[str, Any], text: str = "some text") -> Act:
    return send(text, entities=list(found))


def entity(kind: str, offset: int = 0, length: int = 4, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **fields}


def button(**fields: Any) -> Act:
    return send(reply_markup={"inline_keyboard": [[{"text": "Allow", **fields}]]})


FIELD = "must be of type"
CASES: dict[str, tuple[Act, str]] = {
    "no text": (send(""), "message text is empty"),
    "blank text": (send(" \n "), "text must be non-empty"),
    "4,097 units": (send("a" * 4097), "message is too long"),
    "2,049 pairs": (send("😀" * 2049), "message is too long"),
    "no chat": (raw("sendMessage", text="text"), "chat_id is empty"),
    "unknown chat": (raw("sendMessage", chat_id=8, text="text"), "chat not found"),
    "channel name": (raw("sendMessage", chat_id="@nobody", text="text"), "chat not found"),
    "unknown parameter": (send(disable_web_page_preview=True), "no parameter disable_web_page_preview"),
    "text for a number": (send(message_thread_id="first"), f'field "message_thread_id" {FIELD} Integer'),
    "number for a flag": (send(disable_notification=1), f'field "disable_notification" {FIELD} Boolean'),
    "object for a list": (send(entities={"type": "bold"}), f'field "entities" {FIELD} Array'),
    "markup": (send("<b>text</b>", parse_mode="HTML"), "entities, never markup"),
    "reply to nothing": (send(reply_parameters={"message_id": 99}), "message to be replied not found"),
    "unknown thread": (send(message_thread_id=99), "message thread not found"),
    "101 entities": (
        entities(*[entity("bold", at, 1) for at in range(101)], text="x" * 101),
        "101 entities",
    ),
    "entity past the end": (
        entities(entity("bold", 5, 9)),
        "entity beginning at UTF-16 offset 5 ends after the end of the text at UTF-16 offset 14",
    ),
    "entity after the end": (entities(entity("bold", 9)), "entity begins after the end of the text at UTF-16 offset 9"),
    "entity from within a pair": (
        entities(entity("bold", 1, 2), text="😀 face"),
        "begins in a middle of a UTF-16 symbol",
    ),
    "entity into a pair": (entities(entity("bold", 0, 6), text="face 😀"), "ends in a middle of a UTF-16 symbol"),
    "empty entity": (entities(entity("bold", 0, 0)), "entity bold with offset 0 and length 0"),
    "negative offset": (entities(entity("bold", -1, 2)), "entity bold with offset -1"),
    "unknown entity": (entities(entity("headline")), "can't parse MessageEntity: Unsupported type specified"),
    "entity without length": (entities({"type": "bold", "offset": 0}), 'Can\'t find field "length"'),
    "entity with text for offset": (entities({"type": "bold", "offset": "0", "length": 1}), f'"offset" {FIELD} Number'),
    "link without URL": (entities(entity("text_link")), 'Can\'t find field "url"'),
    "bold with URL": (entities(entity("bold", url="https://example.org")), "entity bold with field url"),
    "link to localhost": (
        entities(entity("text_link", url="http://localhost:3000/x")),
        "entity URL 'http://localhost:3000/x' is invalid: Wrong HTTP URL",
    ),
    "link with a space": (entities(entity("text_link", url="https://example.org/a b")), "Wrong HTTP URL"),
    "link to a file": (entities(entity("text_link", url="file:///etc/passwd")), "Unsupported URL protocol"),
    "time without a time": (entities(entity("date_time")), 'Can\'t find field "unix_time"'),
    "time in words": (entities(entity("date_time", unix_time="noon")), f'"unix_time" {FIELD} Number'),
    "time in a wrong format": (
        entities(entity("date_time", unix_time=1_796_000_000, date_time_format="YYYY")),
        "Invalid date-time format",
    ),
    "entities that cross": (
        entities(entity("bold", 0, 6), entity("italic", 3, 6)),
        "entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 9",
    ),
    "bold in code": (entities(entity("pre", 0, 9), entity("bold", 2, 3)), "bold inside pre"),
    "code in bold": (entities(entity("bold", 0, 9), entity("code", 2, 3)), "code inside bold"),
    "quote in quote": (
        entities(entity("expandable_blockquote", 0, 9), entity("blockquote", 2, 3)),
        "blockquote inside expandable_blockquote",
    ),
    "link in a time": (
        entities(entity("date_time", 0, 9, unix_time=1), entity("text_link", 2, 3, url="https://example.org")),
        "text_link inside date_time",
    ),
    "button without text": (button(text=" ", callback_data="a"), "BUTTON_TEXT_INVALID"),
    "button without action": (button(), "Text buttons are unallowed in the inline keyboard"),
    "button with empty data": (button(callback_data=""), "Text buttons are unallowed in the inline keyboard"),
    "button with 65 bytes": (button(callback_data="é" * 32 + "a"), "BUTTON_DATA_INVALID"),
    "button with two actions": (
        button(callback_data="a", url="https://example.org"),
        "button with callback_data and url",
    ),
    "disabled button that acts": (button(callback_data="a", disabled={}), "button with callback_data and disabled"),
    "button in another style": (button(callback_data="a", style="warning"), "Invalid style specified"),
    "button with unknown field": (button(callback_data="a", colour="red"), "button with unknown field colour"),
    "button to localhost": (
        button(url="http://localhost"),
        "inline keyboard button URL 'http://localhost' is invalid: Wrong HTTP URL",
    ),
    "copying 257 units": (button(copy_text={"text": "a" * 257}), "BUTTON_COPY_TEXT_INVALID"),
    "copying nothing": (button(copy_text={"text": ""}), "BUTTON_COPY_TEXT_INVALID"),
    "keyboard of a row": (send(reply_markup={"inline_keyboard": [{"text": "A"}]}), "must be an Array of Arrays"),
    "101 buttons": (
        send(reply_markup={"inline_keyboard": [[{"text": "A", "callback_data": "a"}]] * 101}),
        "reply markup is too long",
    ),
    "reply keyboard": (send(reply_markup={"keyboard": [["A"]]}), "inline keyboards and forced replies only"),
    "field only the schema knows": (send(link_preview_options={"disabled": True}), "schema, at link_preview_options"),
    "editing nothing": (raw("editMessageText", chat_id=7, message_id=99, text="a"), "message to edit not found"),
    "deleting nothing": (raw("deleteMessage", chat_id=7, message_id=99), "message to delete not found"),
    "pinning nothing": (raw("pinChatMessage", chat_id=7, message_id=99), "message to pin not found"),
    "unpinning nothing": (raw("unpinChatMessage", chat_id=7), "message to unpin not found"),
    "reacting to nothing": (
        raw("setMessageReaction", chat_id=7, message_id=99, reaction=[]),
        "message to react not found",
    ),
    "answering no press": (raw("answerCallbackQuery", callback_query_id="1"), "query is too old"),
    "unknown action": (raw("sendChatAction", chat_id=7, action="thinking"), "wrong parameter action in request"),
    "unknown file": (raw("getFile", file_id="none"), "invalid file_id"),
    "document by unknown id": (raw("sendDocument", chat_id=7, document="none"), "wrong file identifier"),
    "command that is none": (raw("setMyCommands", commands=["stop"]), '"commands" must be an Array of Objects'),
    "command with a capital": (
        raw("setMyCommands", commands=[{"command": "Stop", "description": "stops"}]),
        "BOT_COMMAND_INVALID",
    ),
    "too many updates": (raw("getUpdates", limit=101), "limit must be between 1 and 100"),
}


@pytest.mark.parametrize("case", CASES)
async def test_it_refuses(case: str, bot: telegram.Bot, chat: Chat, server: TelegramServer) -> None:
    """Invariant 6 rests on this: what Telegram would refuse or mangle never passes here."""
    act, words = CASES[case]
    with pytest.raises(BadRequest, match=says(words)):
        await act(bot)
    assert chat.messages == []
    assert (server.calls[-1].code, words in server.calls[-1].description) == (400, True)


async def test_the_limits_themselves_pass(bot: telegram.Bot, chat: Chat) -> None:
    keyboard = InlineKeyboardMarkup([[Button("A" * 200, callback_data="é" * 32)]] * 100)
    bold = [MessageEntity("bold", at, 1) for at in range(100)]
    await bot.send_message(7, "😀" * 2048, reply_markup=keyboard)
    await bot.send_message(7, "x" * 4096, entities=bold)
    await bot.send_document(7, b"x", caption="c" * 1024)
    assert [len(message.text) for message in chat.from_bot] == [2048, 4096, 1024]


async def test_what_may_nest_passes(bot: telegram.Bot, chat: Chat) -> None:
    await bot.send_message(
        7,
        "some text in a quote",
        entities=[
            MessageEntity("code", 5, 4),
            MessageEntity("expandable_blockquote", 0, 20),
            MessageEntity("bold", 10, 10),
            MessageEntity("text_link", 13, 7, url="https://example.org"),
            MessageEntity("pre", 0, 4, language="python"),
        ],
    )
    assert chat.from_bot[0].marked("code") == ["text"]
    assert chat.from_bot[0].marked("text_link") == ["a quote"]


async def test_text_is_cleaned_and_trimmed_as_telegram_does(bot: telegram.Bot, chat: Chat) -> None:
    sent = await bot.send_message(7, "\n a\u202eb\r\x07c  \n", entities=[MessageEntity("bold", 3, 5)])
    assert sent.text == "ab c"
    assert chat.from_bot[0].marked("bold") == ["b c"]


async def test_a_caption_of_1025_units_is_refused(bot: telegram.Bot, chat: Chat) -> None:
    with pytest.raises(BadRequest, match=says("message caption is too long")):
        await bot.send_document(7, b"x", caption="c" * 1025)


async def test_an_empty_file_is_refused(bot: telegram.Bot, chat: Chat) -> None:
    with pytest.raises(BadRequest, match=says("file must be non-empty")):
        await bot.send_document(7, b"", filename="empty.md")


async def test_a_photo_over_10_mb_is_refused(bot: telegram.Bot, chat: Chat) -> None:
    with pytest.raises(BadRequest, match=says("too big for a photo")):
        await bot.send_photo(7, b"x" * (10 * 1024 * 1024 + 1))


async def test_an_upload_over_50_mb_is_refused(bot: telegram.Bot, chat: Chat) -> None:
    with pytest.raises(NetworkError, match=says("Request Entity Too Large")):
        await bot.send_document(7, b"x" * (50 * 1024 * 1024 + 1))


async def test_a_file_over_20_mb_is_not_handed_out(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    sent = server.send_document(chat, ada, b"x", "big.bin", claimed_size=20 * 1024 * 1024 + 1)
    assert sent.file is not None
    with pytest.raises(BadRequest, match=says("file is too big")):
        await bot.get_file(sent.file.id)


async def test_an_edit_without_a_change_is_refused(bot: telegram.Bot, chat: Chat) -> None:
    keyboard = InlineKeyboardMarkup([[Button("A", callback_data="a")]])
    sent = await bot.send_message(7, "text", reply_markup=keyboard)
    with pytest.raises(BadRequest, match=says("message is not modified")):
        await bot.edit_message_text("text", 7, sent.message_id, reply_markup=keyboard)
    with pytest.raises(BadRequest, match=says("message is not modified")):
        await bot.edit_message_reply_markup(7, sent.message_id, reply_markup=keyboard)


async def test_an_edit_without_buttons_takes_them_away(bot: telegram.Bot, chat: Chat) -> None:
    keyboard = InlineKeyboardMarkup([[Button("A", callback_data="a")]])
    sent = await bot.send_message(7, "text", reply_markup=keyboard)
    await bot.edit_message_text("text", 7, sent.message_id)
    assert chat.from_bot[0].buttons == []


async def test_a_message_that_wants_a_reply_can_not_be_edited(bot: telegram.Bot, chat: Chat) -> None:
    sent = await bot.send_message(7, "Why?", reply_markup=telegram.ForceReply(input_field_placeholder="x" * 64))
    assert sent.reply_markup is None
    with pytest.raises(BadRequest, match=says("message can't be edited")):
        await bot.edit_message_text("Why not?", 7, sent.message_id)
    with pytest.raises(BadRequest, match=says("placeholder")):
        await bot.do_api_request(
            "sendmessage",
            api_kwargs={
                "chat_id": 7,
                "text": "Why?",
                "reply_markup": {"force_reply": True, "input_field_placeholder": "x" * 65},
            },
        )


async def test_an_edit_too_long_is_refused(bot: telegram.Bot, chat: Chat) -> None:
    sent = await bot.send_message(7, "text")
    with pytest.raises(BadRequest, match=says("MESSAGE_TOO_LONG")):
        await bot.edit_message_text("x" * 4097, 7, sent.message_id)


async def test_text_and_caption_are_edited_by_their_own_methods(bot: telegram.Bot, chat: Chat) -> None:
    text, document = await bot.send_message(7, "text"), await bot.send_document(7, b"x", caption="old")
    with pytest.raises(BadRequest, match=says("no text in the message to edit")):
        await bot.edit_message_text("new", 7, document.message_id)
    with pytest.raises(BadRequest, match=says("no caption in the message to edit")):
        await bot.edit_message_caption(7, text.message_id, caption="new")
    edited = await bot.edit_message_caption(7, document.message_id, caption="new")
    assert isinstance(edited, telegram.Message)
    assert edited.caption == "new"


async def test_only_the_bots_own_messages_can_be_edited(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    said = server.say(chat, ada, "mine")
    with pytest.raises(BadRequest, match=says("message can't be edited")):
        await bot.edit_message_text("yours", 7, said.id)


async def test_after_48_hours_nothing_is_deleted(bot: telegram.Bot, chat: Chat, clock: Any) -> None:
    first, second = await bot.send_message(7, "one"), await bot.send_message(7, "two")
    clock.advance(48 * 3600 - 1)
    await bot.delete_message(7, first.message_id)
    clock.advance(2)
    with pytest.raises(BadRequest, match=says("message can't be deleted for everyone")):
        await bot.delete_message(7, second.message_id)
    assert [message.text for message in chat.visible] == ["two"]


async def test_a_reply_to_a_deleted_message_passes_only_if_asked_to(bot: telegram.Bot, chat: Chat) -> None:
    await bot.send_message(7, "text", reply_to_message_id=99, allow_sending_without_reply=True)
    assert chat.from_bot[0].reply_to is None


@pytest.mark.parametrize("emoji", ["✅", "🟢"])
async def test_bots_react_with_the_fixed_list_only(emoji: str, bot: telegram.Bot, chat: Chat) -> None:
    sent = await bot.send_message(7, "text")
    with pytest.raises(BadRequest, match=says("REACTION_INVALID")):
        await bot.set_message_reaction(7, sent.message_id, emoji)


async def test_bots_have_one_reaction_a_message(bot: telegram.Bot, server: TelegramServer, chat: Chat) -> None:
    sent = await bot.send_message(7, "text")
    with pytest.raises(BadRequest, match=says("REACTIONS_TOO_MANY")):
        await bot.set_message_reaction(7, sent.message_id, ["👀", "👌"])
    await bot.set_message_reaction(7, sent.message_id, "👀")
    await bot.set_message_reaction(7, sent.message_id, "👌")
    assert chat.from_bot[0].reactions == {server.bot.id: ["👌"]}
    await bot.set_message_reaction(7, sent.message_id, [])
    assert chat.from_bot[0].reactions == {}


async def test_a_user_who_blocked_the_bot_gets_nothing(
    bot: telegram.Bot, server: TelegramServer, chat: Chat, ada: User
) -> None:
    server.block(ada)
    with pytest.raises(Forbidden, match=says("bot was blocked by the user")):
        await bot.send_message(7, "text")
    server.block(ada, blocked=False)
    await bot.send_message(7, "text")


async def test_a_bot_thrown_out_of_a_group_gets_403(bot: telegram.Bot, server: TelegramServer, ada: User) -> None:
    group = server.group("Team", ada)
    server.remove_bot(group, ada)
    with pytest.raises(Forbidden, match=says("bot was kicked from the supergroup chat")):
        await bot.send_message(group.id, "text")


async def test_a_group_that_became_a_supergroup_names_its_new_id(
    bot: telegram.Bot, server: TelegramServer, ada: User
) -> None:
    old = server.group("Team", ada, basic=True)
    new = server.migrate(old)
    with pytest.raises(ChatMigrated) as caught:
        await bot.send_message(old.id, "text")
    assert caught.value.new_chat_id == new.id
    await bot.send_message(new.id, "text")


@pytest.mark.parametrize(("token", "words"), [("123456:other", "Unauthorized"), ("other", "Not Found")])
async def test_a_wrong_token_is_refused(token: str, words: str, make_bot: Callable[..., telegram.Bot]) -> None:
    stranger = make_bot(token)
    with pytest.raises(InvalidToken, match="rejected by the server") as caught:
        await stranger.initialize()
    await stranger.shutdown()
    assert says(words).search(str(caught.value.__cause__))


async def test_an_unknown_method_is_not_found(bot: telegram.Bot, server: TelegramServer) -> None:
    with pytest.raises(EndPointNotFound):
        await bot.do_api_request("sendTelepathy")
    assert server.calls[-1].code == 404


async def test_parse_mode_passes_where_it_is_allowed() -> None:
    async with TelegramServer(strict_entities_only=False) as lenient:
        lenient.private_chat(lenient.add_user(7, "Ada"))
        async with telegram.Bot(lenient.token, base_url=f"{lenient.base_url}/bot") as bot:
            await bot.send_message(7, "text", parse_mode="HTML")


def test_a_token_of_another_form_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="a bot token looks like"):
        TelegramServer(token="secret")

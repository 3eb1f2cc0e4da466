"""The methods this server plays, with the type of every parameter. All others are 404, as unknown ones on Telegram."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bridge.sandbox.telegram import account, messages, topics
from bridge.sandbox.telegram.people import People
from bridge.sandbox.telegram.request import Kind, Request

Handler = Callable[[People, Request], Any]


@dataclass(slots=True, frozen=True)
class Method:
    """``name`` as documented. ``handler`` is None for getUpdates, which waits."""

    name: str
    handler: Handler | None
    kinds: dict[str, Kind]


CHAT = {"chat_id": Kind.CHAT}
MESSAGE = CHAT | {"message_id": Kind.INT}
TOPIC = CHAT | {"message_thread_id": Kind.INT}
TEXT = {
    "text": Kind.STR,
    "entities": Kind.ARRAY,
    "parse_mode": Kind.STR,
    "link_preview_options": Kind.OBJECT,
}
CAPTION = {"caption": Kind.STR, "caption_entities": Kind.ARRAY, "parse_mode": Kind.STR}
MARKUP = {"reply_markup": Kind.OBJECT}
SEND = (
    TOPIC | MARKUP | {"disable_notification": Kind.BOOL, "protect_content": Kind.BOOL, "reply_parameters": Kind.OBJECT}
)
COMMANDS = {"scope": Kind.OBJECT, "language_code": Kind.STR}
WEBHOOK = {
    "url": Kind.STR,
    "allowed_updates": Kind.ARRAY,
    "drop_pending_updates": Kind.BOOL,
    "max_connections": Kind.INT,
    "secret_token": Kind.STR,
}
POLL = {"offset": Kind.INT, "limit": Kind.INT, "timeout": Kind.INT, "allowed_updates": Kind.ARRAY}
ANSWER = {
    "callback_query_id": Kind.STR,
    "text": Kind.STR,
    "show_alert": Kind.BOOL,
    "url": Kind.STR,
    "cache_time": Kind.INT,
}
DOCUMENT = {"document": Kind.FILE, "disable_content_type_detection": Kind.BOOL}
NEW_TOPIC = CHAT | {"name": Kind.STR, "icon_color": Kind.INT, "icon_custom_emoji_id": Kind.STR}

ALL = [
    Method("getMe", account.get_me, {}),
    Method("getUpdates", None, POLL),
    Method("setWebhook", account.set_webhook, WEBHOOK),
    Method("deleteWebhook", account.delete_webhook, {"drop_pending_updates": Kind.BOOL}),
    Method("getWebhookInfo", account.get_webhook_info, {}),
    Method("setMyCommands", account.set_my_commands, COMMANDS | {"commands": Kind.ARRAY}),
    Method("getMyCommands", account.get_my_commands, COMMANDS),
    Method("deleteMyCommands", account.delete_my_commands, COMMANDS),
    Method("getChat", account.get_chat, CHAT),
    Method("getChatMember", account.get_chat_member, CHAT | {"user_id": Kind.INT}),
    Method("getFile", account.get_file, {"file_id": Kind.STR}),
    Method("sendChatAction", account.send_chat_action, TOPIC | {"action": Kind.STR}),
    Method("answerCallbackQuery", account.answer_callback_query, ANSWER),
    Method(
        "setMessageReaction",
        account.set_message_reaction,
        MESSAGE | {"reaction": Kind.ARRAY, "is_big": Kind.BOOL},
    ),
    Method("pinChatMessage", account.pin_chat_message, MESSAGE | {"disable_notification": Kind.BOOL}),
    Method("unpinChatMessage", account.unpin_chat_message, MESSAGE),
    Method("sendMessage", messages.send_message, SEND | TEXT),
    Method("sendDocument", messages.send_document, SEND | CAPTION | DOCUMENT),
    Method("sendPhoto", messages.send_photo, SEND | CAPTION | {"photo": Kind.FILE}),
    Method("editMessageText", messages.edit_message_text, MESSAGE | TEXT | MARKUP),
    Method("editMessageCaption", messages.edit_message_caption, MESSAGE | CAPTION | MARKUP),
    Method("editMessageReplyMarkup", messages.edit_message_reply_markup, MESSAGE | MARKUP),
    Method("editMessageMedia", messages.edit_message_media, MESSAGE | MARKUP | {"media": Kind.OBJECT}),
    Method("deleteMessage", messages.delete_message, MESSAGE),
    Method("createForumTopic", topics.create_forum_topic, NEW_TOPIC),
    Method(
        "editForumTopic",
        topics.edit_forum_topic,
        TOPIC | {"name": Kind.STR, "icon_custom_emoji_id": Kind.STR},
    ),
    Method("closeForumTopic", topics.close_forum_topic, TOPIC),
    Method("reopenForumTopic", topics.reopen_forum_topic, TOPIC),
    Method("deleteForumTopic", topics.delete_forum_topic, TOPIC),
]

# The Bot API does not care for the case of a method's name.
METHODS = {method.name.lower(): method for method in ALL}

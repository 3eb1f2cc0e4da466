"""Bot API methods about the bot itself, presses, reactions, pins and files."""

from bridge.sandbox.telegram.errors import bad_request
from bridge.sandbox.telegram.people import People
from bridge.sandbox.telegram.request import Request
from bridge.sandbox.telegram.state import CallbackAnswer, Json
from bridge.sandbox.telegram.text import utf16_length, words
from bridge.sandbox.telegram.wire import chat_json, file_json, message_json, user_json

MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024
MAX_TOAST = 200
ACTIONS = words(
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker "
    "find_location record_video_note upload_video_note"
)
# The reactions open to bots (Bot API, ReactionTypeEmoji). ✅ is not among them.
REACTIONS = words(
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤\u200d🔥 "
    "🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨\u200d💻 👀 🎃 🙈 😇 😨 "
    "🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷\u200d♂ 🤷 🤷\u200d♀ 😡"
)


def get_me(world: People, call: Request) -> Json:
    """getMe, with ``has_topics_enabled``."""
    return user_json(world.bot) | {
        "can_join_groups": True,
        "can_read_all_group_messages": False,
        "supports_inline_queries": False,
        "has_topics_enabled": world.topics_enabled,
        "allows_users_to_create_topics": world.topics_enabled,
    }


def set_webhook(world: People, call: Request) -> bool:
    """setWebhook: remembered, so that getUpdates conflicts; nothing is ever posted there."""
    call.approve(None)
    world.webhook_url = call.need("url")
    return True


def delete_webhook(world: People, call: Request) -> bool:
    """deleteWebhook."""
    call.approve(None)
    world.webhook_url = ""
    if call.get("drop_pending_updates", False):
        world.updates.clear()
    return True


def get_webhook_info(world: People, call: Request) -> Json:
    """getWebhookInfo."""
    waiting = len(world.updates.waiting)
    return {"url": world.webhook_url, "has_custom_certificate": False, "pending_update_count": waiting}


def set_my_commands(world: People, call: Request) -> bool:
    """setMyCommands: names of 1–32 small letters, digits and underscores, descriptions of 1–256 characters."""
    commands = call.objects("commands")
    if len(commands) > 100:
        raise bad_request("too many bot commands specified")
    for command in commands:
        name, about = command.get("command", ""), command.get("description", "")
        if not name.isascii() or not name.replace("_", "a").isalnum() or name != name.lower() or len(name) > 32:
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= utf16_length(about) <= 256:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    call.approve(None)
    world.commands[_scope(call)] = commands
    return True


def get_my_commands(world: People, call: Request) -> list[Json]:
    """getMyCommands."""
    return world.commands.get(_scope(call), [])


def delete_my_commands(world: People, call: Request) -> bool:
    """deleteMyCommands."""
    call.approve(None)
    world.commands.pop(_scope(call), None)
    return True


def get_chat(world: People, call: Request) -> Json:
    """getChat."""
    chat = world.chat_for_bot(call.need("chat_id"), write=False)
    shown = chat_json(chat) | {"accent_color_id": 0, "max_reaction_count": 11}
    shown |= {"accepted_gift_types": dict.fromkeys(_GIFTS, False)}
    pinned = chat.message(chat.pinned[-1]) if chat.pinned else None
    return shown if pinned is None else shown | {"pinned_message": message_json(pinned, nested=True)}


def get_chat_member(world: People, call: Request) -> Json:
    """getChatMember: people are members, the bot is an administrator."""
    chat = world.chat_for_bot(call.need("chat_id"), write=False)
    user = world.users.get(call.need("user_id"))
    if user is None:
        raise bad_request("PARTICIPANT_ID_INVALID")
    if user is world.bot and not chat.is_private:
        rights = dict.fromkeys(_RIGHTS, True)
        return {
            "status": "administrator",
            "user": user_json(user),
            "is_anonymous": False,
            "can_be_edited": False,
        } | rights
    return {"status": "member" if user.id in chat.members else "left", "user": user_json(user)}


def send_chat_action(world: People, call: Request) -> bool:
    """sendChatAction."""
    chat = world.chat_for_bot(call.need("chat_id"))
    action = call.need("action")
    if action not in ACTIONS:
        raise bad_request("wrong parameter action in request")
    thread = world.thread_for_bot(chat, call.get("message_thread_id"))
    call.approve(None)
    chat.actions.append((world.clock(), action, thread))
    world.emit("action", chat, action=action, thread=thread)
    return True


def answer_callback_query(world: People, call: Request) -> bool:
    """answerCallbackQuery: once, and soon."""
    callback = world.callbacks.get(call.need("callback_query_id"))
    text = call.get("text", "")
    if callback is None or callback.answer or world.clock() - callback.at > world.callback_seconds:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    if utf16_length(text) > MAX_TOAST:
        raise bad_request("MESSAGE_TOO_LONG")
    call.approve(None)
    callback.answer = CallbackAnswer(world.clock(), text, call.get("show_alert", False), call.get("url"))
    world.emit("answer", callback.message.chat, callback.message, callback=callback.id, text=text)
    return True


def set_message_reaction(world: People, call: Request) -> bool:
    """setMessageReaction: at most one emoji, from the fixed list."""
    chat = world.chat_for_bot(call.need("chat_id"))
    message = world.message_for_bot(chat, call.need("message_id"), "message to react")
    reactions = call.objects("reaction")
    if len(reactions) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    for reaction in reactions:
        if reaction.get("type") != "emoji" or reaction.get("emoji") not in REACTIONS:
            raise bad_request("REACTION_INVALID")
    call.approve(None)
    world.set_reactions(message, world.bot, [reaction["emoji"] for reaction in reactions])
    return True


def pin_chat_message(world: People, call: Request) -> bool:
    """pinChatMessage, with the service message Telegram adds."""
    chat = world.chat_for_bot(call.need("chat_id"))
    message = world.message_for_bot(chat, call.need("message_id"), "message to pin")
    call.approve(None)
    if message.id not in chat.pinned:
        chat.pinned.append(message.id)
        service: Json = {"pinned_message": message_json(message, nested=True)}
        silent = call.get("disable_notification", False) or chat.is_private
        world.post(chat, world.bot, service=service, thread=message.thread, silent=silent)
        world.emit("pin", chat, message)
    return True


def unpin_chat_message(world: People, call: Request) -> bool:
    """unpinChatMessage: the one named, or the latest."""
    chat = world.chat_for_bot(call.need("chat_id"))
    wanted = call.get("message_id", chat.pinned[-1] if chat.pinned else None)
    if wanted not in chat.pinned:
        raise bad_request("message to unpin not found")
    call.approve(None)
    chat.pinned.remove(wanted)
    world.emit("pin", chat, chat.message(wanted))
    return True


def get_file(world: People, call: Request) -> Json:
    """getFile, up to 20 MB."""
    file = world.files.get(call.need("file_id"))
    if file is None:
        raise bad_request("invalid file_id")
    if file.size > MAX_DOWNLOAD_BYTES:
        raise bad_request("file is too big")
    return file_json(file) | {"file_path": f"{file.kind}s/{file.id}"}


_GIFTS = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
_RIGHTS = words(
    "can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members can_promote_members "
    "can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories can_pin_messages "
    "can_manage_topics"
)


def _scope(call: Request) -> str:
    return f"{sorted(call.get('scope', {'type': 'default'}).items())} {call.get('language_code', '')}"

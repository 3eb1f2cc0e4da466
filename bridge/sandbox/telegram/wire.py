"""State as the Bot API shows it: users, chats, messages, updates in JSON."""

from bridge.sandbox.telegram.state import Chat, File, Json, Message, User


def user_json(user: User) -> Json:
    """A User."""
    shown: Json = {"id": user.id, "is_bot": user.is_bot, "first_name": user.name}
    if user.username:
        shown["username"] = user.username
    return shown if user.is_bot else shown | {"language_code": "en"}


def chat_json(chat: Chat) -> Json:
    """A Chat as it stands in messages."""
    if chat.is_private:
        person = chat.person
        shown: Json = {"id": chat.id, "type": "private", "first_name": person.name}
        return shown | ({"username": person.username} if person.username else {})
    shown = {"id": chat.id, "type": chat.kind, "title": chat.title}
    return shown | ({"is_forum": True} if chat.has_topics else {})


def file_json(file: File) -> Json:
    """What all kinds of files have in common."""
    return {"file_id": file.id, "file_unique_id": f"u{file.id}", "file_size": file.size}


def message_json(message: Message, *, nested: bool = False) -> Json:
    """A Message. ``nested`` ones (replied to) show no reply of their own."""
    shown: Json = {
        "message_id": message.id,
        "from": user_json(message.sender),
        "chat": chat_json(message.chat),
        "date": int(message.at),
    }
    if message.thread is not None:
        shown |= {"message_thread_id": message.thread, "is_topic_message": True}
    if message.edited_at is not None:
        shown["edit_date"] = int(message.edited_at)
    if message.service is not None:
        return shown | message.service
    if message.media_group is not None:
        shown["media_group_id"] = message.media_group
    if not nested and (replied := _replied_to(message)) is not None:
        shown["reply_to_message"] = message_json(replied, nested=True)
    if message.file is None:
        shown |= {"text": message.text} | ({"entities": message.entities} if message.entities else {})
    else:
        shown |= _media_json(message.file)
        if message.text:
            shown |= {"caption": message.text}
            shown |= {"caption_entities": message.entities} if message.entities else {}
    if message.reply_markup is not None and "inline_keyboard" in message.reply_markup:
        shown["reply_markup"] = message.reply_markup
    return shown


def callback_json(callback_id: str, user: User, message: Message, data: str) -> Json:
    """A CallbackQuery. It carries no time of its own: ``message.date`` is the message's."""
    return {
        "id": callback_id,
        "from": user_json(user),
        "message": message_json(message),
        "chat_instance": str(abs(message.chat.id) * 7919),
        "data": data,
    }


def _replied_to(message: Message) -> Message | None:
    if message.reply_to is not None:
        return message.chat.message(message.reply_to)
    # In a supergroup every message of a topic "replies" to the topic's creation: a trap that bots fall into.
    if message.thread is not None and not message.chat.is_private:
        return message.chat.message(message.thread)
    return None


def _media_json(file: File) -> Json:
    if file.kind == "photo":
        return {"photo": [file_json(file) | {"width": 800, "height": 600}]}
    return {"document": file_json(file) | {"file_name": file.name, "mime_type": file.mime}}

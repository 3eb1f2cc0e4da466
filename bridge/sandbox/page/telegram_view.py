"""The sandbox Telegram as the page draws it: the Bot API's own JSON, and beside it what only an app shows."""

from __future__ import annotations

from bridge.sandbox.telegram import Chat, Message, TelegramServer, User
from bridge.sandbox.telegram.state import Json
from bridge.sandbox.telegram.wire import message_json, user_json

TYPING_S = 6.0
"""How long Telegram shows that somebody types, after being told once."""


def state(server: TelegramServer, me: User) -> Json:
    """All chats in full."""
    chats = [chat_json(server, chat) | {"messages": _messages(server, chat)} for chat in server.chats.values()]
    return {"bot": user_json(server.bot), "me": user_json(me), "chats": chats}


def chat_json(server: TelegramServer, chat: Chat) -> Json:
    """A chat without its messages."""
    topics = [topic for topic in chat.topics.values() if not topic.deleted]
    commands = [command for each in server.commands.values() for command in each]
    return {
        "id": chat.id,
        "title": server.bot.name if chat.is_private else chat.title,
        "type": chat.kind,
        "has_topics": chat.has_topics,
        "topics": [{"id": topic.id, "name": topic.name, "closed": topic.closed} for topic in topics],
        "pinned": list(chat.pinned),
        "typing": _typing(server, chat),
        "commands": list({command["command"]: command for command in commands}.values()),
    }


def seen(server: TelegramServer, message: Message) -> Json:
    """A message as it stands now."""
    reactions: dict[str, list[str]] = {}
    for user, emoji in message.reactions.items():
        for each in emoji:
            reactions.setdefault(each, []).append(server.users[user].name)
    return message_json(message) | {
        "_deleted": message.deleted,
        "_silent": message.silent,
        "_reactions": reactions,
        "_edits": len(message.edits),
        "_from_bot": message.from_bot,
    }


def _messages(server: TelegramServer, chat: Chat) -> list[Json]:
    return [seen(server, message) for message in chat.messages if not message.deleted]


def _typing(server: TelegramServer, chat: Chat) -> list[Json]:
    """Where the bot types now, once per topic."""
    recent = {thread: at for at, _, thread in chat.actions if at > server.clock() - TYPING_S}
    return [{"thread": thread, "at": at} for thread, at in recent.items()]

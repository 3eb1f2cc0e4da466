"""The person's side: what people do in the sandbox Telegram, in tests, the demo and the page."""

import mimetypes
import re
from typing import Any

from bridge.sandbox.telegram.state import (
    Button,
    Callback,
    CallbackAnswer,
    Chat,
    File,
    Json,
    Message,
    Topic,
    User,
)
from bridge.sandbox.telegram.text import utf16_length
from bridge.sandbox.telegram.wire import callback_json, chat_json, message_json, user_json
from bridge.sandbox.telegram.world import SUPERGROUP, World

COMMAND = re.compile(r"(?<!\S)/[A-Za-z0-9_]{1,32}(@\w+)?")
TOPIC_COLOR = 7322096


class People(World):
    """A world with people in it. What a person does is done at once; the bot hears of it in its next poll."""

    def add_user(self, user_id: int, name: str, *, username: str | None = None) -> User:
        """Someone with a Telegram account. They have no chat with the bot yet."""
        user = self.users[user_id] = User(user_id, name, username)
        return user

    def private_chat(self, user: User, *, topics: bool | None = None) -> Chat:
        """The user's chat with the bot, started. ``topics`` defaults to what the bot has."""
        if user.id not in self.chats:
            has_topics = self.topics_enabled if topics is None else topics
            self.chats[user.id] = Chat(user.id, "private", user.name, has_topics, {user.id: user})
            self.emit("chat", self.chats[user.id])
        return self.chats[user.id]

    def group(self, title: str, *members: User, topics: bool = True, basic: bool = False) -> Chat:
        """A supergroup (``basic``: a small old-style group, without topics) with the bot as administrator."""
        number = self.number() + 1000
        people = {user.id: user for user in members}
        if basic:
            chat = Chat(-number, "group", title, False, people)
        else:
            chat = Chat(SUPERGROUP - number, "supergroup", title, topics, people)
        self.chats[chat.id] = chat
        self.post(chat, members[0] if members else self.bot, service={"group_chat_created": True}, silent=True)
        self.emit("chat", chat)
        return chat

    def say(
        self,
        chat: Chat,
        user: User,
        text: str,
        *,
        reply_to: Message | int | None = None,
        thread: Topic | int | None = None,
        entities: list[Json] | None = None,
    ) -> Message:
        """The user writes; the update queues for the bot. Commands get their entities, as Telegram adds them."""
        found = _commands(text) if entities is None else entities
        return self._send(chat, user, reply_to, thread, text=text, entities=found)

    def send_document(
        self,
        chat: Chat,
        user: User,
        data: bytes,
        name: str,
        *,
        caption: str = "",
        mime: str | None = None,
        kind: str = "document",
        claimed_size: int | None = None,
        media_group: str | None = None,
        reply_to: Message | int | None = None,
        thread: Topic | int | None = None,
    ) -> Message:
        """The user sends a file or (``kind="photo"``) a picture. Those of one ``media_group`` make an album."""
        guessed = mime or mimetypes.guess_type(name)[0] or "application/octet-stream"
        file: File = self.store_file(kind, name, guessed, data, claimed_size)
        return self._send(chat, user, reply_to, thread, text=caption, file=file, media_group=media_group)

    def edit(self, message: Message, text: str) -> None:
        """The author changes a message's text or caption; the bot gets ``edited_message``."""
        self.change(message, text=text, entities=_commands(text))
        self.updates.push("edited_message", message_json(message))

    def delete(self, message: Message) -> None:
        """A person deletes a message. Bots are not told."""
        self.remove(message)

    def press(self, message: Message, button: str, user: User, *, stale: bool = False) -> str:
        """The user presses the button with this text or callback data. Returns the callback query's id.

        ``stale`` presses a button the message no longer has, as on a screen not yet redrawn. Raises LookupError if
        there is no such button, or pressing it tells the bot nothing (a link, a copy button, a disabled one).
        """
        pressed = _earlier_button(message, button) if stale else message.button(button)
        if pressed.data is None:
            raise LookupError(f"pressing {button!r} tells the bot nothing")
        callback_id = str(4_000_000_000_000_000_000 + self.number())
        callback = Callback(callback_id, self.clock(), message, user, pressed.data)
        self.callbacks[callback_id] = callback
        self.updates.push("callback_query", callback_json(callback_id, user, message, pressed.data))
        self.emit("press", message.chat, message, callback=callback_id, button=pressed.text, user=user.id)
        return callback_id

    async def answer_to(self, callback_id: str, timeout: float = 5.0) -> CallbackAnswer:
        """What the bot showed for this press. Raises TimeoutError if it never answers."""
        callback = self.callbacks[callback_id]
        answer = await self.wait_for(lambda: callback.answer, timeout, f"an answer to the press of {callback.data}")
        assert answer is not None
        return answer

    def react(self, message: Message, user: User, *emoji: str) -> None:
        """The user's reactions become these. The bot hears of it only if it asked for ``message_reaction``."""
        before = message.reactions.get(user.id, [])
        self.set_reactions(message, user, list(emoji))
        self.updates.push(
            "message_reaction",
            {
                "chat": chat_json(message.chat),
                "message_id": message.id,
                "user": user_json(user),
                "date": int(self.clock()),
                "old_reaction": [{"type": "emoji", "emoji": one} for one in before],
                "new_reaction": [{"type": "emoji", "emoji": one} for one in emoji],
            },
        )

    def block(self, user: User, *, blocked: bool = True) -> None:
        """The user blocks the bot (or lets it in again): ``my_chat_member``, and sends get 403."""
        user.has_blocked_bot = blocked
        self._membership(self.private_chat(user), user, "kicked" if blocked else "member")

    def remove_bot(self, chat: Chat, by: User) -> None:
        """The bot is thrown out of a group."""
        chat.bot_removed = True
        self._membership(chat, by, "kicked")

    def create_topic(self, chat: Chat, user: User, name: str) -> Topic:
        """The user makes a topic; the bot gets the service message."""
        topic, message = self.add_topic(chat, user, name, TOPIC_COLOR, None)
        self.updates.push("message", message_json(message))
        return topic

    def delete_topic(self, chat: Chat, topic: Topic | int) -> None:
        """A person deletes a topic with all its messages. Bots are not told."""
        self.drop_topic(chat, chat.topics[_id(topic)])

    def close_topic(self, chat: Chat, user: User, topic: Topic | int, *, closed: bool = True) -> None:
        """An administrator of a supergroup closes or reopens a topic; the bot gets the service message."""
        chat.topics[_id(topic)].closed = closed
        service: Json = {"forum_topic_closed" if closed else "forum_topic_reopened": {}}
        message = self.post(chat, user, service=service, thread=_id(topic), silent=True)
        self.updates.push("message", message_json(message))

    def disable_topics(self, chat: Chat) -> None:
        """Topics are switched off: threads are gone, messages stay, in one stream. Bots are not told.

        getMe goes on saying what ``topics_enabled`` says: set that too where the bot's owner switched them off.
        """
        chat.has_topics = False
        for topic in chat.topics.values():
            topic.deleted = True
        self.emit("chat", chat)

    def enable_topics(self, chat: Chat) -> None:
        """Topics are switched on; earlier ones stay gone."""
        chat.has_topics = True
        self.emit("chat", chat)

    def migrate(self, chat: Chat, *, topics: bool = False) -> Chat:
        """A basic group becomes a supergroup with another id; calls with the old id get ``migrate_to_chat_id``."""
        new = self.group(chat.title, *chat.members.values(), topics=topics)
        by = next(iter(chat.members.values()), self.bot)
        leaving = self.post(chat, by, service={"migrate_to_chat_id": new.id}, silent=True)
        arriving = self.post(new, by, service={"migrate_from_chat_id": chat.id}, silent=True)
        chat.migrated_to = new.id
        for message in (leaving, arriving):
            self.updates.push("message", message_json(message))
        self.emit("chat", chat)
        return new

    def set_reactions(self, message: Message, user: User, emoji: list[str]) -> None:
        """Replaces one user's (or the bot's) reactions; none removes them."""
        if emoji:
            message.reactions[user.id] = emoji
        else:
            message.reactions.pop(user.id, None)
        self.emit("reaction", message.chat, message, user=user.id)

    def _send(
        self, chat: Chat, user: User, reply_to: Message | int | None, thread: Topic | int | None, **content: Any
    ) -> Message:
        where = None if thread is None else _id(thread)
        replied = None if reply_to is None else chat.message(_id(reply_to))
        if where is None and replied is not None:
            where = replied.thread
        message = self.post(chat, user, thread=where, reply_to=replied and replied.id, **content)
        self.updates.push("message", message_json(message))
        return message

    def _membership(self, chat: Chat, by: User, status: str) -> None:
        change: Json = {"chat": chat_json(chat), "from": user_json(by), "date": int(self.clock())}
        was = "member" if status == "kicked" else "kicked"
        for name, value in (("old_chat_member", was), ("new_chat_member", status)):
            until = {"until_date": 0} if value == "kicked" else {}
            change[name] = {"user": user_json(self.bot), "status": value} | until
        self.updates.push("my_chat_member", change)
        self.emit("chat", chat)


def _id(thing: Message | Topic | int) -> int:
    return thing if isinstance(thing, int) else thing.id


def _commands(text: str) -> list[Json]:
    return [
        {"type": "bot_command", "offset": utf16_length(text[: found.start()]), "length": len(found.group())}
        for found in COMMAND.finditer(text)
    ]


def _earlier_button(message: Message, button: str) -> Button:
    for revision in reversed(message.history):
        earlier = Message(message.chat, message.id, message.sender, message.at, reply_markup=revision.reply_markup)
        if (found := earlier.find_button(button)) is not None:
            return found
    raise LookupError(f"message {message.id} never had a button {button!r}")

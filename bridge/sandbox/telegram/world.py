"""The sandbox Telegram without HTTP: its state, and the few ways in which it changes, for both sides alike."""

import itertools
from collections.abc import Callable
from typing import Any, TypeVar

from bridge.sandbox.bus import Call, EventBus
from bridge.sandbox.telegram.errors import BotApiError, bad_request
from bridge.sandbox.telegram.events import Event
from bridge.sandbox.telegram.state import Callback, Chat, File, Json, Message, Topic, User
from bridge.sandbox.telegram.updates import UpdateQueue

T = TypeVar("T")
SUPERGROUP = -1_000_000_000_000


class World:
    """Users, chats, files, presses and the queue of updates. Nothing here may be used from another thread or loop.

    ``topics_enabled`` is getMe's ``has_topics_enabled``; ``ignores_lost_topics`` plays tdlib/telegram-bot-api#854:
    in a private chat, a send to a deleted topic goes to the main stream instead of failing.
    """

    def __init__(
        self, *, bot: User, clock: Callable[[], float], topics: bool, callback_seconds: float, strict: bool
    ) -> None:
        self.bot = bot
        self.clock = clock
        self.topics_enabled = topics
        self.ignores_lost_topics = False
        self.callback_seconds = callback_seconds
        self.strict_entities_only = strict
        self.bus: EventBus[Event] = EventBus()
        self.updates = UpdateQueue(clock)
        self.users: dict[int, User] = {bot.id: bot}
        self.chats: dict[int, Chat] = {}
        self.files: dict[str, File] = {}
        self.callbacks: dict[str, Callback] = {}
        self.calls: list[Call] = []
        self.commands: dict[str, list[Json]] = {}
        self.webhook_url = ""
        self._numbers = itertools.count(1)
        self._private_ids = itertools.count(1)

    def number(self) -> int:
        """A number never given before: for files, presses and groups."""
        return next(self._numbers)

    def emit(self, kind: str, chat: Chat | None = None, message: Message | None = None, **detail: Any) -> None:
        """Tells the subscribers and those who wait."""
        self.bus.emit(Event(kind, self.clock(), chat, message, detail=detail))

    async def wait_for(self, predicate: Callable[[], T], timeout: float = 5.0, what: str = "a condition") -> T:
        """Waits until ``predicate()`` is true, asked after each event, and returns its value.

        Raises TimeoutError naming ``what`` and the last calls the bot made.
        """
        try:
            return await self.bus.wait_for(predicate, timeout, what)
        except TimeoutError as error:
            last = [f"{call.method} {call.code} {call.description}".strip() for call in self.calls[-5:]]
            raise TimeoutError(f"{error}; the last calls were {last}") from None

    def post(self, chat: Chat, sender: User, **content: Any) -> Message:
        """Adds a message to the chat. Ids of private chats and basic groups share one count, as on Telegram."""
        if chat.kind == "supergroup":
            message_id, chat.next_id = chat.next_id, chat.next_id + 1
        else:
            message_id = next(self._private_ids)
        message = Message(chat, message_id, sender, self.clock(), **content)
        message.record(message.at)
        chat.messages.append(message)
        self.emit("message", chat, message)
        return message

    def change(self, message: Message, **content: Any) -> None:
        """Gives a message new content and notes the revision."""
        for name, value in content.items():
            setattr(message, name, value)
        message.edited_at = self.clock()
        message.record(message.edited_at)
        self.emit("edit", message.chat, message)

    def remove(self, message: Message) -> None:
        """Marks a message deleted."""
        message.deleted = True
        self.emit("delete", message.chat, message)

    def add_topic(self, chat: Chat, sender: User, name: str, color: int, icon: str | None) -> tuple[Topic, Message]:
        """A new topic; its id is that of the service message that made it."""
        created: Json = {"name": name, "icon_color": color}
        created |= {"icon_custom_emoji_id": icon} if icon else {}
        message = self.post(chat, sender, service={"forum_topic_created": created}, silent=True)
        message.thread = message.id
        topic = chat.topics[message.id] = Topic(message.id, name, color, icon)
        self.emit("topic", chat, message, topic=topic.id)
        return topic, message

    def drop_topic(self, chat: Chat, topic: Topic) -> None:
        """A topic goes with all its messages."""
        topic.deleted = True
        for message in chat.messages:
            if message.thread == topic.id and not message.deleted:
                message.deleted = True
        self.emit("topic", chat, topic=topic.id)

    def store_file(self, kind: str, name: str, mime: str, data: bytes, claimed_size: int | None = None) -> File:
        """Keeps the bytes under a new file id."""
        file = File(f"file{self.number()}", kind, name, mime, data, claimed_size)
        self.files[file.id] = file
        return file

    def chat_for_bot(self, chat_id: int | str, *, write: bool = True) -> Chat:
        """The chat a call names. Raises BotApiError where the bot can't reach it, or (``write``) may not write."""
        chat = self.chats.get(chat_id) if isinstance(chat_id, int) else None
        if chat is None:
            raise bad_request("chat not found")
        if chat.migrated_to is not None:
            raise BotApiError(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                {"migrate_to_chat_id": chat.migrated_to},
            )
        if chat.bot_removed:
            raise BotApiError(403, f"Forbidden: bot was kicked from the {chat.kind} chat")
        if write and chat.is_private and chat.person.has_blocked_bot:
            raise BotApiError(403, "Forbidden: bot was blocked by the user")
        return chat

    def thread_for_bot(self, chat: Chat, thread: int | None) -> int | None:
        """The thread a send goes to. Raises BotApiError for a topic that is gone or closed."""
        if thread is None:
            return None
        topic = chat.topics.get(thread)
        if topic is None or topic.deleted or not chat.has_topics:
            if chat.is_private and self.ignores_lost_topics:
                return None
            raise bad_request("message thread not found")
        if topic.closed:
            raise bad_request("TOPIC_CLOSED")
        return thread

    def message_for_bot(self, chat: Chat, message_id: int, what: str) -> Message:
        """The message a call names; ``what`` is Telegram's word for it, as in "message to edit not found"."""
        message = chat.message(message_id)
        if message is None:
            raise bad_request(f"{what} not found")
        return message

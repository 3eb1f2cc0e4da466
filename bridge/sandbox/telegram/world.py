"""The sandbox Telegram without HTTP: its state, and what the people in it can do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from bridge.sandbox.telegram.events import Call, EventBus
from bridge.sandbox.telegram.state import Chat, File, Message, Topic, User

T = TypeVar("T")


@dataclass(slots=True, frozen=True)
class CallbackAnswer:
    """What the bot answered to a press: a toast, or an alert box to close. ``text`` may be empty."""

    at: float
    text: str
    alert: bool
    url: str | None = None


class World:
    """People, chats and messages, and what a person can do; nothing here may be called from another thread or loop."""

    bus: EventBus
    bot: User
    users: dict[int, User]
    chats: dict[int, Chat]
    calls: list[Call]
    files: dict[str, File]

    def add_user(self, user_id: int, name: str, *, username: str | None = None) -> User:
        """Someone with a Telegram account."""
        raise NotImplementedError

    def private_chat(self, user: User, *, topics: bool | None = None) -> Chat:
        """The user's chat with the bot, started. ``topics`` defaults to what the bot has (``has_topics_enabled``)."""
        raise NotImplementedError

    def group(
        self, title: str, *members: User, topics: bool = True, basic: bool = False, chat_id: int | None = None
    ) -> Chat:
        """A supergroup (``basic``: an old small group, without topics) that the bot is in, as administrator."""
        raise NotImplementedError

    def say(
        self,
        chat: Chat,
        user: User,
        text: str,
        *,
        reply_to: Message | int | None = None,
        thread: Topic | int | None = None,
        entities: list[dict[str, Any]] | None = None,
    ) -> Message:
        """The user writes; the update queues for the bot. Returns the message (``.id``)."""
        raise NotImplementedError

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
        raise NotImplementedError

    def edit(self, message: Message, text: str) -> None:
        """The author changes a message's text (or caption); the bot gets ``edited_message``."""
        raise NotImplementedError

    def delete(self, message: Message) -> None:
        """A person deletes a message. Bots are not told."""
        raise NotImplementedError

    def press(self, message: Message, button: str, user: User) -> str:
        """The user presses the button with this text or callback data. Returns the callback query's id.
        Raises LookupError if there is no such button or it has no callback data or is disabled."""
        raise NotImplementedError

    async def answer_to(self, callback_id: str, timeout: float = 5.0) -> CallbackAnswer:
        """What the bot showed for this press. Raises TimeoutError if it never answers."""
        raise NotImplementedError

    def react(self, message: Message, user: User, *emoji: str) -> None:
        """The user's reactions become these. The bot is told only if it asked for ``message_reaction``."""
        raise NotImplementedError

    def block(self, user: User, *, blocked: bool = True) -> None:
        """The user blocks the bot (or lets it in again): ``my_chat_member``, and sends get 403."""
        raise NotImplementedError

    def create_topic(self, chat: Chat, user: User, name: str) -> Topic:
        """The user makes a topic."""
        raise NotImplementedError

    def delete_topic(self, chat: Chat, topic: Topic | int) -> None:
        """A person deletes a topic with all its messages. Bots are not told."""
        raise NotImplementedError

    def close_topic(self, chat: Chat, topic: Topic | int, *, closed: bool = True) -> None:
        """An administrator of a supergroup closes (or reopens) a topic; the bot gets the service message."""
        raise NotImplementedError

    def disable_topics(self, chat: Chat) -> None:
        """Topics are switched off in the chat: its topics are gone, its messages stay, in one stream."""
        raise NotImplementedError

    def enable_topics(self, chat: Chat) -> None:
        """Topics are switched on."""
        raise NotImplementedError

    def migrate(self, chat: Chat) -> Chat:
        """A basic group becomes a supergroup with another id; calls with the old id get ``migrate_to_chat_id``."""
        raise NotImplementedError

    def remove_bot(self, chat: Chat) -> None:
        """The bot is thrown out of a group."""
        raise NotImplementedError

    async def wait_for(
        self, predicate: Callable[[], T], timeout: float = 5.0, what: str = "a condition"
    ) -> T:
        """Waits until ``predicate()`` is true, asked after each event, and returns its value. TimeoutError names ``what``."""
        raise NotImplementedError

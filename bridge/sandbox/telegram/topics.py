"""Bot API methods for forum topics: in supergroups, and in private chats where the bot has topics."""

from bridge.sandbox.telegram.errors import bad_request, stricter
from bridge.sandbox.telegram.request import Request
from bridge.sandbox.telegram.state import Chat, Json, Topic
from bridge.sandbox.telegram.text import utf16_length
from bridge.sandbox.telegram.world import World

COLORS = (7322096, 16766590, 13338331, 9367192, 16749490, 16478047)
MAX_NAME = 128


def create_forum_topic(world: World, call: Request) -> Json:
    """createForumTopic."""
    chat = world.chat_for_bot(call.need("chat_id"))
    if not chat.has_topics:
        raise bad_request("the chat is not a forum")
    name = _name(call.need("name"))
    color = call.get("icon_color", COLORS[0])
    if color not in COLORS:
        raise stricter(f"icon_color {color}; there are {COLORS}")
    call.approve(None)
    topic, _ = world.add_topic(chat, world.bot, name, color, call.get("icon_custom_emoji_id"))
    shown: Json = {"message_thread_id": topic.id, "name": topic.name, "icon_color": topic.icon_color}
    if topic.icon_custom_emoji_id:
        shown["icon_custom_emoji_id"] = topic.icon_custom_emoji_id
    return shown


def edit_forum_topic(world: World, call: Request) -> bool:
    """editForumTopic. A change that changes nothing is refused."""
    chat, topic = _topic(world, call)
    name = _name(call.params["name"]) if call.get("name") else topic.name
    icon = call.get("icon_custom_emoji_id", topic.icon_custom_emoji_id)
    if (name, icon) == (topic.name, topic.icon_custom_emoji_id):
        raise bad_request("TOPIC_NOT_MODIFIED")
    call.approve(None)
    topic.name, topic.icon_custom_emoji_id = name, icon
    service: Json = {"forum_topic_edited": {"name": name}}
    world.post(chat, world.bot, service=service, thread=topic.id, silent=True)
    world.emit("topic", chat, topic=topic.id)
    return True


def close_forum_topic(world: World, call: Request) -> bool:
    """closeForumTopic, in supergroups only."""
    return _set_closed(world, call, closed=True)


def reopen_forum_topic(world: World, call: Request) -> bool:
    """reopenForumTopic, in supergroups only."""
    return _set_closed(world, call, closed=False)


def delete_forum_topic(world: World, call: Request) -> bool:
    """deleteForumTopic, with all its messages."""
    chat, topic = _topic(world, call)
    call.approve(None)
    world.drop_topic(chat, topic)
    return True


def _topic(world: World, call: Request) -> tuple[Chat, Topic]:
    chat = world.chat_for_bot(call.need("chat_id"))
    if not chat.has_topics:
        raise bad_request("the chat is not a forum")
    topic = chat.topics.get(call.need("message_thread_id"))
    if topic is None or topic.deleted:
        raise bad_request("TOPIC_ID_INVALID")
    return chat, topic


def _name(name: str) -> str:
    if not name.strip():
        raise bad_request("TOPIC_TITLE_EMPTY")
    if utf16_length(name) > MAX_NAME:
        raise stricter(f"topic name of {utf16_length(name)} units; Telegram cuts it at {MAX_NAME}")
    return name.strip()


def _set_closed(world: World, call: Request, *, closed: bool) -> bool:
    chat, topic = _topic(world, call)
    if chat.is_private:
        raise bad_request("the chat is not a supergroup forum")
    if topic.closed == closed:
        raise bad_request("TOPIC_NOT_MODIFIED")
    call.approve(None)
    topic.closed = closed
    service: Json = {"forum_topic_closed" if closed else "forum_topic_reopened": {}}
    world.post(chat, world.bot, service=service, thread=topic.id, silent=True)
    world.emit("topic", chat, topic=topic.id)
    return True

"""Telegram updates to intents: pure, and total for whatever JSON arrives (invariant 5).

An update that asks nothing of the bridge is ``None``: service messages, other bots, channel posts, commands meant for
another bot. What a person sent and the bridge can't pass on is :class:`Unsupported`, never ``None``.
"""

from __future__ import annotations

import re
from typing import Any

from bridge.cards.text import clean
from bridge.chat.intents import Command, Edited, Intent, Person, PlaceChanged, Press, Say, Unsupported, Where
from bridge.language import N_, tr

Json = dict[str, Any]

WANTED = ("message", "edited_message", "callback_query", "my_chat_member")
"""The kinds of update that are asked for; ``intent_of`` knows these and no others."""

_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]{3,32}))?(?![\w/<>@])")
"""What Telegram's own clients mark as a command: not the beginning of a path (``/home/me``)."""

_CONTENT = {
    "animation": N_("an animation"),  # comes with a document too
    "document": N_("a file"),
    "photo": N_("a photo"),
    "video": N_("a video"),
    "voice": N_("a voice message"),
    "video_note": N_("a video message"),
    "audio": N_("an audio file"),
    "sticker": N_("a sticker"),
    "story": N_("a story"),
    "contact": N_("a contact"),
    "venue": N_("a venue"),  # comes with a location too
    "location": N_("a location"),
    "poll": N_("a poll"),
    "checklist": N_("a checklist"),
    "dice": N_("a dice"),
    "game": N_("a game"),
    "invoice": N_("an invoice"),
    "paid_media": N_("paid media"),
    "giveaway": N_("a giveaway"),
    "rich_message": N_("a rich message"),
}
_SERVICE = re.compile(
    r"(new|left)_chat_\w+|delete_chat_photo|(group|supergroup|channel)_chat_created|message_auto_delete_timer_changed"
    r"|migrate_(to|from)_chat_id|pinned_message|(general_)?forum_topic_\w+|video_chat_\w+|voice_chat_\w+|\w+_shared"
    r"|(successful|refunded)_payment|connected_website|write_access_allowed|passport_data|proximity_alert_triggered"
    r"|boost_added|chat_background_set|giveaway_\w+|web_app_data|(unique_)?gift\w*|\w+_price_changed|suggested_post_\w+"
    r"|checklist_tasks_\w+|chat_owner_\w+|managed_bot_\w+|poll_option_\w+"
)
"""Fields of messages that nobody wrote."""

_MEMBER = frozenset({"member", "administrator", "creator"})
_GONE = frozenset({"kicked", "left"})


def intent_of(payload: Json, username: str | None = None) -> Intent | None:
    """What the person wants who caused this update (the update's own JSON), or ``None`` if nothing.

    ``username`` is the bot's, without ``@``: a command addressed to another bot is ``None``. While it is unknown,
    addressed commands count in private chats only. In a group that lets the bot read everything, only what is
    addressed to it is for it: see :func:`_calls_us`.
    """
    if message := _object(payload, "message"):
        return _of_message(message, username or "")
    if message := _object(payload, "edited_message"):
        return _of_edit(message, username or "")
    if query := _object(payload, "callback_query"):
        return _of_press(query)
    if change := _object(payload, "my_chat_member"):
        return _of_membership(change)
    return None


def _of_message(message: Json, username: str) -> Intent | None:
    where = _where(message)
    if where is None:
        return None
    if moved := _moved(message, where):
        return moved
    person, number = _person(message), _id(message, "message_id")
    if person is None or number is None:
        return None
    text, called = _text(message, "text"), _calls_us(message, username, where)
    if not text:
        return _of_other_content(message, person, where, number, called)
    reply_to, at = _reply_to(message), _milliseconds(message)
    if username and (mention := _our_mention(username).match(text)):
        text = text[mention.end() :]
        if not text:
            return Command(person, where, number, "help", "", reply_to, at)
    command = _COMMAND.match(text)
    if command is None:
        return Say(person, where, number, text, reply_to, at, called)
    name, addressee = command.groups()
    if addressee is not None and not _is_me(addressee, username, where):
        return None
    rest, called = text[command.end() :], called or addressee is not None
    typed = f"/{name}{rest}".rstrip()
    return Command(person, where, number, name.lower(), rest.strip(), reply_to, at, typed, called)


def _calls_us(message: Json, username: str, where: Where) -> bool:
    """Whether a message is meant for the bot: in private, as a reply to one of its own, or with its name in it."""
    if where.private:
        return True
    if _reply_to(message) is not None and _is_us(_object(_object(message, "reply_to_message"), "from"), username):
        return True
    for field, entities in (("text", "entities"), ("caption", "caption_entities")):
        if username and _our_mention(username, anywhere=True).search(_text(message, field)):
            return True
        found = message.get(entities)
        for one in found if isinstance(found, list) else ():
            if _text(one, "type") == "text_mention" and _is_us(_object(one, "user"), username):
                return True
    return False


def _is_us(user: Json, username: str) -> bool:
    return username != "" and _text(user, "username").lower() == username.lower()


def _our_mention(username: str, *, anywhere: bool = False) -> re.Pattern[str]:
    """Our name as Telegram marks it: no letter, digit or mark around it. At the beginning with what sets it off."""
    name = rf"@{re.escape(username)}(?![A-Za-z0-9_])"
    return re.compile(rf"(?<![A-Za-z0-9_@/]){name}" if anywhere else rf"\s*{name}[\s,:]*", re.IGNORECASE)


def _of_other_content(message: Json, person: Person, where: Where, number: str, called: bool) -> Unsupported | None:
    known = next((words for field, words in _CONTENT.items() if field in message), None)
    if known is None:
        service = any(_SERVICE.fullmatch(field) for field in message)
        return None if service else Unsupported(person, where, number, addressed=called)
    kind = tr(known)
    if name := _text(_object(message, "document"), "file_name"):
        kind = f"{kind} ({name})"
    if caption := _text(message, "caption"):
        # Said back word for word: what the person wrote under it must not be lost with the file.
        kind = tr("{what} with the words “{text}”", what=kind, text=caption)
    return Unsupported(person, where, number, kind, called)


def _of_edit(message: Json, username: str) -> Edited | None:
    where, person, number = _where(message), _person(message), _id(message, "message_id")
    text = _text(message, "text") or _text(message, "caption")
    if username and (mention := _our_mention(username).match(text)):
        text = text[mention.end() :]
    if where is None or person is None or number is None or not text:
        return None
    return Edited(person, where, number, text)


def _of_press(query: Json) -> Press | None:
    """Also of a message too old to be shown in full, which carries chat and id alone."""
    message = _object(query, "message")
    where, person, number = _where(message), _user(_object(query, "from")), _id(message, "message_id")
    press, token = _id(query, "id"), _text(query, "data")
    if where is None or person is None or number is None or press is None or not token:
        return None
    return Press(person, where, number, token, press)


def _of_membership(change: Json) -> PlaceChanged | None:
    where = _where(change)
    new, old = (_may_write(_object(change, field)) for field in ("new_chat_member", "old_chat_member"))
    if where is None or new is None or new == old:
        return None
    return PlaceChanged(where, "unblocked" if new else "blocked")


def _may_write(member: Json) -> bool | None:
    status = _text(member, "status")
    if status == "restricted":
        return member.get("is_member") is not False and member.get("can_send_messages") is not False
    return True if status in _MEMBER else False if status in _GONE else None


def _moved(message: Json, where: Where) -> PlaceChanged | None:
    """A group that became a supergroup says so twice, in the old chat and in the new one; either will do."""
    if new := _id(message, "migrate_to_chat_id"):
        return PlaceChanged(where, "moved", new)
    if old := _id(message, "migrate_from_chat_id"):
        return PlaceChanged(Where(old, None, private=False), "moved", where.chat)
    return None


def _where(holder: Json) -> Where | None:
    """The chat, and the topic. A thread that is no topic is only a chain of replies, and no place."""
    chat = _object(holder, "chat")
    number, kind = _id(chat, "id"), chat.get("type")
    if number is None or kind == "channel":
        return None
    thread = _id(holder, "message_thread_id") if holder.get("is_topic_message") is True else None
    return Where(number, thread, private=kind == "private")


def _reply_to(message: Json) -> str | None:
    """The message replied to. In a topic, messages "reply" to the service message that made it: that is no reply."""
    replied = _object(message, "reply_to_message")
    number = _id(replied, "message_id")
    if "forum_topic_created" in replied or (
        number == _id(message, "message_thread_id") and message.get("is_topic_message") is True
    ):
        return None
    return number


def _person(message: Json) -> Person | None:
    """Who wrote it: a person, or a group's anonymous administrators, who go by the group's id. Bots are nobody."""
    if message.get("is_automatic_forward") is True:
        return None
    sender_chat, chat = _object(message, "sender_chat"), _object(message, "chat")
    anonymous = _id(sender_chat, "id")
    if anonymous is not None and anonymous == _id(chat, "id"):
        return Person(anonymous, _text(sender_chat, "title") or anonymous)
    return _user(_object(message, "from"))


def _user(user: Json) -> Person | None:
    number = _id(user, "id")
    if number is None or user.get("is_bot") is True:
        return None
    names = (_text(user, "first_name"), _text(user, "last_name"))
    return Person(number, " ".join(filter(None, names)) or _text(user, "username") or number)


def _is_me(addressee: str, username: str, where: Where) -> bool:
    return addressee.lower() == username.lower() if username else where.private


def _milliseconds(message: Json) -> int:
    date = message.get("date")
    return date * 1000 if isinstance(date, int) and not isinstance(date, bool) else 0


def _object(holder: Any, field: str) -> Json:
    value = holder.get(field) if isinstance(holder, dict) else None
    return value if isinstance(value, dict) else {}


def _text(holder: Json, field: str) -> str:
    value = holder.get(field)
    return str(clean(value)) if isinstance(value, str) else ""


def _id(holder: Json, field: str) -> str | None:
    """An id as text: a number, or a text that is not empty."""
    value = holder.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return str(clean(value)) if isinstance(value, str) and value else None

"""Telegram updates to intents: pure, and total for whatever JSON arrives (invariant 5).

An update that asks nothing of the bridge is ``None``: service messages, other bots, channel posts, commands meant for
another bot. What a person sent and the bridge can't pass on is :class:`Unsupported`, never ``None``.
"""

from __future__ import annotations

import re

from bridge.chat.intents import Command, Edited, Intent, Person, PlaceChanged, Press, Say, Unsupported, Where
from bridge.chat.telegram.content import files_of, other_content
from bridge.chat.telegram.reading import Json, child, identity, string

WANTED = ("message", "edited_message", "callback_query", "my_chat_member")
"""The kinds of update that are asked for; ``intent_of`` knows these and no others."""

_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]{3,32}))?(?![\w/<>@])")
"""What Telegram's own clients mark as a command: not the beginning of a path (``/home/me``)."""

_MEMBER = frozenset({"member", "administrator", "creator"})
_GONE = frozenset({"kicked", "left"})


def intent_of(payload: Json, username: str | None = None) -> Intent | None:
    """What the person wants who caused this update (the update's own JSON), or ``None`` if nothing.

    ``username`` is the bot's, without ``@``: a command addressed to another bot is ``None``. While it is unknown,
    addressed commands count in private chats only. In a group that lets the bot read everything, only what is
    addressed to it is for it: see :func:`_calls_us`.
    """
    if message := child(payload, "message"):
        return _of_message(message, username or "")
    if message := child(payload, "edited_message"):
        return _of_edit(message, username or "")
    if query := child(payload, "callback_query"):
        return _of_press(query)
    if change := child(payload, "my_chat_member"):
        return _of_membership(change)
    return None


def _of_message(message: Json, username: str) -> Intent | None:
    where = _where(message)
    if where is None:
        return None
    if moved := _moved(message, where):
        return moved
    person, number = _person(message), identity(message, "message_id")
    if person is None or number is None:
        return None
    files, called = files_of(message, number), _calls_us(message, username, where)
    text, album = string(message, "caption" if files else "text"), string(message, "media_group_id")
    if not text and not files:
        content = other_content(message)
        return None if content is None else Unsupported(person, where, number, content, called)
    reply_to, at = _reply_to(message), _milliseconds(message)
    if username and (mention := _our_mention(username).match(text)):
        text = text[mention.end() :]
        if not text and not files:
            return Command(person, where, number, "help", "", reply_to, at)
    command = _COMMAND.match(text)
    if command is None:
        return Say(person, where, number, text, reply_to, at, called, files, album)
    name, addressee = command.groups()
    if addressee is not None and not _is_me(addressee, username, where):
        return None
    rest, called = text[command.end() :], called or addressee is not None
    typed = f"/{name}{rest}".rstrip()
    return Command(person, where, number, name.lower(), rest.strip(), reply_to, at, typed, called, files, album)


def _calls_us(message: Json, username: str, where: Where) -> bool:
    """Whether a message is meant for the bot: in private, as a reply to one of its own, or with its name in it."""
    if where.private:
        return True
    if _reply_to(message) is not None and _is_us(child(child(message, "reply_to_message"), "from"), username):
        return True
    for field, entities in (("text", "entities"), ("caption", "caption_entities")):
        if username and _our_mention(username, anywhere=True).search(string(message, field)):
            return True
        found = message.get(entities)
        for one in found if isinstance(found, list) else ():
            if string(one, "type") == "text_mention" and _is_us(child(one, "user"), username):
                return True
    return False


def _is_us(user: Json, username: str) -> bool:
    return username != "" and string(user, "username").lower() == username.lower()


def _our_mention(username: str, *, anywhere: bool = False) -> re.Pattern[str]:
    """Our name as Telegram marks it: no letter, digit or mark around it. At the beginning with what sets it off."""
    name = rf"@{re.escape(username)}(?![A-Za-z0-9_])"
    return re.compile(rf"(?<![A-Za-z0-9_@/]){name}" if anywhere else rf"\s*{name}[\s,:]*", re.IGNORECASE)


def _of_edit(message: Json, username: str) -> Edited | None:
    where, person, number = _where(message), _person(message), identity(message, "message_id")
    text = string(message, "text") or string(message, "caption")
    if username and (mention := _our_mention(username).match(text)):
        text = text[mention.end() :]
    if where is None or person is None or number is None or not (text or files_of(message, number)):
        return None
    return Edited(person, where, number, text)


def _of_press(query: Json) -> Press | None:
    """Also of a message too old to be shown in full, which carries chat and id alone."""
    message = child(query, "message")
    where, person, number = _where(message), _user(child(query, "from")), identity(message, "message_id")
    press, token = identity(query, "id"), string(query, "data")
    if where is None or person is None or number is None or press is None or not token:
        return None
    return Press(person, where, number, token, press)


def _of_membership(change: Json) -> PlaceChanged | None:
    where = _where(change)
    new, old = (_may_write(child(change, field)) for field in ("new_chat_member", "old_chat_member"))
    if where is None or new is None or new == old:
        return None
    return PlaceChanged(where, "unblocked" if new else "blocked")


def _may_write(member: Json) -> bool | None:
    status = string(member, "status")
    if status == "restricted":
        return member.get("is_member") is not False and member.get("can_send_messages") is not False
    return True if status in _MEMBER else False if status in _GONE else None


def _moved(message: Json, where: Where) -> PlaceChanged | None:
    """A group that became a supergroup says so twice, in the old chat and in the new one; either will do."""
    if new := identity(message, "migrate_to_chat_id"):
        return PlaceChanged(where, "moved", new)
    if old := identity(message, "migrate_from_chat_id"):
        return PlaceChanged(Where(old, None, private=False), "moved", where.chat)
    return None


def _where(holder: Json) -> Where | None:
    """The chat, and the topic. A thread that is no topic is only a chain of replies, and no place."""
    chat = child(holder, "chat")
    number, kind = identity(chat, "id"), chat.get("type")
    if number is None or kind == "channel":
        return None
    thread = identity(holder, "message_thread_id") if holder.get("is_topic_message") is True else None
    return Where(number, thread, private=kind == "private")


def _reply_to(message: Json) -> str | None:
    """The message replied to. In a topic, messages "reply" to the service message that made it: that is no reply."""
    replied = child(message, "reply_to_message")
    number = identity(replied, "message_id")
    if "forum_topic_created" in replied or (
        number == identity(message, "message_thread_id") and message.get("is_topic_message") is True
    ):
        return None
    return number


def _person(message: Json) -> Person | None:
    """Who wrote it: a person, or a group's anonymous administrators, who go by the group's id. Bots are nobody."""
    if message.get("is_automatic_forward") is True:
        return None
    sender_chat, chat = child(message, "sender_chat"), child(message, "chat")
    anonymous = identity(sender_chat, "id")
    if anonymous is not None and anonymous == identity(chat, "id"):
        return Person(anonymous, string(sender_chat, "title") or anonymous)
    return _user(child(message, "from"))


def _user(user: Json) -> Person | None:
    number = identity(user, "id")
    if number is None or user.get("is_bot") is True:
        return None
    names = (string(user, "first_name"), string(user, "last_name"))
    return Person(number, " ".join(filter(None, names)) or string(user, "username") or number)


def _is_me(addressee: str, username: str, where: Where) -> bool:
    return addressee.lower() == username.lower() if username else where.private


def _milliseconds(message: Json) -> int:
    date = message.get("date")
    return date * 1000 if isinstance(date, int) and not isinstance(date, bool) else 0

"""Addresses: how the Bot API names a chat and a topic, and where a person's browser finds them."""

from __future__ import annotations

from bridge.chat.surface import Place
from bridge.chat.telegram.client import Params


def chat_id(chat: str) -> int | str:
    """Ids are numbers; a public chat may also go by its ``@name``."""
    return chat if chat.startswith("@") else int(chat)


def place_params(place: Place) -> Params:
    """What a call's parameters say of where it goes."""
    address: Params = {"chat_id": chat_id(place.chat)}
    return address if place.thread is None else address | {"message_thread_id": int(place.thread)}


def link(place: Place, message: str | None) -> str | None:
    """Only supergroups have addresses (core.telegram.org/api/links); their ids begin with -100."""
    if not place.chat.startswith("-100"):
        return None
    steps = [place.chat.removeprefix("-100"), *(step for step in (place.thread, message) if step)]
    return f"https://t.me/c/{'/'.join(steps)}" if len(steps) > 1 else None

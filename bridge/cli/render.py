"""``hapi-bridge render``: what the bridge would send, as the platform's own API calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bridge.cards.model import Card, Markdown
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.render import render as render_telegram

Call = dict[str, Any]

PLACEHOLDER_CHAT = 1
"""Stands for the chat, which only a running bridge knows."""


def render_markdown(text: str, to: str) -> list[Call]:
    """An agent's answer in full, as calls: every part a message, as after *Send all here*.

    ``to`` is ``telegram``. Each call is ``{"method": …, "params": {…}}``; one that uploads has the uploaded text
    beside it (``"files": {name: text}``), where ``params`` refers to it as ``attach://name``. Raises ``ValueError``
    for another ``to``.
    """
    if to != "telegram":
        raise ValueError(f"can't render Markdown to {to!r}: telegram is known")
    card = Card(pieces=(Markdown(source=text),))
    return telegram_calls(render_telegram("render", card, Place(conversation=0, chat=str(PLACEHOLDER_CHAT))))


def telegram_calls(parts: Iterable[Part]) -> list[Call]:
    """Parts as Bot API calls, addressed to the placeholder chat."""
    return [_telegram_call(part) for part in parts]


def _telegram_call(part: Part) -> Call:
    if part.file is None:
        return {"method": "sendMessage", "params": {"chat_id": PLACEHOLDER_CHAT, **part.payload}}
    params = {"chat_id": PLACEHOLDER_CHAT, "document": f"attach://{part.file.name}", **part.payload}
    return {"method": "sendDocument", "params": params, "files": {part.file.name: part.file.text}}

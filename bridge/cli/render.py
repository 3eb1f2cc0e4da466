"""``hapi-bridge render``: what the bridge would send, as the platform's own API calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bridge.cards.model import Card, Markdown
from bridge.chat.slack.render import render as render_slack
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.render import render as render_telegram

Call = dict[str, Any]

PLACEHOLDER_CHAT = 1
"""Stands for the chat, which only a running bridge knows."""
PLACEHOLDER_CHANNEL = "C0000000000"
PLACEHOLDER_FILE = "F0000000000"
"""Stands for the id that Slack gives a file when its upload begins."""


def render_markdown(text: str, to: str) -> list[Call]:
    """An agent's answer in full, as calls: every part a message, as after *Send all here*.

    ``to`` is ``telegram`` or ``slack``. Each call is ``{"method": …, "params": {…}}``; one that uploads has the
    uploaded text beside it (``"files": {name: text}``). Raises ``ValueError`` for another ``to``.
    """
    if to not in PLATFORMS:
        raise ValueError(f"can't render Markdown to {to!r}: {' and '.join(PLATFORMS)} are known")
    return PLATFORMS[to].draw("render", Card(pieces=(Markdown(source=text),)))


@dataclass(frozen=True, slots=True)
class Platform:
    """How a platform draws cards, and what its calls look like."""

    render: Callable[[str, Card, Place], list[Part]]
    calls: Callable[[Iterable[Part]], list[Call]]

    def draw(self, key: str, card: Card) -> list[Call]:
        """The calls that post a card, addressed to a placeholder."""
        return self.calls(self.render(key, card, Place(conversation=0, chat=str(PLACEHOLDER_CHAT))))


def telegram_calls(parts: Iterable[Part]) -> list[Call]:
    """Parts as Bot API calls, addressed to the placeholder chat; an uploaded file is ``attach://name``."""
    return [_telegram_call(part) for part in parts]


def slack_calls(parts: Iterable[Part]) -> list[Call]:
    """Parts as Web API calls, addressed to the placeholder channel; an upload is two of them."""
    return [call for part in parts for call in _slack_calls(part)]


PLATFORMS: Mapping[str, Platform] = MappingProxyType(
    {"telegram": Platform(render_telegram, telegram_calls), "slack": Platform(render_slack, slack_calls)}
)


def _telegram_call(part: Part) -> Call:
    if part.file is None:
        return {"method": "sendMessage", "params": {"chat_id": PLACEHOLDER_CHAT, **part.payload}}
    params = {"chat_id": PLACEHOLDER_CHAT, "document": f"attach://{part.file.name}", **part.payload}
    return {"method": "sendDocument", "params": params, "files": {part.file.name: part.file.text}}


def _slack_calls(part: Part) -> list[Call]:
    if part.file is None:
        return [{"method": "chat.postMessage", "params": {"channel": PLACEHOLDER_CHANNEL, **part.payload}}]
    file = part.file
    begin = {"filename": file.name, "length": len(file.text.encode())}
    shared = {"files": [{"id": PLACEHOLDER_FILE, "title": file.name}], "channel_id": PLACEHOLDER_CHANNEL}
    return [
        {"method": "files.getUploadURLExternal", "params": begin, "files": {file.name: file.text}},
        {"method": "files.completeUploadExternal", "params": {**shared, **part.payload}},
    ]

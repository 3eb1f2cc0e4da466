"""A message's plainest form: what Slack shows when it refuses everything finer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bridge.cards.addresses import address_shown
from bridge.cards.text import has_visible, reach
from bridge.chat.slack.lines import Json
from bridge.chat.slack.mrkdwn import escape
from bridge.chat.slack.render_markdown import read_markdown

MAX_SECTION = 3000
MAX_TEXT = 39_000
"""Slack cuts ``text`` off at 40,000 characters."""


def dull_payload(payload: Json) -> Json | None:
    """The same words in plain text: first in the plainest blocks, with buttons that act; then, where there are no
    such buttons, as ``text`` alone. ``None`` if it is already plain."""
    if not payload["attachments"] and all(map(_is_dull, payload["blocks"])):
        return _text_alone(payload)
    plain: list[Json] = []
    for text in pieces(plain_text([*payload["blocks"], *_attached(payload)]), MAX_SECTION):
        if has_visible(text):
            plain.append({"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}})
    buttons = list(_acting([*payload["blocks"], *_attached(payload)]))
    blocks = [*plain, *buttons]
    return {**payload, "blocks": blocks, "attachments": []} if blocks else None


def _text_alone(payload: Json) -> Json | None:
    whole = escape(plain_text(payload["blocks"]))
    buttons = any(block["type"] == "actions" for block in payload["blocks"])
    if buttons or not payload["blocks"] or len(whole) > MAX_TEXT:
        return None
    return {**payload, "text": whole, "blocks": []}


def _is_dull(block: Json) -> bool:
    if block["type"] == "actions":
        return not any(each.keys() & {"style", "url"} for each in block["elements"])
    return bool(block["type"] == "section" and block["text"]["type"] == "plain_text")


def plain_text(blocks: Iterable[Json]) -> str:
    """The words of blocks, without styles; where a link leads stands behind it."""
    return "\n".join(text for block in blocks if (text := _words(block)))


def pieces(text: str, most: int) -> Iterator[str]:
    """A text in pieces of at most ``most`` UTF-16 units, cut at line ends where that is possible."""
    at = 0
    while at < len(text):
        end = reach(text, at, most, force=True)
        if end < len(text):
            broken = text.rfind("\n", at + most // 2, end)
            end = broken + 1 if broken > at else end
        yield text[at:end]
        at = end


def _words(block: Json) -> str:
    kind = block.get("type")
    if kind == "markdown":
        return "\n".join(
            f"{item.lead} {item.text}" if item.lead else item.text for item in read_markdown(block["text"])
        )
    if kind == "rich_text":
        return "".join(_rich(element) for element in block["elements"]).strip("\n")
    if kind == "table":
        return "\n".join(" | ".join(map(_cell, row)) for row in block["rows"])
    if kind == "section":
        return str(block["text"]["text"])
    if kind == "context":
        return " ".join(str(each["text"]) for each in block["elements"])
    return "────" if kind == "divider" else ""


def _rich(element: Json) -> str:
    kind = element["type"]
    if kind == "rich_text_list":
        indent = "   " * int(element.get("indent", 0))
        return "".join(f"\n{indent}• {_inline(item['elements'])}" for item in element["elements"]) + "\n"
    return f"\n{_inline(element['elements'])}\n"


def _inline(elements: Iterable[Json]) -> str:
    words = []
    for each in elements:
        text = str(each.get("text") or each.get("fallback") or "")
        address = str(each.get("url", ""))
        words.append(text if not address or address_shown(text, address) else f"{text} ({address})")
    return "".join(words)


def _cell(cell: Json) -> str:
    return str(cell["text"]) if cell["type"] == "raw_text" else _words(cell)


def _attached(payload: Json) -> list[Json]:
    return [block for one in payload["attachments"] for block in one["blocks"]]


def _acting(blocks: Iterable[Json]) -> Iterator[Json]:
    for block in blocks:
        if block["type"] == "actions":
            kept: list[Any] = [
                {name: value for name, value in each.items() if name != "style"}
                for each in block["elements"]
                if "url" not in each
            ]
            if kept:
                yield {"type": "actions", "elements": kept}

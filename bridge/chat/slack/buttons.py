"""A card's buttons as actions blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridge.cards.model import Button, button_token
from bridge.cards.text import has_visible, reach, utf16_len
from bridge.chat.slack.lines import Json, sanitize
from bridge.chat.slack.links import link_or_none

INERT = "-"
"""``action_id`` of a button that only says what has happened, or only opens an address: ``-1``, ``-2``, …"""

MAX_LABEL = 75
MAX_IN_BLOCK = 25
MAX_BUTTONS = 100
_MOST_BLOCKS = 8
_MOST_WEIGHT = 6_000
_WEIGHT = 40


def actions(key: str, rows: Iterable[tuple[Button, ...]]) -> list[Json]:
    """Actions blocks for a card's rows, one each while they are few; empty if no button remains.

    ``action_id`` is the act's token, so a press says what it is for. Buttons that copy are left out (Slack copies by
    itself), so are addresses Slack does not take, and a second button for the same act (ids are unique in a message).
    """
    seen: set[str] = set()
    drawn = [[each for button in row if (each := _button(key, button, seen)) is not None] for row in rows]
    drawn = [row for row in drawn if row]
    if len(drawn) > _MOST_BLOCKS:
        drawn = [[each for row in drawn for each in row]]
    chunks = [row[start : start + MAX_IN_BLOCK] for row in drawn for start in range(0, len(row), MAX_IN_BLOCK)]
    kept = list(_first(chunks))
    most = min(MAX_LABEL, max(20, _MOST_WEIGHT // max(1, sum(map(len, kept))) - _WEIGHT))
    for element in (each for chunk in kept for each in chunk):
        element["text"]["text"] = cut_label(element["text"]["text"], most)
    return [{"type": "actions", "elements": chunk} for chunk in kept]


def weight(blocks: Iterable[Json]) -> int:
    """What actions blocks take of a message."""
    return sum(_WEIGHT + utf16_len(each["text"]["text"]) for block in blocks for each in block["elements"])


def cut_label(label: str, most: int = MAX_LABEL) -> str:
    """A label of at most ``most`` UTF-16 units; what was cut shows as ``…``."""
    label = " ".join(sanitize(label).split())
    if not has_visible(label):
        return "·"
    if utf16_len(label) <= most:
        return label
    return f"{label[: reach(label, 0, most - 1, force=True)].rstrip()}…"


def _first(chunks: list[list[Json]]) -> Iterator[list[Json]]:
    left = MAX_BUTTONS
    for chunk in chunks:
        if left > 0:
            yield chunk[:left]
        left -= len(chunk)


def _button(key: str, button: Button, seen: set[str]) -> Json | None:
    payload: Json = {"type": "button", "text": {"type": "plain_text", "text": button.label, "emoji": False}}
    if button.style != "plain":
        payload["style"] = button.style
    if button.act is not None:
        action = button_token(key, button.act)
        if action in seen:
            return None
    elif button.copies is not None:
        return None
    else:
        action = f"{INERT}{len(seen) + 1}"
        if button.url is not None:
            address = link_or_none(button.url)
            if address is None:
                return None
            payload["url"] = address
    seen.add(action)
    return {**payload, "action_id": action}

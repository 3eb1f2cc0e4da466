"""A card's buttons as an inline keyboard."""

from __future__ import annotations

from typing import Any

from wcwidth import iter_graphemes, wcswidth

from bridge.cards.model import Button, Reply, button_token
from bridge.cards.text import has_visible, utf16_len
from bridge.chat.telegram.entities import sanitize
from bridge.chat.telegram.links import link_or_none

MAX_PLACEHOLDER = 64
INERT = "-"
"""``callback_data`` of a button that only says what has happened."""

MAX_COPIED = 256
MAX_IN_ROW = 8
MAX_BUTTONS = 100
WAYS_OUT = 8
"""Buttons at the end of a card that are kept when there are too many."""
_ROW_COLUMNS = 64
_STYLES = {"primary": "primary", "danger": "danger"}


def keyboard(key: str, rows: tuple[tuple[Button, ...], ...]) -> dict[str, Any] | None:
    """``reply_markup`` for a card's rows, or ``None`` if no button remains.

    ``callback_data`` is the act's token (26 bytes of at most 64). A button whose text to copy is longer than Telegram
    takes is left out; an address Telegram would refuse (it would refuse the message too) is offered for copying.
    """
    drawn: list[list[dict[str, Any]]] = []
    left = MAX_BUTTONS
    spare = sum(len(row) for row in rows) - MAX_BUTTONS
    if spare > 0:
        # The ways out stand at the end (Submit, Skip, Stop): what doesn't fit gives way before them.
        end = next((at for at in range(len(rows), 0, -1) if sum(map(len, rows[at - 1 :])) > WAYS_OUT), 0)
        rows = (*rows[: max(0, end - spare)], *rows[end:])
    for row in rows:
        kept = [payload for payload in (_button(key, button) for button in row) if payload][:left]
        left -= len(kept)
        for start in range(0, len(kept), MAX_IN_ROW):
            part = kept[start : start + MAX_IN_ROW]
            for payload in part:
                payload["text"] = cut_label(payload["text"], _ROW_COLUMNS // len(part))
            drawn.append(part)
    return {"inline_keyboard": drawn} if drawn else None


def forced_reply(wanted: Reply) -> dict[str, Any] | None:
    """``reply_markup`` that opens the reader's keyboard for a reply, or ``None`` where it shall not open."""
    if not wanted.opens:
        return None
    placeholder = " ".join(sanitize(wanted.placeholder).split())
    while utf16_len(placeholder) > MAX_PLACEHOLDER:
        placeholder = f"{placeholder[:-2].rstrip()}…"
    return {"force_reply": True} | ({"input_field_placeholder": placeholder} if has_visible(placeholder) else {})


def cut_label(label: str, columns: int) -> str:
    """A label of at most ``columns`` columns; what was cut shows as ``…``."""
    label = " ".join(sanitize(label).split())
    if not has_visible(label):
        return "·"
    if len(label) <= columns and label.isascii():
        return label
    kept, width = "", 0
    for cluster in iter_graphemes(label):
        width += max(0, wcswidth(cluster))
        if width > columns - 1 and len(kept) + len(cluster) < len(label):
            return f"{kept.rstrip()}…"
        kept += cluster
    return kept


def _button(key: str, button: Button) -> dict[str, Any] | None:
    payload: dict[str, Any] = {"text": button.label}
    if button.style in _STYLES:
        payload["style"] = _STYLES[button.style]
    if button.act is not None:
        payload["callback_data"] = button_token(key, button.act)
    elif button.copies is not None:
        return _copying(payload, button.copies)
    elif button.url is not None:
        if link_or_none(button.url) is None:
            return _copying(payload, button.url)
        payload["url"] = button.url
    else:
        payload["callback_data"] = INERT
    return payload


def _copying(payload: dict[str, Any], text: str) -> dict[str, Any] | None:
    if not text or utf16_len(text) > MAX_COPIED:
        return None
    return {**payload, "copy_text": {"text": text}}

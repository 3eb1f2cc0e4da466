"""Text cut to what a field of Telegram takes."""

from __future__ import annotations

from wcwidth import iter_graphemes

from bridge.cards.text import clean, utf16_len


def shortened(text: str, most: int) -> str:
    """Text of at most ``most`` UTF-16 units, cut between graphemes and then ending in "…"."""
    text = clean(text)
    if utf16_len(text) <= most:
        return text
    kept: list[str] = []
    room = most - 1
    for grapheme in iter_graphemes(text):
        room -= utf16_len(grapheme)
        if room < 0:
            break
        kept.append(grapheme)
    return "".join(kept).rstrip() + "…"

"""Small words that many cards share: cut lines, durations, moments, counts."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from babel.dates import format_datetime

from bridge.cards.model import Span
from bridge.cards.text import clean, utf16_len
from bridge.language import locale, tr

_LAST_SECOND = 253_402_300_799
"""The end of the year 9999, beyond which no calendar goes."""


def one_line(text: str) -> str:
    """The text with every run of white space, line ends too, as one space."""
    return " ".join(text.split())


def cut(text: str, units: int) -> str:
    """The text if it has at most ``units`` UTF-16 units, else its beginning with ``…``, no longer than that."""
    if len(text) * 2 <= units or (len(text) <= units and utf16_len(text) <= units):
        return text
    room = units - 1
    kept = text[:room]
    while utf16_len(kept) > room:
        kept = kept[: -max(1, (utf16_len(kept) - room) // 2)]
    return kept.rstrip() + "…"


def brief(value: Any, units: int) -> str:
    """Any value as one short line: a string as it is, anything else by its ``str`` where that is safe."""
    if value is None:
        return ""
    if isinstance(value, str):
        return cut(one_line(clean(value[: units * 8])), units)
    if isinstance(value, bool | float):
        return cut(str(value), units)
    if isinstance(value, int):
        return cut(whole_number(value), units)
    return ""


def whole_number(value: int) -> str:
    """An integer in words a person reads; giants as hexadecimal, since Python refuses to print them in decimal."""
    return str(value) if value.bit_length() <= 4096 else hex(value)


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 tool``, ``2 tools``."""
    return f"{whole_number(count)} {one if count == 1 else many or one + 's'}"


def number(value: Any) -> float | None:
    """A finite number as float, else None. Booleans are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def elapsed(ms: Any, *, coarse: bool = False) -> str:
    """A duration in milliseconds in words: ``8 s``, ``2 min 14 s``, ``1 h 5 min``.

    ``coarse`` counts whole minutes, so that a card of a running turn changes once a minute and not with each second;
    below a minute it says nothing.
    """
    value = number(ms)
    seconds = int(max(value or 0, 0) // 1000)
    minutes, rest = divmod(seconds, 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours and minutes_left:
        return tr("{hours} h {minutes} min", hours=hours, minutes=minutes_left)
    if hours:
        return tr("{hours} h", hours=hours)
    if coarse and not minutes:
        return ""
    if minutes and rest and not coarse:
        return tr("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    return tr("{minutes} min", minutes=minutes) if minutes else tr("{seconds} s", seconds=seconds)


def amount(value: Any) -> str:
    """A count of tokens, short: ``950``, ``12.3k``, ``1.2M``; empty for what is no number."""
    figure = number(value)
    if figure is None:
        return ""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(figure) >= size * 0.9995:
            return f"{figure / size:.1f}".removesuffix(".0") + unit
    return str(int(figure))


def size(count: Any) -> str:
    """A number of bytes, short: ``512 B``, ``12.3 kB``; empty for what is no number."""
    figure = number(count)
    if figure is None or figure < 0:
        return ""
    for step, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if figure >= step:
            return f"{figure / step:.1f}".removesuffix(".0") + f" {unit}"
    return f"{int(figure)} B"


def percent(share: Any) -> str:
    """A share (0–1) in per cent; empty for what is no number."""
    figure = number(share)
    return "" if figure is None else tr("{n} %", n=round(max(0.0, min(figure, 99.99)) * 100))


def moment(unix_s: Any, *, date: bool = True) -> Span | None:
    """A moment (Unix **seconds**) that a surface shows in the reader's time; as text in UTC. None if it is none."""
    value = number(unix_s)
    if value is None or not 0 < value <= _LAST_SECOND:
        return None
    at = datetime.fromtimestamp(int(value), UTC)
    # A pattern of Babel's: d is the day, MMM the month's name, M its number, HH:mm the time. Letters of a word: 'word'.
    shown = format_datetime(at, tr("d MMM HH:mm") if date else "HH:mm", locale=locale())
    return Span(text=f"{shown} UTC", unix_s=int(value))


def moment_ms(at_ms: Any, *, date: bool = False) -> Span | None:
    """As `moment`, from milliseconds."""
    value = number(at_ms)
    return None if value is None else moment(value / 1000, date=date)

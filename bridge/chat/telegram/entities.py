"""Styled runs to Telegram's text with entities.

A :class:`Line` is measured once and never measured again: splitting counts with its numbers, composing shifts its
offsets. All offsets and lengths are UTF-16 units. Rules: Bot API, "Formatting options" (nesting), and what TDLib does
to a text on its way (``clean_input_string``, trimming), which we do first, so that nothing shifts under our entities.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from bridge.cards.text import utf16_len

Entity = dict[str, Any]

DATE_TIME_FORMAT = "dt"
"""Short date and short time in the reader's locale and zone (Bot API: ``r|w?[dD]?[tT]?``)."""

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A, 0x0D)} | {0x7F: "\u2421"}
_DROPPED = dict.fromkeys((*range(0x202A, 0x202F), 0x030A, 0x0333, 0x033F))
_TABLE: dict[int, str | None] = {**_CONTROLS, **_DROPPED, 0x0D: "\n", 0x2028: "\n", 0x2029: "\n"}
_UNCLEAN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u2028-\u202e\u030a\u0333\u033f]")
_RING = re.compile("[A-Za-z]\u030a")


class Style(NamedTuple):
    """How a run looks. ``code``, ``link`` and ``unix_s`` exclude each other; ``bare`` text is left to the client."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    code: bool = False
    link: str | None = None
    unix_s: int | None = None
    bare: bool = False


PLAIN = Style()
CODE = Style(code=True)
Run = tuple[str, Style]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """What surrounds whole lines: code, or a quote. Neighbouring lines with the same box share one entity."""

    kind: Literal["pre", "code", "blockquote", "expandable_blockquote"]
    language: str = ""

    @property
    def verbatim(self) -> bool:
        return self.kind in ("pre", "code")


@dataclass(slots=True, eq=False)
class Line:
    """One line, measured: ``units`` long, with ``entities`` relative to its start. ``gap`` newlines stand before it."""

    runs: Sequence[Run]
    boxes: tuple[Box, ...]
    gap: int
    text: str
    units: int
    entities: list[Entity]


def sanitize(text: str) -> str:
    """Text as Telegram will keep it: one kind of line end, control characters as their pictures.

    Telegram drops bidi embeddings and three combining bars in silence and turns controls into spaces; what can be
    kept visible is (a ring above becomes part of its letter).
    """
    if not _UNCLEAN.search(text):
        return text
    if "\u030a" in text:
        text = _RING.sub(lambda match: unicodedata.normalize("NFC", match.group()), text)
    return text.replace("\r\n", "\n").translate(_TABLE)


def line(runs: Iterable[Run], boxes: tuple[Box, ...] = (), gap: int = 1) -> Line:
    """Measure runs (without line ends) as a line."""
    kept = [(sanitize(text).replace("\n", " "), style) for text, style in runs if text]
    text = "".join(text for text, _ in kept)
    if boxes and boxes[-1].verbatim:
        return Line(kept, boxes, gap, text, utf16_len(text), [])
    kept = protect(kept, text)
    return Line(kept, boxes, gap, text, utf16_len(text), _inline(kept))


_URL = re.compile(r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]+)?(?:[/?#][A-Za-z0-9_./@%+~#?&=:,;!*$-]*)?")
_LIVE = (
    r"(?<!\w)@[A-Za-z0-9_]{2,}"
    r"|(?<![\w/<>])/[A-Za-z0-9_]+(?![\w/<>])(?:[A-Za-z0-9_.@-]*[A-Za-z0-9_])?"
)
_SCAN = re.compile(f"(?P<url>{_URL.pattern})|(?P<live>{_LIVE})")
_PATH_START = "~.$-"


def _live_spans(text: str) -> list[tuple[int, int]]:
    """Where a client would link; a path's few characters before the slash (``./run``) go with it."""
    spans: list[tuple[int, int]] = []
    for match in _SCAN.finditer(text):
        if match.group("live"):
            start, end = match.span()
            least = max(spans[-1][1] if spans else 0, start - 3)
            while text[start] != "@" and start > least and text[start - 1] in _PATH_START:
                start -= 1
            spans.append((start, end))
    return spans


def protect(runs: list[Run], text: str) -> list[Run]:
    """Show as code what Telegram would otherwise make live: ``@mentions`` and ``/commands`` (invariant 6).

    Inside ``code`` Telegram links and notifies nothing, and no byte of the text changes. The patterns are a little
    wider than TDLib's ``match_mentions`` and ``match_bot_commands``. Addresses stay whole: a mention inside one is
    part of the link.
    """
    if "@" not in text and "/" not in text:
        return runs
    spans = _live_spans(text)
    if not spans:
        return runs
    out: list[Run] = []
    at = 0
    upcoming = iter(spans)
    start, end = next(upcoming)
    for piece, style in runs:
        stop = at + len(piece)
        if style.code or style.link is not None or style.unix_s is not None or style.bare:
            out.append((piece, style))
            at = stop
        while at < stop:
            while end <= at:
                start, end = next(upcoming, (len(text) + 1, len(text) + 1))
            live = start <= at
            cut = min(stop, end if live else start)
            out.append((text[at:cut], CODE if live else style))
            at = cut
    return out


def styles_of(style: Style) -> list[Entity]:
    """The entities a run of this style needs, outer ones first, without place."""
    if style.code:
        return [{"type": "code"}]
    found: list[Entity] = []
    if style.bold:
        found.append({"type": "bold"})
    if style.italic:
        found.append({"type": "italic"})
    if style.underline:
        found.append({"type": "underline"})
    if style.strike:
        found.append({"type": "strikethrough"})
    if style.link is not None:
        found.append({"type": "text_link", "url": style.link})
    elif style.unix_s is not None and 0 < style.unix_s < 2**31:
        found.append({"type": "date_time", "unix_time": style.unix_s, "date_time_format": DATE_TIME_FORMAT})
    return found


def _inline(runs: Sequence[Run]) -> list[Entity]:
    """Entities of runs, well nested: a style that ends inside another cuts that one in two."""
    if all(style == PLAIN for _, style in runs):
        return []
    whole = "".join(text for text, _ in runs)
    out: list[Entity] = []
    open_now: list[tuple[Entity, int, int]] = []
    chars = units = 0

    def close(keep: int) -> None:
        while len(open_now) > keep:
            entity, char_start, unit_start = open_now.pop()
            _place(out, entity, whole[char_start:chars], unit_start)

    for text, style in runs:
        wanted = styles_of(style)
        keep = 0
        while keep < len(open_now) and open_now[keep][0] in wanted:
            keep += 1
        close(keep)
        have = [entity for entity, _, _ in open_now]
        for entity in wanted:
            if entity not in have:
                open_now.append((entity, chars, units))
        chars += len(text)
        units += utf16_len(text)
    close(0)
    return ordered(out)


def _place(out: list[Entity], entity: Entity, covered: str, start: int) -> None:
    """Add an entity over ``covered``, without the blanks at its ends, as Telegram would trim it."""
    body = covered.rstrip()
    lead = len(body) - len(body.lstrip())
    if body:
        out.append({**entity, "offset": start + utf16_len(body[:lead]), "length": utf16_len(body[lead:])})


_DEPTH = {"blockquote": 0, "expandable_blockquote": 0, "code": 2, "pre": 2}


def ordered(entities: list[Entity]) -> list[Entity]:
    """Entities as Telegram sorts them: by place, the outer before the inner."""
    return sorted(entities, key=lambda e: (e["offset"], -e["length"], _DEPTH.get(e["type"], 1)))


def compose(lines: Sequence[Line]) -> tuple[str, list[Entity]]:
    """One message's text and entities. Blanks at both ends are trimmed, as Telegram does."""
    start, end = 0, len(lines)
    while start < end and not lines[start].text.strip():
        start += 1
    while end > start and not lines[end - 1].text.strip():
        end -= 1
    lines = lines[start:end]
    if not lines:
        return "", []
    parts: list[str] = []
    entities: list[Entity] = []
    boxes: list[tuple[Box, int, int]] = []
    units = 0

    def close(keep: int) -> None:
        while len(boxes) > keep:
            box, first, start_units = boxes.pop()
            entity: Entity = {"type": box.kind}
            if box.kind == "pre" and box.language:
                entity["language"] = box.language
            _place(entities, entity, "".join(parts[first:]), start_units)

    for index, item in enumerate(lines):
        keep = 0
        while keep < min(len(boxes), len(item.boxes)) and boxes[keep][0] is item.boxes[keep]:
            keep += 1
        close(keep)
        gap = "\n" * item.gap if index else ""
        units += len(gap)
        parts += [gap, item.text]
        boxes += [(box, len(parts) - 1, units) for box in item.boxes[keep:]]
        entities += [{**entity, "offset": entity["offset"] + units} for entity in item.entities]
        units += item.units
    close(0)
    text = "".join(parts)
    lead = len(text) - len(text.lstrip())
    for entity in entities:
        entity["offset"] -= lead
    return text.strip(), ordered(entities)

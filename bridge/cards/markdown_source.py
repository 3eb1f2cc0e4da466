"""Markdown source, prepared so that the parser swallows no text, and questions about it that the parser leaves open.

An invisible sentinel (a Unicode noncharacter the text does not contain) goes before what would otherwise vanish or
swallow its surroundings: a line that starts an HTML block, a link definition nobody refers to. It is taken out of
everything the parser returns. Positions are bytes of the UTF-8 form of :attr:`Source.text`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field

from bridge.cards.text import clean

_LINE_HTML = re.compile(r"(?m)^[ \t>*+.)0-9-]{0,80}(?=<)")
_RAW_HTML = re.compile(r"(?i)<(?:(script|pre|style|textarea)\b|(!--)|(\?)|(!\[CDATA\[)|(![a-z]))")
_RAW_ENDS = ("-->", "?>", "]]>", ">")
_DEFINITION = re.compile(r"(?m)^[ \t>*+.)0-9-]{0,80}(?=\[([^\[\]\n]{1,300})\]:[ \t]*(\S*))")
_LABEL = re.compile(r"\[([^\[\]\n]{1,300})\]")
_ADDRESS = re.compile(r"<?(?:[a-z][a-z0-9+.-]*:|www\.|[/#])", re.IGNORECASE)
_URL = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s<>\"`]+")
_URL_TAIL = b"*_~.,;:!?)]}'"
_PIPE = re.compile(r"(?<!\\)\|")
_GLUE = frozenset("/\\.@=&#$%+^")


@dataclass(slots=True)
class Source:
    """The text handed to the parser."""

    text: str
    sentinel: str
    data: bytes
    url_starts: list[int] = field(default_factory=list)
    url_ends: list[int] = field(default_factory=list)

    @classmethod
    def prepare(cls, text: str) -> Source:
        """Clean the text (lone surrogates crash the parser) and set the sentinels."""
        text = clean(text)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        sentinel = next((char for char in map(chr, range(0xFDD0, 0xFDF0)) if char not in text), "")
        if sentinel:
            spots = sorted({*_html_spots(text), *_definition_spots(text)})
            pieces = [text[start:end] for start, end in zip([0, *spots], [*spots, len(text)], strict=True)]
            text = sentinel.join(pieces)
        data = text.encode()
        source = cls(text, sentinel, data)
        for match in _URL.finditer(data):
            source.url_starts.append(match.start())
            source.url_ends.append(match.start() + len(match.group().rstrip(_URL_TAIL)))
        return source

    def restore(self, text: str) -> str:
        """Text from the parser, without sentinels."""
        return text.replace(self.sentinel, "") if self.sentinel else text

    def literal_mark(self, name: str, start: int, end: int) -> str:
        """The mark's own characters if it is no emphasis but part of a word, sum, glob, path or URL; else ``""``.

        CommonMark lets ``*`` stand inside words; agents write ``3*4*5``, ``src/*.py`` and ``a**b`` far more often
        than half a word in italics. A single ``~`` is "about", not a strike.
        """
        width = 1 if name == "Emphasis" else 2
        if name == "Strikethrough" and self.data[start : start + 2] != b"~~":
            return "~"
        mark = self.data[start : start + width].decode("ascii", "replace")
        if self._in_url(start) or self._in_url(end - 1):
            return mark
        before, after = self._before(start), self._after(end)
        opens_in_word = _wordy(before) and _wordy(self._after(start + width))
        closes_in_word = _wordy(self._before(end - width)) and _wordy(after)
        if (before in _GLUE and (width == 1 or before in "/\\")) or (after in "/\\" and after):
            return mark
        if after == "." and _wordy(self._after(end + 1)):
            return mark
        if width == 1:
            return mark if opens_in_word or closes_in_word else ""
        between_digits = (before.isdigit() and self._after(start + width).isdigit()) or (
            self._before(end - width).isdigit() and after.isdigit()
        )
        return mark if between_digits or (opens_in_word and closes_in_word) else ""

    def surplus_cells(self, start: int, end: int) -> list[str]:
        """Cells of a table row beyond its head's columns, which the parser drops."""
        rest = self.restore(self.data[start:end].decode("utf-8", "replace")).strip()
        if not rest.strip("| \t\\"):
            return []
        return [cell.strip().replace("\\|", "|") for cell in _PIPE.split(rest.strip("|"))]

    def _in_url(self, at: int) -> bool:
        index = bisect_right(self.url_starts, at) - 1
        return index >= 0 and at < self.url_ends[index]

    def _before(self, at: int) -> str:
        start = at
        while start > 0 and at - start < 4:
            start -= 1
            if self.data[start] & 0xC0 != 0x80:
                return self.data[start:at].decode("utf-8", "replace")
        return ""

    def _after(self, at: int) -> str:
        return self.data[at : at + 4].decode("utf-8", "ignore")[:1]


def _wordy(char: str) -> bool:
    """A letter of a script that puts blanks between words, a digit, or ``_``."""
    return char == "_" or (char.isalnum() and (char < "\u0e00" or "\u1e00" <= char < "\u2000"))


def _html_spots(text: str) -> list[int]:
    """Where lines start like an HTML block.

    Such a block would swallow Markdown up to the next blank line; behind a sentinel its tags are text in a paragraph.
    Blocks that have an end of their own (comments, ``pre``, scripts) and are closed stay raw.
    """
    lowered = text.lower() if "<" in text else ""
    lasts: dict[str, int] = {}
    spots = []
    for match in _LINE_HTML.finditer(text):
        raw = _RAW_HTML.match(text, match.end())
        if raw:
            end = f"</{raw.group(1).lower()}>" if raw.group(1) else _RAW_ENDS[(raw.lastindex or 2) - 2]
            if end not in lasts:
                lasts[end] = lowered.rfind(end)
            if lasts[end] > match.end():
                continue
        spots.append(match.end())
    return spots


def _definition_spots(text: str) -> list[int]:
    """Link definitions (``[label]: address``) that no text refers to, or that lead nowhere: they stay visible."""
    definitions = [(m.end(), _key(m.group(1)), bool(_ADDRESS.match(m.group(2)))) for m in _DEFINITION.finditer(text)]
    if not definitions:
        return []
    uses = Counter(_key(match.group(1)) for match in _LABEL.finditer(text))
    defined = Counter(key for _, key, _ in definitions)
    seen: set[str] = set()
    spots = []
    for at, key, address in definitions:
        if not address or uses[key] <= defined[key] or key in seen:
            spots.append(at)
        else:
            seen.add(key)
    return spots


def _key(label: str) -> str:
    return " ".join(label.casefold().split())

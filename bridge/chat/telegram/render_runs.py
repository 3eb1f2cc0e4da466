"""What all pieces are made of: spans, links, code and plain lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bridge.cards import addresses
from bridge.cards.model import Line as SpanLine
from bridge.cards.model import Span
from bridge.chat.telegram.entities import CODE, PLAIN, Box, Line, Run, Style, line, sanitize
from bridge.chat.telegram.links import link_or_none
from bridge.chat.telegram.split import Block

Boxes = tuple[Box, ...]

_COMMAND = re.compile(r"/[a-z0-9_]{1,32}")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,32}")


def code_block(source: str, language: str, boxes: Boxes = ()) -> Block:
    """Fixed width, every line as it is. In a quote clients show ``code`` more reliably than ``pre``."""
    box = Box("code") if boxes else Box("pre", language if _LANGUAGE.fullmatch(language) else "")
    lines = sanitize(source).removesuffix("\n").split("\n")
    return Block([line([(text, PLAIN)], (*boxes, box), 1 if index else 2) for index, text in enumerate(lines)])


def text_lines(lines: Iterable[SpanLine], boxes: Boxes = ()) -> Iterator[Line]:
    """Lines of spans, as written."""
    gap = 2
    for spans in lines:
        for runs in split_lines(span_runs(spans)):
            yield line(runs, boxes, gap)
            gap = 1


def split_lines(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Runs cut at their line ends; at least one line."""
    current: list[Run] = []
    for text, style in runs:
        first, *rest = sanitize(text).split("\n")
        current.append((first, style))
        for part in rest:
            yield current
            current = [(part, style)]
    yield current


def span_runs(spans: Iterable[Span]) -> Iterator[Run]:
    """Spans as runs.

    A span that links to a command and shows exactly that (``Span(text="/stop", link="/stop")``) is the bridge's own
    and stays live on Telegram; no other command or mention does.
    """
    for span in spans:
        style = Style(bold=span.bold, italic=span.italic, strike=span.strike)
        if span.link is not None and span.link == span.text and _COMMAND.fullmatch(span.text):
            yield span.text, style._replace(bare=True)
        elif span.link is not None:
            yield from link_runs([(span.text, CODE if span.code else style)], span.link)
        elif span.code:
            yield span.text, CODE
        else:
            yield span.text, style._replace(unix_s=span.unix_s)


def link_runs(runs: list[Run], address: str) -> Iterator[Run]:
    """Runs that lead to an address, see :func:`bridge.cards.addresses.link_runs`. A link's text is not code here."""
    return addresses.link_runs(
        runs,
        address,
        link_or_none(address),
        linked=lambda style, link: style._replace(code=False, link=link),
        code=CODE,
        plain=PLAIN,
    )

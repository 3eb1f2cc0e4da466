"""An agent's Markdown as blocks of lines for Slack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from bridge.cards import document
from bridge.cards.document import CodeBlock, Heading, ListBlock, Paragraph, Quote, Rule, Table
from bridge.cards.markdown import parse
from bridge.cards.model import File
from bridge.cards.tables import as_csv, cell_texts
from bridge.chat.slack.lines import CODE, PLAIN, Block, Box, Frame, Line, Run, Style, line, sanitize, split_lines
from bridge.chat.slack.links import link_runs
from bridge.chat.slack.native import markdown_or_none
from bridge.chat.slack.tables import native_table, table_lines
from bridge.language import trn

TABLE_WEIGHT = 24_000
"""A table that would take more than about two messages becomes a file, with its first rows as a sample."""
_SAMPLE_WEIGHT = 2_500
_RULE = "─" * 12
_DEEPEST = 8
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,32}")


@dataclass(frozen=True, slots=True)
class _Context:
    """Where a block stands. ``lead`` marks its first line; in quotes, markers and indents are plain text."""

    level: int = -1
    lead: str = ""
    prefix: str = ""
    quoted: bool = False
    indent: str = ""

    @property
    def frame(self) -> Frame:
        if self.quoted:
            return Frame("quote")
        return Frame("item", min(self.level, _DEEPEST)) if self.level >= 0 else Frame()


@dataclass(slots=True)
class Tables:
    """What may become of tables. ``room``: the weight a ``table`` block may have; 0: none may be one."""

    room: int
    files: list[File] | None
    """Where tables too large for a chat go (``None``: they are shown all the same)."""
    count: int = 0


def markdown_blocks(source: str, box: Box | None, group: int, tables: Tables) -> Iterator[Block]:
    """Blocks of a Markdown text. Outside boxes each is Markdown where that is exact, else rich text."""
    for block in parse(source):
        if isinstance(block, Table):
            yield _table(block, tables, box, group)
            continue
        lines = list(_draw(block, _Context()))
        heading = isinstance(block, Heading)
        drawn = Block(lines, box=box, group=group, glue=heading, heading=heading)
        if isinstance(block, Rule):
            drawn.mode = "rule"
        elif box is None and markdown_or_none(lines, read_markdown) is not None:
            drawn.mode = "markdown"
        yield drawn


def read_markdown(source: str) -> list[Line]:
    """The lines of a Markdown text, tables drawn in fixed width."""
    return [item for block in parse(source) for item in _draw(block, _Context())]


def code_lines(source: str, language: str = "") -> list[Line]:
    """Fixed width, every line as it is."""
    frame = Frame("pre", 0, language if _LANGUAGE.fullmatch(language) else "")
    lines = sanitize(source).removesuffix("\n").split("\n")
    return [line([(text, PLAIN)], frame, gap=index == 0) for index, text in enumerate(lines)]


def _draw(block: document.Block, at: _Context) -> Iterator[Line]:
    if isinstance(block, Paragraph):
        yield from _paragraph(styled(block.runs), at)
    elif isinstance(block, Heading):
        yield from _heading(block, at)
    elif isinstance(block, CodeBlock):
        yield from _code(block, at)
    elif isinstance(block, Rule):
        frame = Frame("rule") if at == _Context() else at.frame
        yield line([(at.prefix + _RULE, PLAIN)], frame, gap=True, lead=at.lead)
    elif isinstance(block, Quote):
        yield from _quote(block, at)
    elif isinstance(block, ListBlock):
        yield from _list(block, at)
    else:
        yield from _marker(at)
        yield from table_lines(block, styled)


def styled(runs: Iterable[document.Run]) -> Iterator[Run]:
    """The parser's runs in our styles, links checked."""
    for address, group in groupby(runs, key=lambda run: run.link):
        parts = [(run.text, CODE if run.code else Style(run.bold, run.italic, run.strike)) for run in group]
        if address is None:
            yield from parts
        else:
            yield from link_runs(parts, address)


def _paragraph(runs: Iterable[Run], at: _Context) -> Iterator[Line]:
    for index, parts in enumerate(split_lines(runs)):
        before = at.indent if index else at.prefix
        yield line([(before, PLAIN), *parts], at.frame, gap=index == 0, lead="" if index else at.lead)


def _heading(block: Heading, at: _Context) -> Iterator[Line]:
    if at == _Context():
        for index, parts in enumerate(split_lines(styled(block.runs))):
            yield line(parts, Frame("heading", block.level), gap=index == 0)
        return
    yield from _paragraph(((text, s if s.code else s._replace(bold=True)) for text, s in styled(block.runs)), at)


def _code(block: CodeBlock, at: _Context) -> Iterator[Line]:
    """Code is never indented, so that it can be copied; a list's marker stands on a line of its own before it."""
    if at.quoted:
        lines = sanitize(block.text).removesuffix("\n").split("\n")
        for index, text in enumerate(lines):
            yield line([(at.indent if index else at.prefix, PLAIN), (text, CODE)], at.frame, gap=index == 0)
        return
    yield from _marker(at)
    if block.caption:
        yield line([(block.caption, Style(italic=True))], gap=True)
    yield from code_lines(block.text, block.language)


def _marker(at: _Context) -> Iterator[Line]:
    if at.lead or at.prefix.strip():
        yield line([(at.prefix.rstrip(), PLAIN)], at.frame, gap=True, lead=at.lead)


def _quote(block: Quote, at: _Context) -> Iterator[Line]:
    """Slack's quotes don't nest: an inner quote gets a bar before each line."""
    if not at.quoted:
        yield from _marker(at)
        yield from _children(block.blocks, _Context(quoted=True))
        return
    deeper = f"{at.indent}▏" if len(at.indent) < 3 * _DEEPEST else at.indent
    yield from _children(block.blocks, replace(at, prefix=f"{at.prefix}▏", indent=deeper))


def _list(block: ListBlock, at: _Context) -> Iterator[Line]:
    for number, item in enumerate(block.items):
        marker = "-" if block.start is None else f"{block.start + number}."
        box = "" if item.checked is None else "☑ " if item.checked else "☐ "
        if at.quoted:
            shown = "•" if marker == "-" else marker
            indent = at.indent + "   " if len(at.indent) < 3 * _DEEPEST else at.indent
            inner = replace(at, prefix=f"{at.indent if number else at.prefix}{shown} {box}", indent=indent)
        else:
            if number == 0 and at.lead:
                yield from _marker(at)
            inner = _Context(at.level + 1, marker, box)
        lines = list(_children(item.blocks, inner)) or list(_marker(inner))
        if lines and lines[0].frame.kind in ("item", "quote"):
            lines[0].gap = number == 0 and at.level < 0
        yield from lines


def _children(blocks: Iterable[document.Block], at: _Context) -> Iterator[Line]:
    for index, block in enumerate(blocks):
        yield from _draw(block, at if index == 0 else replace(at, lead="", prefix=at.indent))


def _table(table: Table, tables: Tables, box: Box | None, group: int) -> Block:
    lines = list(table_lines(table, styled))
    block = Block(lines, box=box, group=group)
    narrow = lines[0].frame.kind == "pre" if lines else True
    drawn = native_table(table, styled) if tables.room and not (tables.count and narrow) else None
    if drawn is not None and drawn[1] <= tables.room:
        tables.count += 1
        block.table, block.table_weight = drawn
        block.mode = "table"
    elif tables.files is not None and block.weight > TABLE_WEIGHT:
        head, rows = cell_texts(table)
        name = f"table-{len(tables.files) + 1}.csv"
        tables.files.append(File(name=name, text=as_csv(head, rows), media_type="text/csv"))
        words = trn("⋯ the only row is in {name}", "⋯ all {n} rows are in {name}", len(rows), name=name)
        note = line([(words, PLAIN)], gap=True)
        block.lines = [*_first(lines, _SAMPLE_WEIGHT), note]
    return block


def _first(lines: list[Line], weight: int) -> Iterator[Line]:
    for item in lines:
        weight -= item.weight + item.extra
        if weight < 0:
            return
        yield item

"""An agent's Markdown as blocks of lines for Telegram."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from bridge.cards import document
from bridge.cards.addresses import address_shown
from bridge.cards.document import CodeBlock, Heading, ListBlock, Paragraph, Quote, Rule, Table, plain_text
from bridge.cards.markdown import parse
from bridge.cards.model import File
from bridge.cards.tables import aligned, as_csv, cell_texts
from bridge.chat.telegram.entities import CODE, PLAIN, Box, Line, Run, Style, line
from bridge.chat.telegram.render_runs import Boxes, code_block, link_runs, split_lines
from bridge.chat.telegram.split import Block, measure
from bridge.language import trn

TABLE_COLUMNS = 46
"""Fixed-width columns that fit on a phone held upright."""
TABLE_UNITS = 12_000
"""A table that takes more than about three messages becomes a file, with its first rows as a sample."""
_SAMPLE_UNITS = 1_500
_RULE = "─" * 12
_BULLETS = "•◦▪"
_MAX_INDENT = 8
_HEADINGS = {1: Style(bold=True, underline=True), 2: Style(bold=True)}
_SMALL_HEADING = Style(bold=True, italic=True)


@dataclass(frozen=True, slots=True)
class _Context:
    """Where a block stands. ``lead`` goes before its first line, ``indent`` before the others."""

    boxes: Boxes
    files: list[File] | None
    lead: str = ""
    indent: str = ""
    depth: int = 0


def markdown_blocks(source: str, boxes: Boxes, files: list[File] | None) -> Iterator[Block]:
    """Blocks of a Markdown text. Tables too large for a chat are added to ``files`` (``None``: shown all the same)."""
    context = _Context(boxes, files)
    for block in parse(source):
        lines = list(_draw(block, context))
        if isinstance(block, Table):
            yield from _rows_as_blocks(lines)
        else:
            heading = isinstance(block, Heading)
            yield Block(lines, glue=heading, heading=heading)


def _rows_as_blocks(lines: list[Line]) -> Iterator[Block]:
    held: list[Line] = []
    for item in lines:
        if held and item.gap > 1:
            yield Block(held)
            held = []
        held.append(item)
    if held:
        yield Block(held)


def _draw(block: document.Block, at: _Context) -> Iterator[Line]:
    if isinstance(block, Paragraph):
        yield from _paragraph(_styled(block.runs), at)
    elif isinstance(block, Heading):
        style = _HEADINGS.get(block.level, _SMALL_HEADING)
        runs = [(text, _over(own, style)) for text, own in _styled(block.runs)]
        yield from _paragraph(runs, at)
    elif isinstance(block, CodeBlock):
        yield from _code(block, at)
    elif isinstance(block, Rule):
        yield from _paragraph([(_RULE, PLAIN)], at)
    elif isinstance(block, Quote):
        yield from _quote(block, at)
    elif isinstance(block, ListBlock):
        yield from _list(block, at)
    else:
        yield from _table(block, at)


def _over(own: Style, style: Style) -> Style:
    return own if own.code else own._replace(bold=True, italic=own.italic or style.italic, underline=style.underline)


def _styled(runs: Iterable[document.Run]) -> Iterator[Run]:
    for address, group in groupby(runs, key=lambda run: run.link):
        styled = [(run.text, CODE if run.code else Style(run.bold, run.italic, strike=run.strike)) for run in group]
        if address is None:
            yield from styled
        else:
            yield from link_runs(styled, address)


def _paragraph(runs: Iterable[Run], at: _Context) -> Iterator[Line]:
    for index, parts in enumerate(split_lines(runs)):
        before = at.indent if index else at.lead
        yield line([(before, PLAIN), *parts], at.boxes, 1 if index else 2)


def _code(block: CodeBlock, at: _Context) -> Iterator[Line]:
    """Code is never indented, so that it can be copied; a list's marker stands on a line of its own before it."""
    lines = code_block(block.text, block.language, at.boxes).lines
    if at.lead.strip() or block.caption:
        lead = at.lead if block.caption else at.lead.rstrip()
        yield line([(lead, PLAIN), (block.caption, Style(italic=True))], at.boxes, 2)
        lines[0].gap = 1
    yield from lines


def _quote(block: Quote, at: _Context) -> Iterator[Line]:
    """Telegram's quotes don't nest: an inner quote gets a bar before each line."""
    inner = (
        replace(at, boxes=(Box("blockquote"),))
        if not at.boxes
        else replace(
            at, lead=f"{at.lead}▏", indent=f"{at.indent}▏" if at.depth < _MAX_INDENT else at.indent, depth=at.depth + 1
        )
    )
    yield from _children(block.blocks, inner, 2)


def _list(block: ListBlock, at: _Context) -> Iterator[Line]:
    bullet = _BULLETS[min(at.depth, len(_BULLETS) - 1)]
    indent = at.indent + "   " if at.depth < _MAX_INDENT else at.indent
    for number, item in enumerate(block.items):
        marker = bullet if block.start is None else f"{block.start + number}."
        if item.checked is not None:
            box = "☑" if item.checked else "☐"
            marker = box if block.start is None else f"{marker} {box}"
        lead = f"{at.lead if number == 0 else at.indent}{marker} "
        inner = replace(at, lead=lead, indent=indent, depth=at.depth + 1)
        lines = list(_children(item.blocks, inner, 1)) or [line([(lead.rstrip(), PLAIN)], at.boxes)]
        lines[0].gap = 1 if number else 2
        yield from lines


def _children(blocks: Iterable[document.Block], at: _Context, gap: int) -> Iterator[Line]:
    for index, block in enumerate(blocks):
        lines = list(_draw(block, at if index == 0 else replace(at, lead=at.indent)))
        if index and lines:
            lines[0].gap = gap
        yield from lines


def _table(table: Table, at: _Context) -> Iterator[Line]:
    head, rows = cell_texts(table)
    drawn = None if _leads_elsewhere(table) else aligned(head, rows, table.aligns, TABLE_COLUMNS)
    lines = list(_cards(table, at) if drawn is None else _code(CodeBlock("\n".join(drawn)), at))
    if at.files is not None and measure(lines)[0] > TABLE_UNITS:
        name = f"table-{len(at.files) + 1}.csv"
        at.files.append(File(name=name, text=as_csv(head, rows), media_type="text/csv"))
        note = trn("⋯ the only row is in {name}", "⋯ all {n} rows are in {name}", len(rows), name=name)
        lines = [*_first(lines, _SAMPLE_UNITS), line([(note, PLAIN)], at.boxes)]
    yield from lines


def _first(lines: list[Line], units: int) -> Iterator[Line]:
    for item in lines:
        units -= item.units + item.gap
        if units < 0:
            return
        yield item


def _leads_elsewhere(table: Table) -> bool:
    """Whether a cell has a link that fixed width would lose."""
    return any(
        run.link is not None and not address_shown(plain_text(cell), run.link)
        for row in (table.head, *table.rows)
        for cell in row
        for run in cell
    )


def _cards(table: Table, at: _Context) -> Iterator[Line]:
    """Each row as lines ``Header: value``, the first in bold; empty cells are left out."""
    if not table.rows:
        yield from _paragraph([(" | ".join(cell_texts(table)[0]), Style(bold=True))], at)
        return
    heads = [plain_text(cell).replace("\n", " ").strip() for cell in table.head]
    for row in table.rows:
        gap = 2
        for index, cell in enumerate(row):
            head = heads[index] if index < len(heads) else ""
            runs = [(text.replace("\n", " "), style) for text, style in _styled(cell)]
            if not plain_text(cell).strip():
                continue
            label = [(f"{head}: ", PLAIN)] if head else []
            if gap > 1:
                runs = [(text, _over(style, PLAIN)) for text, style in [*label, *runs]]
                label = []
            yield line([(at.indent, PLAIN), *label, *runs], at.boxes, gap)
            gap = 1

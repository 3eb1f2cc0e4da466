"""An agent's tables: as Slack's own, in fixed width, or as cards of their rows.

Slack's limits: 100 rows, 20 columns, 10,000 characters in all cells, one table in a message (docs.slack.dev, "Table
block"; a second one is refused as ``only_one_table_allowed``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bridge.cards import document
from bridge.cards.addresses import address_shown
from bridge.cards.document import Runs, Table, plain_text
from bridge.cards.tables import aligned, cell_texts
from bridge.cards.text import utf16_len
from bridge.chat.slack.lines import BLOCK_WEIGHT, PLAIN, RUN_WEIGHT, Frame, Json, Line, Run, Style, line, sanitize
from bridge.chat.slack.rich import section

MAX_ROWS = 100
MAX_COLUMNS = 20
MAX_CELLS = 10_000
TEXT_COLUMNS = 80
"""Fixed-width columns that fit into a message's width on a desktop."""
_CELL_WEIGHT = 10
_ALIGN = {"Right": "right", "Center": "center"}

Styler = Callable[[Iterable[document.Run]], Iterator[Run]]


def native_table(table: Table, styled: Styler) -> tuple[Json, int] | None:
    """A ``table`` block and its weight, or ``None`` where the table is beyond Slack's limits."""
    columns = max(len(table.head), *map(len, table.rows)) if table.rows else len(table.head)
    if not 0 < columns <= MAX_COLUMNS or len(table.rows) >= MAX_ROWS:
        return None
    rows: list[list[Json]] = []
    characters, weight = 0, BLOCK_WEIGHT
    for cells in (table.head, *table.rows):
        row: list[Json] = []
        for index in range(columns):
            runs = [run for run in _flat(styled(cells[index])) if run[0]] if index < len(cells) else []
            text = "".join(part for part, _ in runs)
            characters += utf16_len(text) or 1
            weight += _CELL_WEIGHT + utf16_len(text)
            if all(style == PLAIN for _, style in runs):
                row.append({"type": "raw_text", "text": text or " "})
            else:
                weight += sum(RUN_WEIGHT + len(style.link or "") for _, style in runs)
                row.append({"type": "rich_text", "elements": [section(runs)]})
        rows.append(row)
    if characters > MAX_CELLS:
        return None
    aligns = [*table.aligns, *["None"] * columns][:columns]
    settings = [{"align": _ALIGN.get(align, "left"), "is_wrapped": True} for align in aligns]
    return {"type": "table", "rows": rows, "column_settings": settings}, weight


def table_lines(table: Table, styled: Styler) -> Iterator[Line]:
    """A table in fixed width where that fits and loses no link, else a card for each row."""
    head, rows = cell_texts(table)
    drawn = None if _leads_elsewhere(table) else aligned(head, rows, table.aligns, TEXT_COLUMNS)
    if drawn is None:
        yield from _cards(table, styled)
        return
    for index, text in enumerate(drawn):
        yield line([(text, PLAIN)], Frame("pre"), gap=index == 0)


def _leads_elsewhere(table: Table) -> bool:
    """Whether a cell has a link that fixed width would lose."""
    return any(
        run.link is not None and not address_shown(plain_text(cell), run.link)
        for row in (table.head, *table.rows)
        for cell in row
        for run in cell
    )


def _cards(table: Table, styled: Styler) -> Iterator[Line]:
    """Each row as lines ``Header: value``, the first in bold; empty cells are left out."""
    if not table.rows:
        yield line([(" | ".join(cell_texts(table)[0]), Style(bold=True))], gap=True)
        return
    heads = [plain_text(cell).replace("\n", " ").strip() for cell in table.head]
    for row in table.rows:
        first = True
        for index, cell in enumerate(row):
            if not plain_text(cell).strip():
                continue
            yield _card_line(heads[index] if index < len(heads) else "", cell, styled, first=first)
            first = False


def _card_line(head: str, cell: Runs, styled: Styler, *, first: bool) -> Line:
    runs = [(f"{head}: ", PLAIN)] if head else []
    runs += [(text.replace("\n", " "), style) for text, style in styled(cell)]
    if first:
        runs = [(text, style if style.code else style._replace(bold=True)) for text, style in runs]
    return line(runs, gap=first)


def _flat(runs: Iterable[Run]) -> Iterator[Run]:
    """A cell's runs on one line, without blanks at its ends."""
    kept = [(" ".join(sanitize(text).split("\n")), style) for text, style in runs]
    if kept:
        kept[0] = (kept[0][0].lstrip(), kept[0][1])
        kept[-1] = (kept[-1][0].rstrip(), kept[-1][1])
    yield from kept

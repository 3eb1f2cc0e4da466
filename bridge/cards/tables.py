"""Tables as text: column widths by grapheme and East Asian width, so that CJK and emoji line up."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from wcwidth import wcswidth, wcwidth

from bridge.cards.document import Table, plain_text

Cells = Sequence[str]


def columns(text: str) -> int:
    """Columns a text takes in fixed width; what has no defined width counts by its characters."""
    if text.isascii():
        return len(text)
    width = wcswidth(text)
    return width if width >= 0 else sum(max(0, wcwidth(char)) for char in text)


def cell_texts(table: Table) -> tuple[list[str], list[list[str]]]:
    """Head and rows as plain text, one line per cell, all rows equally long."""
    head = [_flat(plain_text(cell)) for cell in table.head]
    rows = [[_flat(plain_text(cell)) for cell in row] for row in table.rows]
    most = max([len(head), *map(len, rows)], default=0)
    return head + [""] * (most - len(head)), [row + [""] * (most - len(row)) for row in rows]


def aligned(head: Cells, rows: Sequence[Cells], aligns: Sequence[str], most: int) -> list[str] | None:
    """Lines of a table in fixed width, or ``None`` if they would be wider than ``most`` columns."""
    widths = [max(map(columns, column)) for column in zip(head, *rows, strict=True)]
    if not widths or sum(widths) + 3 * (len(widths) - 1) > most:
        return None
    sides = [*aligns, *["None"] * (len(widths) - len(aligns))]
    drawn = [_row(cells, widths, sides) for cells in (head, *rows)]
    return [drawn[0], "-+-".join("-" * width for width in widths), *drawn[1:]]


def as_csv(head: Cells, rows: Sequence[Cells]) -> str:
    """The table as CSV text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def _row(cells: Cells, widths: Sequence[int], sides: Sequence[str]) -> str:
    return " | ".join(_pad(*each) for each in zip(cells, widths, sides, strict=True)).rstrip()


def _pad(text: str, width: int, side: str) -> str:
    free = width - columns(text)
    if side == "Right":
        return " " * free + text
    if side == "Center":
        return " " * (free // 2) + text + " " * (free - free // 2)
    return text + " " * free


def _flat(text: str) -> str:
    return " ".join(text.split())

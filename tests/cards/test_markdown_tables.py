"""Tables in fixed width."""

from bridge.cards.document import Table
from bridge.cards.markdown import parse
from bridge.cards.tables import aligned, as_csv, cell_texts, columns


def table(text: str) -> Table:
    (block,) = parse(text)
    assert isinstance(block, Table)
    return block


def test_columns_line_up_with_cjk_and_emoji() -> None:
    """Counted by grapheme and East Asian width (a table with CJK must not shift)."""
    found = table("|Name|n|\n|:-|-:|\n|日本語|1|\n|👩‍👩‍👧 x|22|\n|é|3|")
    head, rows = cell_texts(found)
    lines = aligned(head, rows, found.aligns, 40)
    assert lines == [
        "Name   |  n",
        "-------+---",
        "日本語 |  1",
        "👩‍👩‍👧 x   | 22",
        "é      |  3",
    ]
    assert {columns(line.split("|")[0]) for line in lines if "|" in line} == {7}


def test_a_table_too_wide_is_not_aligned() -> None:
    head, rows = cell_texts(table("|a|b|\n|-|-|\n|" + "x" * 40 + "|y|"))
    assert aligned(head, rows, (), 40) is None


def test_center_and_uneven_rows() -> None:
    found = table("|a|bbb|\n|-|:-:|\n|1|2|3|")
    head, rows = cell_texts(found)
    assert aligned(head, rows, found.aligns, 40) == ["a | bbb |", "--+-----+--", "1 |  2  | 3"]


def test_csv_quotes_what_needs_it() -> None:
    assert as_csv(["a", "b"], [["1,2", 'x"y']]) == 'a,b\n"1,2","x""y"\n'

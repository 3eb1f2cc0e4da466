"""Markdown as agents write it: structure is found, and no text is swallowed."""

import re
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bridge.cards.document import (
    Block,
    CodeBlock,
    Heading,
    Item,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Run,
    Table,
    plain_text,
)
from bridge.cards.markdown import MAX_DEPTH, parse


def shown(blocks: tuple[Block, ...]) -> str:
    """All text of a document, blocks separated by ``|``."""
    parts: list[str] = []
    for block in blocks:
        if isinstance(block, Paragraph | Heading):
            parts.append(plain_text(block.runs))
        elif isinstance(block, CodeBlock):
            parts.append(block.text)
        elif isinstance(block, Quote):
            parts.append(shown(block.blocks))
        elif isinstance(block, ListBlock):
            parts += [shown(item.blocks) for item in block.items]
        elif isinstance(block, Table):
            parts += [plain_text(cell) for row in (block.head, *block.rows) for cell in row]
    return "|".join(parts)


def only_runs(text: str) -> tuple[Run, ...]:
    (block,) = parse(text)
    assert isinstance(block, Paragraph)
    return block.runs


@pytest.mark.parametrize(
    "text",
    [
        "3*4*5",
        "a*b and c*d",
        "2**3 and 4**5",
        "snake_case_name and __init__x",
        "src/*.py and tests/*.py",
        "src/**/*.py and test/**/*.js",
        "*.py,*.js",
        ".*foo.*",
        "see https://x.io/_foo_/a_b_c and https://x.io/*a*",
        "~5 to ~6 and ~x~",
        "Vec<u8>, <T>, <b>bold</b>, Map<K, V>",
        "<div>",
        "<not closed",
        "[1], [x] and [^1]",
        "[ERROR]: failed",
        "[note]: https://x.io",
        '$x^2$ and -- ... "quoted"',
        "a < b > c & d",
        "C:\\Users\\me",
    ],
)
def test_text_that_only_looks_like_markup_stays_byte_for_byte(text: str) -> None:
    assert only_runs(text) == (Run(text),)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("**b** x", (Run("b", bold=True), Run(" x"))),
        ("*i*, _j_.", (Run("i", italic=True), Run(", "), Run("j", italic=True), Run("."))),
        ("~~s~~", (Run("s", strike=True),)),
        ("`a*b*`", (Run("a*b*", code=True),)),
        ("***x***", (Run("x", bold=True, italic=True),)),
        ("**API**s", (Run("API", bold=True), Run("s"))),
        ("**重点**是", (Run("重点", bold=True), Run("是"))),
        ("**https://a.io/x**", (Run("https://a.io/x", bold=True),)),
        ('[t](http://a.io "w")', (Run("t", link="http://a.io"),)),
        ("[](http://a.io)", (Run("http://a.io", link="http://a.io"),)),
        ("![alt](http://a.io/i.png)", (Run("alt", link="http://a.io/i.png"),)),
        ("<https://a.io>", (Run("https://a.io", link="https://a.io"),)),
        ("<a@b.io>", (Run("a@b.io", link="mailto:a@b.io"),)),
        ("see [l]\n\n[l]: http://a.io", (Run("see "), Run("l", link="http://a.io"))),
        ("a\nb  \nc", (Run("a\nb\nc"),)),
        ("&lt;b&gt;", (Run("<b>"),)),
    ],
)
def test_inline_styles(text: str, runs: tuple[Run, ...]) -> None:
    assert only_runs(text) == runs


def test_blocks() -> None:
    text = "# One\nTwo\n===\n\n7. a\n8. b\n   - [x] c\n\n> q\n\n---\n\n```py title=x\ncode\n```\n"
    a, b, c = (Paragraph((Run(char),)) for char in "abc")
    assert parse(text) == (
        Heading(1, (Run("One"),)),
        Heading(1, (Run("Two"),)),
        ListBlock((Item((a,)), Item((b, ListBlock((Item((c,), checked=True),))))), start=7),
        Quote((Paragraph((Run("q"),)),)),
        Rule(),
        CodeBlock("code\n", "py", "title=x"),
    )


def test_markdown_after_a_line_of_html_is_still_markdown() -> None:
    """A HTML block would swallow it up to the next blank line."""
    blocks = parse("<details>\n<summary>More</summary>\n- **a**\n- b\n```sh\nls\n```\n</details>")
    assert [type(block) for block in blocks] == [Paragraph, ListBlock, CodeBlock, Paragraph]
    assert shown(blocks) == "<details>\n<summary>More</summary>|a|b|ls\n|</details>"


def test_html_with_an_end_of_its_own_stays_raw() -> None:
    assert shown(parse("<pre>\n* a\n\n* b\n</pre>\n\n*c*")) == "<pre>\n* a\n\n* b\n</pre>|c"
    assert shown(parse("<!-- *a*\n\n*b* -->")) == "<!-- *a*\n\n*b* -->"


def test_an_unclosed_comment_does_not_swallow_the_rest() -> None:
    assert [type(block) for block in parse("<!-- oops\n\n- a\n")] == [Paragraph, ListBlock]


def test_cells_beyond_a_tables_head_are_kept() -> None:
    (table,) = parse("|a|b|\n|-|-:|\n|1|2|3|4 \\| 5|\n|x|\n")
    assert isinstance(table, Table)
    assert [[plain_text(cell) for cell in row] for row in table.rows] == [["1", "2", "3", "4 | 5"], ["x", ""]]
    assert table.aligns == ("None", "Right")


@pytest.mark.parametrize("opening", ["> ", "- ", "1. ", "> - ", ">"])
def test_deep_nesting_is_bounded_and_loses_no_text(opening: str) -> None:
    """Invariant 5: neither recursion limits nor deep trees."""
    blocks = parse(opening * 10_000 + "end")
    depth, here = 0, blocks
    while here and isinstance(here[0], Quote | ListBlock):
        depth += 1
        here = here[0].blocks if isinstance(here[0], Quote) else here[0].items[0].blocks
    assert depth <= MAX_DEPTH
    assert "end" in shown(blocks)


PIECES = st.sampled_from(
    [
        *["*", "**", "_", "`", "~~", "~", "|", "[a](b)", "<b>", "<pre>", "<!--", "-->", "\\", "&amp;", "    "],
        *["word", "é", "字", "👩\u200d👩\u200d👧", "\ufdd0", "\ud800", "\x00", "\r\n", "\n", "\n\n"],
        *["```\n", "- ", "> ", "1. ", "# ", "|-|-|\n", "[l]: x\n"],
    ]
)
DOCUMENTS = st.lists(PIECES, max_size=60).map("".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(DOCUMENTS, st.text(st.characters(exclude_categories=()), max_size=300)))
def test_any_text_gives_a_tree_without_empty_or_foreign_text(text: str) -> None:
    """Invariant 5: parsing never raises; the sentinels never come out."""
    result = shown(parse(text))
    assert "\ufdd1" not in result or "\ufdd1" in text
    result.encode()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["*", "_", "**", "a", "bc", " ", "/", ".", "3", "<T>", "https://x.io/", "\n"])))
def test_letters_and_tags_are_never_lost(parts: list[str]) -> None:
    """What disappears is at most the marks themselves (a list's numbers are in the tree as numbers)."""
    marks = str.maketrans("", "", "*_ \n|")
    text = "x" + "".join(parts)
    assume(not re.search(r"\n[ >]*3+\.", text))
    assert shown(parse(text)).translate(marks) == text.translate(marks)


@pytest.mark.parametrize(
    "unit", ["*", "[", "`", ">", "**a ", "[a](", "<", "<a\n", "- ", "x\n===\n", "[a]: b\n", "a*", "![", "|"]
)
def test_time_grows_with_length_only(unit: str) -> None:
    """Eight times the text takes nowhere near sixty-four times as long."""

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        parse(text)
        return time.process_time() - started

    small = seconds(20_000)
    assert seconds(160_000) < 30 * small + 0.5

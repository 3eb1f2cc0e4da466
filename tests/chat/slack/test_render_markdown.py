"""What Markdown looks like on Slack."""

from typing import Any

import pytest

from bridge.cards.document import CodeBlock, Paragraph, plain_text
from bridge.cards.markdown import parse
from bridge.cards.model import Card, Markdown
from bridge.chat.slack.links import link_or_none
from bridge.chat.slack.render import render
from bridge.chat.surface import Place

HERE = Place(conversation=1, chat="C1")
JOINER = "\u2060"


def blocks(source: str) -> list[dict[str, Any]]:
    (part,) = render("key", Card(pieces=(Markdown(source=source),)), HERE)
    drawn = part.payload["blocks"]
    assert isinstance(drawn, list)
    return drawn


def native(source: str) -> str:
    """The text of the one ``markdown`` block."""
    (block,) = blocks(source)
    assert block["type"] == "markdown"
    return str(block["text"])


def rich(source: str) -> list[dict[str, Any]]:
    """The elements of the one ``rich_text`` block."""
    (block,) = blocks(source)
    assert block["type"] == "rich_text"
    elements = block["elements"]
    assert isinstance(elements, list)
    return elements


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("# T\n\ntext", "# T\n\ntext"),
        ("T\n===\n\ntext", "# T\n\ntext"),
        ("**a *b* c** ~~d~~ `e`", "**a *b* c** ~~d~~ `e`"),
        ("__a__ _b_", "**a** *b*"),
        ("- a\n- b\n  - c\n    1. d", "- a\n- b\n  - c\n    1. d"),
        ("* a\n* b", "- a\n- b"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("1. a\n\n   more\n2. b", "1. a\n\n   more\n2. b"),
        ("- [x] done\n- [ ] open", "- ☑ done\n- ☐ open"),
        ("> a\n> b", "> a\n> b"),
        ("> a\n>\n> b", "> a\n>\n> b"),
        ("one\ntwo", "one\ntwo"),
        ("```py\nx = '&&'\n```", "```py\nx = '&&'\n```"),
        ("    indented", "```\nindented\n```"),
        ("````\n```\n````", "````\n```\n````"),
        ("``a`b``", "``a`b``"),
        ("[t](https://a.io/?x=1&y=2)", "[t](https://a.io/?x=1&y=2)"),
        ("**[t](https://a.io)**", "[**t**](https://a.io)"),
        ("see https://a.io/x_y_z?a=1&b=2", "see https://a.io/x_y_z?a=1&b=2"),
        ("snake_case and 3 * 4", "snake_case and 3 * 4"),
        ("3*4*5 src/*.py", r"3\*4\*5 src/\*.py"),
        (r"\*not bold\* \# no head", r"\*not bold\* # no head"),
        (r"1\. no list", r"1\. no list"),
        (r"\- no list", r"\- no list"),
    ],
)
def test_native_markdown(source: str, text: str) -> None:
    assert native(source) == text


@pytest.mark.parametrize(
    "text", ["use Vec<u8> and <T>", "a < b > c", "x & y &&", "<div>", "</b>", "a->b", "1 << 2", "<>", "<http"]
)
def test_text_that_looks_like_html_stays_as_typed(text: str) -> None:
    """Slack shows ``&lt;`` as ``<``; a Markdown parser agrees, so reading what we write gives what was written."""
    written = native(text)
    (block,) = parse(written)
    assert isinstance(block, Paragraph)
    assert plain_text(block.runs) == text
    assert "<" not in written
    assert ">" not in written


def test_an_escape_the_agent_meant_to_show_is_shown() -> None:
    assert native("write &amp;lt; for &lt;") == "write &amp;lt; for &lt;"
    (fence,) = parse(native("```\nx && y\n```"))
    assert isinstance(fence, CodeBlock)
    assert fence.text == "x && y\n"


@pytest.mark.parametrize("code", ["Vec<u8>", "&amp;", "<!here>", "@channel", "&#60;"])
def test_code_that_would_need_an_escape_goes_as_rich_text(code: str) -> None:
    """Nobody says whether Slack decodes entities in the code of ``markdown`` blocks; rich text has none."""
    (section,) = rich(f"so `{code}` it is")
    assert section["elements"] == [
        {"type": "text", "text": "so "},
        {"type": "text", "text": code, "style": {"code": True}},
        {"type": "text", "text": " it is"},
    ]
    (fence,) = rich(f"```html\n{code}\n```")
    assert fence == {
        "type": "rich_text_preformatted",
        "elements": [{"type": "text", "text": code}],
        "language": "html",
    }


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("hey <!here>", "hey &lt;!here&gt;"),
        ("hey <@U123>", "hey &lt;@U123&gt;"),
        ("in <#C1|x>", "in &lt;#C1|x&gt;"),
        ("<https://evil.io|good>", "[https://evil.io|good](https://evil.io%7Cgood)"),
        ("ask @here and @channel", f"ask @{JOINER}here and @{JOINER}channel"),
        ("&lt;!here&gt;", "&lt;!here&gt;"),
        ("mail a@b.io", "mail a@b.io"),
    ],
)
def test_nobody_is_mentioned(source: str, text: str) -> None:
    """Invariant 6: control sequences are shown as their characters, and broadcasts are dead."""
    assert native(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("[t](src/a.py)", "t (`src/a.py`)"),
        ("[src/a.py](src/a.py)", "`src/a.py`"),
        ("[t](javascript:alert(1))", "t (`javascript:alert(1)`)"),
        ("[t](slack://user?id=U1)", "t (`slack://user?id=U1`)"),
        ("![shot](./a.png)", "shot (`./a.png`)"),
        ("[mail](mailto:a@b.io)", "mail (a@b.io)"),
        ("[t](http://localhost:3006/x)", "[t](http://localhost:3006/x)"),
        ("[t](https://a.io/a_(b))", "[t](https://a.io/a_%28b%29)"),
        ("[t](https://a.io/<!here>)", "[t](https://a.io/%3C!here%3E)"),
    ],
)
def test_links_lead_where_they_seem_to(source: str, text: str) -> None:
    assert native(source) == text


def test_a_link_whose_text_names_another_host_shows_where_it_leads() -> None:
    """Nothing breaks out of its frame (invariant 6)."""
    (section,) = rich("[https://good.io](https://evil.io/x)")
    assert section["elements"] == [
        {"type": "link", "url": "https://evil.io/x", "text": "https://good.io"},
        {"type": "text", "text": " ("},
        {"type": "text", "text": "https://evil.io/x", "style": {"code": True}},
        {"type": "text", "text": ")"},
    ]


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://a.io/x|y", "https://a.io/x%7Cy"),
        ("HTTPS://a.io", "https://a.io"),
        ("https://good.io@evil.io/", None),
        ("https://", None),
        ("http://[", None),
        ("http://a.io:x/", None),
        ("//a.io", None),
        ("https://a.io/ b", None),
        ("https://a.io/" + "x" * 3_000, None),
    ],
)
def test_which_addresses_become_links(address: str, link: str | None) -> None:
    assert link_or_none(address) == link


def test_a_rule_is_a_divider() -> None:
    assert [block["type"] for block in blocks("a\n\n---\n\nb")] == ["markdown", "divider", "markdown"]


def test_what_markdown_can_not_hold_exactly_is_rich_text_in_the_same_shape() -> None:
    """A bulleted list, a numbered one with its own numbers, a heading and a quote, each with code that needs it."""
    assert rich("- a `<b>`\n  - c")[0]["style"] == "bullet"
    assert [element["indent"] for element in rich("- a `<b>`\n  - c")] == [0, 1]
    (section,) = rich("3. a `<b>`\n4. c")
    assert section["elements"][0]["text"] == "3. a "
    assert section["elements"][2]["text"] == "\n4. c"
    (heading,) = rich("## a `<b>`")
    assert heading["elements"][0] == {"type": "text", "text": "a ", "style": {"bold": True}}
    assert rich("> a `<b>`")[0]["type"] == "rich_text_quote"


def test_a_table_is_slacks_own() -> None:
    (table,) = blocks("|a|b|\n|-|-:|\n|1|`x`|\n||[l](https://a.io)|")
    assert table["rows"] == [
        [{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}],
        [{"type": "raw_text", "text": "1"}, cell({"type": "text", "text": "x", "style": {"code": True}})],
        [{"type": "raw_text", "text": " "}, cell({"type": "link", "url": "https://a.io", "text": "l"})],
    ]
    assert [column["align"] for column in table["column_settings"]] == ["left", "right"]


def cell(element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [element]}]}


def test_a_second_narrow_table_is_fixed_width() -> None:
    """One table in a message is all that Slack takes."""
    first, second = blocks("|a|\n|-|\n|1|\n\n|c|d|\n|-|-|\n|日本|4|")
    assert first["type"] == "table"
    assert second["elements"][0]["elements"][0]["text"] == "c    | d\n-----+--\n日本 | 4"


def test_a_table_too_large_for_a_chat_is_a_file_with_a_sample() -> None:
    """Invariant 2: what does not fit becomes a file."""
    rows = "".join(f"|row {n}|{'y' * 100}|\n" for n in range(500))
    parts = render("key", Card(pieces=(Markdown(source="|n|v|\n|-|-|\n" + rows),)), HERE)
    assert [part.kind for part in parts] == ["text", "file"]
    shown = str(parts[0].payload["blocks"])
    assert "n: row 0" in shown
    assert "⋯ all 500 rows are in table-1.csv" in shown
    assert parts[1].file is not None
    assert parts[1].file.text.count("\n") == 501

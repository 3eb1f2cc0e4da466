"""Whatever an agent writes, every part is one that Slack takes, nobody is mentioned, and nothing visible is lost."""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block as SdkBlock

from bridge.cards.model import Act, Button, Card, Code, Fold, Markdown, Panel, Piece, Section, Span, Text, plain
from bridge.chat.slack.dull import plain_text
from bridge.chat.slack.lines import PLAIN, cut, line
from bridge.chat.slack.mrkdwn import JOINER
from bridge.chat.slack.render import duller, render
from bridge.chat.slack.render_blocks import TableRule, flows_of
from bridge.chat.surface import Part, Place
from bridge.cli.render import render_markdown
from bridge.sandbox.slack.blocks import check_message_blocks
from bridge.sandbox.slack.schema import BlockSchema
from bridge.sandbox.slack.walk import mentions_in

HERE = Place(conversation=1, chat="C1")
SCHEMA = BlockSchema(Path(__file__).parents[3] / "fixtures/schemas/slack-blocks.json")

WORDS = ["word ", "foo bar ", "3*4*5", "snake_case ", "Vec<u8>", "&amp; ", "a & b ", "@channel ", "a" * 300, "b " * 200]
MARKS = [
    "**",
    "*",
    "_",
    "`",
    "~~",
    "~",
    "[a](http://b.co)",
    "[x](slack://y)",
    "![i](u)",
    "<b>",
    "<div>\n",
    "|",
    "\\",
    "](",
]
LIVE = [
    "<!here>",
    "<@U12345678>",
    "<#C123|x>",
    "<https://a.io|b>",
    "<!subteam^S1>",
    "@here",
    "`<!here>`",
    "&lt;!here&gt;",
]
BLOCKS = [
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "7) ",
    "> ",
    "# ",
    "```\n",
    "```py\n",
    "|a|b|\n|-|-|\n",
    "---\n",
    "===\n",
    "    ",
    "- [ ] ",
]
STRANGE = [
    "👩\u200d👩\u200d👧",
    "字" * 40,
    "مرحبا",
    "\u202e",
    "\u200b",
    "a\u030a",
    "\x00",
    "\ud800",
    "\x1b[0m",
    "\r\n",
    '"' * 30,
]
DOCUMENTS = st.lists(st.sampled_from(WORDS + MARKS + LIVE + BLOCKS + STRANGE), max_size=120).map("".join)
ANY_TEXT = st.one_of(DOCUMENTS, st.text(st.characters(exclude_categories=()), max_size=300))
ENDS: tuple[Literal["start", "end"], ...] = ("start", "end")


def blocks_of(part: Part) -> list[dict[str, Any]]:
    """A part's blocks, those in its attachments too."""
    attached = [block for one in part.payload["attachments"] for block in one["blocks"]]
    return [*part.payload["blocks"], *attached]


def accepted(parts: list[Part]) -> list[Part]:
    """The parts, after the strict server's checks, the published schema, and the SDK's models; duller forms too."""
    assert parts
    for part in parts:
        form: Part | None = part
        steps = 0
        while form is not None:
            if form.kind == "text":
                check_text_part(form.payload, dull=steps > 0)
            form = duller(form)
            steps += 1
            assert steps < 4
    return parts


def check_text_part(payload: dict[str, Any], *, dull: bool) -> None:
    assert set(payload) == {"text", "blocks", "attachments", "unfurl_links", "unfurl_media"}
    assert payload["unfurl_links"] is payload["unfurl_media"] is False
    assert payload["text"].strip()
    assert payload["blocks"] or dull
    attached = [block for one in payload["attachments"] for block in one["blocks"]]
    check_message_blocks(payload["blocks"], payload["attachments"])
    every = [*payload["blocks"], *attached]
    assert len(every) <= 50
    SCHEMA.check_blocks(every)
    for block in every:
        parsed = SdkBlock.parse(block)
        assert parsed is not None
        parsed.validate_json()
    assert mentions_in(payload["text"], every, mrkdwn=True, link_names=True) == []


def drawn(*pieces: Piece, **fields: Any) -> list[Part]:
    return accepted(render("key", Card(pieces=pieces, **fields), HERE))


def visible(text: str) -> str:
    """Text without blanks, and without what lists and rules are marked with."""
    return "".join(text.replace(JOINER, "").translate({ord(mark): None for mark in "•-─☑☐|.▏"}).split())


def shown(parts: Iterable[Part]) -> str:
    return visible("\n".join(plain_text(blocks_of(part)) for part in parts if part.kind == "text"))


def whole(*pieces: Piece) -> str:
    """What the pieces show before anything is cut into messages."""
    lines = [item for flow in flows_of(pieces, TableRule(0, as_files=False)) for item in flow.lines]
    return visible("\n".join(item.lead + item.text for item in lines))


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_the_messages_together_show_the_whole_answer(source: str) -> None:
    """Invariants 2, 5 and 6. Without tables, which are shown in another way when they are Slack's own."""
    piece = Markdown(source=source.replace("|", "/"))
    text = shown(drawn(piece))
    assert without_addresses(text) == without_addresses(whole(piece)) or (text == "⋯" and len(whole(piece)) < 400)


def without_addresses(text: str) -> str:
    """In plain words a link's address stands behind it."""
    return text.replace("(http://bco)", "").replace("(https://aio%7Cb)", "")


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT)
def test_any_text_at_all_is_shown(source: str) -> None:
    """Invariant 5."""
    drawn(Markdown(source=source))
    drawn(Markdown(source=source), one_message=True)


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, st.sampled_from(ENDS))
def test_every_kind_of_piece_keeps_the_limits(source: str, keep: Literal["start", "end"]) -> None:
    """Invariant 5."""
    code = Code(source=source, language="py", spill="code.py", keep=keep)
    drawn(
        Text(lines=(plain(source), (Span(text=source, link=source), Span(text=source, unix_s=1)))),
        Panel(title=plain(source[:200]), tone="failed", sections=(Section(label=source[:40], pieces=(code,)),)),
        Fold(title=plain("why"), pieces=(Markdown(source=source), code)),
        Markdown(source=source),
        buttons=((Button(label=source, act=Act(do="x")), Button(label="u", url=source), Button(label=source)),),
        summary=source,
    )


@settings(max_examples=80, deadline=None)
@given(ANY_TEXT, st.integers(1, 60), st.sampled_from(ENDS), st.booleans())
def test_one_message_is_one_message_and_the_whole_is_a_file(
    source: str, times: int, keep: Literal["start", "end"], folded: bool
) -> None:
    """Invariant 2."""
    code = Code(source=source * times, spill="a.txt", keep=keep)
    prose = Markdown(source=source * times, spill="b.md", keep=keep)
    pieces: tuple[Piece, ...] = (code, Fold(pieces=(prose,)) if folded else prose)
    parts = drawn(Text(lines=(plain("head"),)), *pieces, one_message=True)
    assert [part.kind for part in parts].count("text") == 1
    text = plain_text(blocks_of(parts[0]))
    files = {part.file.name: part.file.text for part in parts if part.file}
    for piece, name in ((code, "a.txt"), (prose, "b.md")):
        if f"⋯ the whole is in {name}" in text:
            assert files[name] == piece.source
    if not files:
        bare = without_addresses(shown(parts))
        assert without_addresses(whole(Text(lines=(plain("head"),)), code, prose)) == bare


@settings(max_examples=40, deadline=None)
@given(ANY_TEXT, st.integers(1, 200))
def test_what_may_not_be_shortened_is_cut_off_with_a_file(source: str, times: int) -> None:
    """Invariant 2, at its last resort."""
    piece = Text(lines=(plain(source * times),) * 3)
    parts = drawn(piece, one_message=True)
    assert parts[0].kind == "text"
    if len(parts) > 1:
        assert "⋯ the whole is in whole.txt" in plain_text(blocks_of(parts[0]))
        assert parts[1].file is not None
        assert whole(piece) == visible(parts[1].file.text)


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS)
@example("|a|b|\n|-|-|\n---\n---\n")
def test_a_long_answer_is_one_message_and_the_whole_file(source: str) -> None:
    piece = Markdown(source=source * 20)
    button = Button(label="Send all here", act=Act(do="all"))
    parts = drawn(piece, long_after=1, long_button=button)
    if len([part for part in drawn(piece) if part.kind == "text"]) > 1 and parts[1:]:
        assert [part.kind for part in parts] == ["text", "file"]
        assert parts[1].file is not None
        assert parts[1].file.text == piece.source
        assert blocks_of(parts[0])[-1]["elements"][-1]["text"]["text"] == "Send all here"


@settings(max_examples=40, deadline=None)
@given(ANY_TEXT)
def test_the_command_line_shows_the_same_calls(source: str) -> None:
    for call in render_markdown(source, "slack"):
        assert call["method"] in ("chat.postMessage", "files.getUploadURLExternal", "files.completeUploadExternal")
        json.dumps(call)


TORTURE = {
    "code cut": "intro\n\n```python\n" + "    x = 'äöü' + \"👩\u200d👩\u200d👧\"\n" * 2_000 + "```\nend",
    "code that looks like markup": "```\n" + "<!here> ``` &lt; </b>\n" * 2_000 + "```",
    "fences in fences": "````md\n" + "```py\nx\n```\n" * 2_000 + "````",
    "one endless line": "x" * 50_000,
    "endless quotes": '"\\' * 30_000,
    "asterisks": "a*b " * 10_000,
    "less than": "a < b << c <T> " * 3_000,
    "emoji at the cut": "a" + "👩\u200d👩\u200d👧" * 5_000,
    "marks without end": "a" + "\u0301" * 30_000,
    "right to left": "مرحبا بالعالم " * 3_000,
    "300 links": "[l](http://a.io/x) " * 300,
    "5,000 bold words": "**b** " * 5_000,
    "5,000 mentions": "<@U123> @here " * 5_000,
    "300 headings": "# h\n" * 300,
    "300 paragraphs and rules": "p\n\n---\n\n" * 300,
    "300 code blocks and words": "p\n\n```\n<x>\n```\n\n" * 300,
    "deep list": "\n".join("  " * n + f"- level {n}" for n in range(50)),
    "long list": "\n".join(f"{n}. item *{n}*\n   - `sub`" for n in range(2_000)),
    "deep quote": ">" * 10_000 + " end",
    "long quote": "> " + "quote " * 5_000,
    "HTML": "<div>\n" * 500 + "**b**",
    "no-break": "\u00a0" * 9_000 + "x",
}


@pytest.mark.parametrize("name", TORTURE)
def test_torture(name: str) -> None:
    """Invariants 2 and 5 on what is known to break renderers."""
    piece = Markdown(source=TORTURE[name])
    assert shown(drawn(piece)).replace("(http://aio/x)", "") == whole(piece)


@pytest.mark.parametrize("columns", [1, 2, 20, 21])
@pytest.mark.parametrize("rows", [1, 99, 100, 600])
def test_tables_of_every_size_are_shown_or_a_file(columns: int, rows: int) -> None:
    """Invariant 2: within 100 rows and 20 columns Slack's own table, else text or a file."""
    source = "|h" * columns + "|\n" + "|-" * columns + "|\n" + ("|cell" * columns + "|\n") * rows
    parts = drawn(Markdown(source=source))
    cells = "\n".join(plain_text(blocks_of(part)) for part in parts if part.kind == "text").count("cell")
    files = [part.file.text.count("cell") for part in parts if part.file]
    assert columns * rows in [cells, *files]


def test_every_message_has_one_table_at_most() -> None:
    table = f"|a|b|\n|-|-|\n|{'x' * 90}|y|\n\n"
    parts = drawn(Markdown(source=table * 3))
    kinds = [[block["type"] for block in blocks_of(part)] for part in parts]
    assert kinds == [["table"], ["table"], ["table"]]
    assert len(drawn(Markdown(source="|a|b|\n|-|-|\n|x|y|\n\n" * 3))) == 1


@pytest.mark.parametrize("source", ["", " ", "\n\n", "\u200b", "# ", "\u2800 \u3164"])
def test_nothing_visible_is_a_dull_mark_never_an_empty_message(source: str) -> None:
    (part,) = drawn(Markdown(source=source))
    assert (part.payload["text"], shown([part])) == ("⋯", "⋯")
    (part,) = drawn(Markdown(source=source), summary="Thinking")
    assert shown([part]) == "Thinking"


def test_clusters_and_surrogate_pairs_are_never_cut() -> None:
    family = "👩\u200d👩\u200d👧"
    parts = drawn(Markdown(source="ab" + family * 4_000))
    assert len(parts) > 2
    assert {plain_text(blocks_of(part)).removeprefix("ab").replace(family, "") for part in parts} == {""}


def test_a_cluster_larger_than_a_message_is_cut_all_the_same() -> None:
    pieces = list(cut(line([("a" + "\u0301" * 9_000, PLAIN)]), 1_000))
    assert "".join(piece.text for piece in pieces) == "a" + "\u0301" * 9_000
    assert max(piece.weight for piece in pieces) <= 1_000


def test_code_goes_on_as_code_in_the_same_language() -> None:
    """A fence is never cut: every message has its own, opened and closed, with every line inside."""
    source = "\n".join(f"line {n} = {n}" for n in range(10_000))
    parts = drawn(Markdown(source=f"```python\n{source}\n```"))
    assert len(parts) > 10
    codes = []
    for part in parts:
        (block,) = part.payload["blocks"]
        assert block["text"].startswith("```python\nline ")
        assert block["text"].endswith("\n```")
        codes.append(block["text"].removeprefix("```python\n").removesuffix("\n```"))
    assert "\n".join(codes) == source


def test_blocks_stay_whole_where_they_fit_and_headings_stay_with_what_follows() -> None:
    section = "## Head\n\n" + "word " * 600
    for part in drawn(Markdown(source="\n\n".join([section] * 10))):
        text = plain_text(blocks_of(part))
        assert text.startswith("Head")
        assert text.count("word") % 600 == 0


def test_lists_keep_their_numbers_over_a_cut() -> None:
    parts = drawn(Markdown(source="\n".join(f"{n}. item {n}" for n in range(5, 1_000))))
    assert len(parts) > 1
    lines = "\n".join(plain_text(blocks_of(part)) for part in parts).splitlines()
    assert lines == [f"{n}. item {n}" for n in range(5, 1_000)]


@pytest.mark.parametrize("unit", ["**a** <b> `c`\n\n", "- a\n", "x*y ", "```\na\n```\n", "a < b ", "|a|\n|-|\n|b|\n\n"])
def test_drawing_takes_time_in_proportion_to_length(unit: str) -> None:
    """Counted in this process's own time, so that a busy machine does not matter; ten times longer, not a hundred."""

    def cost(times: int) -> float:
        begin = time.process_time()
        render("key", Card(pieces=(Markdown(source=unit * times),)), HERE)
        return time.process_time() - begin

    cost(100)
    short = min(cost(400) for _ in range(3))
    assert cost(4_000) < 40 * short + 0.2

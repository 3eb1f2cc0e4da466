"""Whatever an agent writes, every part is one that Telegram takes, and nothing visible is lost."""

import json
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.model import Act, Button, Card, Code, Fold, Markdown, Panel, Piece, Section, Span, Text, plain
from bridge.cards.text import utf16_len
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.entities import PLAIN, Style, line
from bridge.chat.telegram.render import duller, render
from bridge.chat.telegram.render_blocks import flows_of
from bridge.chat.telegram.split import MAX_ENTITIES, MAX_UNITS, cut
from bridge.cli.render import render_markdown
from bridge.sandbox.telegram.keyboard import checked_markup
from bridge.sandbox.telegram.text import checked_text

HERE = Place(conversation=1, chat="1")
ROOT = Path(__file__).parents[3]
DEFINITIONS = json.loads((ROOT / "fixtures/schemas/telegram-methods.json").read_text())["definitions"]

WORDS = ["word ", "foo bar ", "3*4*5", "snake_case ", "Vec<u8>", "@user", "/cmd ", "./run ", "a" * 300, "b " * 200]
MARKS = [
    "**",
    "*",
    "_",
    "`",
    "~~",
    "[a](http://b.co)",
    "[x](http://localhost:1)",
    "![i](u)",
    "<b>",
    "<div>\n",
    "|",
    "\\",
]
BLOCKS = ["\n", "\n\n", "- ", "1. ", "> ", "# ", "```\n", "```py\n", "|a|b|\n|-|-|\n", "---\n", "    ", "- [ ] ", "\t"]
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
    "😀" * 30,
]
DOCUMENTS = st.lists(st.sampled_from(WORDS + MARKS + BLOCKS + STRANGE), max_size=120).map("".join)
ANY_TEXT = st.one_of(DOCUMENTS, st.text(st.characters(exclude_categories=()), max_size=300))
ENDS: tuple[Literal["start", "end"], ...] = ("start", "end")


def accepted(parts: list[Part]) -> list[Part]:
    """The parts, after the strict server's own checks of text, entities and keyboard; their duller forms pass too.

    The server must keep them exactly as they are: nothing trimmed, moved or dropped (bounds, order, nesting,
    surrogate pairs, 4,096 and 1,024 units, 100 entities).
    """
    assert parts
    for part in parts:
        form: Part | None = part
        steps = 0
        while form is not None:
            kind = "caption" if form.kind == "file" else "text"
            entities = form.payload.get("caption_entities" if form.kind == "file" else "entities", [])
            text = form.payload.get(kind, "")
            assert checked_text(text, [dict(e) for e in entities], caption=form.kind == "file") == (text, entities)
            checked_markup(form.payload.get("reply_markup"))
            form = duller(form)
            steps += 1
            assert steps < 4
    return parts


def drawn(*pieces: Piece, **fields: Any) -> list[Part]:
    return accepted(render("key", Card(pieces=pieces, **fields), HERE))


def texts(parts: list[Part]) -> list[str]:
    return [part.payload["text"] for part in parts if part.kind == "text"]


def visible(text: str) -> str:
    return "".join(text.split())


def whole(*pieces: Piece) -> str:
    """What the pieces show before anything is cut into messages."""
    return visible("".join(line.text for flow in flows_of(pieces) for line in flow.lines))


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT)
def test_the_messages_together_show_the_whole_answer(source: str) -> None:
    """Invariants 2 and 5."""
    piece = Markdown(source=source)
    shown = visible("".join(texts(drawn(piece))))
    assert shown == whole(piece) or (shown == "⋯" and len(whole(piece)) < 400)


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, st.sampled_from(ENDS))
def test_every_kind_of_piece_keeps_the_limits(source: str, keep: Literal["start", "end"]) -> None:
    """Invariant 5."""
    code = Code(source=source, language="py", spill="code.py", keep=keep)
    drawn(
        Text(lines=(plain(source), (Span(text=source, link=source), Span(text=source, unix_s=1)))),
        Panel(title=plain(source[:200]), tone="failed", sections=(Section(label=source[:40], pieces=(code,)),)),
        Fold(title=plain("why"), pieces=(Markdown(source=source), code)),
        buttons=(
            (Button(label=source, act=Act(do="x")), Button(label="c", copies=source), Button(label="u", url=source)),
        ),
    )


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, st.sampled_from(ENDS), st.integers(1, 30))
def test_a_card_in_one_message_is_one_message(source: str, keep: Literal["start", "end"], times: int) -> None:
    """Edited in place, it never grows a second part; what was shortened is whole in a file (invariant 2)."""
    long = source * times
    parts = drawn(
        Text(lines=(plain("head"),)),
        Code(source=long, spill="out.txt", keep=keep),
        Fold(title=plain("t"), pieces=(Markdown(source=long, spill="m.md", keep=keep),)),
        Text(lines=(plain(source[:300]),)),
        one_message=True,
    )
    (text,) = texts(parts)
    for part in parts[1:]:
        assert part.file is not None
        assert part.file.name in text


@settings(max_examples=50, deadline=None)
@given(ANY_TEXT)
def test_what_cannot_be_shortened_is_cut_off_visibly_and_goes_whole_into_a_file(source: str) -> None:
    """Invariant 2, at its edge: one message, and nothing in it may spill."""
    parts = drawn(Text(lines=(plain("start"), *[plain(source)] * 30)), one_message=True)
    (text,) = texts(parts)
    if len(parts) > 1:
        assert "⋯ the whole is in whole.txt" in text
        assert parts[1].file is not None
        assert whole(Text(lines=(plain(source),))) in visible(parts[1].file.text)


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS)
def test_a_long_answer_is_one_message_and_the_whole_file(source: str) -> None:
    piece = Markdown(source=source * 5)
    button = Button(label="Send all here", act=Act(do="all"))
    parts = drawn(piece, long_after=2, long_button=button)
    if len(texts(drawn(piece))) > 2:
        assert len(texts(parts)) == 1
        assert parts[1].file is not None
        assert parts[1].file.text == piece.source
        assert parts[0].payload["reply_markup"]["inline_keyboard"][-1][0]["text"] == "Send all here"


@settings(max_examples=80, deadline=None)
@given(ANY_TEXT)
def test_calls_are_valid_against_telegrams_schema(source: str) -> None:
    for call in render_markdown(source, "telegram"):
        name = "SendMessageParams" if call["method"] == "sendMessage" else "SendDocumentParams"
        jsonschema.Draft7Validator({"definitions": DEFINITIONS, "$ref": f"#/definitions/{name}"}).validate(
            call["params"]
        )


TORTURE = {
    "code cut": "intro\n\n```python\n" + "    x = 'äöü' + \"👩\u200d👩\u200d👧\"\n" * 2_000 + "```\nend",
    "one endless line": "x" * 50_000,
    "emoji at the cut": "a" + "👩\u200d👩\u200d👧" * 3_000,
    "marks without end": "a" + "\u0301" * 20_000,
    "right to left": "مرحبا بالعالم " * 2_000,
    "300 links": "[l](http://a.io/x) " * 300,
    "5,000 bold words": "**b** " * 5_000,
    "5,000 mentions": "@user " * 5_000,
    "300 headings": "# h\n" * 300,
    "deep list": "\n".join("  " * n + f"- level {n}" for n in range(50)),
    "deep quote": ">" * 10_000 + " end",
    "CJK table": "|名前|値|\n|-|-|\n" + "|日本語|1|\n" * 300,
    "wide table": "|a|b|\n|-|-|\n" + ("|" + "x" * 60 + "|y|\n") * 60,
    "long quote": "> " + "quote " * 3_000,
    "HTML": "<div>\n" * 500 + "**b**",
    "no-break": "\u00a0" * 9_000 + "x",
}


@pytest.mark.parametrize("name", TORTURE)
def test_torture(name: str) -> None:
    """Invariants 2 and 5 on what is known to break renderers."""
    piece = Markdown(source=TORTURE[name])
    assert visible("".join(texts(drawn(piece)))) == whole(piece)


@pytest.mark.parametrize("source", ["", " ", "\n\n", "\u200b", "<!---->"[:0], "***", "# ", "\u2800 \u3164"])
def test_nothing_visible_is_a_dull_mark_never_an_empty_message(source: str) -> None:
    (part,) = drawn(Markdown(source=source))
    assert part.payload["text"] in ("⋯", "─" * 12)
    (part,) = drawn(Markdown(source=source), summary="Thinking")
    assert part.payload["text"] in ("Thinking", "─" * 12)


def test_clusters_and_surrogate_pairs_are_never_cut() -> None:
    family = "👩\u200d👩\u200d👧"
    shown = texts(drawn(Markdown(source="ab" + family * 2_000)))
    assert [text.removeprefix("ab").replace(family, "") for text in shown] == [""] * len(shown)
    assert min(map(utf16_len, shown[:-1])) > 4_000


def test_a_mention_that_only_the_cut_makes_is_counted() -> None:
    """``x…x@bb`` is no mention, but ``@bb`` at the start of the next message is one entity more (invariant 6)."""
    runs = [("x" * MAX_UNITS + "@bb ", PLAIN), *[("b", Style(bold=True)), (" ", PLAIN)] * 200]
    pieces = list(cut(line(runs), MAX_UNITS, MAX_ENTITIES))
    assert [piece.text[:3] for piece in pieces[:2]] == ["xxx", "@bb"]
    assert pieces[1].entities[0] == {"type": "code", "offset": 0, "length": 3}
    assert max(len(piece.entities) for piece in pieces) <= MAX_ENTITIES


def test_code_goes_on_as_code_in_the_same_language() -> None:
    """A fence that is cut: every message has its own, and every line of it is inside."""
    source = "\n".join(f"line {n} = {n}" for n in range(10_000))
    parts = drawn(Markdown(source=f"```python\n{source}\n```"))
    assert len(parts) > 20
    for part in parts:
        (entity,) = part.payload["entities"]
        assert (entity["type"], entity["language"]) == ("pre", "python")
        assert entity["length"] == utf16_len(part.payload["text"])
        assert part.payload["text"].startswith("line ")
    assert "\n".join(texts(parts)) == source


def test_blocks_stay_whole_where_they_fit_and_headings_stay_with_what_follows() -> None:
    section = "## Head\n\n" + "word " * 300
    for text in texts(drawn(Markdown(source="\n\n".join([section] * 10)))):
        assert text.startswith("Head")
        assert text.endswith("word")
        assert text.count("word") % 300 == 0


def test_a_quote_that_is_cut_stays_a_quote() -> None:
    parts = drawn(Fold(title=plain("Reasoning"), pieces=(Markdown(source="thought " * 3_000),)))
    assert len(parts) > 4
    for part in parts:
        quotes = [e for e in part.payload["entities"] if e["type"] == "expandable_blockquote"]
        assert [(e["offset"], e["length"]) for e in quotes] == [(0, utf16_len(part.payload["text"]))]


def test_lists_keep_their_numbers_over_a_cut() -> None:
    shown = "\n".join(texts(drawn(Markdown(source="\n".join(f"{n}. item {n}" for n in range(5, 1_000))))))
    assert shown.splitlines() == [f"{n}. item {n}" for n in range(5, 1_000)]

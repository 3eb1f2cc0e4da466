"""What Markdown looks like on Telegram."""

from typing import Any

import pytest

from bridge.cards.model import Card, Fold, Markdown, plain
from bridge.chat.surface import Place
from bridge.chat.telegram.render import render

HERE = Place(conversation=1, chat="1")


def drawn(source: str) -> dict[str, Any]:
    (part,) = render("key", Card(pieces=(Markdown(source=source),)), HERE)
    return part.payload


def styled(source: str) -> list[tuple[str, str]]:
    """Every entity's type and the text it covers."""
    payload = drawn(source)
    units = payload["text"].encode("utf-16-le")
    return [
        (e["type"], units[2 * e["offset"] : 2 * (e["offset"] + e["length"])].decode("utf-16-le"))
        for e in payload.get("entities", [])
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("- a\n- b\n  - c\n    1. d", "• a\n• b\n   ◦ c\n      1. d"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("- [x] done\n- [ ] open", "☑ done\n☐ open"),
        ("1. a\n\n   more\n2. b", "1. a\n   more\n2. b"),
        ("a\n\n---\n\nb", "a\n\n────────────\n\nb"),
        ("> a\n> > b", "a\n\n▏b"),
        ("# T\n\ntext", "T\ntext"),
        ("x `Vec<u8>` y", "x Vec<u8> y"),
        ("use Vec<u8> and <T>", "use Vec<u8> and <T>"),
        ("-\n- b", "•\n• b"),
        ("- ```\n  code\n  ```", "•\ncode"),
    ],
)
def test_text(source: str, text: str) -> None:
    assert drawn(source)["text"] == text


@pytest.mark.parametrize(
    ("source", "entities"),
    [
        ("😀 **b** *i* ~~s~~ `c`", [("bold", "b"), ("italic", "i"), ("strikethrough", "s"), ("code", "c")]),
        ("**a *b* c**", [("bold", "a b c"), ("italic", "b")]),
        ("**a `b` c**", [("bold", "a"), ("code", "b"), ("bold", "c")]),
        ("# One", [("underline", "One"), ("bold", "One")]),
        ("## Two", [("bold", "Two")]),
        ("### Three", [("italic", "Three"), ("bold", "Three")]),
        ("```rs\nfn\n```", [("pre", "fn")]),
        ("> q `c`", [("blockquote", "q c"), ("code", "c")]),
        ("> ```\n> a\n> b\n> ```", [("blockquote", "a\nb"), ("code", "a\nb")]),
        ("[t](https://a.io)", [("text_link", "t")]),
        ("[`t`](https://a.io)", [("text_link", "t")]),
        ("**[t](https://a.io)**", [("bold", "t"), ("text_link", "t")]),
    ],
)
def test_entities(source: str, entities: list[tuple[str, str]]) -> None:
    assert sorted(styled(source)) == sorted(entities)


@pytest.mark.parametrize(
    ("source", "text", "kind"),
    [
        ("[t](http://localhost:3006/x)", "t (http://localhost:3006/x)", "code"),
        ("[t](src/a.py)", "t (src/a.py)", "code"),
        ("[src/a.py](src/a.py)", "src/a.py", "code"),
        ("[t](javascript:alert(1))", "t (javascript:alert(1))", "code"),
        ("[t](file:///etc/passwd)", "t (file:///etc/passwd)", "code"),
        ("[t](http://127.0.0.1/)", "t (http://127.0.0.1/)", "code"),
        ("[t](https://good.io@evil.io/)", "t (https://good.io@evil.io/)", "code"),
        ("[t](tg://user?id=42)", "t (tg://user?id=42)", "code"),
        ("![shot](./a.png)", "shot (./a.png)", "code"),
        ("![](./a.png)", "./a.png", "code"),
    ],
)
def test_addresses_telegram_refuses_or_that_ping_are_shown_as_code(source: str, text: str, kind: str) -> None:
    """One bad address makes Telegram refuse the whole message; ``tg://user`` is a mention (invariant 6)."""
    assert drawn(source)["text"] == text
    assert [name for name, _ in styled(source)] == [kind]


def test_mail_addresses_are_left_to_the_client() -> None:
    assert drawn("[mail](mailto:a@b.io) <c@d.io>") == {
        "text": "mail (a@b.io) c@d.io",
        "link_preview_options": {"is_disabled": True},
    }


def test_a_link_whose_text_names_another_host_shows_where_it_leads() -> None:
    """Nothing breaks out of its frame (invariant 6)."""
    assert drawn("[https://good.io](https://evil.io/x)")["text"] == "https://good.io (https://evil.io/x)"
    assert drawn("[good.io](https://www.good.io/x)")["text"] == "good.io"


@pytest.mark.parametrize(
    ("source", "dead"),
    [
        ("ask @channel now", ["@channel"]),
        ("**@user_1**", ["@user_1"]),
        ("run /stop or ./tool.sh", ["/stop", "./tool.sh"]),
        ("/stop@bot.", ["/stop@bot"]),
        ("~/tmp and /tmp", ["~/tmp", "/tmp"]),
        ("a @b**cd** e", ["@b", "cd"]),
        ("> @user", ["@user"]),
    ],
)
def test_mentions_and_commands_are_dead(source: str, dead: list[str]) -> None:
    """Invariant 6: inside ``code`` Telegram neither links nor notifies; no byte of the text changes."""
    assert "".join(text for kind, text in styled(source) if kind == "code") == "".join(dead)
    assert drawn(source)["text"] == source.replace("*", "").removeprefix("> ")


@pytest.mark.parametrize("source", ["a@b.io", "/usr/bin/env", "and/or", "https://medium.com/@user/x", "1/2", "x</b>"])
def test_what_telegram_would_not_make_live_is_left_alone(source: str) -> None:
    assert styled(source) == []
    assert drawn(source)["text"] == source


def test_no_message_has_a_preview_or_a_parse_mode() -> None:
    """Invariant 6."""
    payload = drawn("https://example.com <b>x</b> *y*")
    assert payload["link_preview_options"] == {"is_disabled": True}
    assert "parse_mode" not in payload


def test_a_narrow_table_is_aligned_and_a_wide_one_becomes_cards() -> None:
    assert drawn("|a|b|\n|-|-:|\n|日本|1|\n|x|22|")["text"] == "a    |  b\n-----+---\n日本 |  1\nx    | 22"
    assert [kind for kind, _ in styled("|a|\n|-|\n|b|")] == ["pre"]
    wide = "|Name|What|Link|\n|-|-|-|\n|alpha|" + "x" * 50 + "|[l](https://a.io)|\n|beta||z|"
    assert drawn(wide)["text"] == "Name: alpha\nWhat: " + "x" * 50 + "\nLink: l\n\nName: beta\nLink: z"
    assert styled(wide) == [("bold", "Name: alpha"), ("text_link", "l"), ("bold", "Name: beta")]


def test_a_table_whose_links_would_vanish_in_fixed_width_becomes_cards() -> None:
    assert styled("|a|\n|-|\n|[l](https://a.io)|")[-1] == ("text_link", "l")


def test_a_table_too_large_for_a_chat_is_a_file_with_a_sample() -> None:
    """Invariant 2: what does not fit becomes a file."""
    rows = "".join(f"|row {n}|{'y' * 60}|\n" for n in range(500))
    parts = render("key", Card(pieces=(Markdown(source="|n|v|\n|-|-|\n" + rows),)), HERE)
    assert [part.kind for part in parts] == ["text", "file"]
    assert parts[0].payload["text"].startswith("n: row 0\n")
    assert parts[0].payload["text"].endswith("⋯ all 500 rows are in table-1.csv")
    assert parts[1].file is not None
    assert parts[1].file.text.count("\n") == 501


def test_a_fold_is_an_expandable_quote_with_its_title_first() -> None:
    (part,) = render(
        "key", Card(pieces=(Fold(title=plain("Why"), pieces=(Markdown(source="a\n\n> b\n\n- c"),)),)), HERE
    )
    assert part.payload["text"] == "Why\na\n\n▏b\n\n• c"
    assert part.payload["entities"][0] == {"type": "expandable_blockquote", "offset": 0, "length": 14}
    assert part.payload["entities"][1] == {"type": "bold", "offset": 0, "length": 3}

"""A card's other promises: header, panels, files, buttons, shortening, duller forms."""

from typing import Any

import pytest

from bridge.cards.model import (
    Act,
    Button,
    Card,
    Code,
    File,
    Markdown,
    Panel,
    Reply,
    Section,
    Span,
    Text,
    bold,
    button_token,
    plain,
)
from bridge.chat.surface import Part, Place
from bridge.chat.telegram.buttons import cut_label
from bridge.chat.telegram.links import link_or_none
from bridge.chat.telegram.render import duller, render

HERE = Place(conversation=1, chat="1")
WITH_HEADER = Place(conversation=1, chat="1", header=(bold("api"), Span(text=" · laptop")))
STOP = Act(do="stop", session="s")


def rows(*buttons: Button) -> list[list[dict[str, Any]]]:
    (part,) = render("key", Card(pieces=(Markdown(source="x"),), buttons=(buttons,)), HERE)
    keyboard = part.payload.get("reply_markup", {"inline_keyboard": []})["inline_keyboard"]
    assert isinstance(keyboard, list)
    return keyboard


def test_the_header_comes_first_and_stands_on_files_too() -> None:
    """Several sessions share a place: each message says whose it is."""
    card = Card(pieces=(Markdown(source="hello"),), files=(File(name="a.txt", text="a"),))
    text, file = render("key", card, WITH_HEADER)
    assert text.payload["text"] == "api · laptop\nhello"
    assert file.payload == {
        "caption": "api · laptop",
        "caption_entities": [{"type": "bold", "offset": 0, "length": 3}],
    }
    assert file.file == card.files[0]


def test_spans_of_the_bridge() -> None:
    """Times are shown in the reader's zone; the text is the fallback. Only the bridge's own commands stay live."""
    line = (Span(text="resets "), Span(text="18:00 UTC", unix_s=1_800_000_000), Span(text=" or "))
    spans = (*line, Span(text="/stop", link="/stop"), Span(text=" /kill @all"))
    (part,) = render("key", Card(pieces=(Text(lines=(spans, (), plain("*raw* <b>"))),)), HERE)
    assert part.payload["text"] == "resets 18:00 UTC or /stop /kill @all\n\n*raw* <b>"
    assert part.payload["entities"] == [
        {"type": "date_time", "offset": 7, "length": 9, "unix_time": 1_800_000_000, "date_time_format": "dt"},
        {"type": "code", "offset": 26, "length": 5},
        {"type": "code", "offset": 32, "length": 4},
    ]


@pytest.mark.parametrize("moment", [0, -1, 2**31, 10**20])
def test_a_moment_telegram_cannot_show_is_plain_text(moment: int) -> None:
    (part,) = render("key", Card(pieces=(Text(lines=((Span(text="then", unix_s=moment),),)),)), HERE)
    assert "entities" not in part.payload


@pytest.mark.parametrize(("tone", "mark"), [("running", "🟠 "), ("done", "🟢 "), ("failed", "🔴 "), ("neutral", "")])
def test_a_panel_has_a_coloured_bold_title_and_labelled_sections(tone: Any, mark: str) -> None:
    section = Section(label="Input", pieces=(Code(source="ls -l\n", language="sh"),))
    (part,) = render("key", Card(pieces=(Panel(title=plain("Bash"), tone=tone, sections=(section,)),)), HERE)
    assert part.payload["text"] == f"{mark}Bash\nInput\nls -l"
    assert [e["type"] for e in part.payload["entities"]] == ["bold", "underline", "italic", "pre"]


def test_buttons() -> None:
    """Tokens are opaque, 26 characters, and bound to post and act (invariant 4)."""
    assert rows(
        Button(label="Allow", style="primary", act=STOP),
        Button(label="Deny", style="danger", act=Act(do="deny")),
        Button(label="done"),
        Button(label="Copy", copies="x" * 256),
        Button(label="Open", url="https://a.io"),
    ) == [
        [
            {"text": "Allow", "style": "primary", "callback_data": button_token("key", STOP)},
            {"text": "Deny", "style": "danger", "callback_data": button_token("key", Act(do="deny"))},
            {"text": "done", "callback_data": "-"},
            {"text": "Copy", "copy_text": {"text": "x" * 256}},
            {"text": "Open", "url": "https://a.io"},
        ]
    ]


def test_buttons_telegram_would_refuse_the_message_for() -> None:
    """Too long to copy: left out. An address it does not take: to copy. No label: a dot."""
    assert rows(Button(label="Copy", copies="😀" * 129)) == []
    assert rows(Button(label="Open", url="http://localhost:3006")) == [
        [{"text": "Open", "copy_text": {"text": "http://localhost:3006"}}]
    ]
    assert rows(Button(label=" ", act=STOP))[0][0]["text"] == "·"
    wide = rows(*[Button(label=str(n)) for n in range(19)])
    assert [len(row) for row in wide] == [8, 8, 3]


def test_labels_are_cut_visibly_and_between_clusters() -> None:
    assert cut_label("x" * 80, 32) == "x" * 31 + "…"
    assert cut_label("👩\u200d👩\u200d👧" * 10, 8) == "👩\u200d👩\u200d👧" * 3 + "…"
    assert cut_label("日本語", 6) == "日本語"


def test_buttons_stand_on_the_last_text_and_files_come_first_where_asked() -> None:
    """Nothing can be approved unseen (invariant 4): the argument's file, then the card with the buttons."""
    argument = "\n".join(f"echo {n}" for n in range(3_000))
    piece = Code(source=argument, language="sh", spill="command.sh")
    buttons = ((Button(label="Allow", act=STOP),),)
    parts = render("key", Card(pieces=(piece,), buttons=buttons, one_message=True, files_first=True), HERE)
    assert [part.kind for part in parts] == ["file", "text"]
    assert parts[0].file is not None
    assert parts[0].file.text == argument
    assert "reply_markup" not in parts[0].payload
    assert "reply_markup" in parts[1].payload
    assert parts[1].payload["text"].startswith("echo 0\necho 1\n")
    assert parts[1].payload["text"].endswith("⋯ the whole is in command.sh")


def test_the_end_is_kept_where_asked_and_short_pieces_stay_whole() -> None:
    long = Code(source="\n".join(f"line {n}" for n in range(3_000)), spill="out.txt", keep="end")
    card = Card(pieces=(Text(lines=(plain("top"),)), long, Markdown(source="short", spill="b.md")), one_message=True)
    text = render("key", card, HERE)[0].payload["text"]
    assert text.startswith("top\n\n⋯ the whole is in out.txt\nline ")
    assert text.endswith("line 2999\nshort")
    assert len(text) > 3_500


def test_a_running_post_says_that_the_whole_comes_later() -> None:
    """``spill_now`` off: no file yet, but the shortening shows (invariant 2)."""
    piece = Code(source="x\n" * 5_000, spill="out.txt")
    (part,) = render("key", Card(pieces=(piece,), one_message=True, spill_now=False), HERE)
    assert part.payload["text"].endswith("⋯ shortened; the whole comes as out.txt")


def test_pieces_that_spill_into_one_name_make_one_file() -> None:
    pieces = tuple(Markdown(source=f"{n} " * 3_000, spill="turn.md") for n in "abc")
    parts = render("key", Card(pieces=pieces, one_message=True), HERE)
    assert [part.kind for part in parts] == ["text", "file"]
    assert parts[1].file is not None
    assert parts[1].file.text == "\n\n".join(piece.source for piece in pieces)


def test_a_long_answer_shows_its_opening_and_headings() -> None:
    source = "Opening.\n\n" + "\n\n".join(f"## Part {n}\n\n" + "word " * 300 for n in range(12))
    button = Button(label="Send all here", act=Act(do="send_all"))
    card = Card(pieces=(Markdown(source=source),), long_after=3, long_button=button)
    text, file = render("key", card, WITH_HEADER)
    assert text.payload["text"].startswith("api · laptop\nOpening.\n\nPart 0\nword")
    assert text.payload["text"].endswith("• Part 10\n• Part 11\n⋯ the whole is in answer.md")
    assert text.payload["reply_markup"]["inline_keyboard"][-1][0]["callback_data"] == button_token(
        "key", Act(do="send_all")
    )
    assert file.file == File(name="answer.md", text=source, media_type="text/markdown")
    short = card.model_copy(update={"pieces": (Markdown(source="short"),)})
    assert [part.payload["text"] for part in render("key", short, HERE)] == ["short"]


def test_rendering_is_a_pure_function() -> None:
    """The courier compares digests: the same card must draw the same, every time."""
    card = Card(pieces=(Markdown(source="# a\n\n- b `c` @d"),), buttons=((Button(label="x", act=STOP),),))
    assert [p.digest for p in render("key", card, HERE)] == [p.digest for p in render("key", card, HERE)]


def test_duller_forms_end_and_never_wake_a_mention() -> None:
    """Invariant 6 also for what Telegram refused at first."""
    buttons = ((Button(label="Go", style="primary", act=STOP), Button(label="Open", url="https://a.io")),)
    card = Card(pieces=(Markdown(source="**b** [@link](https://a.io) @user /cmd"),), buttons=buttons)
    (part,) = render("key", card, HERE)
    first = duller(part)
    assert first is not None
    assert [e["type"] for e in first.payload["entities"]] == ["code"] * 3
    assert first.payload["text"] == part.payload["text"]
    assert first.payload["reply_markup"] == {
        "inline_keyboard": [[{"text": "Go", "callback_data": button_token("key", STOP)}]]
    }
    second = duller(first)
    assert second is not None
    assert "entities" not in second.payload
    assert second.payload["text"] == "b @\u2060link @\u2060user /\u2060cmd"
    assert duller(second) is None
    assert duller(Part("text", {"text": "x"})) is None


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://example.com/a_b?c=d#e", True),
        ("http://8.8.8.8:80/", True),
        ("https://müller.de/", True),
        ("tg://resolve?domain=x", True),
        ("", False),
        ("example.com", False),
        ("http://localhost", False),
        ("http://hub.local:3006", False),
        ("http://192.168.0.1/", False),
        ("http://[::1]/", False),
        ("http://host", False),
        ("http://a..b/", False),
        ("http://a.b/ c", False),
        ("http://a.io:99999999/", False),
        ("http://[", False),
        ("ftp://a.io", False),
        ("mailto:a@b.io", False),
        ("tg://user?id=1", False),
        ("//a.io/x", False),
    ],
)
def test_which_addresses_become_links(address: str, taken: bool) -> None:
    assert (link_or_none(address) is not None) is taken


def test_a_card_that_wants_a_reply_opens_the_keyboard_with_a_placeholder_that_fits() -> None:
    asking = Card(pieces=(Markdown(source="x"),), wants_reply=Reply(placeholder="Why " + "😀" * 60, act=STOP))
    (part,) = render("key", asking, HERE)
    markup = part.payload["reply_markup"]
    assert markup["force_reply"] is True
    assert markup["input_field_placeholder"].startswith("Why 😀")
    assert len(markup["input_field_placeholder"].encode("utf-16-le")) // 2 <= 64
    plainer = duller(part)
    assert plainer is not None
    assert "reply_markup" not in plainer.payload


def test_nobodys_keyboard_opens_where_others_read_along() -> None:
    asking = Card(pieces=(Markdown(source="x"),), wants_reply=Reply(placeholder="Why?", opens=False, act=STOP))
    (part,) = render("key", asking, HERE)
    assert "reply_markup" not in part.payload


def test_a_picture_has_its_words_as_caption_and_is_at_worst_a_plain_file() -> None:
    file = File(name="chart.png", media_type="image/png", source="s/img")
    card = Card(pieces=(Text(lines=((Span(text="chart.png", code=True),),)),), files=(file,), captioned=True)
    (part,) = render("key", card, HERE)
    assert part.payload == {
        "caption": "chart.png",
        "caption_entities": [{"type": "code", "offset": 0, "length": 9}],
    }
    forms = [part]
    while (form := duller(forms[-1])) is not None:
        forms.append(form)
    assert [form.file.media_type for form in forms if form.file][-1] == "application/octet-stream"
    assert all(form.kind == "file" and form.file and form.file.source == "s/img" for form in forms)

"""A card's promises on Slack: header, panels, folds, files, buttons, shortening, duller forms."""

from typing import Any

import pytest

from bridge.cards.model import (
    Act,
    Button,
    Card,
    Code,
    File,
    Fold,
    Markdown,
    Panel,
    Section,
    Span,
    Text,
    bold,
    button_token,
    plain,
)
from bridge.cards.request.approval import ApprovalView, argument_hash, present_approval
from bridge.chat.slack.buttons import cut_label
from bridge.chat.slack.dull import plain_text
from bridge.chat.slack.render import duller, render
from bridge.chat.surface import Part, Place

HERE = Place(conversation=1, chat="C1")
WITH_HEADER = Place(conversation=1, chat="C1", header=(bold("api"), Span(text=" · lap<top>")))
STOP = Act(do="stop", session="s")


def elements(*buttons: Button) -> list[dict[str, Any]]:
    (part,) = render("key", Card(pieces=(Markdown(source="x"),), buttons=(buttons,)), HERE)
    return [each for block in part.payload["blocks"][1:] for each in block["elements"]]


def words(part: Part) -> str:
    attached = [block for one in part.payload["attachments"] for block in one["blocks"]]
    return plain_text([*part.payload["blocks"], *attached])


def test_the_header_comes_first_and_stands_on_files_too() -> None:
    """Several sessions share a place: each message says whose it is."""
    card = Card(pieces=(Markdown(source="hello"),), files=(File(name="a.txt", text="a"),), summary="hello")
    text, file = render("key", card, WITH_HEADER)
    header, body = text.payload["blocks"]
    assert header["elements"][0]["elements"] == [
        {"type": "text", "text": "api", "style": {"bold": True}},
        {"type": "text", "text": " · lap<top>"},
    ]
    assert body == {"type": "markdown", "text": "hello"}
    assert text.payload["text"] == "api · lap&lt;top&gt;: hello"
    assert file.payload == {"initial_comment": "api · lap&lt;top&gt;"}
    assert file.file == card.files[0]


def test_nothing_is_unfurled_and_the_notification_mentions_nobody() -> None:
    """Invariant 6."""
    (part,) = render("key", Card(pieces=(Markdown(source="<!here> @channel https://a.io"),)), HERE)
    assert part.payload["unfurl_links"] is part.payload["unfurl_media"] is False
    assert part.payload["text"] == "&lt;!here&gt; @\u2060channel https://a.io"


def test_spans_of_the_bridge() -> None:
    """Times are shown in the reader's zone; the text is the fallback. Nothing is markup."""
    line = (Span(text="resets "), Span(text="18:00 UTC", unix_s=1_800_000_000), Span(text=" *raw* <b> @here"))
    (part,) = render("key", Card(pieces=(Text(lines=(line, (), plain("end"))),)), HERE)
    (block,) = part.payload["blocks"]
    assert block["elements"][0]["elements"] == [
        {"type": "text", "text": "resets "},
        {
            "type": "date",
            "timestamp": 1_800_000_000,
            "format": "{date_short_pretty}, {time}",
            "fallback": "18:00 UTC",
        },
        {"type": "text", "text": " *raw* <b> @here\n\nend"},
    ]


@pytest.mark.parametrize("moment", [0, -1, 2**31, 10**20])
def test_a_moment_slack_cannot_show_is_plain_text(moment: int) -> None:
    (part,) = render("key", Card(pieces=(Text(lines=((Span(text="then", unix_s=moment),),)),)), HERE)
    assert part.payload["blocks"][0]["elements"][0]["elements"] == [{"type": "text", "text": "then"}]


@pytest.mark.parametrize(
    ("tone", "color", "mark"),
    [
        ("running", "#e8912d", "🟠 "),
        ("waiting", "#e8912d", "🟡 "),
        ("done", "#2eb67d", "🟢 "),
        ("failed", "#e01e5a", "🔴 "),
        ("neutral", "#8d939e", ""),
    ],
)
def test_a_panel_is_an_attachment_with_a_bar_and_its_sections_apart(tone: Any, color: str, mark: str) -> None:
    sections = (
        Section(label="Input", pieces=(Code(source="ls -l\n", language="sh"),)),
        Section(label="Output", pieces=(Code(source="-a\n+b", language="diff"),)),
    )
    (part,) = render("key", Card(pieces=(Panel(title=plain("Bash"), tone=tone, sections=sections),)), HERE)
    assert words(part).splitlines()[0] == f"{mark}Bash"
    (attachment,) = part.payload["attachments"]
    assert attachment["color"] == color
    first, second = attachment["blocks"]
    assert [plain_text([block]) for block in (first, second)] == ["Input\n\nls -l", "Output\n\n-a\n+b"]
    assert second["elements"][1]["language"] == "diff"


def test_a_fold_is_an_attachment_that_slack_folds_and_the_order_stays() -> None:
    """Attachments stand below all blocks, so what follows one is an attachment too; buttons come last."""
    pieces = (Text(lines=(plain("one"),)), Fold(title=plain("Why"), pieces=(Markdown(source="two"),)))
    card = Card(pieces=(*pieces, Text(lines=(plain("three"),))), buttons=((Button(label="Go", act=STOP),),))
    (part,) = render("key", card, HERE)
    assert plain_text(part.payload["blocks"]) == "one"
    fold, after, buttons = part.payload["attachments"]
    assert plain_text(fold["blocks"]) == "Why\ntwo"
    assert plain_text(after["blocks"]) == "three"
    assert buttons["blocks"][0]["type"] == "actions"


def test_a_fold_alone_has_its_title_above() -> None:
    """With no block at all Slack would show the notification's text."""
    (part,) = render("key", Card(pieces=(Fold(title=plain("Why"), pieces=(Markdown(source="two"),)),)), HERE)
    assert plain_text(part.payload["blocks"]) == "Why"
    (untitled,) = render("key", Card(pieces=(Fold(pieces=(Markdown(source="two"),)),)), HERE)
    assert plain_text(untitled.payload["blocks"]) == "⋯"


def test_buttons() -> None:
    """Tokens are opaque, 26 characters, and bound to post and act (invariant 4); Slack copies by itself."""
    buttons = (
        Button(label="Allow", style="primary", act=STOP),
        Button(label="Deny", style="danger", act=Act(do="deny")),
        Button(label="done"),
        Button(label="Copy", copies="x"),
        Button(label="Open", url="https://a.io"),
        Button(label="Bad", url="slack://x"),
    )

    def text(label: str) -> dict[str, Any]:
        return {"type": "plain_text", "text": label, "emoji": False}

    assert elements(*buttons) == [
        {"type": "button", "text": text("Allow"), "style": "primary", "action_id": button_token("key", STOP)},
        {"type": "button", "text": text("Deny"), "style": "danger", "action_id": button_token("key", Act(do="deny"))},
        {"type": "button", "text": text("done"), "action_id": "-3"},
        {"type": "button", "text": text("Open"), "url": "https://a.io", "action_id": "-4"},
    ]


def test_many_buttons_keep_slacks_limits() -> None:
    many = tuple((Button(label=f"{n} " + "x" * 100, act=Act(do=str(n))),) for n in range(120))
    parts = render("key", Card(pieces=(Markdown(source="word " * 5_000),), buttons=many), HERE)
    drawn = [[block for block in part.payload["blocks"] if block["type"] == "actions"] for part in parts]
    assert [len(block["elements"]) for block in drawn[-1]] == [25, 25, 25, 25]
    assert not any(drawn[:-1]), "buttons stand on the last message"
    ids = [each["action_id"] for each in elements(*[Button(label="same", act=STOP)] * 3, Button(label="x"))]
    assert len(ids) == len(set(ids)) == 2


def test_labels_are_cut_visibly_and_between_clusters() -> None:
    assert cut_label("x" * 80) == "x" * 74 + "…"
    assert cut_label("👩\u200d👩\u200d👧" * 20, 20) == "👩\u200d👩\u200d👧" * 2 + "…"
    assert cut_label(" ") == "·"


def test_the_whole_argument_is_seen_before_it_can_be_allowed() -> None:
    """Nothing can be approved unseen (invariant 4): the argument's file, then the card with the buttons."""
    arguments = {"command": "\n".join(f"echo {n} <!here> && true" for n in range(2_000))}
    view = ApprovalView("s", "r", "Bash", arguments, argument_hash("Bash", arguments))
    parts = render("key", present_approval(view), HERE)
    assert [part.kind for part in parts] == ["file", "text"]
    assert parts[0].file is not None
    assert arguments["command"] in parts[0].file.text
    assert f"the whole is in {parts[0].file.name}" in words(parts[1])
    assert [block["type"] for block in parts[1].payload["blocks"]][-2:] == ["actions", "actions"]
    short = {"command": "rm -rf <x> *y* && `z`"}
    (card,) = render("key", present_approval(ApprovalView("s", "r", "Bash", short, argument_hash("Bash", short))), HERE)
    assert short["command"] in words(card)


def test_the_end_is_kept_where_asked_and_short_pieces_stay_whole() -> None:
    long = Code(source="\n".join(f"line {n}" for n in range(5_000)), spill="out.txt", keep="end")
    card = Card(pieces=(Text(lines=(plain("top"),)), long, Markdown(source="short", spill="b.md")), one_message=True)
    text = words(render("key", card, HERE)[0])
    assert text.startswith("top\n\n⋯ the whole is in out.txt\n")
    assert text.endswith("line 4999\nshort")
    assert len(text) > 9_000


def test_a_running_post_says_that_the_whole_comes_later() -> None:
    """``spill_now`` off: no file yet, but the shortening shows (invariant 2)."""
    piece = Code(source="x\n" * 9_000, spill="out.txt")
    (part,) = render("key", Card(pieces=(piece,), one_message=True, spill_now=False), HERE)
    assert words(part).endswith("⋯ shortened; the whole comes as out.txt")


def test_pieces_that_spill_into_one_name_make_one_file() -> None:
    pieces = tuple(Markdown(source=f"{n} " * 9_000, spill="turn.md") for n in "abc")
    parts = render("key", Card(pieces=pieces, one_message=True), HERE)
    assert [part.kind for part in parts] == ["text", "file"]
    assert parts[1].file is not None
    assert parts[1].file.text == "\n\n".join(piece.source for piece in pieces)


def test_a_long_answer_shows_its_opening_and_headings() -> None:
    source = "Opening.\n\n" + "\n\n".join(f"## Part {n}\n\n" + "word " * 900 for n in range(12))
    button = Button(label="Send all here", act=Act(do="send_all"))
    card = Card(pieces=(Markdown(source=source),), long_after=3, long_button=button)
    text, file = render("key", card, WITH_HEADER)
    assert words(text).startswith("api · lap<top>\nOpening.")
    assert words(text).endswith("• Part 10\n• Part 11\n⋯ the whole is in answer.md")
    assert text.payload["blocks"][-1]["elements"][0]["action_id"] == button_token("key", Act(do="send_all"))
    assert file.file == File(name="answer.md", text=source, media_type="text/markdown")
    short = card.model_copy(update={"pieces": (Markdown(source="short"),)})
    assert [part.payload["blocks"] for part in render("key", short, HERE)] == [[{"type": "markdown", "text": "short"}]]


def test_rendering_is_a_pure_function() -> None:
    """The courier compares digests: the same card must draw the same, every time."""
    card = Card(pieces=(Markdown(source="# a\n\n- b `c` @d"),), buttons=((Button(label="x", act=STOP),),))
    assert [p.digest for p in render("key", card, HERE)] == [p.digest for p in render("key", card, HERE)]


def test_duller_forms_end_and_never_wake_a_mention() -> None:
    """Invariant 6 also for what Slack refused at first: plain text blocks, then ``text`` alone."""
    (part,) = render("key", Card(pieces=(Markdown(source="**b** [l](https://a.io) <!here> `<x>`"),)), HERE)
    first = duller(part)
    assert first is not None
    assert first.payload["blocks"] == [
        {
            "type": "section",
            "text": {"type": "plain_text", "text": "b l (https://a.io) <!here> <x>", "emoji": False},
        }
    ]
    second = duller(first)
    assert second is not None
    assert second.payload["text"] == "b l (https://a.io) &lt;!here&gt; &lt;x&gt;"
    assert second.payload["blocks"] == []
    assert duller(second) is None


def test_duller_forms_keep_the_buttons_that_act() -> None:
    buttons = (Button(label="Go", style="danger", act=STOP), Button(label="Open", url="https://a.io"))
    (part,) = render("key", Card(pieces=(Markdown(source="x"),), buttons=(buttons,)), HERE)
    first = duller(part)
    assert first is not None
    (button,) = first.payload["blocks"][-1]["elements"]
    assert (button["action_id"], "style" in button) == (button_token("key", STOP), False)
    assert duller(first) is None
    assert duller(Part("file", {"initial_comment": "x"}, File(name="a", text="b"))) == Part(
        "file", {}, File(name="a", text="b")
    )

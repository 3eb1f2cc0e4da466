"""Answers, reviews, terminal output, what people said elsewhere, and the bridge's own small cards."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.model import Act, Button, Card, Code, Fold, Markdown, Panel, Text
from bridge.cards.own import bridge_notes as notes
from bridge.cards.own.help import HELP, present_help
from bridge.cards.turn.answer import (
    present_answer,
    present_cli_output,
    present_image,
    present_reasoning,
    present_review,
    present_user_text,
    present_whole_answer,
)
from bridge.cards.turn.special import look_of
from bridge.cards.words import amount, brief, cut, elapsed, moment, percent, size
from bridge.transcript.blocks import (
    AgentText,
    Attachment,
    CliOutput,
    CodexReview,
    GeneratedImage,
    Origin,
    UserText,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def text(card: Card) -> str:
    return "\n".join(
        "".join(span.text for span in line) for piece in card.pieces if isinstance(piece, Text) for line in piece.lines
    )


def labels(card: Card) -> list[list[str]]:
    return [[button.label for button in row] for row in card.buttons]


def test_an_answer_is_whole_markdown_with_a_way_to_all_of_it() -> None:
    """Invariant 2."""
    act = Act(do="send_all")
    card = present_answer("# Title\n\nWords", act)
    assert card.pieces == (Markdown(source="# Title\n\nWords"),)
    assert (card.long_after, card.long_file) == (3, "answer.md")
    assert card.long_button == Button(label="Send all here", act=act)
    assert card.summary == "Title"
    assert not card.one_message
    whole = present_whole_answer("x")
    assert whole.long_after is None


def test_reasoning_is_folded() -> None:
    (fold,) = present_reasoning("*hm*").pieces
    assert isinstance(fold, Fold)
    assert fold.pieces == (Markdown(source="*hm*", spill="reasoning.md"),)


def test_a_review_has_its_verdict_and_its_findings() -> None:
    finding = {"title": "[P2] Remove it", "body": "Because.", "filePath": "/a.ts", "lineStart": 16, "lineEnd": 19}
    review = {"overallCorrectness": "patch is incorrect", "overallConfidenceScore": 0.8, "findings": [finding, None]}
    card = present_review(CodexReview(review={**review, "overallExplanation": "It leaks."}))
    assert text(card) == "🔴 Review: patch is incorrect · confidence 80 %\n[P2] Remove it\n/a.ts:16-19"
    assert [piece.source for piece in card.pieces if isinstance(piece, Markdown)] == ["It leaks.", "Because."]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["findings", "overallCorrectness", "overallExplanation"]), JSON))
def test_any_review_makes_a_card(review: dict[str, Any]) -> None:
    """Invariant 5."""
    assert "Review" in text(present_review(CodexReview(review=review)))


def test_an_image_is_named() -> None:
    assert text(present_image(GeneratedImage(image_id="i", file_name="chart.png", mime_type="image/png"))) == (
        "Generated image: chart.png · image/png"
    )


def test_terminal_output_loses_its_tags_only() -> None:
    tagged = (
        "<command-name>/context</command-name>\n<command-args>all</command-args>\n"
        "<local-command-stdout>84k\n<b>200k</b></local-command-stdout>"
    )
    card = present_cli_output(CliOutput(text=tagged))
    assert text(card) == "Terminal: /context all"
    assert card.pieces[1] == Code(source="84k\n<b>200k</b>", spill="output.txt")
    assert present_cli_output(CliOutput(text="<odd>x")).pieces == (Code(source="<odd>x", spill="output.txt"),)


@pytest.mark.parametrize(
    ("origin", "head"),
    [
        ("webapp", "You · web: hi"),
        ("cli", "You · terminal: hi"),
        ("telegram-bot", "You · Telegram: hi"),
        ("slack-bot", "You · Slack: hi"),
        ("zed", "You · zed: hi"),
        ("", "You: hi"),
    ],
)
def test_what_was_said_elsewhere_says_where(origin: str, head: str) -> None:
    assert text(present_user_text(UserText(text="hi"), origin)) == head
    assert text(present_user_text(UserText(text="hi", origin=Origin(meta={"sentFrom": origin})))) == head


def test_attachments_and_scenarios_stand_under_the_text() -> None:
    block = UserText(text="*as* written\n\n<b>", attachments=(Attachment("a", "x.png", "image/png", 2048, "/x"),))
    assert (
        text(present_user_text(block, "cli")) == "You · terminal: *as* written\n\n<b>\nFile: x.png · image/png · 2 kB"
    )
    scenario = {"filepath": "/s.md", "title": "Create a task", "file_content": "# secret"}
    file = {"fileid": "a" * 32 + ".txt", "mimetype": "text/plain", "extra": {"name": "n.txt", "size": 3}}
    payload = {"type": "user_message", "data": {"text": "Help", "scenarios": [scenario], "files": [file]}}
    assert text(present_user_text(UserText(text=json.dumps(payload)), "webapp")) == (
        "You · web: Help\n🏷 Create a task\nFile: n.txt · text/plain · 3 B"
    )


def payload(kind: str, data: Any) -> AgentText:
    return AgentText(text=json.dumps({"type": kind, "data": data}))


def test_payloads_of_the_second_contract_have_looks_of_their_own() -> None:
    assert look_of(AgentText(text="# Hi")).kind == "answer"
    assert look_of(payload("markdown", {"text": "# Hi"})).text == "# Hi"
    assert look_of(payload("prompt", {"text": "secret"})).kind == "hidden"
    error = look_of(payload("error", {"message": "broke"})).notice
    assert error is not None
    assert text(error.card) == "🔴 Error: broke"
    tool = look_of(payload("toolcall_output", {"output": "x"})).notice
    assert tool is not None
    assert isinstance(tool.card.pieces[0], Panel)
    assert tool.min_level == "full"
    system = look_of(AgentText(text="*note*", role="system")).notice
    assert system is not None
    assert text(system.card) == "*note*"


@settings(deadline=None)
@given(
    st.sampled_from(["text", "markdown", "summary", "thinking", "toolcall_input", "user_message", "error", "prompt"]),
    JSON,
)
def test_any_payload_has_a_look(kind: str, data: Any) -> None:
    """Invariant 5."""
    look = look_of(payload(kind, data))
    assert (look.notice is not None) == (look.kind == "notice")


def test_a_text_for_nobody_in_particular_is_asked_about() -> None:
    rows = [notes.SessionRow("s1", "One"), notes.SessionRow("s2-0123456789", "")]
    card = notes.present_choose_session("do it", rows, "t1")
    assert labels(card) == [["One"], ["s2-01234"], ["Discard"]]
    assert [(act.do, act.session, act.choice, act.data) for act in card.acts()] == [
        ("route", "s1", None, {"text": "t1"}),
        ("route", "s2-0123456789", None, {"text": "t1"}),
        ("route", None, "discard", {"text": "t1"}),
    ]


@pytest.mark.parametrize("question", [False, True])
def test_a_text_while_something_waits_is_offered_and_never_an_approval(question: bool) -> None:
    """Invariant 10."""
    card = notes.present_interject("do it", session="s", request="r", argument_hash="h", text_id="t", question=question)
    choices = [act.choice for act in card.acts()]
    assert choices == ["use_as_answer"] * question + ["deny_and_send", "keep_queued"]
    assert all((act.session, act.request, act.argument_hash) == ("s", "r", "h") for act in card.acts())
    assert notes.present_interjected("do it", "keep_queued").acts() == []


def test_a_message_that_was_not_sent_can_be_retried_under_its_own_id() -> None:
    card = notes.present_not_sent("hello", "no answer", session="s", local_id="telegram-1")
    assert text(card) == "🔴 Not sent: no answer\n“hello”"
    (act,) = card.acts()
    assert (act.do, act.session, act.data) == ("retry", "s", {"local_id": "telegram-1"})


def test_lists_and_status_read_like_this() -> None:
    row = notes.SessionRow("s1", "Fix", "working", "/repo", "laptop", "claude", waiting=1, busy=True)
    assert text(notes.present_sessions([row])) == (
        "1 session\n🟠 Fix · working · 1 to decide\n   /repo · laptop · claude"
    )
    assert "No sessions" in text(notes.present_sessions([]))
    status = notes.present_status(
        notes.StatusView("http://h", True, sessions=2, busy=1, waiting=0, kept=1, session=row)
    )
    assert text(status).startswith(
        "HAPI: 🟢 connected · http://h\n2 live sessions, 1 working, 0 waiting for a person\n"
    )
    assert "1 message on the way to HAPI" in text(status)


def test_the_small_ones_say_what_they_should() -> None:
    assert text(notes.present_stranger()).startswith("Sorry")
    assert "a sticker" in text(notes.present_unsupported("a sticker"))
    assert all(f"/{each.name}" in text(present_help()) for each in HELP)
    assert len(text(present_help()).splitlines()) <= 20, "one screen of a phone"
    shelf = text(present_help("words"))
    assert all((f"/{each.name}" in shelf) == (each.shelf == "words") for each in HELP)
    assert text(notes.present_command_error("no")) == "🔴 no"
    assert text(notes.present_said("a\nb")) == "a\nb"
    assert labels(notes.present_routed("x", "One")) == [["Sent to One."]]
    assert text(notes.present_routed("x", None)) == "Discarded.\n“x”"


def test_the_help_writes_no_command_that_is_not_taken_where_commands_begin_with_hapi() -> None:
    """Slack has an /invite, an /archive and a /rename of its own, which are about its channel."""
    shown = text(present_help(slashed=False))
    for shelf in ("sessions", "session", "words", "place", "people", "bridge"):
        shown += text(present_help(shelf, slashed=False))
    slashed = re.compile(r"(?<!\S)/(\S+)")
    assert set(slashed.findall(shown)) == {"hapi"}
    assert all(f"/hapi {each.name}" in shown for each in HELP)
    assert "/hapi at 18:30 Run the tests" in shown
    assert len(text(present_help(slashed=False)).splitlines()) <= 20, "one screen of a phone"


def test_durations_amounts_and_moments_are_short() -> None:
    assert [elapsed(ms) for ms in (-5, 999, 8_000, 60_000, 134_000, 3_900_000, 7_200_000)] == [
        "0 s", "0 s", "8 s", "1 min", "2 min 14 s", "1 h 5 min", "2 h",
    ]  # fmt: skip
    assert [elapsed(ms, coarse=True) for ms in (59_000, 61_000, 179_999)] == ["", "1 min", "2 min"]
    assert [amount(count) for count in (0, 950, 999_700, 12_345, None, True)] == ["0", "950", "1M", "12.3k", "", ""]
    assert [size(count) for count in (5, 2048, 5e6, -1, "x")] == ["5 B", "2 kB", "5 MB", "", ""]
    assert [percent(share) for share in (0.425, -1, None)] == ["42 %", "0 %", ""]
    assert moment(float("inf")) is None
    assert moment(10**30) is None
    assert moment("x") is None


@settings(deadline=None)
@given(st.text(), st.integers(2, 50))
def test_a_cut_line_is_short_enough_and_says_that_it_is_cut(words: str, units: int) -> None:
    shown = cut(words, units)
    assert len(shown.encode("utf-16-le", "surrogatepass")) // 2 <= units
    assert shown == words or shown.endswith("…")


@settings(deadline=None)
@given(JSON, st.integers(4, 80))
def test_any_value_is_one_brief_line(value: Any, units: int) -> None:
    line = brief(value, units)
    assert len(line.splitlines()) <= 1
    assert len(line.encode("utf-16-le", "surrogatepass")) // 2 <= units

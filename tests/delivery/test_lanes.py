"""The choice of the next step, from rows alone."""

from dataclasses import replace
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cards.model import Card, Code, Fold, Markdown, Panel, Section, Text, plain
from bridge.chat.surface import Part
from bridge.delivery.lanes import (
    Ask,
    Delete,
    Edit,
    Forget,
    Nothing,
    Send,
    Situation,
    Step,
    Wait,
    in_one_message,
    lanes,
    step,
)
from bridge.store.records import PartRecord
from bridge.store.work import Head

NOW = Situation(now_ms=100_000, can_find=False, rings=True, rung=False)


def text(body: str) -> Part:
    return Part("text", {"text": body})


def file(name: str) -> Part:
    return Part("file", {"name": name})


def row(index: int, part: Part, **fields: Any) -> PartRecord:
    made = PartRecord("L/a", 1, index, part.kind, f"m{index}", part.digest, "sent", 90_000, 90_000)
    return replace(made, **fields)


def unknown(index: int, part: Part) -> PartRecord:
    return row(index, part, state="sending", message=None, changed_ms=None)


A, B, C = text("a"), text("b"), text("c")
F, G = file("f"), file("g")


@pytest.mark.parametrize(
    ("wanted", "records", "situation", "expected"),
    [
        ([A], [], NOW, Send(0, A, ring=True, first=True)),
        ([F, A], [], NOW, Send(0, F, ring=False, first=True)),
        ([F, A], [row(0, F)], NOW, Send(1, A, ring=True)),
        ([A, B], [row(0, A)], replace(NOW, rung=True), Send(1, B, ring=False)),
        ([A, B], [row(0, A)], NOW, Send(1, B, ring=False)),
        ([A, B], [row(0, A), row(1, B)], NOW, Nothing()),
        ([A, C], [row(0, A), row(1, B)], NOW, Edit(row(1, B), "m1", C)),
        ([A, C], [row(0, B), row(1, B)], NOW, Edit(row(0, B), "m0", A)),
        ([A], [row(0, A), row(1, B), row(2, C)], NOW, Delete(row(2, C), "m2")),
        # Texts match texts and files files, whatever comes between.
        ([A, F], [row(0, F), row(1, A)], NOW, Nothing()),
        ([A], [row(0, F), row(1, A)], NOW, Delete(row(0, F), "m0")),
        ([A, F, G], [row(0, F), row(1, A)], NOW, Send(2, G, ring=False)),
        ([A, B, F], [row(0, A), row(1, F)], NOW, Send(2, B, ring=False)),
        # A message of unknown digest is changed again: it may show anything.
        ([A], [row(0, A, digest=None)], NOW, Edit(row(0, A, digest=None), "m0", A)),
        # A message that somebody deleted is not missed, unless it must be.
        ([A, B], [row(0, A, state="gone"), row(1, B)], NOW, Nothing()),
        ([A], [row(0, A, state="gone")], replace(NOW, resend_gone=True), Send(0, A, ring=False)),
        ([A], [row(0, A), row(1, B, state="gone")], NOW, Nothing()),
        # One we may have deleted ourselves is deleted for sure, and what is wanted after all is sent anew.
        ([A], [row(0, A, state="deleting")], NOW, Send(1, A, ring=True, first=True)),
        (
            [A],
            [row(0, A, state="deleting"), row(1, A)],
            NOW,
            Delete(row(0, A, state="deleting"), "m0"),
        ),
        # Unknown outcome: asked where one can, else sent again.
        ([A], [unknown(0, A)], replace(NOW, can_find=True), Ask(unknown(0, A))),
        ([A], [unknown(0, A)], replace(NOW, rung=True), Send(0, A, False, before=unknown(0, A), first=True)),
        (
            [A],
            [unknown(0, A)],
            replace(NOW, rung=True, approval=True),
            Send(0, A, True, before=unknown(0, A), first=True),
        ),
        ([A], [row(0, A), unknown(1, B)], NOW, Forget(unknown(1, B))),
        ([A], [row(0, A), unknown(1, B)], replace(NOW, can_find=True), Ask(unknown(1, B))),
        # A preview's message changes no sooner than the interval allows, but what is unsent goes out.
        ([B], [row(0, A)], replace(NOW, edit_interval_ms=10_001), Wait(100_001)),
        ([B], [row(0, A)], replace(NOW, edit_interval_ms=10_000), Edit(row(0, A), "m0", B)),
        ([B, C], [row(0, A)], replace(NOW, edit_interval_ms=20_000), Send(1, C, ring=False)),
        (
            [B, B],
            [row(0, A), row(1, A, changed_ms=80_000)],
            replace(NOW, edit_interval_ms=15_000),
            Edit(row(1, A, changed_ms=80_000), "m1", B),
        ),
    ],
)
def test_the_next_step(wanted: list[Part], records: list[PartRecord], situation: Situation, expected: Step) -> None:
    """Invariants 3 and 9, and: parts in order, unchanged ones not touched, a ring never an edit and never twice."""
    assert step(wanted, records, situation) == expected


def head(
    post: str, urgency: Literal["approval", "answer", "notice", "preview"], *, lane: int = 1, **fields: bool
) -> Head:
    return Head(lane, "chat", post, urgency, fields.get("final", True), fields.get("shown", False))


def test_a_lane_is_as_urgent_as_what_waits_in_it_to_be_sent() -> None:
    """Invariant 9, with order: the preview before an answer must go out first, so it goes with the answer's urgency."""
    heads = [
        head("a", "preview"),
        head("b", "answer"),
        head("c", "notice", lane=2),
        head("d", "approval", lane=3),
        head("e", "answer", lane=4, final=False, shown=True),
        head("f", "answer", lane=5, shown=True),
    ]
    assert [(lane.conversation_id, lane.urgency) for lane in lanes(heads, {}, 0)] == [
        (1, "answer"),
        (2, "notice"),
        (3, "approval"),
        (4, "preview"),
        (5, "answer"),
    ]


def test_a_preview_that_is_not_due_lets_the_next_post_pass_but_nothing_else_waits() -> None:
    waits = {(name, 1): 50 for name in "abc"}
    heads = [
        head("a", "preview", final=False, shown=True),
        head("b", "preview", shown=True),
        head("c", "approval", final=False, shown=True),
        head("d", "preview", final=False, shown=True),
    ]
    assert [[one.post_key for one in lane.heads] for lane in lanes(heads, waits, 49)] == [["b", "c", "d"]]
    assert [[one.post_key for one in lane.heads] for lane in lanes(heads, waits, 50)] == [["a", "b", "c", "d"]]
    assert lanes(heads[:1], waits, 49) == []


def test_a_post_that_waits_for_its_picture_holds_nothing_else_up() -> None:
    heads = [head("a", "notice"), head("b", "answer"), head("c", "notice", lane=2)]
    held = frozenset({("a", 1), ("c", 2)})
    assert [[one.post_key for one in lane.heads] for lane in lanes(heads, {}, 0, held=held)] == [["b"]]


def test_an_outgrown_card_becomes_one_message_and_every_piece_may_go_to_a_file() -> None:
    """Invariant 2: what does not fit becomes a file, also deep inside."""
    inner = Code(source="x")
    card = Card(
        pieces=(
            Text(lines=(plain("t"),)),
            Markdown(source="m", spill="answer.md"),
            Fold(pieces=(inner,)),
            Panel(title=plain("p"), sections=(Section(label="in", pieces=(inner, inner)),)),
        ),
        spill_now=False,
        long_after=3,
    )
    one = in_one_message(card)
    assert (one.one_message, one.spill_now, one.long_after) == (True, True, None)
    text_piece, markdown, fold, panel = one.pieces
    assert isinstance(text_piece, Text)
    assert isinstance(markdown, Markdown)
    assert isinstance(fold, Fold)
    assert isinstance(panel, Panel)
    inside = [*fold.pieces, *panel.sections[0].pieces]
    names = [text_piece.spill, markdown.spill, *(piece.spill for piece in inside if isinstance(piece, Code))]
    assert names == ["part-1.txt", "answer.md", "part-3-1.txt", "part-4-1-1.txt", "part-4-1-2.txt"]


parts = st.lists(st.sampled_from([A, B, C, F, G]), min_size=1, max_size=6)
states = st.sampled_from(["sent", "sent", "sending", "gone", "deleting"])


@given(
    wanted=parts,
    before=st.lists(st.tuples(st.sampled_from([A, B, C, F, G]), states), max_size=6),
    can_find=st.booleans(),
    found=st.booleans(),
)
def test_from_whatever_stands_there_a_few_steps_lead_to_what_is_wanted(
    wanted: list[Part], before: list[tuple[Part, Any]], can_find: bool, found: bool
) -> None:
    """Every step closes a difference, so the steps end, and with no more calls than there are differences."""
    rows = {
        index: unknown(index, part) if state == "sending" else row(index, part, state=state)
        for index, (part, state) in enumerate(before)
    }
    shows = {index: part for index, (part, state) in enumerate(before) if state != "gone"}
    calls = 0
    while not isinstance(next_step := step(wanted, list(rows.values()), replace(NOW, can_find=can_find)), Nothing):
        calls += 1
        assert calls <= 2 * (len(wanted) + len(before))
        match next_step:
            case Send(index, part):
                rows[index], shows[index] = row(index, part), part
            case Edit(record, _, part):
                assert record.kind == part.kind
                rows[record.index], shows[record.index] = row(record.index, part), part
            case Ask(record) if found:
                rows[record.index] = row(record.index, shows[record.index])
            case Ask(record) | Forget(record) | Delete(record):
                del rows[record.index], shows[record.index]
            case Wait():
                raise AssertionError("only previews wait")
    gone = [one.kind for one in rows.values() if one.state == "gone"]
    for kind in ("text", "file"):
        want = [part for part in wanted if part.kind == kind]
        have = [shows[index] for index in sorted(shows) if shows[index].kind == kind]
        assert len(have) >= len(want) - gone.count(kind)
        if not gone.count(kind):
            assert have == want

"""The activity post: readable at any length, one message, nothing lost."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.model import Act, Card, Fold, Markdown, Span, Text, plain
from bridge.cards.text import utf16_len
from bridge.cards.turn.activity import (
    ActivityView,
    Narration,
    ReasoningNote,
    Step,
    ToolLine,
    TurnState,
    UsageView,
    context_mark,
    present_activity,
    usage_line,
)
from bridge.cards.turn.steps import excerpt
from bridge.cards.turn.subagents import SubAgents

STEPS = st.lists(
    st.builds(Narration, st.text())
    | st.builds(ReasoningNote, st.text())
    | st.builds(
        ToolLine, st.text(), st.text(max_size=60), st.sampled_from(["running", "done", "failed"]), st.text(max_size=120)
    ),
    max_size=30,
)


def text(card: Card) -> str:
    parts = []
    for piece in card.pieces:
        if isinstance(piece, Text):
            parts.append("\n".join("".join(span.text for span in line) for line in piece.lines))
        elif isinstance(piece, Markdown):
            parts.append(piece.source)
        elif isinstance(piece, Fold):
            parts += [inner.source for inner in piece.pieces if isinstance(inner, Markdown)]
    return "\n\n".join(parts)


def entities(card: Card) -> int:
    """Styled runs of the bridge's own lines, each of which takes an entity."""
    return sum(
        span.bold + span.italic + span.code + span.strike
        for piece in card.pieces
        if isinstance(piece, Text)
        for line in piece.lines
        for span in line
    )


def tool(number: int, name: str = "Bash", state: Any = "done") -> ToolLine:
    return ToolLine(f"t{number}", name, state, f"make target-{number}")


def long_turn() -> list[Step]:
    steps: list[Step] = []
    for part in range(20):
        steps.append(
            Narration(f"Part {part} begins: I look at **module {part}**, since its test fails. " + "Then more. " * 9)
        )
        steps += [tool(part * 3 + at, ("Bash", "Read", "Edit")[at]) for at in range(3)]
        steps.append(ReasoningNote(f"Thought {part}. " * 20))
    return steps


def present(state: TurnState, steps: Sequence[Step] = (), minutes: float = 0, **more: Any) -> Card:
    return present_activity(ActivityView(state, steps, 0, int(minutes * 60_000), **more), "normal")


@pytest.mark.parametrize(
    ("state", "first"),
    [
        ("waiting", "🟠 Waiting to start"),
        ("running", "🟠 Working"),
        ("tool", "🟠 Running a tool"),
        ("approval", "🟠 Waiting for approval"),
        ("answer", "🟠 Waiting for an answer"),
        ("plan", "🟠 Waiting for approval of a plan"),
        ("decisions", "🟠 Waiting for decisions"),
        ("done", "🟢 Done · 25 min 3 s"),
        ("failed", "🔴 Failed · 25 min 3 s"),
        ("stopped", "🔴 Stopped · 25 min 3 s"),
        ("merged", "🔵 Merged into another turn · 25 min 3 s"),
    ],
)
def test_the_state_stands_first_in_words_and_colour(state: TurnState, first: str) -> None:
    line = text(present(state, minutes=25.05)).split("\n")[0]
    assert line in (first, f"{first} · 25 min")


def test_a_short_turn_shows_each_step_in_order() -> None:
    card = present(
        "tool", [Narration("First *this*."), tool(1), tool(2, "Edit", "failed"), tool(3, state="running")], 3
    )
    assert text(card) == (
        "🟠 Running a tool · 3 min · 3 tools\n\nFirst *this*.\n\n"
        "🟢 Bash make target-1\n🔴 Edit make target-2\n🟠 Bash make target-3"
    )


def test_a_stop_button_is_there_while_the_turn_runs() -> None:
    stop = Act(do="stop", session="s")
    for state in get_args(TurnState):
        ended = state in ("done", "failed", "stopped", "merged")
        assert present(state, stop=stop).acts() == ([] if ended else [stop])


def test_seconds_change_nothing_while_the_turn_runs() -> None:
    """Edits cost budget: a card that counts seconds would be edited for nothing."""
    assert present("running", [tool(1)], 3.1).digest() == present("running", [tool(1)], 3.9).digest()
    assert present("running", [tool(1)], 3.9).digest() != present("running", [tool(1)], 4).digest()


def test_a_long_turn_while_it_runs_shows_what_happens_now_and_counts_the_rest() -> None:
    steps = [*long_turn(), tool(99, state="running")]
    card = present("tool", steps, 14)
    shown = text(card)
    assert card.one_message
    assert card.files == ()
    assert utf16_len(shown) <= 3_800
    assert "🟠 Bash make target-99" in shown
    assert "Part 19 begins: I look at **module 19**" in shown
    assert " earlier: " in shown
    assert "Part 0 begins" not in shown


def test_a_long_turn_when_it_is_over_is_a_summary_and_its_whole_is_a_file() -> None:
    """Invariant 2: nothing of the narration is lost."""
    steps = long_turn()
    card = present("done", steps, 25, usage=UsageView(share=0.42))
    shown = text(card)
    assert utf16_len(shown) <= 3_800
    assert entities(card) <= 60
    assert shown.startswith("🟢 Done · 25 min · 60 tools\n🔵 context 42 %\n")
    assert sum(f"Part {part} begins" in shown for part in range(20)) >= 12
    (file,) = card.files
    assert file.name == "turn.md"
    at = 0
    for step in steps:
        words = step.argument if isinstance(step, ToolLine) else step.text.strip()
        at = file.text.index(words, at)


@settings(deadline=None)
@given(STEPS, st.sampled_from(get_args(TurnState)))
def test_nothing_an_ended_turn_said_is_lost(steps: list[Step], state: TurnState) -> None:
    """Invariants 2 and 5."""
    card = present(state, steps)
    if state not in ("done", "failed", "stopped", "merged"):
        return
    everything = text(card) + "".join(file.text for file in card.files)
    for step in steps:
        if isinstance(step, Narration):
            assert all(line.strip() in everything for line in Narration(card_clean(step.text)).text.split("\n"))


def card_clean(words: str) -> str:
    """As a card keeps it."""
    return Span(text=words).text


@settings(deadline=None)
@given(STEPS, st.sampled_from(get_args(TurnState)))
def test_any_turn_fits_one_message(steps: list[Step], state: TurnState) -> None:
    card = present(state, steps * 20)
    assert utf16_len(text(card)) <= 4_000
    assert entities(card) <= 60


def test_sixty_tools_without_a_word_fold_into_a_count() -> None:
    steps = [
        tool(number, ("Bash", "Read", "Edit")[number % 3], "failed" if number == 5 else "done") for number in range(60)
    ]
    shown = text(present("running", steps, 5))
    assert "🟢 50 earlier: " in shown
    assert "🔴 1 failed" in shown
    assert shown.endswith("🟢 Edit make target-59")


def test_reasoning_is_folded_and_the_newest_is_kept() -> None:
    card = present("running", [ReasoningNote("old " * 300), ReasoningNote("The newest thought.")])
    folds = [piece for piece in card.pieces if isinstance(piece, Fold)]
    assert len(folds) == 1
    assert text(card).endswith("The newest thought.")


def test_at_level_quiet_there_is_the_state_alone() -> None:
    card = present_activity(ActivityView("running", [tool(1), Narration("words")], 0, 60_000), "quiet")
    assert text(card) == "🟠 Working · 1 min · 1 tool"


def test_the_to_do_list_has_a_line_and_sub_agents_a_fold() -> None:
    fold = Fold(title=plain("Sub-agents"), pieces=(Text(lines=(plain("🟢 Search"),)),))
    agents = SubAgents(fold, shortened=True)
    view = ActivityView("running", [tool(1)], todos=plain("To do: 1 of 2 · Test"), agents=agents)
    card = present_activity(view, "normal")
    assert not card.files
    ended = present_activity(replace(view, state="done"), "normal")
    assert [file.name for file in ended.files] == ["turn.md"], "what the fold leaves out is in the file"
    assert text(card).split("\n\n")[1] == "To do: 1 of 2 · Test"
    assert fold in card.pieces
    quiet = present_activity(view, "quiet")
    assert "To do" not in text(quiet)
    assert fold not in quiet.pieces


@pytest.mark.parametrize(
    ("share", "mark"), [(0, "🔵"), (0.4999, "🔵"), (0.5, "🟡"), (0.7, "🟡"), (0.7001, "🔴"), (1.4, "🔴")]
)
def test_the_context_has_its_colours(share: float, mark: str) -> None:
    assert context_mark(share) == mark


@pytest.mark.parametrize(
    ("usage", "line"),
    [
        (None, ""),
        (UsageView(), ""),
        (UsageView(share=0.71, context_tokens=84_000), "🔴 context 71 %"),
        (UsageView(context_tokens=84_000), "context 84k"),
        (UsageView(share=float("nan")), ""),
    ],
)
def test_usage_is_one_line(usage: UsageView | None, line: str) -> None:
    assert "".join(span.text for span in usage_line(usage)) == line


def test_an_excerpt_ends_at_a_word_and_closes_its_fence() -> None:
    assert excerpt("one two three four", 100) == "one two three four"
    assert excerpt("one two three four", 16) == "one two …"
    cut_code = excerpt("Look:\n```python\n" + "line = 1\n" * 50 + "```\nEnd", 100)
    assert cut_code.count("```") == 2
    assert cut_code.endswith("\n…\n```")


@settings(deadline=None)
@given(st.text(), st.integers(20, 200))
def test_an_excerpt_is_never_longer_than_asked(words: str, units: int) -> None:
    assert utf16_len(excerpt(words, units)) <= units

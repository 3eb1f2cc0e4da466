"""Work under way as a stream's chunks: what extends what, and that nothing in it is live."""

from typing import Any

import pytest

from bridge.cards.model import Act, Card
from bridge.cards.turn.activity import ActivityView, Narration, ReasoningNote, ToolLine, UsageView, present_activity
from bridge.chat.slack import render
from bridge.chat.slack.live import MOST_TASKS, Shown, growth, may_open, opening, title
from bridge.chat.surface import Part, Place

PLACE = Place(1, "U1", "1.0")
STOP = Act(do="stop", session="s1")


def card(*steps: ToolLine | Narration | ReasoningNote, state: Any = "tool", **more: Any) -> Card:
    return present_activity(ActivityView(state=state, steps=steps, stop=STOP, **more), "normal")


def part(*steps: ToolLine | Narration | ReasoningNote, **more: Any) -> Part:
    (drawn,) = render.render("l/turn/1", card(*steps, **more), PLACE)
    return drawn


def live(*steps: ToolLine | Narration | ReasoningNote, **more: Any) -> Any:
    return part(*steps, **more).live


def shown(form: Any) -> Shown:
    found = Shown()
    found.take(form)
    return found


def tool(number: int = 1, state: Any = "running", argument: str = "make") -> ToolLine:
    return ToolLine(f"m/{number}", "Bash", state, argument)


def test_a_stream_opens_with_the_plan_and_the_marked_button() -> None:
    """Invariant 3: the mark is how a start of unknown outcome is found again."""
    plan, buttons, task, text = opening(live(tool(), Narration("Now **this**.")), "hapi.mark")
    assert plan == {"type": "plan_update", "title": "🟠 Running a tool · 1 tool"}
    assert [(block["type"], block["block_id"]) for block in buttons["blocks"]] == [("actions", "hapi.mark")]
    assert (task["type"], task["title"], task["status"]) == ("task_update", "Bash make", "in_progress")
    assert text == {"type": "markdown_text", "text": "Now **this**."}


def test_only_what_is_new_is_appended() -> None:
    before = live(tool(), Narration("One."))
    assert growth(shown(before), before) == []
    grown = growth(shown(before), live(tool(state="failed"), Narration("One. Two."), tool(2), Narration("Three.")))
    assert grown is not None
    kinds = [chunk["type"] for chunk in grown]
    assert kinds == ["plan_update", "task_update", "task_update", "markdown_text", "markdown_text"]
    assert [chunk.get("status") for chunk in grown[1:3]] == ["error", "in_progress"]
    assert [chunk["text"] for chunk in grown[3:]] == [" Two.", "\n\nThree."]


@pytest.mark.parametrize(
    "after",
    [
        (Narration("One."),),
        (tool(), Narration("On")),
        (tool(), Narration("Two.")),
        (tool(),),
        (tool(2), Narration("One.")),
        (tool(), Narration("Zero."), Narration("One.")),
    ],
)
def test_what_takes_back_or_rewrites_can_not_be_streamed(after: tuple[ToolLine | Narration, ...]) -> None:
    assert growth(shown(live(tool(), Narration("One."))), live(*after)) is None


def test_a_text_that_is_not_the_last_may_not_grow() -> None:
    before = shown(live(Narration("One."), Narration("Two.")))
    assert growth(before, live(Narration("One. More."), Narration("Two."))) is None


def test_what_markdown_would_not_show_exactly_goes_as_blocks() -> None:
    grown = growth(shown(live(tool())), live(tool(), Narration("`a<b>`")))
    assert grown is not None
    (chunk,) = grown
    assert chunk["type"] == "blocks"
    assert "a<b>" in str(chunk)


def test_an_ended_turn_has_no_form_that_grows() -> None:
    done = part(tool(state="done"), state="done", usage=UsageView(context_tokens=10))
    assert done.live is None


def test_a_turn_too_large_for_a_stream_has_none() -> None:
    assert live(*(tool(number) for number in range(MOST_TASKS))) is not None
    assert live(*(tool(number) for number in range(MOST_TASKS + 1))) is None
    assert live(Narration("word " * 3000)) is None
    assert live(*(Narration(f"`a<{number}>`") for number in range(45))) is None


def test_reasoning_is_not_streamed() -> None:
    assert live(tool(), ReasoningNote("Hm.")) == live(tool())


@pytest.mark.parametrize("text", ["<!channel>", "<@U1>", "<#C1>", "<https://x.org|here>", "@here", "</x>"])
def test_titles_hold_nothing_live(text: str) -> None:
    """Invariant 6."""
    assert text not in title(f"grep {text} *")


def test_titles_are_one_line_within_slacks_limit() -> None:
    assert title("a\nb") == "a b"
    assert len(title("x" * 1000)) <= 256
    assert title(" ") == "…"


def test_links_keep_a_stream_from_opening() -> None:
    assert may_open(live(tool()))
    assert not may_open(live(tool(argument="https://example.org")))
    assert not may_open(live(Narration("See www.example.org.")))


def test_the_digest_covers_what_is_streamed() -> None:
    one, two = part(tool()), part(tool())
    assert one.digest == two.digest
    assert one.digest != Part(one.kind, one.payload).digest

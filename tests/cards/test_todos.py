"""The agent's to-do list: read from the tools of all flavors, shown as a post of its own."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cards.model import Card, Text
from bridge.cards.turn.todos import Todo, keeps_todos, present_todos, progress_line, todos_after
from bridge.transcript.blocks import AgentText, Block, Tool, ToolCall


def call(name: str, given: Any, result: Any = "", state: str = "completed") -> ToolCall:
    return ToolCall("b", tool=Tool("t", name, state, given, result))


def text(card: Card) -> list[str]:
    (piece,) = card.pieces
    assert isinstance(piece, Text)
    return ["".join(span.text for span in line) for line in piece.lines]


WHOLE = (Todo("Find it", "completed"), Todo("Mend it", "in_progress"), Todo("Test it"))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "TodoWrite",
            {
                "todos": [
                    {"content": "Find it", "status": "completed"},
                    {"content": "Mend it", "status": "in_progress"},
                    {"content": "Test it", "status": "pending"},
                ]
            },
        ),
        (
            "update_plan",
            {"plan": [{"step": "Find it", "status": "done"}, {"step": "Mend it", "status": "active"}, "Test it"]},
        ),
    ],
)
def test_a_list_given_whole_is_the_list(name: str, arguments: Any) -> None:
    assert todos_after([call(name, arguments)], (Todo("old"),)) == WHOLE


def test_a_list_changed_step_by_step_is_followed_over_turns() -> None:
    first = todos_after(
        [
            call("TaskCreate", {"subject": "Find it"}, "Task #7 created successfully: Find it"),
            call("TaskCreate", {"subject": "Mend it"}, {"task": {"id": "8", "subject": "Mend it"}}),
            call("TaskUpdate", {"taskId": "7", "status": "in_progress"}),
        ]
    )
    assert first == (Todo("Find it", "in_progress", "7"), Todo("Mend it", "pending", "8"))
    later = [
        call("TaskUpdate", {"taskId": "7", "status": "completed"}),
        call("TaskUpdate", {"taskId": "8", "status": "deleted"}),
        call("TaskUpdate", {"taskId": "9", "status": "completed"}),
    ]
    assert todos_after(later, first) == (Todo("Find it", "completed", "7"),)


def test_a_call_that_failed_or_says_nothing_changes_nothing() -> None:
    blocks: list[Block] = [
        call("TodoWrite", {"todos": [{"content": "x"}]}, state="error"),
        call("TodoWrite", None),
        call("TaskCreate", {"subject": " "}),
        call("Bash", {"todos": [{"content": "x"}]}),
        AgentText("a", text="hello"),
    ]
    assert todos_after(blocks, WHOLE) == WHOLE
    assert [keeps_todos(block) for block in blocks] == [True, True, True, False, False]


def test_the_post_has_every_step_with_its_state_and_the_line_what_is_at_work() -> None:
    assert text(present_todos(WHOLE)) == ["To do: 1 of 3", "🟢 Find it", "🟠 Mend it", "☐ Test it"]
    assert "".join(span.text for span in progress_line(WHOLE)) == "To do: 1 of 3 · Mend it"
    assert progress_line(()) == ()


def test_of_a_long_list_what_is_around_the_work_is_shown_and_the_rest_counted() -> None:
    todos = tuple(Todo(f"step {n}", "completed" if n < 20 else "pending") for n in range(60))
    shown = text(present_todos(todos))
    assert shown[:3] == ["To do: 20 of 60", "🟢 17 steps before", "🟢 step 17"]
    assert shown[-2:] == ["☐ step 46", "☐ 13 more steps"]


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["todos", "plan", "content", "status", "subject", "taskId", "x"]), inner)
        ),
    )
)
def test_any_input_is_taken(anything: Any) -> None:
    """Invariant 5."""
    for name in ("TodoWrite", "TaskCreate", "TaskUpdate"):
        todos = todos_after([call(name, anything, anything)], WHOLE)
        assert present_todos(todos).pieces

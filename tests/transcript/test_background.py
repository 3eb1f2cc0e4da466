"""Tasks in the background: which call began one, and which notice tells its end."""

from typing import Any

import pytest

from bridge.transcript.background import background_end, background_task
from bridge.transcript.blocks import BackgroundEnd, Tool, ToolCall


@pytest.mark.parametrize(
    ("result", "task"),
    [
        ("Command running in background with ID: bash_1", "bash_1"),
        ("Command running in background with ID: b12. Output is being written to: /tmp/b12", "b12"),
        ([{"type": "text", "text": "Command running in background with ID: b3"}], "b3"),
        ({"stdout": "", "backgroundTaskId": "b4"}, "b4"),
        ("72 passed", None),
        (["running in background with ID: x"], None),
        (None, None),
    ],
)
def test_the_call_that_began_a_task_names_it(result: Any, task: str | None) -> None:
    assert background_task(ToolCall("b", tool=Tool("t", "Bash", "completed", {}, result))) == task


@pytest.mark.parametrize(
    ("prompt", "ended"),
    [
        ("<task-notification><task-id>b1</task-id><status>completed</status></task-notification>", ("b1", False)),
        ("<task-notification><task-id> b1 </task-id><status>Killed</status></task-notification>", ("b1", True)),
        ("<task-notification><task-id>b1</task-id></task-notification>", ("b1", False)),
        ("<task-notification><task-id>b1</task-notification>", None),
        ("hello", None),
    ],
)
def test_the_notice_of_an_end_names_the_task_and_how_it_went(prompt: str, ended: tuple[str, bool] | None) -> None:
    assert background_end(prompt) == (BackgroundEnd(*ended) if ended else None)

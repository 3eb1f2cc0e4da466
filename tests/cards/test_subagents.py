"""Sub-agents: what one does now, and their work folded under its task."""

from typing import Any

from bridge.cards.model import Fold, Text
from bridge.cards.subagents import MOST_UNITS, subagent_fold, under_way
from bridge.transcript.blocks import ABSENT, AgentText, Block, Tool, ToolCall


def tool(name: str, given: Any, state: str = "completed", result: Any = ABSENT) -> ToolCall:
    return ToolCall("b", tool=Tool("t", name, state, given, result))


def task(description: str, *children: Block, state: str = "completed", result: Any = ABSENT) -> ToolCall:
    made = tool("Task", {"description": description, "prompt": "…"}, state, result)
    made.children = list(children)
    return made


def lines(fold: Fold | None) -> list[str]:
    assert fold is not None
    (piece,) = fold.pieces
    assert isinstance(piece, Text)
    return ["".join(span.text for span in line) for line in piece.lines]


GREP = tool("Grep", {"pattern": "loop"})
BASH = tool("Bash", {"command": "make"}, "running")


def test_what_a_sub_agent_does_now_is_its_newest_tool() -> None:
    assert under_way(task("Search", GREP, BASH, AgentText("x", text="hm"), state="running")) == "Bash make"
    assert under_way(task("Search", GREP)) == ""
    assert under_way(task("Search", state="running")) == ""


def test_under_each_task_are_its_tools_and_its_report() -> None:
    tasks = [
        task("Search", GREP, result=[{"type": "text", "text": "Found two places."}]),
        task("Build", *[GREP] * 7, BASH, state="running"),
    ]
    assert lines(subagent_fold(tasks)) == [
        "🟢 Search",
        "   🟢 Grep loop",
        "   → Found two places.",
        "🟠 Build",
        "   3 tools before",
        *["   🟢 Grep loop"] * 4,
        "   🟠 Bash make",
    ]


def test_without_sub_agents_there_is_no_fold_and_of_many_the_newest_are_kept() -> None:
    assert subagent_fold([]) is None
    tasks = [task(f"Task {n}", *[GREP] * 5, result="x" * 500) for n in range(30)]
    shown = lines(subagent_fold(tasks))
    assert shown[0].endswith("earlier sub-agents")
    assert any("Task 29" in line for line in shown)
    assert sum(map(len, shown)) <= MOST_UNITS

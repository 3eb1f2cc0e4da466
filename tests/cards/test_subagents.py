"""Sub-agents: what one does now, and their work folded under its task."""

from typing import Any

from bridge.cards.model import Text
from bridge.cards.turn.subagents import MOST_UNITS, SubAgents, subagents, under_way, whole_work
from bridge.transcript.blocks import ABSENT, AgentText, Block, Tool, ToolCall


def tool(name: str, given: Any, state: str = "completed", result: Any = ABSENT) -> ToolCall:
    return ToolCall("b", tool=Tool("t", name, state, given, result))


def task(description: str, *children: Block, state: str = "completed", result: Any = ABSENT) -> ToolCall:
    made = tool("Task", {"description": description, "prompt": "…"}, state, result)
    made.children = list(children)
    return made


def lines(shown: SubAgents | None) -> list[str]:
    assert shown is not None
    (piece,) = shown.fold.pieces
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
    assert lines(subagents(tasks)) == [
        "🟢 Search",
        "   🟢 Grep loop",
        "   → Found two places.",
        "🟠 Build",
        "   3 tools before",
        *["   🟢 Grep loop"] * 4,
        "   🟠 Bash make",
    ]


def test_without_sub_agents_there_is_no_fold_and_of_many_the_newest_are_kept() -> None:
    assert subagents([]) is None
    tasks = [task(f"Task {n}", *[GREP] * 5, result="x" * 500) for n in range(30)]
    shown = lines(subagents(tasks))
    assert shown[0].endswith("earlier sub-agents")
    assert any("Task 29" in line for line in shown)
    assert sum(map(len, shown)) <= MOST_UNITS


def test_what_the_fold_leaves_out_is_whole_in_the_turns_file() -> None:
    """Invariant 2."""
    texts = task("Search", AgentText("x", text="First I look."), GREP, result="Found **two** places.\nBoth are old.")
    short, long = subagents([task("Search", GREP, result="Found two.")]), subagents([texts])
    assert short is not None
    assert not short.shortened
    assert long is not None
    assert long.shortened
    whole = whole_work(task("Outer", texts, result="All done."))
    wanted = ["First I look.", "Grep `loop`", "> Found **two** places.", "> Both are old.", "> All done."]
    places = [whole.index(words) for words in wanted]
    assert places == sorted(places)

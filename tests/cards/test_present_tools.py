"""Tools: the line, the card, whatever the input and the result are."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.diff import diff_lines
from bridge.cards.model import Card, Code, Fold, Panel, Piece, Text
from bridge.cards.text import utf16_len
from bridge.cards.turn.plan import todo_lines
from bridge.cards.turn.tool_names import shown_name, telling_argument
from bridge.cards.turn.tool_output import output_text
from bridge.cards.turn.tools import present_tool, tool_line
from bridge.transcript.blocks import ABSENT, AgentText, Block, Permission, Tool, ToolCall

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        "command",
        "file_path",
        "old_string",
        "new_string",
        "edits",
        "content",
        "changes",
        "todos",
        "stdout",
        "type",
        "text",
    ]
)
NEARLY = st.recursive(JSON, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=10)
NAMES = st.sampled_from(
    ["Bash", "CodexBash", "Edit", "MultiEdit", "Write", "apply_patch", "TodoWrite", "Task", "ExitPlanMode", "mcp__a__b"]
)


ASKED = Permission("pending")


def call(name: str, given: Any = ABSENT, result: Any = ABSENT, state: str = "completed", **more: Any) -> ToolCall:
    children: list[Block] = more.pop("children", [])
    return ToolCall(id="b1", tool=Tool("t1", name, state, given, result, **more), children=children)


def line(block: ToolCall) -> str:
    return "".join(span.text for span in tool_line(block).line)


def panel(card: Card) -> Panel:
    (piece,) = card.pieces
    assert isinstance(piece, Panel)
    return piece


def section(card: Card, label: str) -> tuple[Piece, ...]:
    return next((each.pieces for each in panel(card).sections if each.label == label), ())


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (call("Bash", {"command": "make test", "description": "Run"}), "🟢 Bash make test"),
        (call("CodexBash", {"command": ["bash", "-lc", "bun test"]}, state="running"), "🟠 Bash bun test"),
        (call("exec_command", {"cmd": "ls  -la\nwc"}, {"exit_code": 2}, "error"), "🔴 Bash ls -la wc · exit 2"),
        (call("shell", {"command": ["git", "commit", "-m", "a b"]}), "🟢 Bash git commit -m 'a b'"),
        (call("Read", {"file_path": "/a.py", "limit": 5}), "🟢 Read /a.py"),
        (call("Grep", {"path": "/src", "pattern": "x+"}), "🟢 Grep x+"),
        (call("WebFetch", {"url": "https://x.org", "prompt": "p"}), "🟢 Fetch https://x.org"),
        (call("WebSearch", {"query": "q"}), "🟢 Search q"),
        (call("LS", {"path": "/p"}), "🟢 List /p"),
        (call("Task", {"description": "Find it", "prompt": "long"}), "🟢 Task Find it"),
        (
            call("apply_patch", "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n"),
            "🟢 Patch a.py and 1 more",
        ),
        (call("CodexPatch", {"changes": {"/a": {}}}), "🟢 Patch /a"),
        (call("mcp__hapi__change_title", {"title": "New"}), "🟢 hapi: change_title New"),
        (call("TodoWrite", {"todos": [{"content": "a"}, {"content": "b", "status": "in_progress"}]}), "🟢 Todo b"),
        (call("AskUserQuestion", {"questions": [{"question": "Which?"}]}), "🟢 Question Which?"),
        (call("Odd tool", {"x": 1}), "🟢 Odd tool"),
        (call("", None), "🟢 Tool"),
        (call("Look", None, description="Looks around"), "🟢 Look Looks around"),
        (
            call("Bash", {"command": "x"}, state="running", permission=Permission("pending")),
            "🟠 Bash x · waits for approval",
        ),
        (
            call("request_user_input", {"questions": []}, state="running", permission=Permission("pending")),
            "🟠 Question · waits for an answer",
        ),
        (call("Bash", {"command": "x"}, state="error", permission=Permission("denied")), "🔴 Bash x · denied"),
        (call("Bash", {"command": "x"}, state="error", permission=Permission("canceled")), "🔴 Bash x · canceled"),
    ],
)
def test_a_tools_line_says_its_state_its_name_and_what_it_is_about(block: ToolCall, words: str) -> None:
    assert line(block) == words


def test_a_long_argument_is_cut_for_the_line() -> None:
    long = telling_argument("Bash", {"command": "😀" * 500})
    assert utf16_len(long) <= 120
    assert long.endswith("…")


def test_a_sub_agents_work_is_counted() -> None:
    inner = call("Task", {"description": "deep"}, children=[call("Grep", {"pattern": "x"}), AgentText(text="t")])
    assert line(call("Task", {"description": "top"}, children=[inner])) == "🟢 Task top · 2 tools and 1 text inside"


@settings(deadline=None)
@given(
    NAMES | st.text(),
    st.just(ABSENT) | NEARLY,
    st.just(ABSENT) | NEARLY,
    st.sampled_from(["running", "completed", "error"]),
)
def test_any_input_and_any_result_make_a_line_and_a_card(name: str, given_: Any, result: Any, state: str) -> None:
    """Invariant 5."""
    block = call(name, given_, result, state)
    assert utf16_len(line(block)) <= 300
    assert "\n" not in line(block)
    card = present_tool(block)
    assert Card.model_validate_json(card.model_dump_json()) == card
    for row in card.buttons:
        for button in row:
            assert button.copies is not None
            assert 0 < utf16_len(button.copies) <= 256


def test_input_and_output_have_sections_of_their_own() -> None:
    card = present_tool(call("Bash", {"command": "ls", "timeout": 5}, {"stdout": "a\n", "stderr": "b", "exit_code": 1}))
    assert panel(card).tone == "done"
    command, rest = section(card, "Input")
    assert command == Code(source="ls", language="bash", spill="command.sh")
    assert isinstance(rest, Text)
    assert section(card, "Output") == (Code(source="a\nb\nexit code 1", spill="output.txt", keep="end"),)
    assert [[button.copies for button in row] for row in card.buttons] == [["ls", "a\nb\nexit code 1"]]
    assert card.one_message


def test_json_is_laid_out() -> None:
    card = present_tool(call("mcp__a__b", {"a": {"b": 1}}, {"c": [1]}))
    assert section(card, "Input") == (
        Code(source='{\n  "a": {\n    "b": 1\n  }\n}', language="json", spill="input.json"),
    )
    assert section(card, "Output") == (Code(source='{\n  "c": [\n    1\n  ]\n}', language="json", spill="output.json"),)


def test_long_output_is_folded_and_can_spill() -> None:
    (fold,) = section(present_tool(call("Read", {"file_path": "/a"}, "line\n" * 40)), "Output")
    assert isinstance(fold, Fold)
    assert fold.title[0].text == "41 lines"
    assert fold.pieces == (Code(source="line\n" * 40, spill="output.txt"),)


def test_a_running_tools_long_input_waits_with_its_file() -> None:
    assert not present_tool(call("Bash", {"command": "x"}, state="running")).spill_now
    assert present_tool(call("Bash", {"command": "x"}, "y")).spill_now


def test_an_edit_shows_what_changes_with_little_around_it() -> None:
    before = "\n".join(str(number) for number in range(30))
    card = present_tool(
        call("Edit", {"file_path": "/a", "old_string": before, "new_string": before.replace("15", "fifteen")}, "ok")
    )
    assert section(card, "Input")[1] == Code(
        source="…\n 12\n 13\n 14\n-15\n+fifteen\n 16\n 17\n 18\n…", language="diff", spill="change.diff"
    )


def test_images_in_results_are_named_and_not_poured_out() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 92}
    assert output_text([{"type": "text", "text": "Done"}, {"type": "image", "source": source}]) == (
        "Done\n[image, image/png, 69 B]"
    )


@settings(deadline=None)
@given(st.text("ab\n", max_size=60), st.text("ab\n", max_size=60))
def test_a_whole_diff_holds_both_texts(before: str, after: str) -> None:
    lines = diff_lines(before, after, None)
    assert "\n".join(text[1:] for text in lines if text[0] in " -") == before
    assert "\n".join(text[1:] for text in lines if text[0] in " +") == after


def test_a_giant_diff_takes_no_time() -> None:
    lines = diff_lines("a\n" * 20_000, "b\n" * 20_000)
    assert len(lines) == 40_002


def test_every_flavors_shell_is_bash() -> None:
    for name in ("Bash", "shell", "exec_command", "CodexBash", "run_shell_command", "local_shell", "Run command"):
        assert shown_name(name) == "Bash"
    assert shown_name("mcp__odd") == "mcp__odd"
    assert shown_name(None) == "Tool"


@settings(deadline=None)
@given(JSON)
def test_any_todo_list_is_a_list_of_lines(items: Any) -> None:
    """Invariant 5."""
    for each in todo_lines(items):
        assert each[0].text in ("🟢 ", "🟠 ", "☐ ")

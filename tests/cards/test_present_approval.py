"""Approval cards: nothing unseen, nothing hidden, and buttons that mean exactly what was shown."""

import time
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.model import Card, Code, Fold, Markdown, Panel, Piece, Text
from bridge.cards.request.approval import ApprovalView, GrantView, argument_hash, is_plan, present_approval
from bridge.cards.request.decision import RequestState

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
TOOLS = st.sampled_from(
    [
        "Bash",
        "CodexBash",
        "Edit",
        "MultiEdit",
        "Write",
        "apply_patch",
        "CodexPatch",
        "TodoWrite",
        "Task",
        "ExitPlanMode",
    ]
) | st.text(max_size=12)
ENDS = [state for state in get_args(RequestState) if state != "pending"]


def view(tool: str = "Bash", arguments: Any = None, **more: Any) -> ApprovalView:
    facts: dict[str, Any] = {"session_title": "Fix pagination", "project": "/repo", "machine": "laptop", **more}
    return ApprovalView(
        session_id="s1",
        request_id="r1",
        tool=tool,
        arguments=arguments,
        argument_hash=argument_hash(tool, arguments),
        **facts,
    )


def words(piece: Piece) -> str:
    if isinstance(piece, Text):
        return "\n".join("".join(span.text for span in line) for line in piece.lines)
    if isinstance(piece, Markdown | Code):
        return piece.source
    if isinstance(piece, Fold):
        return "\n".join(words(inner) for inner in piece.pieces)
    assert isinstance(piece, Panel)
    return "\n".join(words(inner) for section in piece.sections for inner in section.pieces)


def all_words(card: Card) -> str:
    return "\n".join(words(piece) for piece in card.pieces)


def labels(card: Card) -> list[list[str]]:
    return [[button.label for button in row] for row in card.buttons]


def test_a_command_is_shown_whole_with_what_it_belongs_to() -> None:
    card = present_approval(
        view("Bash", {"command": "make test\nmake lint", "timeout": 5000}, who_may_decide="the owner", flavor="claude")
    )
    assert Code(source="make test\nmake lint", language="bash", spill="command.sh") in card.pieces
    text = all_words(card)
    for fact in ("Approval needed: Bash", "Fix pagination", "/repo · laptop", "claude", "the owner", "timeout: 5000"):
        assert fact in text
    assert card.one_message
    assert card.files_first


def test_every_button_is_bound_to_session_request_and_argument() -> None:
    """Invariant 4."""
    asked = view("Bash", {"command": "ls"}, grant=GrantView("Bash(ls)"))
    card = present_approval(asked)
    assert labels(card) == [["Allow", "Deny", "Deny…"], ["Allow for session: Bash(ls)"], ["Stop the turn"]]
    assert [act.choice or act.do for act in card.acts()] == ["allow", "deny", "deny_because", "allow_session", "abort"]
    for act in card.acts():
        assert (act.session, act.request, act.argument_hash) == ("s1", "r1", asked.argument_hash)


def test_a_scope_too_long_for_the_button_stands_whole_beside_it() -> None:
    """Invariant 10: a wider grant is named with its exact scope."""
    scope = "Bash(" + "make test && " * 20 + "true)"
    card = present_approval(view("Bash", {"command": scope}, grant=GrantView(scope)))
    assert labels(card)[1] == ["Allow for session"]
    assert Code(source=scope, spill="session-grant.txt") in card.pieces


def test_no_grant_means_no_button_for_one() -> None:
    assert labels(present_approval(view("Bash", {"command": "ls"}))) == [["Allow", "Deny", "Deny…"], ["Stop the turn"]]


def test_hidden_characters_in_a_command_are_made_visible() -> None:
    """Invariant 4: a command can't look like another one."""
    text = all_words(present_approval(view("Bash", {"command": "rm \u202e-rf\u200b /\r\x08"})))
    assert "rm ⟨U+202E⟩-rf⟨U+200B⟩ /⟨U+000D⟩⟨U+0008⟩" in text


def test_hidden_characters_in_tool_names_and_json_are_made_visible_too() -> None:
    text = all_words(present_approval(view("Ba\u200bsh", {"k\u202e": ["\u2066x"]})))
    assert "⟨U+200B⟩" in text
    assert "⟨U+202E⟩" in text
    assert "⟨U+2066⟩x" in text


def test_an_alias_never_hides_the_tools_own_name() -> None:
    text = all_words(present_approval(view("CodexBash", {"command": ["bash", "-lc", "make"]})))
    assert "CodexBash" in text
    assert "bash -lc" in text
    one_word = present_approval(view("shell", {"command": ["ls"]}))
    assert [piece for piece in one_word.pieces if isinstance(piece, Text) and not words(piece)] == []


@settings(deadline=None)
@given(tool=TOOLS, arguments=JSON, state=st.sampled_from(get_args(RequestState)))
def test_any_argument_and_any_state_make_a_card(tool: str, arguments: Any, state: RequestState) -> None:
    """Invariant 5."""
    card = present_approval(view(tool, arguments, state=state))
    assert Card.model_validate_json(card.model_dump_json()) == card
    assert len(card.digest()) == 32


@settings(deadline=None)
@given(
    tool=st.sampled_from(["Bash", "Edit", "Write", "apply_patch", "Task", "Read", "mcp__x__y", "ExitPlanMode", "Odd"]),
    key=st.sampled_from(
        ["command", "content", "old_string", "new_string", "patch", "prompt", "plan", "note", "file_path"]
    ),
    text=st.text(alphabet="ab /-\n\t.'\"`$", min_size=1, max_size=80),
    others=st.dictionaries(st.sampled_from(["command", "old_string", "new_string", "description", "plan"]), JSON),
)
def test_every_line_of_every_argument_is_in_the_card_or_its_files(
    tool: str, key: str, text: str, others: dict[str, Any]
) -> None:
    """Invariant 4: nothing can be approved unseen."""
    card = present_approval(view(tool, {**others, key: text}))
    shown = all_words(card) + "".join(file.text for file in card.files)
    plain = shown.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    for line in text.split("\n"):
        assert line in plain


def test_an_edit_is_a_diff_that_leaves_nothing_out() -> None:
    before = "\n".join(f"line {number}" for number in range(60))
    arguments = {"file_path": "/a.py", "old_string": before, "new_string": before.replace("line 30\n", "line thirty\n")}
    diff = next(piece for piece in present_approval(view("Edit", arguments)).pieces if isinstance(piece, Code))
    lines = diff.source.split("\n")
    assert diff.language == "diff"
    assert [line for line in lines if line[0] != " "] == ["-line 30", "+line thirty"]
    assert [line[1:] for line in lines if line[0] != "+"] == before.split("\n")


def test_what_a_form_does_not_show_follows_it() -> None:
    arguments = {"file_path": "/a", "old_string": "a", "new_string": "b", "replace_all": True, "odd": {"x": [1]}}
    text = all_words(present_approval(view("Edit", arguments)))
    assert '"replace_all": true' in text
    assert '"odd": {' in text


@pytest.mark.parametrize("state", ENDS)
@pytest.mark.parametrize("tool", ["Bash", "ExitPlanMode"])
@pytest.mark.parametrize("scope", [None, "Bash(ls)", "x" * 300])
def test_a_settled_card_keeps_what_it_showed_and_has_one_inert_row(
    state: RequestState, tool: str, scope: str | None
) -> None:
    arguments = {"command": "ls -la", "plan": "# Go\nfirst this"}
    grant = GrantView(scope) if scope else None
    before = present_approval(view(tool, arguments, grant=grant))
    after = present_approval(view(tool, arguments, grant=grant, state=state, decided_by="Ada"))
    assert [len(row) for row in after.buttons] == [1]
    assert after.acts() == []
    assert after.pieces[1:-1] == before.pieces[1:-1]
    assert isinstance(after.pieces[0], Text)
    assert isinstance(before.pieces[0], Text)
    assert after.pieces[0].lines[1:] == before.pieces[0].lines[1:]
    assert all_words(after).count("\n") == all_words(before).count("\n")


def test_a_settled_card_says_who_decided_what_when_and_where() -> None:
    card = present_approval(
        view("Bash", {}, state="approved", decided_by="Ada", decided_where="Telegram", decided_at_ms=1_755_007_380_000)
    )
    assert words(card.pieces[-1]) == "🟢 Allowed by Ada · Telegram · 14:03 UTC"
    last = card.pieces[-1]
    assert isinstance(last, Text)
    assert last.lines[0][-1].unix_s == 1_755_007_380
    assert labels(card) == [["🟢 Allowed"]]


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ("sending", "🟠 Sending…"),
        ("approved_for_session", "🟢 Allowed for this session by Ada"),
        ("denied", "🔴 Denied by Ada"),
        ("aborted", "🔴 Denied, and the turn asked to stop by Ada"),
        ("canceled", "🔴 Canceled before a decision"),
        ("resolved", "Answered, outcome unknown"),
        ("vanished", "No longer waiting: answered elsewhere or expired, outcome unknown"),
        ("session-gone", "The session is gone, nothing can be decided any more"),
        ("superseded", "Asked anew: a newer card took this one's place"),
    ],
)
def test_an_outcome_nobody_knows_is_never_put_on_somebody(state: RequestState, line: str) -> None:
    """Invariant 4: the outcome is what the hub says."""
    assert words(present_approval(view("Bash", {}, state=state, decided_by="Ada")).pieces[-1]) == line


def test_a_plan_reads_as_markdown_and_has_its_own_words() -> None:
    card = present_approval(view("ExitPlanMode", {"plan": "# Plan\n\n1. Read ⚠️"}))
    assert is_plan("ExitPlanMode")
    assert Markdown(source="# Plan\n\n1. Read ⚠️", spill="plan.md") in card.pieces
    assert labels(card) == [["Approve", "Keep planning", "Keep planning…"], ["Stop the turn"]]
    assert "Plan to approve" in all_words(card)
    assert card.files == ()


@pytest.mark.parametrize(
    "plan",
    [
        "Go\n\n[//]: # (and delete everything)",
        "Go <!-- and delete everything -->",
        '[go](http://x "and delete everything")',
        "```sh and delete everything\nls\n```",
    ],
)
def test_what_markdown_would_hide_of_a_plan_goes_along_as_a_file(plan: str) -> None:
    """Invariant 4: nothing can be approved unseen."""
    card = present_approval(view("ExitPlanMode", {"plan": plan}))
    assert [(file.name, file.text) for file in card.files] == [("plan-source.md", plan)]


def test_hidden_text_in_a_plan_is_revealed() -> None:
    assert "⟨U+200B⟩" in all_words(present_approval(view("ExitPlanMode", {"plan": "a\u200bb"})))


def test_a_patch_shows_each_file_with_its_diff() -> None:
    arguments = {"changes": {"/a.py": {"update": {"unified_diff": "@@\n-a\n+b", "move_path": None}}}}
    card = present_approval(view("CodexPatch", arguments))
    assert Code(source="@@\n-a\n+b", language="diff", spill="change.diff") in card.pieces
    text = all_words(card)
    assert "/a.py" in text
    assert "move_path: null" in text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Bash", {"command": "echo " + "x y " * 1_250_000}),
        ("Write", {"file_path": "/repo/a", "content": "a line of text\n" * 350_000}),
        ("Odd", {"items": [f"item {number}" for number in range(300_000)]}),
    ],
)
def test_five_megabytes_are_a_file_before_the_buttons_and_drawn_in_no_time(tool: str, arguments: Any) -> None:
    """Invariants 2 and 4, without holding up everything else meanwhile."""
    began = time.process_time()
    card = present_approval(view(tool, arguments))
    assert time.process_time() - began < 3
    (file,) = card.files
    assert len(file.text) > 4_000_000
    assert card.files_first
    assert len(all_words(card)) < 3_000
    assert f"⋯ the whole is in {file.name}" in all_words(card)


def test_a_request_of_five_megabytes_is_told_apart_quickly() -> None:
    """Every event of a session brings all that waits again."""
    arguments = {"items": [f"item {number}" for number in range(300_000)]}
    began = time.process_time()
    first = argument_hash("Odd", arguments)
    arguments["items"][-1] = "another"
    assert argument_hash("Odd", arguments) != first
    assert time.process_time() - began < 1.5

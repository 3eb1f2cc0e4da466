"""Allow for session: only what can be named exactly is offered (invariant 10)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.hub.flavors import PERMISSION_MODES, is_plan, is_question, permission_modes, session_grant


@pytest.mark.parametrize("flavor", ["codex", "gemini", "opencode", "copilot", "cursor", "grok", "kimi", "dsh"])
def test_codex_like_flavors_take_a_decision(flavor: str) -> None:
    grant = session_grant(flavor, "Bash", {"command": "rm -rf /\n"})
    assert grant is not None
    assert grant.approve == {"decision": "approved_for_session"}
    assert flavor in grant.scope_words


def test_claude_is_granted_the_one_exact_command() -> None:
    grant = session_grant("claude", "Bash", {"command": "npm test -- --all", "description": "run"})
    assert grant is not None
    assert grant.approve == {"allow_tools": ["Bash(npm test -- --all)"]}
    assert grant.scope_words == "exactly this command, in this session", "the command itself is on the card in full"


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "ls\nrm -rf /"},
        {"command": "ls\n"},
        {"command": "ls\rrm x"},
        {"command": "ls\u2028rm x"},
        {"command": "npm run:*"},
        {"command": "npm run:* "},
        {"command": ""},
        {"command": "  "},
        {"command": ["ls"]},
        {},
        None,
        "ls",
    ],
)
def test_a_command_that_cannot_be_granted_exactly_is_not_offered(arguments: Any) -> None:
    assert session_grant("claude", "Bash", arguments) is None


@pytest.mark.parametrize("tool", ["Edit", "MultiEdit", "Write", "NotebookEdit"])
def test_claudes_edits_switch_the_mode_and_say_so(tool: str) -> None:
    grant = session_grant("claude", tool, {"file_path": "a"})
    assert grant is not None
    assert grant.approve == {"mode": "acceptEdits"}
    assert "every file edit" in grant.scope_words


def test_another_tool_of_claude_is_granted_by_name() -> None:
    grant = session_grant("claude", "mcp__github__create_issue", {})
    assert grant is not None
    assert grant.approve == {"allow_tools": ["mcp__github__create_issue"]}
    assert "mcp__github__create_issue" in grant.scope_words


@pytest.mark.parametrize("tool", ["", "Bash(rm:*)", "mcp__*", "Read ", "Web\nFetch", "*"])
def test_a_tool_name_that_reads_as_a_pattern_is_not_offered(tool: str) -> None:
    assert session_grant("claude", tool, {"command": "ls"}) is None


@pytest.mark.parametrize("flavor", ["agy", "pi", "brand-new", ""])
def test_a_flavor_without_known_rules_is_offered_nothing(flavor: str) -> None:
    assert session_grant(flavor, "Bash", {"command": "ls"}) is None


@pytest.mark.parametrize(
    "tool", ["AskUserQuestion", "ask_user_question", "request_user_input", "ExitPlanMode", "exit_plan_mode"]
)
@pytest.mark.parametrize("flavor", [None, *PERMISSION_MODES])
def test_plans_and_questions_are_never_granted_ahead(flavor: str | None, tool: str) -> None:
    assert is_question(tool) or is_plan(tool)
    assert session_grant(flavor, tool, {}) is None


def test_ordinary_tools_are_neither_plan_nor_question() -> None:
    assert not any(is_question(tool) or is_plan(tool) for tool in ("Bash", "Task", "update_plan", "Plan", ""))


def test_modes_of_an_unknown_flavor_are_none() -> None:
    assert permission_modes("brand-new") == ()
    assert permission_modes(None) == PERMISSION_MODES["claude"]


@given(st.sampled_from(["claude", None]), st.text(), st.text())
def test_no_claude_grant_is_ever_a_prefix(flavor: str | None, tool: str, command: str) -> None:
    grant = session_grant(flavor, tool, {"command": command})
    if grant is not None:
        for rule in grant.approve.get("allow_tools", []):
            assert not rule.endswith("*")
            assert not rule.rstrip(")").rstrip().endswith(":*")
            assert rule == tool or rule == f"Bash({command})"

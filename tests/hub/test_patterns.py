"""Patterns of commands that can be allowed for a session: narrow, of one plain command, and said exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.hub.flavors import mode_grant, mode_label, switch_modes, tools_pattern
from bridge.hub.patterns import command_pattern


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("git push origin main", "Bash(git push:*)"),
        ("git status", "Bash(git status:*)"),
        ("npm run test -- --watch", "Bash(npm run test:*)"),
        ("npm test", "Bash(npm test:*)"),
        ("uv run pytest -x", "Bash(uv run pytest:*)"),
        ("pytest tests/cards", "Bash(pytest:*)"),
        ("ls -la src", "Bash(ls:*)"),
        ("docker ps -a", "Bash(docker ps:*)"),
    ],
)
def test_the_first_words_say_what_is_allowed(command: str, pattern: str) -> None:
    """Invariant 10."""
    assert command_pattern("Bash", {"command": command}) == pattern


@pytest.mark.parametrize(
    "command",
    [
        "",
        "git",
        "git -C x push",
        "git push && rm x",
        "git push; ls",
        "git push | tee log",
        "git push $(whoami)",
        "git 'push'",
        "git  push",
        " git push",
        "git push\nls",
        "git push\u00a0x",
        "npm run",
        "npm exec -y x",
        "docker run ubuntu sh",
        "kubectl exec pod",
        "python a.py",
        "bash -c ls",
        "rm -r build",
        "/usr/bin/git push",
        "git push:*",
    ],
)
def test_nothing_is_named_where_it_could_mean_more_than_it_says(command: str) -> None:
    """Invariant 10."""
    assert command_pattern("Bash", {"command": command}) is None


@given(st.text(), st.none() | st.text() | st.dictionaries(st.text(), st.text()))
def test_any_arguments_are_fine_and_a_pattern_is_always_the_commands_beginning(tool: str, arguments: object) -> None:
    """Invariant 5."""
    command_pattern(tool, arguments)
    pattern = command_pattern("Bash", {"command": tool})
    assert pattern is None or tool.startswith(pattern.removeprefix("Bash(").removesuffix(":*)"))


def test_only_claude_takes_patterns() -> None:
    assert tools_pattern("claude", "Bash", {"command": "git push"}) == "Bash(git push:*)"
    assert tools_pattern("codex", "Bash", {"command": "git push"}) is None


def test_a_flavor_switches_to_its_own_modes_only_and_never_to_the_one_it_is_in() -> None:
    assert [one.label for one in switch_modes("claude", "")] == ["Accept Edits", "Auto", "Yolo", "Plan Mode"]
    assert [one.mode for one in switch_modes("codex", "yolo")] == ["default", "read-only", "safe-yolo"]
    assert [one.mode for one in switch_modes("claude", "plan", planning=True)] == [
        "default",
        "acceptEdits",
        "auto",
        "bypassPermissions",
    ]
    assert switch_modes("dsh", "") == ()
    assert mode_grant("claude", "safe-yolo") is None
    assert mode_grant("claude", "acceptEdits") == {"with": {"mode": "acceptEdits"}}
    assert mode_grant("codex", "yolo") == {"with": {}, "mode": "yolo"}


def test_a_mode_goes_by_hapis_label() -> None:
    assert mode_label("claude", "bypassPermissions") == "Yolo"
    assert mode_label("claude", "") == "Default"
    assert mode_label("dsh", "") == ""
    assert mode_label("claude", "tomorrow") == "tomorrow"

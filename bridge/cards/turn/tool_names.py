"""What tools are called, by any flavor, and which one argument tells most about a call.

Tables, since every agent has words of its own for the same few tools.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

from bridge.cards.words import brief, one_line
from bridge.language import trn

ALIASES: Final[Mapping[str, str]] = {
    alias: name
    for name, aliases in {
        "Bash": "bash shell local_shell shell_command exec_command codexbash run_command run_shell_command runcommand "
        "run_terminal_cmd run_in_terminal execute terminal exec",
        "Read": "read read_file readfile view view_file viewfile codexread read_many_files notebookread",
        "Write": "write write_file writefile create_file createfile write_to_file",
        "Edit": "edit edit_file editfile str_replace search_replace replace replace_file_content notebookedit "
        "codeaction",
        "MultiEdit": "multiedit multi_edit",
        "Patch": "apply_patch applypatch codexpatch patch codexdiff",
        "Grep": "grep grep_search search_file_content codebase_search ripgrep",
        "Glob": "glob find_files file_search",
        "List": "ls list list_dir list_directory listdirectory",
        "Fetch": "webfetch web_fetch fetch",
        "Search": "websearch web_search google_web_search",
        "Task": "task agent codexagent spawn_agent",
        "Todo": "todowrite todo_write update_plan updateplan write_todos todo",
        "Plan": "exitplanmode exit_plan_mode",
        "Question": "askuserquestion ask_user_question request_user_input",
        "Skill": "skill",
        "Background task": "agyasynctask",
        "Task log": "agytasklog",
        "Agent error": "agyerror",
    }.items()
    for alias in aliases.split()
}
"""Lower-case tool names to the name shown."""

_PATHS: Final = ("file_path", "path", "target_file", "notebook_path", "absolute_path", "filename", "filePath")
TELLING: Final[Mapping[str, tuple[str, ...]]] = {
    "Bash": ("command", "cmd", "script"),
    "Read": _PATHS,
    "Write": _PATHS,
    "Edit": _PATHS,
    "MultiEdit": _PATHS,
    "Grep": ("pattern", "query", "regex", "path"),
    "Glob": ("pattern", "glob", "query", "path"),
    "List": ("path", "directory", "dir_path"),
    "Fetch": ("url", "uri"),
    "Search": ("query", "q"),
    "Task": ("description", "summary", "task", "prompt"),
    "Skill": ("skill", "command", "name"),
    "Task log": ("task",),
}
"""The arguments looked at for a tool's one line, best first."""

ANY_TELLING: Final = (
    "command", "cmd", *_PATHS, "pattern", "query", "url", "description", "title", "summary", "prompt", "name", "text",
)  # fmt: skip
"""The same for tools without an entry of their own."""

_PATCH_FILE: Final = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\+\+\+ (?:b/)?(.+)$", re.MULTILINE)
_SHELLS: Final = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash")
_LINE: Final = 120


def shown_name(name: Any) -> str:
    """The name a tool goes by on cards: ``CodexBash`` is ``Bash``, ``mcp__hapi__title`` is ``hapi: title``."""
    raw = one_line(name) if isinstance(name, str) else ""
    if raw.startswith("mcp__"):
        server, _, tool = raw.removeprefix("mcp__").partition("__")
        return brief(f"{server}: {tool}" if server and tool else raw, 60)
    known = ALIASES.get(raw.lower().replace(" ", ""))
    return known or brief(raw, 60) or "Tool"


def command_line(value: Any) -> str | None:
    """A shell command as one text: a string as it is; ``["bash", "-lc", "make test"]`` as ``make test``."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        return None
    if len(value) == 3 and value[0] in _SHELLS and value[1] in ("-c", "-lc"):
        return str(value[2])
    return shlex.join(value)


def patched_files(arguments: Any) -> list[str]:
    """The files that a patch touches, in order; empty where none can be read off."""
    if isinstance(arguments, dict):
        changes = arguments.get("changes")
        if isinstance(changes, dict):
            return [key for key in changes if isinstance(key, str)]
        arguments = next((arguments[key] for key in ("patch", "input", "diff") if key in arguments), None)
    if not isinstance(arguments, str):
        return []
    found = [one or other for one, other in _PATCH_FILE.findall(arguments)]
    return list(dict.fromkeys(found))


def telling_argument(name: Any, arguments: Any, units: int = _LINE) -> str:
    """The one argument that says most about a call, as one line of at most ``units`` UTF-16 units; may be empty."""
    files = patched_files(arguments) if shown_name(name) == "Patch" else []
    if files:
        more = trn(" and {n} more", " and {n} more", len(files) - 1) if len(files) > 1 else ""
        return brief(files[0], max(units - len(more), 8)) + more
    return brief(telling_value(name, arguments), units)


def telling_value(name: Any, arguments: Any) -> str | None:
    """That argument as it is, whole; None where no argument is text."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, dict):
        return None
    listed = _LISTS.get(shown_name(name))
    if listed:
        return _first_of(arguments, *listed)
    for key in (*TELLING.get(shown_name(name), ()), *ANY_TELLING):
        value = arguments.get(key)
        text = command_line(value) if key in ("command", "cmd") else value if isinstance(value, str) else None
        if text and not text.isspace():
            return text
    return None


_LISTS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "Question": (("questions",), ("question", "header")),
    "Todo": (("todos", "plan", "items"), ("activeForm", "content", "step", "title")),
}
"""Tools whose telling argument is in a list: the list's names, then the names in its items."""


def _first_of(arguments: dict[str, Any], lists: tuple[str, ...], keys: tuple[str, ...]) -> str | None:
    """A text of a list's item: the one at work if any says so, else the first."""
    found: list[Any] = next((arguments[key] for key in lists if isinstance(arguments.get(key), list)), [])
    items = [item for item in found if isinstance(item, dict)]
    items.sort(key=lambda item: item.get("status") != "in_progress")
    return next((item[key] for item in items[:1] for key in keys if isinstance(item.get(key), str) and item[key]), None)

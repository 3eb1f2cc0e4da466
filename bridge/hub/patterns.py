"""The narrowest pattern of commands that HAPI can allow for a session: ``Bash(git push:*)``. Pure tables.

HAPI takes such a pattern as the beginning of a command line: whatever follows it is allowed, too. So one is named only
for a single plain command (no pipe, no list, no quotes, no variables) whose first words say what it does, never for
what runs other programs by name alone, and it says all the words that can be said.
"""

from __future__ import annotations

import re
from typing import Any, Final

_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_TASK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]*")
_NOT_SIMPLE: Final = re.compile(r"[^\x20-\x7e]|[;&|<>$`(){}\[\]*?!#~\\\"'^]")
"""What a shell reads as more than a word, and everything outside of plain ASCII."""
_SUBCOMMANDS: Final = re.compile(
    r"git|gh|npm|pnpm|yarn|bun|cargo|go|make|just|docker|podman|kubectl|helm|terraform|uv|pip|pip3|poetry|pdm|dotnet"
    r"|mvn|gradle|bundle|composer|mix|deno|swift|rustup"
)
"""Commands whose second word says what they do."""
_RUNNERS: Final = re.compile(r"run|exec|x|eval|sh|shell|start|compose|tool|script|config|alias")
"""Second words that run whatever comes third: a third word must be named."""
_SEALED: Final = re.compile(r"docker|podman|kubectl|helm|terraform")
"""Commands in which even a third word leaves everything open."""
_ALONE: Final = re.compile(
    r"ls|cat|head|tail|wc|grep|rg|tree|stat|du|df|pwd|which|file|pytest|ruff|mypy|tsc|eslint|prettier|jest|vitest|black"
    r"|isort|flake8|pylint"
)
"""Commands that do one thing, whatever follows."""


def command_pattern(tool: str, arguments: Any) -> str | None:
    """The pattern to offer for a Bash request of Claude, or ``None`` if none can be named safely (invariant 10)."""
    command = arguments.get("command") if tool == "Bash" and isinstance(arguments, dict) else None
    if not isinstance(command, str) or _NOT_SIMPLE.search(command):
        return None
    words = command.split(" ")
    if not all(words[:3]):  # more than one blank between the words: the pattern would not be the command's beginning
        return None
    first, second, third = [*words, "", "", ""][:3]
    if _ALONE.fullmatch(first):
        return f"Bash({first}:*)"
    if not _SUBCOMMANDS.fullmatch(first) or not _PLAIN.fullmatch(second):
        return None
    if _RUNNERS.fullmatch(second):
        named = _TASK.fullmatch(third) and not _SEALED.fullmatch(first)
        return f"Bash({first} {second} {third}:*)" if named else None
    return f"Bash({first} {second}:*)"

"""Reading what the hub says of computers, their directories and the agents they have. Pure and total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Machine:
    """A computer that is on: its id, what people call it, and where its sessions may begin."""

    id: str
    name: str
    home: str = ""
    roots: tuple[str, ...] = ()
    """The only directories that may be used, where its owner restricted it."""

    def absolute(self, path: str) -> str:
        """A path as the computer takes it: ``~`` and what has no root stand for its home."""
        path = path.strip()
        if path in ("", "~"):
            return self.home or path
        if path.startswith("~/") and self.home:
            path = f"{self.home.rstrip('/')}/{path[2:]}"
        elif not _is_absolute(path) and self.home:
            path = f"{self.home.rstrip('/')}/{path.removeprefix('./')}"
        return path.rstrip("/") or path


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A slash command or a skill of an agent."""

    name: str
    does: str = ""
    skill: bool = False


def read_machine(record: Mapping[str, Any]) -> Machine:
    """A computer from the hub's list."""
    metadata = _mapping(record.get("metadata"))
    name = _text(metadata.get("displayName")) or _text(metadata.get("host")) or _text(record.get("id"))[:8]
    roots = metadata.get("workspaceRoots")
    strings = tuple(each for each in roots if isinstance(each, str)) if isinstance(roots, list) else ()
    return Machine(_text(record.get("id")), name, _text(metadata.get("homeDir")), strings)


def read_agents(body: Mapping[str, Any]) -> list[str]:
    """The agents that a computer can start, in the hub's order."""
    agents = body.get("agents")
    found = [each for each in agents if isinstance(each, Mapping)] if isinstance(agents, list) else []
    return [str(each["agent"]) for each in found if each.get("available") is True and _text(each.get("agent"))]


def read_commands(body: Mapping[str, Any], key: str) -> list[AgentCommand]:
    """Slash commands (``key`` is ``commands``) or skills (``skills``), each name once."""
    given: Any = body.get(key)
    items: Sequence[Any] = given if isinstance(given, list) else ()
    found: dict[str, AgentCommand] = {}
    for item in items:
        name = _text(item.get("name")) if isinstance(item, Mapping) else ""
        name = name.removeprefix("/").removeprefix("$")
        if name and " " not in name and "\n" not in name:
            found.setdefault(name, AgentCommand(name, _text(item.get("description")), key == "skills"))
    return list(found.values())


def _is_absolute(path: str) -> bool:
    """POSIX, or with a drive letter."""
    return path.startswith(("/", "\\\\")) or (len(path) > 2 and path[1] == ":" and path[2] in "\\/")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

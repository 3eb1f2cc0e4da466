"""Which danger rules hold: the built-in ones, each by a name to switch it off, and patterns of one's own.

Own patterns run on Rust's regex engine, which comes with pydantic and takes time linear in the text whatever the
pattern: an agent can't write a command on which the bridge would think for ever. It knows no look-around and no
backreferences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import StringConstraints, TypeAdapter, ValidationError
from pydantic_core import SchemaError

from bridge.cards.text import clean
from bridge.cards.turn.tool_names import command_line, shown_name
from bridge.language import tr

BUILT_IN: Final[Mapping[str, str]] = {
    "delete": "rm -rf, find -delete",
    "discard": "git reset --hard, git clean -f",
    "force-push": "git push --force and the like",
    "network-pipe": "what the network sends, run at once (curl … | sh)",
    "outside": "writing outside of the session's directory",
    "administrator": "sudo, doas, pkexec",
    "disk": "mkfs, dd onto a disk, fdisk",
    "power": "shutdown, reboot",
    "database": "DROP TABLE, TRUNCATE TABLE",
    "open-files": "chmod 777",
    "long": "commands of more than 100,000 characters, which are not looked through",
}
"""The built-in rules: the name by which one is switched off, and what it knows."""
MOST_TEXT: Final = 1_000_000
"""Characters of a request that an own pattern looks at; a longer request is marked by every pattern, unread."""


class BadPattern(ValueError):
    """A pattern that can't be used; ``str()`` says why in one line."""


class Pattern:
    """A compiled pattern. Raises :class:`BadPattern`."""

    def __init__(self, source: str) -> None:
        if not source:
            raise BadPattern("is empty: it would mark everything")
        try:
            self._adapter = TypeAdapter(Annotated[str, StringConstraints(pattern=source)])
        except SchemaError as error:
            raise BadPattern(_why(str(error))) from None

    def found_in(self, text: str) -> bool:
        """Whether it matches somewhere in a text (without lone surrogates)."""
        try:
            self._adapter.validate_python(text)
        except ValidationError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A pattern of the user's own. ``tools``: tool names it is about, as cards show them; empty: all."""

    name: str
    pattern: Pattern = field(compare=False)
    tools: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DangerRules:
    """What is marked dangerous, and whether that needs two people."""

    off: frozenset[str] = frozenset()
    """Built-in rules that are switched off."""
    own: tuple[OwnRule, ...] = ()
    second_approver: bool = False
    """A dangerous request is allowed by two people, not by one person's two taps."""

    def own_effect(self, tool: str, arguments: Any) -> str:
        """The first own rule that a request meets, in words; empty for none. Any JSON is fine."""
        name = shown_name(tool)
        rules = [rule for rule in self.own if not rule.tools or rule.tools & {tool, name}]
        text = _text(name, arguments) if rules else ""
        for rule in rules:
            if len(text) > MOST_TEXT or rule.pattern.found_in(text):
                return tr("Matches your rule “{name}”", name=rule.name)
        return ""


def _text(name: str, arguments: Any) -> str:
    """What patterns look at: of Bash the command, of anything else all its texts, a line each."""
    if name == "Bash" and isinstance(arguments, dict):
        lines = [command_line(arguments.get(key)) for key in ("command", "cmd", "script")]
        return str(clean("\n".join(line for line in lines if line)))
    return str(clean("\n".join(_leaves(arguments))))


def _leaves(value: Any) -> Iterator[str]:
    waiting, left = [value], MOST_TEXT
    while waiting and left >= 0:
        one = waiting.pop()
        if isinstance(one, str):
            left -= len(one)
            yield one
        elif isinstance(one, Mapping):
            waiting += reversed([each for pair in one.items() for each in pair])
        elif isinstance(one, Iterable) and not isinstance(one, bytes):
            waiting += reversed(list(one))


def _why(error: str) -> str:
    """The engine's own reason, without its drawing of where."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    return (lines[-1].removeprefix("error: ").removeprefix("SchemaError: ") if lines else "can't be read").rstrip(".")

"""Small checks that add up to the shape of a block. A check names what is wrong in the words and places Slack uses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bridge.sandbox.slack.walk import Json


@dataclass(slots=True)
class Problems:
    """What is wrong with a payload so far, and what must be counted or be unique over all of it."""

    found: list[str] = field(default_factory=list)
    action_ids: set[str] = field(default_factory=set)
    block_ids: set[str] = field(default_factory=set)
    markdown: int = 0
    characters: int = 0
    tables: int = 0
    cells: int = 0
    focused: int = 0

    def add(self, words: str, place: str) -> None:
        """Notes a problem: ``words [json-pointer:place]``."""
        self.found.append(f"{words} [json-pointer:{place}]")


Check = Callable[[Any, str, Problems], None]


def anything(value: Any, place: str, problems: Problems) -> None:
    """No check."""


def string(longest: int, shortest: int = 1) -> Check:
    """A string of ``shortest`` to ``longest`` characters."""

    def check(value: Any, place: str, problems: Problems) -> None:
        if not isinstance(value, str):
            problems.add("must be a string", place)
        elif len(value) > longest:
            problems.add(f"must be less than {longest + 1} characters", place)
        elif len(value) < shortest:
            problems.add(f"must be more than {shortest - 1} characters", place)

    return check


def flag(value: Any, place: str, problems: Problems) -> None:
    """True or false."""
    if not isinstance(value, bool):
        problems.add("must be a boolean", place)


def whole(least: int, most: int) -> Check:
    """A whole number in a range."""

    def check(value: Any, place: str, problems: Problems) -> None:
        if type(value) is not int:
            problems.add("must be an integer", place)
        elif not least <= value <= most:
            problems.add(f"must be between {least} and {most}", place)

    return check


def one_of(*values: str) -> Check:
    """One of these strings."""

    def check(value: Any, place: str, problems: Problems) -> None:
        if value not in values:
            problems.add(f"must be one of: {', '.join(values)}", place)

    return check


def url(value: Any, place: str, problems: Problems) -> None:
    """A web address of at most 3,000 characters."""
    string(3000)(value, place, problems)
    if isinstance(value, str) and not value.startswith(("http://", "https://", "mailto:", "slack://")):
        problems.add("must be a valid URL", place)


def array(item: Check, most: int, least: int = 1) -> Check:
    """A list of ``least`` to ``most`` such items."""

    def check(value: Any, place: str, problems: Problems) -> None:
        if not isinstance(value, list):
            problems.add("must be an array", place)
            return
        if len(value) > most:
            problems.add(f"no more than {most} items allowed", place)
        if len(value) < least:
            problems.add(f"no fewer than {least} items allowed", place)
        for index, one in enumerate(value):
            item(one, f"{place}/{index}", problems)

    return check


def record(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    """An object with these fields and no others."""
    known = required | (optional or {})

    def check(value: Any, place: str, problems: Problems) -> None:
        if not isinstance(value, dict):
            problems.add("must provide an object", place)
            return
        for name in required.keys() - value.keys():
            problems.add(f"missing required field: {name}", place)
        for name, one in value.items():
            if name not in known:
                problems.add(f"invalid additional property: {name}", place)
            else:
                known[name](one, f"{place}/{name}", problems)

    return check


def typed(kinds: dict[str, Check]) -> Check:
    """An object whose ``type`` says which check it must pass."""

    def check(value: Any, place: str, problems: Problems) -> None:
        if not isinstance(value, dict):
            problems.add("must provide an object", place)
        elif "type" not in value:
            problems.add("missing required field: type", place)
        elif not isinstance(value["type"], str) or value["type"] not in kinds:
            problems.add(f"unsupported type: {value['type']}", f"{place}/type")
        else:
            kinds[value["type"]](value, place, problems)

    return check


def both(*checks: Check) -> Check:
    """All of these checks."""

    def check(value: Any, place: str, problems: Problems) -> None:
        for one in checks:
            one(value, place, problems)

    return check


def needs_one(*names: str) -> Check:
    """An object with at least one of these fields."""

    def check(value: Any, place: str, problems: Problems) -> None:
        if isinstance(value, dict) and not value.keys() & set(names):
            problems.add(f"missing one of the fields: {', '.join(names)}", place)

    return check


def text(longest: int, *, mrkdwn: bool = True) -> Check:
    """A text object: ``plain_text``, and ``mrkdwn`` where allowed."""
    words = string(longest)
    kinds = {
        "plain_text": record({"type": anything, "text": words}, {"emoji": flag}),
        "mrkdwn": record({"type": anything, "text": words}, {"verbatim": flag}),
    }
    return typed(kinds if mrkdwn else {"plain_text": kinds["plain_text"]})


def characters_in(value: Any) -> int:
    """How many characters of text a block has, all its text objects, cells and rich text together."""
    if isinstance(value, list):
        return sum(map(characters_in, value))
    if not isinstance(value, dict):
        return 0
    own: Json = value
    return sum(len(one) if key == "text" and isinstance(one, str) else characters_in(one) for key, one in own.items())

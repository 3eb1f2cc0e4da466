"""Asking a person on the terminal: lines, hidden values, and choices that take no answer for another."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections.abc import Coroutine, Mapping
from typing import Any

from pydantic import ValidationError

from bridge.cli.checks import Check
from bridge.settings import FALLBACKS, VARIABLES, Table


class Left(Exception):
    """The one who was asked has had enough."""


def line(words: str, shown_default: str = "") -> str:
    """One line, without the blanks around it. Raises `Left` at the end of the input."""
    print(f"{words}{f' [{shown_default}]' if shown_default else ''}: ", end="", flush=True)
    answer = sys.stdin.readline()
    if not answer:
        print()
        raise Left
    return answer.strip()


def hidden(words: str, shown_default: str = "") -> str:
    """A line that is not shown while it is typed, where that can be."""
    if not sys.stdin.isatty():
        return line(words, shown_default)
    note = f"typing is hidden; Enter: {shown_default}" if shown_default else "typing is hidden"
    try:
        return getpass.getpass(f"{words} ({note}): ").strip()
    except EOFError:
        print()
        raise Left from None


def choice(words: str, options: Mapping[str, str], default: str) -> str:
    """One of ``options`` (what may be typed, in full or by its beginning -> what it stands for); others ask again."""
    while True:
        answer = line(words, default).lower() or default
        meant = {value for typed, value in options.items() if typed.startswith(answer)}
        if len(meant) == 1:
            return meant.pop()
        print(f"  please answer one of: {', '.join(options)}")


def value(model: type[Table], table: str, key: str, words: str, *, secret: bool = False, typed: str = "") -> str:
    """Ask until the answer has the shape of that setting.

    What is there already is the default: what was ``typed`` before, what the environment has, what the setting has.
    """
    default, shown = typed, "as before" if secret and typed else typed
    if not default:
        default, shown = _from_environment(model, table, key, secret)
    if not default and isinstance(own := model.model_fields[key].default, str):
        default, shown = own, own
    while True:
        answer = (hidden if secret else line)(words, shown) or default
        if mistake := _mistake(model, key, answer):
            print(f"  {mistake}")
        else:
            return answer


def accepted(check: Coroutine[Any, Any, Check]) -> tuple[bool, Check]:
    """Run a check and say what it found: whether to go on (all is well, or the answer is kept all the same) or to ask
    again. Raises `Left` for who gives up."""
    found = asyncio.run(check)
    print(f"  {'ok: ' if found.ok else ''}{found.words}" + (f" - {found.hint}" if found.hint else ""))
    if found.ok:
        return True, found
    options = {"again": "again", "keep": "keep", "give up": "give up"}
    answer = choice("  Ask again, keep it anyway, or give up?", options, "again")
    if answer == "give up":
        raise Left
    return answer == "keep", found


def _from_environment(model: type[Table], table: str, key: str, secret: bool) -> tuple[str, str]:
    """A usable value of the environment, and how to show it as the default."""
    for names in (VARIABLES, FALLBACKS):
        for name, place in names.items():
            found = os.environ.get(name, "").strip()
            if place == (table, key) and found and not _mistake(model, key, found):
                return found, f"the one in {name}" if secret else found
    return "", ""


def _mistake(model: type[Table], key: str, answer: str) -> str:
    """What is wrong with the shape of an answer; empty if nothing is."""
    try:
        model(**{key: answer})
    except ValidationError as error:
        mine = [each for each in error.errors(include_input=False) if each["loc"] == (key,)]
        return str(mine[0]["msg"]).removeprefix("Value error, ") if mine else ""
    return ""

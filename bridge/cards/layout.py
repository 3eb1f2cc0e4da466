"""Any JSON laid out for reading, without recursion: whatever the depth, nothing is left out and nothing raised."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from bridge.cards.text import clean, reveal
from bridge.cards.words import whole_number

_CONTROL = re.compile("[\x01-\x08\x0b-\x1f\x7f-\x9f\u0333\u033f\u2028\u2029\u2800]")
_ODD_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""White space that looks like a blank and is none: a shell or a file system takes it for a letter."""
_LARGE = 500_000
"""Characters of JSON beyond which nobody reads it for its layout."""
_DEEPEST_INDENT = 24
"""Levels that indent; below them lines stay in column, since indentation of 10,000 levels would be quadratic."""
_EMOJI_JOINERS = re.compile(
    "(?<=[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff#*0-9])\ufe0f|(?<=[\ufe0f\U0001f000-\U0001faff])\u200d"
)


def show(text: str) -> str:
    """Text of an argument with nothing hidden: bidi, invisible and control characters, and white space that only looks
    like a blank, as ``⟨U+202E⟩`` (invariant 4)."""
    return _ODD_SPACES.sub(_named, _show(text))


def show_prose(text: str) -> str:
    """As `show`, for prose: what only joins or colours an emoji stays as it is, and so do typographers' spaces."""
    parts, at = [], 0
    for match in _EMOJI_JOINERS.finditer(text):
        parts += [_show(text[at : match.start()]), match.group()]
        at = match.end()
    return "".join([*parts, _show(text[at:])])


def _show(text: str) -> str:
    return _CONTROL.sub(_named, reveal(clean(text)))


def _named(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found.group()):04X}⟩"


def lay_out(value: Any) -> str:
    """The value as indented JSON, every character of it, at any depth and size. Total for anything at all.

    What is too long to be read in a chat anyway is only broken into lines, which is done at once.
    """
    try:
        at_once = json.dumps(value, ensure_ascii=False, separators=(",\n", ": "))
    except (RecursionError, ValueError, TypeError):
        at_once = ""
    if len(at_once) > _LARGE:
        return at_once
    return "".join(_laid_out(value))


def canonical(value: Any) -> Iterator[str]:
    """The value as JSON without white space and with sorted keys, in pieces: the same value, the same text.

    ``1``, ``1.0`` and ``true`` differ. What JSON doesn't know is written by its type's name.
    """
    stack: list[Any] = [_Value(value)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        inner = item.value
        if isinstance(inner, dict):
            yield "{"
            parts: list[Any] = []
            for key in sorted(inner, key=_key):
                parts += [_key(key) + ":", _Value(inner[key]), ","]
            stack.append("}")
            stack.extend(reversed(parts))
        elif isinstance(inner, list | tuple):
            yield "["
            stack.append("]")
            for each in reversed(inner):
                stack += [",", _Value(each)]
        else:
            yield _leaf(inner, ascii_only=True)


class _Value:
    """A value still to be written, among strings that are written as they are."""

    __slots__ = ("level", "value")

    def __init__(self, value: Any, level: int = 0) -> None:
        self.value = value
        self.level = level


def _laid_out(value: Any) -> Iterator[str]:
    stack: list[Any] = [_Value(value)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        inner, level = item.value, item.level + 1
        if isinstance(inner, dict) and inner:
            opening, closing = "{", "}"
            entries: list[tuple[str, Any]] = [(_key(key, ascii_only=False) + ": ", inner[key]) for key in inner]
        elif isinstance(inner, list | tuple) and inner:
            opening, closing = "[", "]"
            entries = [("", each) for each in inner]
        else:
            yield "{}" if isinstance(inner, dict) else "[]" if isinstance(inner, list | tuple) else _leaf(inner)
            continue
        yield opening
        line = "\n" + "  " * min(level, _DEEPEST_INDENT)
        stack.append("\n" + "  " * min(item.level, _DEEPEST_INDENT) + closing)
        for index in range(len(entries) - 1, -1, -1):
            label, each = entries[index]
            if index < len(entries) - 1:
                stack.append(",")
            stack += [_Value(each, level), line + label]


def _key(key: Any, *, ascii_only: bool = True) -> str:
    return json.dumps(key if isinstance(key, str) else _leaf(key), ensure_ascii=ascii_only)


def _leaf(value: Any, *, ascii_only: bool = False) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=ascii_only)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return whole_number(value)
    if isinstance(value, float):
        return (
            repr(value)
            if math.isfinite(value)
            else "NaN"
            if value != value
            else "Infinity"
            if value > 0
            else "-Infinity"
        )
    return f"⟨{type(value).__name__}⟩"

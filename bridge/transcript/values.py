"""JSON values as the reference's language treats them: types, texts and numbers without surprises.

The reference runs in JavaScript, so what is shown of an unknown value follows `JSON.stringify(value, null, 2)`:
whole floats lose their point, NaN becomes null, integer-like keys come first in ascending order, lone surrogates
are escaped.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

from bridge.transcript.blocks import ABSENT

MAX_DEPTH = 200
"""Levels of nesting that are still decoded. Python's own JSON gives up near 1,000."""

_SAFE_INTEGER = 2**53
_SPACES = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What JavaScript's `trim` takes off. Python's `strip` would leave the byte order mark and take control characters."""
_LARGEST = sys.float_info.max
_SURROGATE = re.compile("[\ud800-\udfff]")


def record(value: Any) -> dict[str, Any] | None:
    """The value where it is an object, else None."""
    return value if type(value) is dict else None


def text(value: Any) -> str | None:
    """The value where it is a text, else None."""
    return value if isinstance(value, str) else None


def text_or(value: Any, default: str) -> str:
    """The value where it is a text, even an empty one, else the default."""
    return value if isinstance(value, str) else default


def number(value: Any) -> int | float | None:
    """The value where it is a finite number, else None. Booleans are none."""
    if type(value) is int:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    return None


def first_text(source: Mapping[str, Any], *keys: str) -> str | None:
    """The first of the keys that holds a text."""
    for key in keys:
        value = source.get(key)
        if isinstance(value, str):
            return value
    return None


def first_number(source: Mapping[str, Any], *keys: str) -> int | float | None:
    """The first of the keys that holds a finite number."""
    for key in keys:
        value = number(source.get(key))
        if value is not None:
            return value
    return None


def trimmed(value: str) -> str:
    """The text without white space around it, as JavaScript's `trim` has it."""
    return value.strip(_SPACES)


def trimmed_end(value: str) -> str:
    """The text without white space after it, as JavaScript's `trimEnd` has it."""
    return value.rstrip(_SPACES)


def added(*numbers: int | float) -> int | float:
    """The sum, rounded after every step as JavaScript rounds: beyond 2**53 not every whole number is there."""
    total: int | float = 0
    for each in numbers:
        total += each
        if isinstance(total, int) and abs(total) > _SAFE_INTEGER:
            total = int(float(total)) if abs(total) <= _LARGEST else total
    return total


def same(one: Any, other: Any) -> bool:
    """JSON equality: 1 equals 1.0 but not true. For values no deeper than `MAX_DEPTH`."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def truthy(value: Any) -> bool:
    """Truth as JavaScript has it: empty objects and lists are true, NaN is not."""
    if value is None or value is ABSENT or value is False or value == "":
        return False
    if isinstance(value, dict | list):
        return True
    return not (isinstance(value, int | float) and (value == 0 or value != value))


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether a value nests deeper than `limit`. Takes any depth, since it does not recurse."""
    return _survey(value, limit) is None


def cleaned(value: Any) -> Any:
    """A value, not too deep, without numbers that JSON does not have: NaN, infinities, beyond a double's range.

    They become null, as in the reference's JSON. The value itself where it has none.
    """
    return value if _survey(value, MAX_DEPTH) else _without_odd_numbers(value)


def survey(value: Any) -> bool | None:
    """None for a value that nests too deeply, else whether all its numbers are ones that JSON has."""
    return _survey(value, MAX_DEPTH)


def _survey(value: Any, limit: int) -> bool | None:
    level, plain = [value], True
    for _ in range(limit):
        below: list[Any] = []
        for each in level:
            kind = type(each)
            for inner in each.values() if kind is dict else each if kind is list else (each,):
                of = type(inner)
                if of is str or inner is None or of is bool:
                    continue
                if of is dict or of is list:
                    below.append(inner)
                elif (of is float or of is int) and not -_LARGEST <= inner <= _LARGEST:
                    plain = False
        if not below:
            return plain
        level = below
    return None


def _without_odd_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_odd_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_odd_numbers(each) for each in value]
    if isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST:
        return None
    return value


def stringify(value: Any) -> str:
    """The text that stands for an unknown value: a text as it is, all else as JSON indented by two."""
    if isinstance(value, str):
        return value
    if value is ABSENT:
        return "undefined"
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", _written(value, "\n"))


def _written(value: Any, newline: str) -> str:
    if isinstance(value, dict):
        inner = newline + "  "
        rows = [f"{_quoted(key)}: {_written(value[key], inner)}" for key in _ordered(value)]
        return "{" + inner + ("," + inner).join(rows) + newline + "}" if rows else "{}"
    if isinstance(value, list | tuple):
        inner = newline + "  "
        rows = [_written(each, inner) for each in value]
        return "[" + inner + ("," + inner).join(rows) + newline + "]" if rows else "[]"
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int | float):
        return _number(value)
    return "null"


_WORDS: dict[Any, str] = {None: "null", True: "true", False: "false"}


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _ordered(value: Mapping[str, Any]) -> list[str]:
    indexes = sorted((key for key in value if _is_index(key)), key=int)
    return [*indexes, *(key for key in value if not _is_index(key))] if indexes else list(value)


def _is_index(key: str) -> bool:
    if not (key.isascii() and key.isdigit() and len(key) <= 10):
        return False
    return (key == "0" or key[0] != "0") and int(key) < 2**32 - 1


def _number(value: float) -> str:
    try:
        value = value if isinstance(value, int) and abs(value) <= _SAFE_INTEGER else float(value)
    except OverflowError:
        return "null"
    if not math.isfinite(value):
        return "null"
    if abs(value) <= _SAFE_INTEGER and float(value).is_integer():
        return str(int(value))
    return _javascript(float(value))


def _javascript(value: float) -> str:
    shown = repr(value)
    mantissa, _, exponent = shown.partition("e")
    if not exponent:
        return shown.removesuffix(".0")
    power = int(exponent)
    sign, digits = "-" if value < 0 else "", mantissa.lstrip("-").replace(".", "")
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    if 0 < power < 21:
        return sign + digits.ljust(power + 1, "0")
    return f"{mantissa}e{'+' if power > 0 else '-'}{abs(power)}"


def count(unknown: Counter[str], kind: Any) -> None:
    """Count an unknown type; the counter stays small whatever the wire calls its types."""
    name = kind[:60] if isinstance(kind, str) else type(kind).__name__
    unknown[name if name in unknown or len(unknown) < 200 else "other"] += 1

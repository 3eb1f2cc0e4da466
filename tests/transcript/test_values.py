"""Values as JavaScript writes and weighs them."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.transcript.values import added, cleaned, same, stringify, too_deep, trimmed, trimmed_end, truthy


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("as it is", "as it is"),
        (None, "null"),
        (True, "true"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (1.5e-7, "1.5e-7"),
        (0.000015, "0.000015"),
        (123456789012345680000.0, "123456789012345680000"),
        (2**53 + 1, "9007199254740992"),
        (9007199254740994.0, "9007199254740994"),
        (12345678901234567890, "12345678901234567000"),
        (-1e16, "-10000000000000000"),
        (float("nan"), "null"),
        (float("inf"), "null"),
        (10**400, "null"),
        ([], "[]"),
        ({}, "{}"),
        ([1, [2]], "[\n  1,\n  [\n    2\n  ]\n]"),
        ({"b": 1, "10": 2, "2": 3, "01": 4}, '{\n  "2": 3,\n  "10": 2,\n  "b": 1,\n  "01": 4\n}'),
        (["\ud83d\u2028\x07"], '[\n  "\\ud83d\u2028\\u0007"\n]'),
    ],
)
def test_stringify_writes_what_json_stringify_writes(value: Any, written: str) -> None:
    assert stringify(value) == written


@pytest.mark.parametrize("value", [None, False, 0, 0.0, float("nan"), ""])
def test_false_values(value: Any) -> None:
    assert not truthy(value)


@pytest.mark.parametrize("value", [True, 1, -1, "0", [], {}])
def test_true_values(value: Any) -> None:
    assert truthy(value)


def test_odd_numbers_are_cleaned_and_nothing_else_is_copied() -> None:
    fine = {"a": [1, "x"]}
    assert cleaned(fine) is fine
    assert cleaned({"a": [float("nan"), 10**400, 1]}) == {"a": [None, None, 1]}


def test_depth_is_measured_without_recursion() -> None:
    nested: Any = []
    for _ in range(50_000):
        nested = [nested]
    assert too_deep(nested)
    assert not too_deep([[[]]])


def test_white_space_is_what_javascript_trims() -> None:
    assert trimmed("\ufeff\u00a0\u3000 x \u2028\n") == "x"
    assert trimmed("\x1cx\x85") == "\x1cx\x85"
    assert trimmed_end(" x\ufeff ") == " x"


def test_sums_are_rounded_as_doubles_are() -> None:
    assert added(1769, 8879) == 10648
    assert added(2**53, 1769) == 9007199254742760
    assert added(1769, 1.5, -1) == 1769.5
    assert added(10**400, 1) == 10**400 + 1


def test_equality_is_that_of_json() -> None:
    assert same({"a": [1, None, "x"]}, {"a": [1.0, None, "x"]})
    assert not same({"a": 1}, {"a": True})
    assert not same([0], [False])
    assert not same([1], [1, 1])
    assert not same({"a": None}, {})

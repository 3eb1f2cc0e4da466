"""Hashes and layouts of any JSON: total, and telling every difference."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards.fingerprint import argument_hash, canonical_text, same_json
from bridge.cards.layout import lay_out, show, show_prose

FINITE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ODD: list[Any] = [
    float("nan"),
    float("inf"),
    -float("inf"),
    10**5000,
    "\ud800",
    "\x00",
    {"\udfff": {}},
    object(),
    {1: 2},
]


def deep(levels: int) -> Any:
    value: Any = "bottom"
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    return value


@settings(deadline=None)
@given(FINITE)
def test_what_is_laid_out_reads_back_as_the_same_value(value: Any) -> None:
    assert json.loads(lay_out(value)) == value


def test_json_is_laid_out_like_this() -> None:
    assert lay_out({"a": [1, {"b": "ü"}], "c": {}, "d": []}) == (
        '{\n  "a": [\n    1,\n    {\n      "b": "ü"\n    }\n  ],\n  "c": {},\n  "d": []\n}'
    )


@pytest.mark.parametrize(
    "value", ODD, ids=["nan", "inf", "-inf", "giant", "surrogate", "nul", "key", "object", "int-key"]
)
def test_odd_values_are_laid_out_and_hashed(value: Any) -> None:
    """Invariant 5."""
    assert show(lay_out([value]))
    assert len(argument_hash("Bash", value)) == 32


def test_ten_thousand_levels_are_laid_out_and_hashed_in_no_time() -> None:
    """Invariant 5: no recursion, no quadratic indentation."""
    start = time.process_time()
    text = lay_out(deep(10_000))
    assert "bottom" in text
    assert len(text) < 2_000_000
    assert argument_hash("Bash", deep(10_000)) != argument_hash("Bash", deep(10_001))
    assert time.process_time() - start < 5


@settings(deadline=None)
@given(FINITE, FINITE)
def test_different_arguments_have_different_hashes(one: Any, other: Any) -> None:
    """Invariant 4."""
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (argument_hash("Bash", one) == argument_hash("Bash", other)) == same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (1, "1"),
        (None, "null"),
        ([], {}),
        (["a", "b"], ["a,b"]),
        ([["a"], "b"], [["a", "b"]]),
        ({"a": {"b": 1}}, {"a": {}, "b": 1}),
        ("a ", "a"),
        ("é", "e\u0301"),
        ("\ud800", "\ufffd"),
    ],
)
def test_small_differences_change_the_hash(one: Any, other: Any) -> None:
    assert argument_hash("Bash", one) != argument_hash("Bash", other)


def test_the_tool_is_part_of_the_hash_and_the_order_of_keys_is_not() -> None:
    assert argument_hash("Bash", {"a": 1, "b": 2}) == argument_hash("Bash", {"b": 2, "a": 1})
    assert argument_hash("Bash", {}) != argument_hash("Edit", {})
    assert argument_hash("Bash", {"command": "ls"}) == "3a701125bf9f7ec9be057e971e23d554"


def test_prose_keeps_emoji_whole_and_reveals_the_rest() -> None:
    assert show_prose("⚠️ 👩‍💻 1️⃣ ok") == "⚠️ 👩‍💻 1️⃣ ok"
    assert show_prose("a\ufe0fb\u200dc") == "a⟨U+FE0F⟩b⟨U+200D⟩c"
    assert show("⚠️") == "⚠⟨U+FE0F⟩"


@settings(deadline=None)
@given(FINITE, FINITE)
def test_two_values_are_the_same_json_if_and_only_if_their_canonical_texts_are(one: Any, other: Any) -> None:
    """Invariant 4: a quicker comparison may not take for the same what the hash tells apart."""
    assert same_json(one, other) == (canonical_text(one) == canonical_text(other))
    assert same_json(one, json.loads(json.dumps(one)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, -0.0),
        ({"a": [1]}, {"a": [True]}),
        ({"a": None}, {}),
        ("make deploy", "make deploy\u200b"),
        ([], {}),
        (deep(50), deep(51)),
    ],
)
def test_what_python_takes_for_equal_or_nearly_is_told_apart(one: Any, other: Any) -> None:
    assert not same_json(one, other)
    assert not same_json(other, one)


def test_what_is_too_deep_to_compare_is_not_taken_for_the_same() -> None:
    assert not same_json(deep(100_000), deep(100_000))

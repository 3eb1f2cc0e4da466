"""Decoding what the hub sends is total (invariant 5)."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.hub.counts import HubCounts
from bridge.hub.errors import MalformedAnswer
from bridge.hub.wire import MAX_DEPTH, TOO_DEEP, Position, Undecodable, decode, position_of, read_page, whole

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def deep(levels: int, opening: str = '{"a":', closing: str = "}") -> str:
    return opening * levels + "1" + closing * levels


def test_one_deep_value_is_dulled_and_the_rest_of_the_page_stays() -> None:
    counts = HubCounts()
    text = '{"messages":[{"id":"a","content":' + deep(10_000) + '},{"id":"b","content":"}]{["}],"page":{}}'
    body = decode(text, counts)
    assert [message["id"] for message in body["messages"]] == ["a", "b"]
    assert body["messages"][1]["content"] == "}]{["
    assert TOO_DEEP in json.dumps(body["messages"][0])
    assert counts.dulled_values == 1


def test_ordinary_depth_is_left_alone() -> None:
    counts = HubCounts()
    text = deep(MAX_DEPTH)
    assert decode(text, counts) == json.loads(text)
    assert counts.dulled_values == 0


def test_brackets_in_strings_are_not_depth() -> None:
    counts = HubCounts()
    text = json.dumps({"a": "[{" * 500, "b": '\\"[' * 500, "c": ["\\"]})
    assert decode(text, counts) == json.loads(text)
    assert counts.dulled_values == 0


@pytest.mark.parametrize(
    "text",
    ["", "{", "nul", "NaN", "[Infinity]", "[" * 100_000, '"' + "\\" * 99_999, "{" * 200 + '"' * 3, "9" * 6000, "\x00"],
)
def test_what_is_not_json_is_named_so(text: str) -> None:
    with pytest.raises(Undecodable):
        decode(text, HubCounts())


def test_hostile_text_costs_one_pass() -> None:
    text = "[" * 200 + '"' + '\\"' * 300_000
    began = time.perf_counter()
    with pytest.raises(Undecodable):
        decode(text, HubCounts())
    assert time.perf_counter() - began < 5


def test_broken_utf8_does_not_stop_it() -> None:
    assert decode(b'{"a":"\xff\xfe"}', HubCounts()) == {"a": "\ufffd\ufffd"}


@given(JSON)
def test_decoding_gives_back_what_was_encoded(value: Any) -> None:
    assert decode(json.dumps(value), HubCounts()) == value


@given(st.text())
def test_decoding_any_text_gives_a_value_or_one_error(text: str) -> None:
    try:
        decode(text, HubCounts())
    except Undecodable:
        return


@given(JSON)
def test_reading_any_page_gives_a_page_or_one_error(value: Any) -> None:
    for body in (value, {"messages": value, "page": value}, {"messages": [value], "page": {"epoch": value}}):
        try:
            page = read_page(body)
        except MalformedAnswer:
            continue
        for message in page.messages:
            position_of(message)


@pytest.mark.parametrize("value", [True, "1", None, float("inf"), float("nan"), 10**400, -(2**60)])
def test_a_number_the_hub_cannot_mean_is_none(value: object) -> None:
    assert whole(value) is None


def test_messages_without_an_id_are_skipped_and_counted() -> None:
    page = read_page({"messages": [{"id": "a"}, {"id": ""}, {"id": 5}, None, "x"], "page": {}})
    assert [message["id"] for message in page.messages] == ["a"]
    assert page.skipped == 4


def test_a_taken_message_stands_where_it_was_taken() -> None:
    assert position_of({"createdAt": 5, "invokedAt": 9, "seq": 1}) == Position(9, 1)
    assert position_of({"createdAt": 5, "invokedAt": None, "seq": 2}) == Position(5, 2)
    assert Position(5, 9) < Position(6, 1)

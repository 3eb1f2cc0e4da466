"""Message pages follow HAPI's cursor rules: position (invokedAt ?? createdAt, seq), epochs that reset."""

from typing import Any

import pytest

from bridge.sandbox.hub_pages import BadQuery, page


def row(seq: int, at: int, *, taken: int | None = -1, role: str = "agent") -> dict[str, Any]:
    """A row made at ``at`` ms and taken at once, unless said otherwise."""
    content = {"role": role, "content": {"type": "text", "text": str(seq)}}
    invoked = at if taken == -1 else taken
    return {"id": f"m{seq}", "seq": seq, "localId": None, "content": content, "createdAt": at, "invokedAt": invoked}


ROWS = [row(seq, seq * 10) for seq in range(1, 11)]


def seqs(answer: dict[str, Any]) -> list[int]:
    return [each["seq"] for each in answer["messages"]]


def test_the_latest_page_ends_at_the_head_and_says_where_older_rows_begin() -> None:
    answer = page(ROWS, {"limit": "3"}, epoch=4)
    assert seqs(answer) == [8, 9, 10]
    assert answer["page"] == {
        "direction": "latest",
        "limit": 3,
        "epoch": 4,
        "reset": False,
        "nextBeforeSeq": 8,
        "nextBeforeAt": 80,
        "nextAfterSeq": None,
        "nextAfterAt": None,
        "snapshotHeadSeq": 10,
        "snapshotHeadAt": 100,
        "hasMore": True,
    }


def test_walking_back_by_the_before_cursor_meets_every_row_once() -> None:
    answer = page(ROWS, {"limit": "4"}, epoch=0)
    met = seqs(answer)
    while answer["page"]["hasMore"]:
        cursor = {"beforeSeq": str(answer["page"]["nextBeforeSeq"]), "beforeAt": str(answer["page"]["nextBeforeAt"])}
        answer = page(ROWS, {"limit": "4", **cursor}, epoch=0)
        met = seqs(answer) + met
    assert met == list(range(1, 11))


def test_walking_forward_stops_at_the_snapshot_head_it_was_given() -> None:
    first = page(ROWS, {"limit": "2", "afterSeq": "5", "afterAt": "50", "epoch": "0"}, epoch=0)
    assert seqs(first) == [6, 7]
    assert first["page"]["hasMore"] is True
    cursor = {"afterSeq": str(first["page"]["nextAfterSeq"]), "afterAt": str(first["page"]["nextAfterAt"])}
    second = page(ROWS, {"limit": "9", **cursor, "untilSeq": "8", "untilAt": "80", "epoch": "0"}, epoch=0)
    assert seqs(second) == [8]
    assert second["page"]["hasMore"] is False
    assert (second["page"]["snapshotHeadSeq"], second["page"]["snapshotHeadAt"]) == (8, 80)


def test_an_after_cursor_at_the_end_stays_where_it_is() -> None:
    answer = page(ROWS, {"afterSeq": "10", "afterAt": "100"}, epoch=0)
    assert (answer["messages"], answer["page"]["nextAfterSeq"], answer["page"]["hasMore"]) == ([], 10, False)


def test_another_epoch_answers_with_a_reset_and_the_latest_page() -> None:
    answer = page(ROWS, {"limit": "2", "afterSeq": "5", "afterAt": "50", "epoch": "7"}, epoch=8)
    assert seqs(answer) == [9, 10]
    assert (answer["page"]["reset"], answer["page"]["direction"], answer["page"]["epoch"]) == (True, "latest", 8)


def test_queued_messages_come_with_the_latest_page_however_old_they_are() -> None:
    rows = [row(1, 10, taken=None, role="user"), *ROWS[1:]]
    assert seqs(page(rows, {"limit": "2"}, epoch=0)) == [1, 9, 10]


def test_a_message_taken_late_stands_where_it_was_taken() -> None:
    rows = [row(1, 10, taken=200, role="user"), *ROWS[1:]]
    answer = page(rows, {"limit": "2"}, epoch=0)
    assert seqs(answer) == [10, 1]
    assert (answer["page"]["snapshotHeadSeq"], answer["page"]["snapshotHeadAt"]) == (1, 200)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"afterSeq": "0", "afterAt": "0"}, "afterSeq"),
        ({"beforeSeq": "1"}, "beforeAt"),
        ({"afterAt": "1"}, "afterSeq"),
        ({"beforeSeq": "1", "beforeAt": "1", "afterSeq": "1", "afterAt": "1"}, "afterAt"),
        ({"beforeSeq": "1", "beforeAt": "1", "epoch": "0"}, "epoch"),
        ({"afterSeq": "1", "afterAt": "1", "epoch": "x"}, "epoch"),
    ],
)
def test_queries_the_real_hub_refuses_are_refused(query: dict[str, str], field: str) -> None:
    with pytest.raises(BadQuery) as refused:
        page(ROWS, query, epoch=0)
    assert list(refused.value.fields) == [field]

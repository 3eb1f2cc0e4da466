"""The message window: order, echoes, queued rows, reasoning snapshots, trimming; total on any input (invariant 5)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.hub.rows import is_hidden, is_queued, is_user, is_waiting, key_of
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Page, Position


def agent(number: int, **more: Any) -> dict[str, Any]:
    data = {"type": "message", "message": f"text {number}"}
    return codex(number, data, **more)


def codex(number: int, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    at = number * 1000
    content = {"role": "agent", "content": {"type": "codex", "data": data}}
    row = {"id": f"a{number}", "seq": number, "localId": None, "content": content, "createdAt": at, "invokedAt": at}
    return row | more


def user(number: int, local_id: str | None = None, invoked_at: int | None = None, **more: Any) -> dict[str, Any]:
    content = {"role": "user", "content": {"type": "text", "text": f"text {number}"}}
    row = {"id": f"u{number}", "seq": number, "localId": local_id, "content": content}
    return row | {"createdAt": number * 1000, "invokedAt": invoked_at} | more


def output(data: dict[str, Any]) -> dict[str, Any]:
    return agent(1, content={"role": "agent", "content": {"type": "output", "data": data}})


def mine(local_id: str, at: int, status: str = "sending") -> dict[str, Any]:
    return user(0, local_id, id=local_id, seq=None, createdAt=at, status=status)


def latest(*messages: dict[str, Any], epoch: int = 0, more: bool = False, head: Position | None = None) -> Page:
    return Page(messages, "latest", epoch, False, more, None, None, head)


def ids(window: MessageWindow) -> list[str]:
    return [row["id"] for row in window.messages]


def test_a_taken_message_moves_to_where_the_agent_took_it() -> None:
    window = MessageWindow()
    window.ingest([user(1, "l"), agent(2)])
    assert window.consumed(["l"], 3000)
    assert ids(window) == ["a2", "u1"]
    assert not window.consumed(["l"], 3000)


def test_the_same_event_twice_changes_nothing() -> None:
    """Delivery is at least once."""
    window = MessageWindow()
    assert window.ingest([agent(1), user(2, "l")])
    window.consumed(["l"], 5000)
    before = window.messages
    assert not window.ingest([agent(1), user(2, "l")])
    assert window.messages == before


def test_an_echo_takes_the_place_of_our_own_row() -> None:
    window = MessageWindow()
    window.append_optimistic(mine("l", 1500))
    window.consumed(["l"], 9000)
    window.ingest([user(1, "l")])
    (row,) = window.messages
    assert (row["id"], row["seq"], row["status"], row["invokedAt"]) == ("u1", 1, "sent", 9000)
    assert window.get("l") == row
    assert not window.append_optimistic(mine("l", 1500))


def test_an_echo_without_its_local_id_replaces_one_sent_row_close_in_time() -> None:
    window = MessageWindow()
    for name, at, status in (("far", 20_001, "sent"), ("near", 9_000, "sent"), ("unsent", 10_000, "sending")):
        window.append_optimistic(mine(name, at, status))
    window.ingest([user(10)])
    assert ids(window) == ["u10", "unsent", "far"]


def test_somebody_elses_message_does_not_replace_ours() -> None:
    window = MessageWindow()
    window.append_optimistic(mine("ours", 10_000, "sent"))
    window.ingest([user(10, "webapp-1")])
    assert len(window) == 2


def test_a_failed_send_is_not_marked_as_taken() -> None:
    window = MessageWindow()
    window.append_optimistic(mine("l", 1000, "failed"))
    assert not window.consumed(["l"], 2000)
    assert not is_queued(window.messages[0])


def test_unknown_delivery_is_kept_apart_until_a_person_decides() -> None:
    window = MessageWindow()
    window.ingest([user(1, "l")])
    assert window.indeterminate(["l"])
    assert is_waiting(window.messages[0])
    assert not is_queued(window.messages[0])
    assert window.requeued(["l"])
    assert is_queued(window.messages[0])


def test_a_withdrawn_message_goes_by_either_id_and_only_once() -> None:
    window = MessageWindow()
    window.ingest([user(1, "l"), user(2, "m"), agent(3)])
    assert window.cancelled("u1")
    assert window.cancelled(None, "m")
    assert not window.cancelled("u1", "m")
    assert not window.cancelled(["a3"], {"a3": 1})
    assert ids(window) == ["a3"]


def test_a_growing_thought_is_one_row_whatever_the_order() -> None:
    window = MessageWindow()
    thoughts = [codex(number, {"type": "reasoning", "id": "s", "message": "th" * number}) for number in (1, 3, 2)]
    for thought in thoughts:
        window.ingest([thought])
    other = codex(4, {"type": "reasoning", "message": "no stream"})
    window.ingest([other, codex(5, {"type": "reasoning", "id": "t", "message": "x"})])
    assert ids(window) == ["a3", "a4", "a5"]


def test_what_is_waiting_is_never_trimmed() -> None:
    window = MessageWindow(limit=5)
    window.ingest([user(1, "l"), *(agent(number) for number in range(2, 20))])
    assert ids(window) == ["u1", "a16", "a17", "a18", "a19"]
    assert window.has_more
    assert window.older == Position(16_000, 16)


def test_traces_of_background_agents_do_not_push_the_chat_out() -> None:
    window = MessageWindow(limit=5)
    window.ingest([agent(1)])
    window.ingest([codex(number, {"type": "agent-run-trace"}) for number in range(2, 30)])
    assert ids(window)[0] == "a1"
    assert len(window) == 11


def test_a_window_without_a_limit_keeps_everything() -> None:
    window = MessageWindow(limit=None)
    window.ingest([agent(number) for number in range(1, 1001)])
    assert len(window) == 1000
    assert not window.has_more


def test_events_alone_do_not_pretend_that_what_came_before_is_known() -> None:
    window = MessageWindow()
    window.ingest([agent(5)])
    assert window.newest is None
    window.take_latest(latest(agent(4), agent(5), head=Position(5000, 5)))
    window.ingest([agent(6)])
    assert window.newest == Position(6000, 6)


def test_a_reset_keeps_our_unechoed_rows_and_what_came_meanwhile() -> None:
    window = MessageWindow()
    window.take_latest(latest(agent(1), user(2, "gone"), head=Position(2000, 2)))
    window.append_optimistic(mine("l", 2500))
    held = window.ids()
    window.ingest([agent(9)])
    window.take_latest(latest(agent(8), epoch=1, head=Position(8000, 8)), held)
    assert ids(window) == ["l", "a8", "a9"]
    assert window.newest == Position(9000, 9)
    assert window.epoch == 1


def test_queue_recovery_asks_for_waiting_rows_and_believes_the_hub() -> None:
    window = MessageWindow()
    window.ingest([user(number, name) for number, name in enumerate(("kept", "taken", "odd", "gone"), start=1)])
    window.ingest([user(9, "done", invoked_at=9000), user(10)])
    window.append_optimistic(mine("unsent", 11_000))
    window.append_optimistic(mine("sent", 12_000, "queued"))
    asked = window.queued_local_ids()
    assert asked == ["kept", "taken", "odd", "gone", "sent"]
    window.ingest([user(20, "new")])
    window.apply_queued_state(
        asked,
        {
            "queuedLocalIds": ["kept", "sent"],
            "indeterminateLocalIds": ["odd"],
            "invokedLocalMessages": [{"localId": "taken", "invokedAt": 15_000}],
        },
    )
    assert [row["localId"] for row in window.messages] == [
        "kept",
        "odd",
        "done",
        None,
        "unsent",
        "sent",
        "taken",
        "new",
    ]
    assert window.get("odd") == {**user(3, "odd"), "deliveryState": "indeterminate"}


@pytest.mark.parametrize(
    ("data", "hidden"),
    [
        ({"type": "assistant", "isMeta": True}, True),
        ({"type": "user", "isCompactSummary": True}, True),
        ({"type": "rate_limit_event"}, True),
        ({"type": "tool_progress"}, True),
        ({"type": "system", "subtype": "init"}, True),
        ({"type": "system"}, True),
        ({"type": "system", "subtype": ["odd"]}, True),
        ({"type": "system", "subtype": "away_summary", "content": " "}, True),
        ({"type": "system", "subtype": "away_summary", "content": "x"}, False),
        ({"type": "system", "subtype": "api_error"}, False),
        ({"type": "agy_message"}, True),
        ({"type": "agy_message", "content": "x"}, False),
        ({"type": "assistant", "isMeta": False}, False),
        ({"type": "never seen"}, False),
        ({}, False),
    ],
)
def test_hidden_rows_move_the_cursor_and_are_not_kept(data: dict[str, Any], hidden: bool) -> None:
    window = MessageWindow()
    window.take_latest(latest(head=Position(1, 1)))
    window.ingest([output(data)])
    assert window.newest == Position(1000, 1)
    assert len(window) == (0 if hidden else 1)
    assert is_hidden(output(data)) == hidden


def test_a_message_deeper_in_its_envelope_is_still_a_users() -> None:
    inner = {"role": "user", "content": "hello"}
    for content in ({"message": inner}, {"data": {"message": inner}}, {"payload": {"message": inner}}, inner):
        assert is_user({"id": "x", "content": content})
    assert not is_user({"id": "x", "content": {"content": {"message": inner}}})


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.floats()
    | st.sampled_from(["l", "m", "u1", "", "user", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "message", "type", "data", "id", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)
LOCAL = st.none() | st.sampled_from(["l", "m"])
TIMES = st.none() | st.integers(0, 5000)
MESSAGE = st.one_of(
    ANY,
    st.builds(user, st.integers(1, 6), LOCAL, TIMES),
    st.builds(agent, st.integers(1, 6)),
    st.builds(mine, st.sampled_from(["l", "m"]), st.integers(0, 5000), st.sampled_from(["sending", "sent", "failed"])),
    st.builds(lambda n, s: codex(n, {"type": "reasoning", "id": s}), st.integers(1, 6), st.sampled_from(["s", "t"])),
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a1", "u1", "l"])},
        optional={"seq": ANY, "createdAt": ANY, "invokedAt": ANY, "localId": ANY, "content": ANY, "status": ANY},
    ),
)
STEP = st.one_of(
    st.tuples(st.just("ingest"), st.lists(MESSAGE, max_size=4)),
    st.tuples(st.just("append"), MESSAGE),
    st.tuples(st.just("late"), MESSAGE),
    st.tuples(st.just("consumed"), ANY, ANY),
    st.tuples(st.just("consumed"), st.lists(LOCAL, max_size=2), TIMES),
    st.tuples(st.just("indeterminate"), st.lists(LOCAL, max_size=2)),
    st.tuples(st.just("requeued"), ANY),
    st.tuples(st.just("cancelled"), st.sampled_from(["u1", "a1", "l"]), LOCAL),
    st.tuples(st.just("state"), st.dictionaries(st.sampled_from(["queuedLocalIds", "invokedLocalMessages"]), ANY)),
    st.tuples(st.just("latest"), st.lists(MESSAGE, max_size=4), st.booleans()),
)  # fmt: skip


def step(window: MessageWindow, move: tuple[Any, ...]) -> None:
    match move:
        case ("ingest", messages):
            before = window.messages
            assert window.ingest(messages) or window.messages == before
        case ("append", message):
            window.append_optimistic(message)
        case ("late", message):
            window.cancel_came_late(message)
        case ("consumed", local_ids, at):
            window.consumed(local_ids, at)
        case ("indeterminate", local_ids):
            window.indeterminate(local_ids)
        case ("requeued", local_ids):
            window.requeued(local_ids)
        case ("cancelled", message_id, local_id):
            window.cancelled(message_id, local_id)
        case ("state", answer):
            window.apply_queued_state(window.queued_local_ids(), answer)
        case ("latest", messages, replace):
            kept = tuple(
                row for row in messages if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"]
            )
            window.take_latest(latest(*kept), window.ids() if replace else frozenset())


@given(st.lists(STEP, max_size=12))
def test_any_course_of_events_leaves_an_ordered_window_without_doubles(moves: list[tuple[Any, ...]]) -> None:
    window = MessageWindow(limit=4)
    for move in moves:
        step(window, move)
        rows = window.messages
        assert len({row["id"] for row in rows}) == len(rows) == len(window)
        places = [key_of(row, 0)[:2] for row in rows]
        assert places == sorted(places)
        for row in rows:
            assert window.get(row["id"]) is row


@given(st.permutations([agent(1), agent(2), user(3, "l", 3500), user(4, "m"), agent(5)]))
def test_the_order_does_not_depend_on_arrival(messages: list[dict[str, Any]]) -> None:
    window = MessageWindow()
    for message in messages:
        window.ingest([message])
    assert ids(window) == ["a1", "a2", "u3", "u4", "a5"]

"""What the courier does with a platform that behaves, one rule at a time."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text as sql

from bridge.chat.errors import Rejected
from bridge.chat.surface import Rates
from bridge.delivery.courier import Courier
from bridge.store import conversations, posts, work
from tests.rig.stored_posts import unsettled

if TYPE_CHECKING:
    from tests.delivery.conftest import World


async def test_posts_arrive_in_order_and_are_settled(world: World) -> None:
    """Invariant 2: each final text arrives, whole; settled posts keep ids and hash only."""
    await world.chat()
    await world.wish("a", "one two three four five six")
    await world.wish("b")
    await world.deliver()
    assert world.surface.texts() == ["one two three four f", "ive six", "b"]
    async with world.store.read() as tx:
        assert await unsettled(tx) == []
        found = await posts.part_at(tx, "scripted", "1", "m2")
        assert found is not None
        assert (found.post_key, found.index, found.sent_ms) == ("L/a", 1, 1_000_000)


async def test_nothing_is_called_for_what_stands_there_already(world: World) -> None:
    await world.chat()
    await world.wish("a", final=False)
    await world.deliver()
    await world.wish("a", final=True)
    await world.deliver()
    await world.wish("a", final=True)
    await world.deliver()
    assert [call.what for call in world.surface.calls] == ["send"]


async def test_only_the_newest_wish_counts(world: World) -> None:
    await world.chat()
    for number in range(50):
        await world.wish("a", f"version {number}", final=False, urgency="preview")
    await world.deliver()
    assert [call.text for call in world.surface.calls] == ["version 49"]


async def test_a_part_that_did_not_change_is_left_alone(world: World) -> None:
    await world.chat()
    await world.wish("a", "x" * 20 + "y" * 20 + "z")
    await world.deliver()
    await world.wish("a", "x" * 20 + "Y" * 20 + "z")
    await world.deliver()
    assert [call.what for call in world.surface.calls] == ["send"] * 3 + ["edit"]
    assert world.surface.texts() == ["x" * 20, "Y" * 20, "z"]


async def test_a_post_that_shrinks_loses_its_last_parts(world: World) -> None:
    await world.chat()
    await world.wish("a", "x" * 50)
    await world.deliver()
    await world.wish("a", "y")
    await world.deliver()
    assert world.surface.texts() == ["y"]


async def test_a_surplus_part_too_old_to_delete_becomes_a_stub(world: World) -> None:
    await world.chat()
    await world.wish("a", "x" * 30)
    await world.deliver()
    world.surface.script.append(("delete", Rejected("message can't be deleted")))
    await world.wish("a", "y")
    await world.deliver()
    assert world.surface.texts() == ["y", "⋯"]
    await world.wish("a", "z" * 30)
    await world.deliver()
    assert world.surface.texts() == ["z" * 20, "⋯", "z" * 10]
    async with world.store.read() as tx:
        found = await posts.part_at(tx, "scripted", "1", "m2")
        assert found is not None
        assert found.post_key == "L/a"


async def test_one_post_rings_once_with_its_first_text(world: World) -> None:
    await world.chat()
    await world.wish("a", "x" * 30, files={"f": "1"}, files_first=True, ring=True)
    await world.deliver()
    await world.wish("a", "y" * 30, files={"f": "1"}, files_first=True, ring=True)
    await world.deliver()
    assert [(one.kind, one.ring) for one in world.surface.messages] == [
        ("file", False),
        ("text", True),
        ("text", False),
    ]


async def test_what_must_be_seen_first_comes_before_the_buttons(world: World) -> None:
    """Invariant 4: nothing is approved unseen."""
    await world.chat()
    await world.wish(
        "a", "allow?", files={"args": "{}"}, files_first=True, acts=("allow",), urgency="approval", final=False
    )
    await world.deliver()
    assert [(one.kind, one.buttons) for one in world.surface.visible()] == [("file", False), ("text", True)]


async def test_approvals_overtake_everything_in_their_lane(world: World) -> None:
    """Invariant 9."""
    await world.chat()
    for number in range(8):
        await world.wish(f"n{number}", urgency="notice")
    async with world.running():
        await world.idle()
        assert world.surface.texts() == ["n0", "n1", "n2"]
        await world.wish("ask", urgency="approval", final=False)
        await world.rest()
    assert world.surface.texts() == ["n0", "n1", "n2", "ask", "n3", "n4", "n5", "n6", "n7"]


async def test_an_approvals_change_overtakes_too(world: World) -> None:
    """Invariant 9."""
    await world.chat()
    await world.wish("ask", urgency="approval", final=False)
    await world.deliver()
    for number in range(5):
        await world.wish(f"n{number}")
    await world.wish("ask", "allowed", urgency="approval")
    await world.deliver()
    assert [call.text for call in world.surface.calls] == ["ask", "allowed", "n0", "n1", "n2", "n3", "n4"]


async def test_an_approval_in_one_chat_goes_before_all_that_waits_in_others(world: World) -> None:
    """Invariant 9, across lanes: the bot's rate goes to the most urgent."""
    world.surface.rates = Rates(chat_interval_s=0.01, chat_burst=100, bot_per_s=1)
    for number, urgency in enumerate(["preview", "notice", "answer", "approval"]):
        await world.chat(str(number), f"L{number}")
        for name in "ab":
            await world.wish(name, f"{urgency} {name}", lineage=f"L{number}", urgency=urgency)
    await world.deliver()
    assert [call.text.split()[0] for call in world.surface.calls] == [
        name for name in ("approval", "answer", "notice", "preview") for _ in range(2)
    ]


async def test_lanes_of_one_urgency_take_turns(world: World) -> None:
    world.surface.rates = Rates(chat_interval_s=0.01, chat_burst=100, bot_per_s=1)
    for number in range(3):
        await world.chat(str(number), f"L{number}")
        for name in "abc":
            await world.wish(name, lineage=f"L{number}")
    await world.deliver()
    assert [call.text for call in world.surface.calls] == ["a"] * 3 + ["b"] * 3 + ["c"] * 3


async def test_an_answer_never_overtakes_an_earlier_unsent_one_and_changes_come_after_sends(world: World) -> None:
    await world.chat()
    await world.wish("done", "draft", urgency="answer", final=False)
    await world.wish("turn", "working", urgency="preview", final=False)
    await world.deliver()
    world.time.now += 100
    await world.wish("turn", "working on", urgency="preview", final=False)
    await world.wish("done", "final", urgency="answer")
    await world.wish("one", urgency="notice")
    await world.wish("two", urgency="answer")
    await world.deliver()
    assert [call.text for call in world.surface.calls][2:] == ["one", "two", "final", "working on"]


async def test_a_preview_withdrawn_before_it_was_sent_is_skipped(world: World) -> None:
    await world.chat()
    await world.wish("preview", urgency="preview", final=False)
    await world.wish("a")
    async with world.store.begin() as tx:
        await posts.withdraw(tx, "L/preview")
    await world.deliver()
    assert world.surface.texts() == ["a"]


async def test_a_previews_message_changes_at_most_once_per_interval_and_its_final_form_at_once(world: World) -> None:
    """Invariant 9: previews yield."""
    await world.chat()
    world.surface.rates = Rates(chat_interval_s=0.1, chat_burst=9, bot_per_s=25, edit_interval_s=3)
    await world.wish("turn", "0", urgency="preview", final=False)
    async with world.running():
        for number in range(1, 100):
            await world.wish("turn", str(number), urgency="preview", final=False)
            await world.pass_time(0.1)
        await world.wish("turn", "done", urgency="preview", final=True)
        await world.idle()
    (message,) = world.surface.visible()
    assert message.text == "done"
    times = [message.at, *message.edits[:-1]]
    assert len(times) == 4
    assert all(later - earlier >= 3 for earlier, later in pairwise(times))
    assert message.edits[-1] == world.time.now


async def test_a_preview_that_changes_while_its_parts_are_sent_waits_like_any_other(world: World) -> None:
    """A change that comes too soon is not tried again and again, and later posts are sent meanwhile."""
    world.surface.rates = Rates(chat_interval_s=1, chat_burst=1, bot_per_s=25, edit_interval_s=10)
    await world.chat()
    await world.wish("turn", "x" * 30, urgency="preview", final=False)
    async with world.running():
        await world.idle()
        await world.wish("turn", "y" * 30, urgency="preview", final=False)
        await world.pass_time(1)
        assert world.surface.texts() == ["x" * 20, "y" * 10]
        await world.wish("a")
        await world.pass_time(1)
        assert world.surface.texts() == ["x" * 20, "y" * 10, "a"]
        await world.wish("turn", "z" * 50, urgency="preview", final=False)
        await world.rest()
    assert world.surface.texts() == ["z" * 19 + "…", "a", "z" * 50]


async def test_topics_share_their_chats_rate(world: World) -> None:
    for number in range(4):
        await world.topic("1", f"L{number}")
        await world.wish("a", lineage=f"L{number}")
    await world.deliver()
    times = sorted(call.at - 1000 for call in world.surface.calls)
    assert len(times) == 8
    assert [round(at) for at in times] == [0, 0, 0, 1, 2, 3, 4, 5]


async def test_one_call_at_most_is_under_way_in_a_conversation(world: World) -> None:
    """Invariant 3: an unknown outcome concerns one message."""
    world.surface.rates = Rates(chat_interval_s=0.001, chat_burst=100, bot_per_s=1000)
    under_way: list[str] = []
    most: list[int] = []
    original = world.surface.send

    async def slow(*args: Any, **named: Any) -> Any:
        under_way.append(args[0].chat)
        most.append(max(under_way.count(chat) for chat in under_way))
        await asyncio.sleep(0.002)
        under_way.remove(args[0].chat)
        return await original(*args, **named)

    world.surface.send = slow  # type: ignore[method-assign]
    for number in range(3):
        await world.chat(str(number), f"L{number}")
        for name in "abcd":
            await world.wish(name, lineage=f"L{number}")
    await world.deliver()
    assert len(world.surface.messages) == 12
    assert set(most) == {1}


async def test_the_newest_post_may_grow_but_an_older_one_spills_into_a_file(world: World) -> None:
    """Invariant 2: a post that outgrows its messages is never cut in silence, nor continued in the wrong place."""
    await world.chat()
    await world.wish("a", "a", final=False)
    await world.deliver()
    await world.wish("a", "a" * 30, final=False)
    await world.deliver()
    assert world.surface.texts() == ["a" * 20, "a" * 10]
    await world.wish("b")
    await world.deliver()
    whole = "a" * 70
    await world.wish("a", whole)
    await world.deliver()
    assert world.surface.texts() == ["a" * 19 + "…", "b", whole]
    assert [one.kind for one in world.surface.visible()] == ["text", "text", "file"]
    await world.wish("a", "short")
    await world.deliver()
    assert world.surface.texts() == ["short", "b"]


async def test_a_chat_that_sessions_share_names_the_session_and_a_topic_does_not(world: World) -> None:
    await world.chat("1", "L", title="fix it")
    await world.topic("2", "M")
    await world.wish("a")
    await world.wish("a", lineage="M")
    await world.deliver()
    assert world.surface.texts("1") == ["fix it\na"]
    (thread,) = {one.thread for one in world.surface.messages if one.chat == "2"}
    assert world.surface.texts("2", thread) == ["a"]


async def test_a_topic_is_made_before_the_first_post_and_only_once(world: World) -> None:
    id = await world.topic()
    for name in "abc":
        await world.wish(name)
    await world.deliver()
    assert [call.what for call in world.surface.calls] == ["open", "send", "send", "send"]
    made = await world.conversation(id)
    assert (made.state, world.surface.texts("1", made.thread)) == ("open", ["a", "b", "c"])


async def test_where_there_are_no_topics_the_chat_takes_their_part(world: World) -> None:
    id = await world.topic()
    world.surface.topics = False
    await world.wish("a")
    await world.deliver()
    assert world.surface.texts("1") == ["a"]
    assert (await world.conversation(id)).state == "gone"
    async with world.store.read() as tx:
        assert [one.kind for one in await conversations.bound(tx, "L")] == ["chat"]


async def test_an_answer_to_a_command_replies_to_it(world: World) -> None:
    id = await world.chat()
    await world.wish("a", "x" * 30, lineage="command", conversations=(id,), reply_to="m77")
    await world.deliver()
    assert [one.reply_to for one in world.surface.messages] == ["m77", None]


async def test_two_chats_bound_to_a_session_show_the_same(world: World) -> None:
    await world.chat("1")
    await world.chat("2")
    await world.wish("a", ring=True)
    await world.deliver()
    assert [(one.chat, one.text, one.ring) for one in world.surface.messages] == [("1", "a", True), ("2", "a", True)]


async def test_a_nudge_is_enough_and_without_one_the_store_is_looked_at_anyway(world: World) -> None:
    await world.chat()
    async with world.running() as courier:
        await world.idle()
        before = world.time.now
        await world.wish("a")
        await world.idle()
        assert (world.surface.texts(), world.time.now) == (["a"], before)
        world.courier = None
        await world.wish("b")
        world.courier = courier
        await world.pass_time(10)
        assert world.surface.texts() == ["a", "b"]


async def test_the_courier_tells_how_much_waits_and_how_long_it_took(world: World) -> None:
    """Invariant 8: every queue has a figure."""
    await world.chat()
    for name in "abcd":
        await world.wish(name)
    await world.deliver()
    figures = world.heard.figures
    assert ("queued", {"answer": 4}) in figures
    assert figures[-1] == ("queued", {})
    assert [one for one in figures if one[0] == "delivered"] == [
        ("delivered", "answer", waited) for waited in (0, 0, 0, 1000)
    ]
    assert figures.count(("called", "send", "ok")) == 4


async def test_start_reads_what_is_unsettled_and_no_more_than_a_few_per_lane(world: World) -> None:
    """Invariant 8: what is in memory is bounded, however much waits."""
    await world.chat()
    for number in range(20):
        await world.wish(f"p{number}")
    async with world.store.read() as tx:
        assert len(await work.heads(tx, "scripted", 8)) == 8
        plan = " ".join(
            str(row)
            for row in await tx.execute(sql("EXPLAIN QUERY PLAN SELECT * FROM deliveries WHERE state = 'open'"))
        )
    assert "ix_deliveries_open" in plan


async def test_on_a_real_clock_it_delivers_and_ends_when_cancelled(world: World) -> None:
    """The clock that tests turn is not the one it runs on."""
    world.surface.rates = Rates(chat_interval_s=0.01, chat_burst=3, bot_per_s=1000)
    await world.chat()
    courier = Courier(world.store, world.surface, last_words_s=0.0)
    task = asyncio.create_task(courier.run())
    async with asyncio.timeout(20):
        for number in range(10):
            await world.wish(f"p{number}")
            courier.nudge()
        while len(world.surface.messages) < 10:
            world.surface.called.clear()
            await world.surface.called.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert world.surface.texts() == [f"p{number}" for number in range(10)]


async def test_told_to_stop_a_call_under_way_comes_to_its_end_and_is_not_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 3: a stop is no crash, so nothing is of unknown outcome afterwards."""
    await world.chat()
    await world.wish("a")
    entered, held, send = asyncio.Event(), asyncio.Event(), world.surface.send

    async def slow(*args: Any, **named: Any) -> str:
        entered.set()
        await held.wait()
        return await send(*args, **named)

    monkeypatch.setattr(world.surface, "send", slow)
    task = asyncio.create_task(Courier(world.store, world.surface, last_words_s=5.0).run())
    async with asyncio.timeout(10):
        await entered.wait()
        task.cancel()
        await asyncio.sleep(0)
        held.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with world.store.read() as tx:
        found = await posts.part_at(tx, "scripted", "1", "m1")
    assert found is not None
    assert found.state == "sent"

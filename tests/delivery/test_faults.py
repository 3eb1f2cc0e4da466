"""What the courier does when the platform errs, goes silent, or when the bridge itself dies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bridge.chat.capabilities import Capability
from bridge.chat.errors import (
    ChatGone,
    ChatMoved,
    LoginRefused,
    OutcomeUnknown,
    PlaceGone,
    Rejected,
    RetryAfter,
    SurfaceError,
    Unreachable,
)
from bridge.chat.surface import Part, Place, Rates
from bridge.store import conversations, follows, posts
from bridge.store.records import Follow

if TYPE_CHECKING:
    from tests.delivery.conftest import World


def outcomes(world: World) -> list[tuple[str, str]]:
    return [(one[1], one[2]) for one in world.heard.figures if one[0] == "called"]


# Unknown outcomes (invariant 3)


@pytest.mark.parametrize("fault", ["lost", "unheard"])
async def test_a_platform_that_can_be_asked_shows_every_message_once(world: World, fault: Any) -> None:
    """Invariant 3: where a send's outcome is unknown, the platform is asked by metadata."""
    world.surface.capabilities = frozenset({Capability.FIND})
    await world.chat()
    await world.wish("a", "x" * 30, ring=True)
    await world.wish("b")
    world.surface.script.append(("send", fault))
    await world.deliver()
    assert world.surface.texts() == ["x" * 20, "x" * 10, "b"]
    assert "find" in [call.what for call in world.surface.calls]
    async with world.store.read() as tx:
        assert await posts.part_at(tx, "scripted", "1", "m1") is not None


@pytest.mark.parametrize(("fault", "seen"), [("lost", ["a", "a", "b"]), ("unheard", ["a", "b"])])
async def test_a_platform_that_cannot_be_asked_may_show_that_one_message_twice(
    world: World, fault: Any, seen: list[str]
) -> None:
    """Invariant 3. The second of the two does not ring."""
    await world.chat()
    await world.wish("a", ring=True)
    await world.wish("b")
    world.surface.script.append(("send", fault))
    await world.deliver()
    assert world.surface.texts() == seen
    assert sum(one.ring for one in world.surface.messages) == (1 if fault == "lost" else 0)


async def test_an_approval_whose_ring_may_not_have_been_heard_rings_again(world: World) -> None:
    """A question nobody heard of is worse than one that rings twice."""
    await world.chat()
    await world.wish("ask", ring=True, urgency="approval", final=False)
    world.surface.script.append(("send", "unheard"))
    await world.deliver()
    assert [(one.text, one.ring) for one in world.surface.visible()] == [("ask", True)]


async def test_a_call_that_hangs_is_given_up_and_its_outcome_is_unknown(world: World) -> None:
    """Invariant 8: every wait has a limit."""
    await world.chat()
    await world.wish("a")
    world.call_timeout_s = 0.05
    world.surface.script.append(("send", "hang"))
    await world.deliver()
    assert outcomes(world) == [("send", "OutcomeUnknown"), ("send", "ok")]
    assert world.surface.texts() == ["a", "a"]


@pytest.mark.parametrize("find", [True, False])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_bridge_that_dies_while_it_sends_doubles_at_most_that_message(
    world: World, find: bool, when: str
) -> None:
    """Invariant 3, at start: the row says which message is in doubt."""
    world.surface.capabilities = frozenset({Capability.FIND} if find else ())
    await world.chat()
    for name in "abc":
        await world.wish(name)
    world.surface.script.append(("send", "hang"))
    if when == "before":
        world.surface.script.clear()
        world.surface.fault = lambda what, place, part: Dies() if not world.surface.messages else None
    async with world.running():
        await world.until_called()
    world.surface.fault = lambda what, place, part: None
    await world.deliver()
    twice = when == "after" and not find
    assert world.surface.texts() == (["a", "a", "b", "c"] if twice else ["a", "b", "c"])


class Dies(SurfaceError):
    """Stands for a call that never went out; the courier is cancelled while it waits for its next try."""


async def test_a_change_under_way_at_a_crash_is_made_again(world: World) -> None:
    """The newest card wins, also when it goes back to what the row said before the crash."""
    await world.chat()
    await world.wish("a", "one", final=False)
    await world.deliver()
    await world.wish("a", "two", final=False)
    world.surface.script.append(("edit", "hang"))
    async with world.running() as courier:
        world.surface.called.clear()
        world.time.now += 100
        courier.nudge()
        await world.until_called()
    assert world.surface.texts() == ["two"]
    await world.wish("a", "one")
    await world.deliver()
    assert world.surface.texts() == ["one"]


async def test_a_deletion_of_our_own_whose_answer_was_lost_is_not_taken_for_a_readers(world: World) -> None:
    """Invariant 2: what is wished again after that is posted again."""
    await world.chat()
    await world.wish("a", files={"f": "1"}, urgency="notice", final=False)
    await world.deliver()
    await world.wish("a", urgency="notice", final=False)
    world.surface.script.append(("delete", "lost"))
    async with world.running():
        await world.idle()
    assert world.surface.calls[-1].what == "delete"
    await world.wish("a", files={"f": "2"}, urgency="notice")
    await world.deliver()
    assert world.surface.texts() == ["a", "2"]


async def test_a_file_that_is_never_answered_for_while_all_else_arrives_ends_as_a_note(world: World) -> None:
    """Invariant 3: one odd message does not come again and again for ever."""
    await world.chat()
    await world.wish("a", files={"huge": "x"})
    for name in "bcdef":
        await world.wish(name)

    await world.chat("2", "M")
    for number in range(40):
        await world.wish(f"m{number}", lineage="M")
    world.surface.fault = lambda what, place, part: "lost" if part is not None and part.kind == "file" else None
    await world.deliver()
    texts = [one.text for one in world.surface.visible("1") if one.kind == "text"]
    assert texts[0] == "a"
    assert texts[1].startswith("This message can't")
    assert texts[2:] == list("bcdef")
    assert 3 <= sum(one.kind == "file" for one in world.surface.visible("1")) <= 6


# Not reached


async def test_an_unreachable_platform_is_tried_ever_more_rarely_said_once_and_nothing_is_lost(world: World) -> None:
    """Invariant 8: backoff with jitter, per bot and not per message."""
    for chat in "123":
        await world.chat(chat, f"L{chat}")
        for name in "ab":
            await world.wish(name, lineage=f"L{chat}", ring=True)
    world.surface.script.extend([("any", Unreachable("no route to host"))] * 12)
    await world.deliver()
    for chat in "123":
        assert world.surface.texts(chat) == ["a", "b"]
    assert sum(one.ring for one in world.surface.messages) == 6
    assert world.heard.troubles == ["no route to host"]
    assert world.heard.recoveries == 1
    waits = [one[2] for one in world.heard.figures if one[0] == "closed"]
    for wait, longest in zip(waits, [1, 2, 4, 8, 16, 30, 30], strict=False):
        assert 0.75 * longest <= wait <= longest
    assert len(waits) >= 7


@pytest.mark.parametrize("error", [LoginRefused("token refused"), OutcomeUnknown("reset"), SurfaceError("odd")])
async def test_other_trouble_is_waited_out_too(world: World, error: SurfaceError) -> None:
    await world.chat()
    await world.wish("a")
    world.surface.script.extend([("send", error)] * 3)
    await world.deliver()
    assert world.surface.texts() == ["a"]
    assert world.heard.troubles == [str(error)]
    assert world.heard.recoveries == 1


# Asked to wait


async def test_retry_after_closes_that_chat_and_no_other(world: World) -> None:
    """Field notes: sends and edits share one budget, and nothing is sent to a chat that asked to wait."""
    await world.chat("1", "L")
    await world.chat("2", "M")
    for name in "ab":
        await world.wish(name)
        await world.wish(name, lineage="M")

    def fault(what: str, place: Place | None, part: Part | None) -> SurfaceError | None:
        first = place is not None and place.chat == "1" and world.time.now == 1000
        return RetryAfter(20) if first else None

    world.surface.fault = fault
    await world.deliver()
    assert [call.at - 1000 for call in world.surface.calls if call.chat == "1"] == [0, 20, 20]
    assert [call.at - 1000 for call in world.surface.calls if call.chat == "2"] == [0, 0]
    assert world.surface.texts("1") == ["a", "b"]
    assert world.heard.waits == []
    assert world.heard.troubles == []


async def test_edits_that_must_wait_hold_up_no_post(world: World) -> None:
    """Invariant 9: where a platform counts changes for themselves, a question is asked while they wait."""
    await world.chat()
    await world.wish("a", "working")
    await world.wish("b", "also working", urgency="preview", final=False)
    await world.deliver()
    for name in "ab":
        await world.wish(name, "done")
    world.surface.script.append(("edit", RetryAfter(20, edits_only=True)))
    before, began = len(world.surface.calls), world.time.now
    async with world.running() as courier:
        await world.pass_time(5)
        await world.wish("c", "may I?", urgency="approval")
        await world.wish("d", "and more")
        courier.nudge()
        await world.pass_time(5)
        assert world.surface.texts() == ["working", "also working", "may I?", "and more"]
        await world.rest()
    calls = world.surface.calls[before:]
    assert [call.what for call in calls] == ["edit", "send", "send", "edit", "edit"], "one refusal is enough"
    assert min(call.at for call in calls[3:]) >= began + 20
    assert world.surface.texts() == ["done", "done", "may I?", "and more"]


async def test_a_closed_bot_says_nothing_at_all_and_people_hear_of_a_long_wait(world: World) -> None:
    await world.chat("1", "L")
    await world.chat("2", "M")
    await world.wish("a", ring=True)
    await world.wish("a", lineage="M")
    world.surface.script.append(("send", RetryAfter(939, whole_bot=True)))
    await world.deliver()
    late = [call.at - 1000 for call in world.surface.calls]
    assert len([at for at in late if at < 939]) <= 2
    assert world.surface.texts("1") == world.surface.texts("2") == ["a"]
    assert world.surface.visible("1")[0].ring
    assert world.heard.waits == [939]


# Rejected


async def test_a_rejected_part_is_sent_duller(world: World) -> None:
    await world.chat()
    await world.wish("a", ring=True)
    await world.wish("b")
    world.surface.script.append(("send", Rejected("can't parse entities")))
    await world.deliver()
    assert world.surface.texts() == ["a", "b"]
    assert world.surface.visible()[0].ring
    await world.wish("a")
    assert outcomes(world) == [("send", "Rejected"), ("send", "ok"), ("send", "ok")]


async def test_a_part_rejected_twice_becomes_a_note_that_says_why_and_the_rest_arrives(world: World) -> None:
    """Invariant 2: not dropped in silence."""
    await world.chat()
    await world.wish("a")
    await world.wish("b")
    world.surface.script.extend([("send", Rejected("too odd"))] * 2)
    await world.deliver()
    assert world.surface.texts()[1] == "b"
    # The scripted platform's messages are short: the note is cut here, its reason is in the words it was made of.
    assert world.surface.texts()[0] == "This message can't be shown here (too odd)."[:20]
    async with world.store.read() as tx:
        assert [one.state for one in await posts.deliveries_of(tx, "L/a")] == ["closed"]


async def test_a_post_that_no_form_helps_is_marked_failed_with_the_reason_and_does_not_hold_up_others(
    world: World,
) -> None:
    await world.chat()
    await world.wish("a")
    await world.wish("b")
    world.surface.script.extend([("send", Rejected("too odd"))] * 3)
    await world.deliver()
    assert world.surface.texts() == ["b"]
    async with world.store.read() as tx:
        (delivery,) = await posts.deliveries_of(tx, "L/a")
        assert (delivery.state, delivery.error) == ("failed", "too odd")
    await world.wish("a", "better")
    await world.deliver()
    assert world.surface.texts() == ["b", "better"]


async def test_an_error_nobody_foresaw_counts_as_rejected(world: World) -> None:
    await world.chat()
    await world.wish("a")
    original = world.surface.send

    async def broken(place: Place, part: Part, **named: Any) -> Any:
        if not part.payload.get("dull"):
            raise KeyError("result")
        return await original(place, part, **named)

    world.surface.send = broken  # type: ignore[method-assign]
    await world.deliver()
    assert world.surface.texts() == ["a"]


async def test_a_card_that_cannot_be_drawn_fails_alone(world: World) -> None:
    """Invariant 5 is the surface's; the courier outlives a breach of it."""
    await world.chat()
    await world.wish("a")
    await world.wish("b")
    original = world.surface.render

    def render(key: str, card: Any, place: Place) -> Any:
        if key == "L/a":
            raise ZeroDivisionError
        return original(key, card, place)

    world.surface.render = render  # type: ignore[method-assign]
    await world.deliver()
    assert world.surface.texts() == ["b"]


async def test_buttons_never_appear_if_what_must_be_seen_first_cannot_be_shown(world: World) -> None:
    """Invariant 4: nothing is approved unseen."""
    await world.chat()
    fields: dict[str, Any] = {"files": {"args": "{}"}, "files_first": True, "acts": ("allow",)}
    await world.wish("ask", urgency="approval", final=False, **fields)
    world.surface.fault = lambda what, place, part: (
        Rejected("too big") if part is not None and part.kind == "file" else None
    )
    await world.deliver()
    assert [(one.kind, one.buttons) for one in world.surface.visible()] == [("text", False)]
    async with world.store.read() as tx:
        assert [one.state for one in await posts.deliveries_of(tx, "L/ask")] == ["failed"]


async def test_a_message_that_takes_no_change_is_said_anew_and_a_preview_is_let_be(world: World) -> None:
    """Invariant 2."""
    await world.chat()
    await world.wish("a", "draft", final=False)
    await world.wish("turn", urgency="preview", final=False)
    await world.deliver()
    world.surface.fault = lambda what, place, part: Rejected("can't be edited") if what == "edit" else None
    world.time.now += 10
    await world.wish("a", "final")
    await world.wish("turn", "turned", urgency="preview")
    await world.deliver()
    assert world.surface.texts() == ["draft", "turn", "final"]


# Gone


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({"urgency": "approval", "final": False}, ["new"]),
        ({"urgency": "approval", "final": True}, []),
        ({"urgency": "answer", "final": True}, ["new"]),
        ({"urgency": "answer", "final": False}, []),
        ({"urgency": "notice", "final": True}, []),
        ({"urgency": "preview", "final": True}, []),
    ],
)
async def test_a_deleted_message_is_missed_only_if_it_waits_for_a_decision_or_held_an_unseen_answer(
    world: World, fields: dict[str, Any], seen: list[str]
) -> None:
    await world.chat()
    await world.wish("a", "old", **{**fields, "final": False}, ring=True)
    await world.deliver()
    world.surface.messages[0].deleted = True
    world.time.now += 10
    await world.wish("a", "new", **fields, ring=True)
    await world.deliver()
    assert world.surface.texts() == seen
    assert sum(one.ring for one in world.surface.messages) == 1


async def test_a_topic_deleted_under_our_feet_is_made_anew_and_nothing_is_dropped(world: World) -> None:
    """Invariant 2. What was rung does not ring again, open approvals are posted anew, the old messages stay."""
    id = await world.topic()
    await world.wish("done", ring=True)
    await world.wish("ask", ring=True, urgency="approval", final=False)
    await world.deliver()
    old = (await world.conversation(id)).thread
    assert old is not None
    world.surface.dead_threads.add(old)
    await world.wish("a", "x" * 50, ring=True)
    await world.wish("b")
    await world.deliver()
    async with world.store.read() as tx:
        (new,) = await conversations.bound(tx, "L")
    assert new.thread not in (None, old)
    assert world.surface.texts("1", old) == ["ask", "done"]
    assert world.surface.texts("1", new.thread) == ["ask", "x" * 20, "x" * 20, "x" * 10, "b"]
    assert [one.text[0] for one in world.surface.messages if one.ring] == ["a", "d", "x"]


async def test_a_topic_lost_between_two_parts_gets_the_whole_post_in_the_new_place(world: World) -> None:
    """Invariant 2."""
    id = await world.topic()

    def dies_after_two(what: str) -> None:
        if len(world.surface.messages) == 2 and not world.surface.dead_threads:
            world.surface.dead_threads.add(world.surface.messages[0].thread or "")

    world.surface.on_call = dies_after_two
    await world.wish("a", "x" * 20 + "y" * 20 + "z", ring=True)
    await world.deliver()
    async with world.store.read() as tx:
        (new,) = await conversations.bound(tx, "L")
    assert new.id != id
    assert world.surface.texts("1", new.thread) == ["x" * 20, "y" * 20, "z"]
    assert sum(one.ring for one in world.surface.messages) == 1


async def test_when_topics_are_switched_off_the_chat_takes_over_with_a_header(world: World) -> None:
    id = await world.topic()
    async with world.store.begin() as tx:
        await follows.follow(tx, Follow("L", "s", title="fix it"))
    await world.wish("a")
    await world.deliver()
    thread = (await world.conversation(id)).thread
    world.surface.dead_threads.add(thread or "")
    world.surface.topics = False
    await world.wish("b", ring=True)
    await world.deliver()
    assert world.surface.texts("1") == ["fix it\nb"]
    assert world.surface.visible("1")[0].ring


async def test_topics_that_are_lost_at_once_are_not_made_for_ever(world: World) -> None:
    await world.topic()
    world.surface.fault = lambda what, place, part: (
        PlaceGone("thread not found") if place is not None and place.thread is not None else None
    )
    await world.wish("a")
    await world.deliver()
    assert world.surface.texts("1") == ["a"]
    assert [call.what for call in world.surface.calls] == ["open", "send", "send"]


async def test_a_bot_that_may_make_no_topics_uses_the_chat(world: World) -> None:
    await world.topic()
    world.surface.script.append(("open", Rejected("not enough rights")))
    await world.wish("a")
    await world.deliver()
    assert world.surface.texts("1") == ["a"]


async def test_a_bot_that_is_blocked_pauses_that_chat_keeps_everything_and_goes_on_when_let_back_in(
    world: World,
) -> None:
    await world.topic("1", "L")
    await world.topic("1", "K")
    await world.chat("2", "M")
    blocked = True

    def fault(what: str, place: Place | None, part: Part | None) -> SurfaceError | None:
        return ChatGone("bot was blocked") if blocked and place is not None and place.chat == "1" else None

    world.surface.fault = fault
    for lineage in "LKM":
        await world.wish("a", lineage=lineage, ring=True)
    async with world.running() as courier:
        await world.rest()
        await world.wish("b")
        await world.wish("c", lineage="M")
        await world.rest()
        await world.pass_time(600)
        sends = [call for call in world.surface.calls if call.chat == "1"]
        assert len(sends) <= 2
        assert world.surface.texts("2") == ["a", "c"]
        assert world.heard.troubles == []
        blocked = False
        await courier.resume("1")
        await world.rest()
    assert sorted(one.text for one in world.surface.messages if one.chat == "1") == ["a", "a", "b"]
    assert sum(one.ring for one in world.surface.messages if one.chat == "1") == 2


async def test_a_chat_that_moved_is_followed(world: World) -> None:
    id = await world.chat()
    await world.wish("a", ring=True)
    await world.wish("b")
    world.surface.script.append(("send", ChatMoved("-100")))
    await world.deliver()
    assert world.surface.texts("-100") == ["a", "b"]
    assert world.surface.visible("-100")[0].ring
    assert (await world.conversation(id)).chat == "-100"


async def test_rates_hold_whatever_goes_wrong(world: World) -> None:
    """Field notes: errors are calls too."""
    world.surface.rates = Rates(chat_interval_s=1, chat_burst=2, bot_per_s=25)
    await world.chat()
    for number in range(6):
        await world.wish(f"p{number}")
    world.surface.script.extend([("send", Rejected("odd"))] * 5)
    await world.deliver()
    times = [call.at - 1000 for call in world.surface.calls]
    assert len(times) == 6 + 5 - 1
    assert times[-1] >= len(times) - 2 - 1

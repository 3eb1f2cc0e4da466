"""Rooms, and posts that hang under others, as the store has them; on both databases."""

from collections.abc import Callable

from bridge.store import conversations, posts, progress, work
from bridge.store.engine import Store, Tx
from bridge.store.records import Conversation, Wish

MakeWish = Callable[..., Wish]


async def room(tx: Tx, chat: str | None = "C1") -> Conversation:
    """A room of lineage ``L``, made already unless ``chat`` is None."""
    wanted = await conversations.want_room(tx, "slack", "U1", "parser", 1, about="/srv/parser")
    await conversations.bind(tx, "L", wanted.id)
    if chat is not None:
        await conversations.room_opened(tx, wanted.id, chat)
    found = await conversations.get(tx, wanted.id)
    assert found is not None
    return found


async def stand(tx: Tx, name: str, here: int, message: str) -> None:
    """What the courier notes when it has sent a post of one part."""
    job = await work.job(tx, f"L/{name}", here)
    assert job is not None
    await progress.sending(tx, f"L/{name}", here, 0, "text", "d", False, 5, job.under)
    await progress.sent(tx, f"L/{name}", here, 0, "text", "d", message, 6)
    await progress.delivered(tx, f"L/{name}", here, job.post.digest)


async def delivered_in(tx: Tx, name: str) -> set[int]:
    return {one.conversation_id for one in await posts.deliveries_of(tx, f"L/{name}") if one.state == "open"}


async def test_a_room_to_be_made_hangs_on_no_chat(store: Store, wish: MakeWish) -> None:
    """Whatever becomes of its home: it is made, and found, by itself; its making has a budget of its own."""
    async with store.begin() as tx:
        wanted = await room(tx, None)
        assert (wanted.state, wanted.chat, wanted.home, wanted.about) == ("wanted", "U1", "U1", "/srv/parser")
        assert await conversations.find(tx, "slack", "U1") is None
        await posts.wish(tx, wish("turn"), 10)
        await conversations.block(tx, "slack", "U1")
        (head,) = await work.heads(tx, "slack", 8)
        assert head.chat == work.ROOMS_TO_MAKE == work.budget_chat(wanted)
        await conversations.room_opened(tx, wanted.id, "C1")
        (head,) = await work.heads(tx, "slack", 8)
        assert head.chat == "C1"


async def test_a_rooms_chat_is_the_room_even_if_it_was_heard_of_before(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        early = await conversations.ensure_chat(tx, "slack", "C1", 1)
        here = await room(tx)
        assert await conversations.ensure_chat(tx, "slack", "C1", 2) == here
        assert await conversations.find(tx, "slack", "C1") == here
        gone = await conversations.get(tx, early.id)
        assert gone is not None
        assert gone.state == "gone"
        assert await conversations.rooms(tx, "slack") == ["C1"]
        former = await conversations.former(tx, "L", "slack", "U1")
        assert former == here, "a room is at home"


async def test_a_blocked_room_goes_on_as_a_room(store: Store) -> None:
    async with store.begin() as tx:
        here = await room(tx)
        await conversations.block(tx, "slack", "C1")
        await conversations.unblock(tx, "slack", "C1")
        assert await conversations.get(tx, here.id) == here


async def test_details_go_to_rooms_alone(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        topic = await conversations.ensure_topic(tx, "telegram", "7", "1", 1)
        await conversations.bind(tx, "L", topic.id)
        here = await room(tx)
        await posts.wish(tx, wish("turn"), 10)
        await posts.wish(tx, wish("log", under="L/turn", detail=True), 10)
        assert await delivered_in(tx, "turn") == {topic.id, here.id}
        assert await delivered_in(tx, "log") == {here.id}


async def test_details_stay_behind_where_a_topic_takes_the_rooms_part(store: Store, wish: MakeWish) -> None:
    """There the turn's own post shows them; and no final text is lost (invariant 2)."""
    async with store.begin() as tx:
        wanted = await room(tx, None)
        for name, fields in (("turn", {}), ("log", {"under": "L/turn", "detail": True}), ("tool", {"under": "L/turn"})):
            await posts.wish(tx, wish(name, **fields), 10)
        topic = await conversations.want_topic(tx, "slack", "U1", "parser", 2)
        await conversations.replace(tx, wanted.id, topic.id)
        assert await delivered_in(tx, "turn") == {topic.id}
        assert await delivered_in(tx, "tool") == {topic.id}
        assert await delivered_in(tx, "log") == set()


async def test_a_post_waits_for_the_message_it_hangs_under(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await room(tx)
        await posts.wish(tx, wish("turn"), 10)
        await posts.wish(tx, wish("log", under="L/turn", detail=True), 10)
        job = await work.job(tx, "L/log", here.id)
        assert job is not None
        assert (job.under, job.early) == (None, True)
        await stand(tx, "turn", here.id, "m1")
        job = await work.job(tx, "L/log", here.id)
        assert job is not None
        assert (job.under, job.early) == ("m1", False)
        await stand(tx, "log", here.id, "m2")
        (part,) = await posts.parts_of(tx, "L/log", here.id)
        assert part.hung_on == "m1"
        await progress.lost(tx, "L/turn", here.id)
        await posts.wish(tx, wish("thought", under="L/turn", detail=True), 11)
        job = await work.job(tx, "L/thought", here.id)
        assert job is not None
        assert (job.under, job.early) == (None, False), "invariant 2: it stands in the room itself"


async def test_a_post_that_hangs_under_what_is_not_here_does_not_wait(store: Store, wish: MakeWish) -> None:
    """Invariant 2: its parent stands elsewhere, was withdrawn, or never was."""
    async with store.begin() as tx:
        here = await room(tx)
        await posts.wish(tx, wish("turn"), 10)
        await posts.withdraw(tx, "L/turn")
        for parent in ("L/turn", "L/never"):
            await posts.wish(tx, wish(f"under-{parent}", under=parent), 10)
            job = await work.job(tx, f"L/under-{parent}", here.id)
            assert job is not None
            assert (job.under, job.early) == (None, False)


async def test_what_hangs_elsewhere_does_not_make_a_post_old(store: Store, wish: MakeWish) -> None:
    """Only the newest post may grow by a message: under another post, the newest one there."""
    async with store.begin() as tx:
        here = await room(tx)
        await posts.wish(tx, wish("turn"), 10)
        await posts.wish(tx, wish("thought", under="L/turn"), 10)
        await posts.wish(tx, wish("answer"), 10)
        await stand(tx, "turn", here.id, "m1")
        await stand(tx, "answer", here.id, "m3")
        thought = await work.job(tx, "L/thought", here.id)
        assert thought is not None
        assert thought.newest
        await posts.wish(tx, wish("turn", "changed"), 11)
        turn = await work.job(tx, "L/turn", here.id)
        assert turn is not None
        assert not turn.newest

"""The courier's questions and notes, on both databases."""

from collections.abc import Callable

import pytest

from bridge.store import conversations, follows, posts, progress, work
from bridge.store.engine import Store, Tx
from bridge.store.records import Follow, Wish

MakeWish = Callable[..., Wish]


async def chat(tx: Tx, name: str = "1") -> int:
    made = await conversations.ensure_chat(tx, "telegram", name, 1)
    await conversations.bind(tx, "L", made.id)
    return made.id


async def stand(tx: Tx, name: str, here: int) -> None:
    """What the courier notes when it has sent a post of one part."""
    job = await work.job(tx, f"L/{name}", here)
    assert job is not None
    await progress.sending(tx, f"L/{name}", here, 0, "text", "d", job.post.ring, 5)
    await progress.sent(tx, f"L/{name}", here, 0, "text", "d", f"m-{name}", 6)
    await progress.delivered(tx, f"L/{name}", here, job.post.digest)


async def heads(tx: Tx, per_lane: int = 8) -> list[tuple[int, str]]:
    return [(head.conversation_id, head.post_key[2:]) for head in await work.heads(tx, "telegram", per_lane)]


async def test_each_conversation_has_its_posts_in_the_order_to_do_them(store: Store, wish: MakeWish) -> None:
    """Invariant 9."""
    async with store.begin() as tx:
        here, there = await chat(tx), await chat(tx, "2")
        names = ["preview", "final", "same", "unsent", "ask", "later"]
        for name in names[:3]:
            await posts.wish(tx, wish(name, urgency="preview" if name == "preview" else "answer"), 10)
            await stand(tx, name, here)
        await posts.wish(tx, wish("preview", "2", urgency="preview"), 11)
        await posts.wish(tx, wish("final", "2", final=True), 11)
        for name in names[3:]:
            await posts.wish(tx, wish(name, urgency="approval" if name == "ask" else "notice"), 12)
        order = ["ask", "unsent", "later", "final", "preview"]
        assert [name for id, name in await heads(tx) if id == here] == order
        assert [name for id, name in await heads(tx, 2) if id == here] == order[:2]
        assert [name for id, name in await heads(tx) if id == there] == ["ask", *[n for n in names if n != "ask"]]
        assert await work.heads(tx, "slack", 8) == []
        assert await work.waiting(tx, "telegram") == {"approval": 2, "preview": 2, "answer": 3, "notice": 4}


@pytest.mark.parametrize(("state", "works"), [("open", True), ("wanted", True), ("blocked", False), ("gone", False)])
async def test_only_places_that_can_be_spoken_to_have_work(
    store: Store, wish: MakeWish, state: str, works: bool
) -> None:
    async with store.begin() as tx:
        here = await chat(tx)
        await posts.wish(tx, wish("a"), 10)
        await conversations.mark(tx, here, state)  # type: ignore[arg-type]
        assert bool(await heads(tx)) is works
        assert (await work.job(tx, "L/a", here) is not None) is works


async def test_a_job_is_all_there_is_to_know(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await chat(tx)
        await follows.follow(tx, Follow("L", "s", title="fix it"))
        await posts.wish(tx, wish("a", ring=True), 10)
        await stand(tx, "a", here)
        assert await work.job(tx, "L/a", here) is None
        await posts.wish(tx, wish("b"), 11)
        await posts.wish(tx, wish("a", "2"), 12)
        job = await work.job(tx, "L/a", here)
        assert job is not None
        assert (job.title, job.newest, job.delivery.rung, job.delivery.shown) == ("fix it", True, True, True)
        assert job.conversation.id == here
        assert job.post == await posts.get(tx, "L/a")
        assert [(part.index, part.message, part.state, part.digest) for part in job.parts] == [(0, "m-a", "sent", "d")]
        await stand(tx, "b", here)
        job = await work.job(tx, "L/a", here)
        assert job is not None
        assert not job.newest


async def test_a_send_that_certainly_did_not_happen_leaves_no_trace(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await chat(tx)
        await posts.wish(tx, wish("a", ring=True), 10)
        await progress.sending(tx, "L/a", here, 0, "text", "d", True, 5)
        (before,) = await posts.parts_of(tx, "L/a", here)
        assert (before.state, before.message, before.sent_ms) == ("sending", None, 5)
        assert (await posts.deliveries_of(tx, "L/a"))[0].rung
        await progress.sending(tx, "L/a", here, 0, "text", "e", True, 6)
        await progress.not_sent(tx, "L/a", here, 0, before, True)
        assert await posts.parts_of(tx, "L/a", here) == [before]
        await progress.not_sent(tx, "L/a", here, 0, None, False)
        assert await posts.parts_of(tx, "L/a", here) == []
        assert not (await posts.deliveries_of(tx, "L/a"))[0].rung


async def test_what_moved_while_its_send_was_refused_rings_where_it_goes_instead(store: Store, wish: MakeWish) -> None:
    """Invariant 3, and what must ring rings: once, in the place that took over."""
    async with store.begin() as tx:
        here, elsewhere = await chat(tx), (await conversations.ensure_chat(tx, "telegram", "2", 1)).id
        await posts.wish(tx, wish("a", ring=True), 10)
        await progress.sending(tx, "L/a", here, 0, "text", "d", True, 5)
        await conversations.replace(tx, here, elsewhere)
        job = await work.job(tx, "L/a", elsewhere)
        assert job is not None
        assert job.delivery.rung, "the one under way may have arrived"
        await progress.not_sent(tx, "L/a", here, 0, None, False)
        job = await work.job(tx, "L/a", elsewhere)
        assert job is not None
        assert not job.delivery.rung


async def test_a_change_under_way_puts_the_delivery_in_doubt(store: Store, wish: MakeWish) -> None:
    """So that a crash in its middle is seen, even if the wish goes back to what stood there before."""
    async with store.begin() as tx:
        here = await chat(tx)
        await posts.wish(tx, wish("a"), 10)
        await stand(tx, "a", here)
        await posts.wish(tx, wish("a", "2"), 11)
        await progress.changing(tx, "L/a", here, 0, 12)
        await posts.wish(tx, wish("a"), 12)
        assert await heads(tx) == [(here, "a")]
        await progress.changed(tx, "L/a", here, 0, "d", 13)
        assert [(part.digest, part.changed_ms) for part in await posts.parts_of(tx, "L/a", here)] == [("d", 13)]
        await progress.deleting(tx, "L/a", here, 0)
        assert [part.state for part in await posts.parts_of(tx, "L/a", here)] == ["deleting"]


async def test_a_superseded_message_still_leads_to_its_post(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await chat(tx)
        await posts.wish(tx, wish("a"), 10)
        for number in range(3):
            await progress.sent(tx, "L/a", here, 0, "text", "d", f"m{number}", 6)
            await progress.supersede(tx, "L/a", here, 0)
        assert [(part.index, part.message) for part in await posts.parts_of(tx, "L/a", here)] == [
            (-3, "m2"),
            (-2, "m1"),
            (-1, "m0"),
        ]
        job = await work.job(tx, "L/a", here)
        assert job is not None
        assert job.parts == []
        found = await posts.part_at(tx, "telegram", "1", "m1")
        assert found is not None
        assert found.post_key == "L/a"


async def test_a_failed_delivery_is_tried_again_when_the_card_changes(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await chat(tx)
        await posts.wish(tx, wish("a", final=True), 10)
        await progress.failed(tx, "L/a", here, "too odd")
        assert await heads(tx) == []
        assert not await posts.wish(tx, wish("a", final=True), 11)
        assert await posts.wish(tx, wish("a", "2", final=True), 12)
        assert await heads(tx) == [(here, "a")]

"""Wishes, deliveries, buttons, places."""

from collections.abc import Callable

import pytest
from sqlalchemy import select, update

from bridge.cards.model import Act, Card, button_token
from bridge.store import conversations, posts
from bridge.store.engine import Store, Tx
from bridge.store.records import Delivery, Wish
from bridge.store.tables import deliveries, parts
from bridge.store.tables import posts as posts_table
from tests.rig.stored_posts import card_of, unsettled

MakeWish = Callable[..., Wish]


async def topic(tx: Tx, chat: str = "1", lineage: str = "L") -> int:
    """An open topic that the lineage is bound to."""
    made = await conversations.want_topic(tx, "telegram", chat, "title", 1)
    await conversations.opened(tx, made.id, f"t{made.id}")
    await conversations.bind(tx, lineage, made.id)
    return made.id


async def deliver(tx: Tx, key: str, conversation: int) -> None:
    """What the courier does once a post stands in a conversation in full."""
    post = await posts.get(tx, key)
    assert post is not None
    here = (deliveries.c.post_key == key) & (deliveries.c.conversation_id == conversation)
    await tx.execute(update(deliveries).where(here).values(digest=post.digest, shown=True, rung=post.ring))
    values = {"post_key": key, "conversation_id": conversation, "index": 0, "kind": "text", "state": "sent"}
    if not await posts.parts_of(tx, key, conversation):
        await tx.execute(parts.insert().values(**values, message=f"m-{key}", digest="x", sent_ms=5, changed_ms=6))
    await posts.settle(tx, key)


async def states(tx: Tx, key: str) -> dict[int, str]:
    return {one.conversation_id: one.state for one in await posts.deliveries_of(tx, key)}


async def test_the_same_wish_twice_is_nothing(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await topic(tx)
        assert await posts.wish(tx, wish("a"), 10)
        assert not await posts.wish(tx, wish("a"), 20)
        post = await posts.get(tx, "L/a")
        assert post is not None
        assert (post.created_ms, post.updated_ms) == (10, 10)
        assert await posts.deliveries_of(tx, "L/a") == [Delivery("L/a", here, None, "open", False, False, None)]


async def test_the_newest_wish_wins_and_keeps_the_position(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        await topic(tx)
        await posts.wish(tx, wish("a", "one"), 10)
        await posts.wish(tx, wish("b"), 11)
        assert await posts.wish(tx, wish("a", "two"), 12)
        assert [post.key for post in await unsettled(tx)] == ["L/a", "L/b"]
        assert await card_of(tx, "L/a") == wish("a", "two").card


async def test_a_final_post_delivered_everywhere_keeps_its_hash_and_forgets_its_card(
    store: Store, wish: MakeWish
) -> None:
    async with store.begin() as tx:
        here, there = await topic(tx), await topic(tx, "2")
        await posts.wish(tx, wish("a", final=True), 10)
        await deliver(tx, "L/a", here)
        assert await card_of(tx, "L/a") is not None
        await deliver(tx, "L/a", there)
        post = await posts.get(tx, "L/a")
        assert post is not None
        assert (post.settled, post.card, post.digest) == (True, None, wish("a").card.digest())
        assert await states(tx, "L/a") == {here: "closed", there: "closed"}
        assert await unsettled(tx) == []
        assert not await posts.wish(tx, wish("a", final=True), 20)


async def test_a_card_that_a_button_still_needs_is_kept(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await topic(tx)
        await posts.wish(tx, wish("a", final=True, keep_card=True), 10)
        await deliver(tx, "L/a", here)
        assert await card_of(tx, "L/a") == wish("a").card


async def test_a_late_change_opens_a_settled_post_again(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await topic(tx)
        await posts.wish(tx, wish("a", final=True), 10)
        await deliver(tx, "L/a", here)
        assert await posts.wish(tx, wish("a", "otherwise", final=True), 20)
        assert await states(tx, "L/a") == {here: "open"}
        await deliver(tx, "L/a", here)
        assert await unsettled(tx) == []


async def test_becoming_final_without_a_change_settles_at_once(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await topic(tx)
        await posts.wish(tx, wish("a"), 10)
        await deliver(tx, "L/a", here)
        assert [post.key for post in await posts.open_posts(tx, "L")] == ["L/a"]
        assert await posts.wish(tx, wish("a", final=True), 20)
        assert await states(tx, "L/a") == {here: "closed"}
        assert await posts.open_posts(tx, "L") == []


@pytest.mark.parametrize(
    ("level", "shown"),
    [("quiet", ["quiet"]), ("normal", ["quiet", "normal"]), ("full", ["quiet", "normal", "full"])],
)
async def test_a_conversation_shows_what_its_level_admits(
    store: Store, wish: MakeWish, level: str, shown: list[str]
) -> None:
    async with store.begin() as tx:
        here = await topic(tx)
        await conversations.set_level(tx, here, level)  # type: ignore[arg-type]
        for name in ("quiet", "normal", "full"):
            await posts.wish(tx, wish(name, min_level=name, final=True), 10)
        assert [post.min_level for post in await unsettled(tx)] == shown


async def test_what_is_wished_before_there_is_a_place_waits_for_one(store: Store, wish: MakeWish) -> None:
    """Invariant 2: a final text is never dropped."""
    async with store.begin() as tx:
        await posts.wish(tx, wish("a", final=True), 10)
        await posts.wish(tx, wish("b", final=True, min_level="full"), 10)
        here = await topic(tx)
        assert await states(tx, "L/a") == {here: "open"}
        assert await states(tx, "L/b") == {}


async def test_a_withdrawn_preview_is_skipped_where_it_was_not_sent_and_comes_back_when_wished_again(
    store: Store, wish: MakeWish
) -> None:
    async with store.begin() as tx:
        here = await topic(tx)
        await posts.wish(tx, wish("a", "x", "stop", urgency="preview"), 10)
        await posts.withdraw(tx, "L/a")
        assert await states(tx, "L/a") == {here: "skipped"}
        assert await unsettled(tx) == []
        assert await posts.button(tx, button_token("L/a", Act(do="stop"))) == ("L/a", Act(do="stop"), False)
        assert await posts.wish(tx, wish("a", "x", "stop", urgency="preview"), 20)
        assert await states(tx, "L/a") == {here: "open"}


async def test_a_button_says_whether_its_act_is_still_on_the_card(store: Store, wish: MakeWish) -> None:
    """Invariant 4: a click acts on what its card showed."""
    async with store.begin() as tx:
        here = await topic(tx)
        await posts.wish(tx, wish("a", "x", "allow", "deny"), 10)
        allow, deny = (button_token("L/a", Act(do=name)) for name in ("allow", "deny"))
        assert await posts.button(tx, allow) == ("L/a", Act(do="allow"), True)
        await posts.wish(tx, wish("a", "y", "deny", final=True), 20)
        await deliver(tx, "L/a", here)
        assert await posts.button(tx, allow) == ("L/a", Act(do="allow"), False)
        assert await posts.button(tx, deny) == ("L/a", Act(do="deny"), True)
        assert await posts.button(tx, "nonsense") is None


async def test_a_message_leads_to_its_post_within_its_chat(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here, there = await topic(tx, "1"), await topic(tx, "2")
        await posts.wish(tx, wish("a"), 10)
        await deliver(tx, "L/a", here)
        await deliver(tx, "L/a", there)
        found = await posts.part_at(tx, "telegram", "2", "m-L/a")
        assert found is not None
        assert (found.post_key, found.conversation_id, found.changed_ms) == ("L/a", there, 6)
        assert await posts.part_at(tx, "slack", "2", "m-L/a") is None
        assert await posts.part_at(tx, "telegram", "3", "m-L/a") is None


async def test_a_wish_for_one_conversation_goes_there_alone(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here, _ = await topic(tx, "1"), await topic(tx, "2")
        await posts.wish(tx, wish("a", conversations=(here,)), 10)
        assert await states(tx, "L/a") == {here: "open"}


async def test_a_place_that_is_gone_hands_on_what_had_not_arrived(store: Store, wish: MakeWish) -> None:
    """Invariant 2, and the fine print: open approvals are posted anew, the old ones stay, nothing rings twice."""
    async with store.begin() as tx:
        old = await topic(tx)
        await posts.wish(tx, wish("done", final=True), 10)
        await posts.wish(tx, wish("approval", urgency="approval", ring=True), 10)
        await posts.wish(tx, wish("turn", urgency="preview"), 10)
        await posts.wish(tx, wish("changed", "one"), 10)
        for name in ("done", "approval", "turn", "changed"):
            await deliver(tx, f"L/{name}", old)
        await posts.wish(tx, wish("changed", "two", final=True), 11)
        await posts.wish(tx, wish("unsent", final=True), 12)
        new = (await conversations.want_topic(tx, "telegram", "1", "title", 20)).id
        await conversations.replace(tx, old, new)
        rows = list(
            await tx.execute(
                select(deliveries.c.post_key, deliveries.c.rung)
                .join(posts_table, posts_table.c.key == deliveries.c.post_key)
                .where(deliveries.c.conversation_id == new)
                .order_by(posts_table.c.position)
            )
        )
        assert rows == [("L/approval", True), ("L/changed", False), ("L/unsent", False)]
        assert (await states(tx, "L/done"))[old] == "closed"
        assert [one.id for one in await conversations.bound(tx, "L")] == [new]
        assert await posts.part_at(tx, "telegram", "1", "m-L/approval") is not None
        # The turn goes on in the new place as soon as it changes.
        await posts.wish(tx, wish("turn", "more", urgency="preview"), 30)
        assert await states(tx, "L/turn") == {old: "skipped", new: "open"}


async def test_a_session_that_moves_leaves_its_posts_and_takes_what_is_placed_again(
    store: Store, wish: MakeWish
) -> None:
    async with store.begin() as tx:
        old = await topic(tx)
        await posts.wish(tx, wish("turn", urgency="preview"), 10)
        await posts.wish(tx, wish("approval", urgency="approval", ring=True), 10)
        await deliver(tx, "L/turn", old)
        await deliver(tx, "L/approval", old)
        await conversations.unbind(tx, "L", old)
        new = await topic(tx, "2")
        assert await posts.place_again(tx, "L/approval", new)
        await posts.wish(tx, wish("turn", "more", urgency="preview"), 20)
        assert await states(tx, "L/turn") == {old: "open"}
        assert [one.rung for one in await posts.deliveries_of(tx, "L/approval")] == [True, True]
        assert await conversations.lineages_in(tx, old) == []


async def test_a_post_placed_again_where_it_stood_becomes_new_messages(store: Store, wish: MakeWish) -> None:
    async with store.begin() as tx:
        here = await topic(tx)
        await posts.wish(tx, wish("a"), 10)
        await deliver(tx, "L/a", here)
        assert await posts.place_again(tx, "L/a", here, ring=True)
        (delivery,) = await posts.deliveries_of(tx, "L/a")
        assert (delivery.state, delivery.shown, delivery.digest, delivery.rung) == ("open", False, None, False)
        assert [part.state for part in await posts.parts_of(tx, "L/a", here)] == ["gone"]
        await posts.wish(tx, wish("a", final=True), 20)
        await deliver(tx, "L/a", here)
        assert not await posts.place_again(tx, "L/a", here)


async def test_text_no_database_can_hold_is_stored_readably(store: Store) -> None:
    """Lone surrogates crash SQLite and psycopg, NUL crashes PostgreSQL."""
    nasty = "a\ud800b\x00c😀"
    async with store.begin() as tx:
        wished = Wish(nasty, nasty, "answer", "answer", Card(pieces=(), summary=nasty), session_id=nasty)
        assert await posts.wish(tx, wished, 1)
        assert not await posts.wish(tx, wished, 1)
        post = await posts.get(tx, nasty)
        assert post is not None
        assert post.key == "a\ufffdb\u2400c😀"
        assert post.card is not None
        assert post.card.summary == "a\ufffdb\u2400c😀"

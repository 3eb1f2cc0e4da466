"""Sessions that people asked for: one for a press, taken up again after a crash, forgotten in the end."""

from bridge.store import conversations, starts
from bridge.store.engine import Store
from bridge.store.prune import POSTS_KEPT_MS, prune

NOW = 2 * POSTS_KEPT_MS


async def test_a_start_is_wanted_once_until_it_failed(store: Store) -> None:
    async with store.begin() as tx:
        chat = await conversations.ensure_chat(tx, "telegram", "7", 0)
        assert await starts.want(tx, "card", chat.id, {"directory": "/a"}, 1)
        assert not await starts.want(tx, "card", chat.id, {"directory": "/b"}, 2)
        await starts.move(tx, "card", "sent", session_id="s1")
        assert not await starts.want(tx, "card", chat.id, {"directory": "/b"}, 3)
        (row,) = await starts.unfinished(tx)
        assert (row.state, row.session_id, row.plan) == ("sent", "s1", {"directory": "/a"})
        assert await starts.taken(tx, ["s1", "s2"]) == {"s1"}
        await starts.move(tx, "card", "failed")
        assert await starts.unfinished(tx) == []
        assert await starts.want(tx, "card", chat.id, {"directory": "/b"}, 4)
        (row,) = await starts.unfinished(tx)
        assert (row.state, row.session_id, row.plan) == ("wanted", None, {"directory": "/b"})


async def test_what_is_on_its_way_is_kept_however_old(store: Store) -> None:
    """Invariant 1."""
    async with store.begin() as tx:
        chat = await conversations.ensure_chat(tx, "telegram", "7", 0)
        await starts.want(tx, "waiting", chat.id, {}, 0)
        await starts.want(tx, "over", chat.id, {}, 0)
        await starts.move(tx, "over", "done", session_id="s1")
        await prune(tx, NOW)
        assert [row.key for row in await starts.unfinished(tx)] == ["waiting"]
        assert await starts.taken(tx, ["s1"]) == set()

"""What was settled long ago is forgotten; what is open, or recent, stays."""

from bridge.cards.model import Card, Text, plain
from bridge.chat.surface import RawUpdate
from bridge.store import conversations, inbox, posts
from bridge.store.engine import Store
from bridge.store.prune import DAY_MS, POSTS_KEPT_MS, prune
from bridge.store.records import Wish

NOW = 200 * DAY_MS


def wish(key: str, *, final: bool) -> Wish:
    return Wish(key, "s1", "answer", "answer", Card(pieces=(Text(lines=(plain(key),)),)), final=final)


async def test_old_settled_posts_go_and_open_or_recent_ones_stay(store: Store) -> None:
    long_ago = NOW - POSTS_KEPT_MS - 1
    async with store.begin() as tx:
        chat = await conversations.ensure_chat(tx, "telegram", "7", long_ago)
        await conversations.bind(tx, "s1", chat.id)
        for key, final, at in (("old", True, long_ago), ("open", False, long_ago), ("recent", True, NOW)):
            await posts.wish(tx, wish(key, final=final), at)
        for key in ("old", "recent"):
            await posts.withdraw(tx, key)
        assert await prune(tx, NOW) == 1
        assert await posts.known(tx, ["old", "open", "recent"]) == {"open", "recent"}


async def test_updates_that_were_not_carried_out_are_kept(store: Store) -> None:
    """Invariant 1."""
    async with store.begin() as tx:
        await inbox.put(tx, "telegram", [RawUpdate("1", {}), RawUpdate("2", {})], 0)
        first, _ = await inbox.next(tx, "telegram")
        await inbox.done(tx, first.id)
        await prune(tx, NOW)
        assert [row.update_id for row in await inbox.next(tx, "telegram")] == ["2"]

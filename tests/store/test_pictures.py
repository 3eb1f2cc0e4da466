"""Pictures on their way to the chats: wanted once, kept byte for byte, or known to be missing."""

from bridge.store import pictures
from bridge.store.engine import Store
from bridge.store.pictures import Picture, Wanted
from bridge.store.prune import PICTURES_KEPT_MS, prune

EVERY_BYTE = bytes(range(256))


async def test_a_picture_is_wanted_once_and_kept_as_it_came(store: Store) -> None:
    async with store.begin() as tx:
        await pictures.want(tx, "s1/b", "s1", "b", 2_000)
        await pictures.want(tx, "s1/a", "s1", "a", 1_000)
        await pictures.want(tx, "s1/a", "s2", "a", 9_000)
    async with store.begin() as tx:
        assert await pictures.wanted(tx) == [Wanted("s1/a", "s1", "a", 1_000), Wanted("s1/b", "s1", "b", 2_000)]
        assert await pictures.get(tx, "s1/a") == Picture(None, None)
        await pictures.fetched(tx, "s1/a", EVERY_BYTE)
        await pictures.missing(tx, "s1/b", "it is gone")
    async with store.begin() as tx:
        await pictures.want(tx, "s1/a", "s1", "a", 9_000)
        assert await pictures.wanted(tx) == []
        assert await pictures.get(tx, "s1/a") == Picture(EVERY_BYTE, None)
        assert await pictures.get(tx, "s1/b") == Picture(None, "it is gone")


async def test_a_picture_that_was_forgotten_is_missing_with_a_reason(store: Store) -> None:
    """Invariant 2: its post says so, and does not wait for ever."""
    async with store.begin() as tx:
        await pictures.want(tx, "s1/old", "s1", "old", 0)
        await pictures.want(tx, "s1/new", "s1", "new", 1)
        await prune(tx, PICTURES_KEPT_MS + 1)
        assert await pictures.get(tx, "s1/old") == Picture(None, "it is no longer kept here")
        assert [each.image for each in await pictures.wanted(tx)] == ["new"]

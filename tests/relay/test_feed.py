"""What the feed stores: news that comes while it stores is for the next time, and is not lost (invariant 1)."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from bridge.chat.intents import Person, Say, Where
from bridge.hub.events import EventStream
from bridge.hub.rest import HubApi
from bridge.relay.desk import Also, Desk
from bridge.relay.follow.feed import Feed
from bridge.relay.keeping import say_record
from bridge.store import conversations, says
from bridge.store.engine import Store, Tx
from bridge.store.records import SayState


async def test_what_became_of_a_message_is_kept_when_it_is_heard_while_other_news_is_stored(tmp_path: Path) -> None:
    """The second look at sessions runs beside the worker, and hears of messages while that waits for the store."""
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    desk = Desk(store, [], lambda: 1)
    async with store.begin() as tx:
        place = await conversations.ensure_chat(tx, "telegram", "1", 1)
        records = [
            say_record("telegram", place, Say(Person("1", "Ada"), Where("1"), m, m), None, 1) for m in ("m1", "m2")
        ]
        for record in records:
            await says.add(tx, record)
    first, second = (record.local_id for record in records)
    told: list[tuple[list[str], SayState]] = []
    stored: list[tuple[SayState | None, list[str]]] = []

    def says_changed(local_ids: list[str], state: SayState) -> None:
        told.append((local_ids, state))

    async def says_stored(tx: Tx, local_ids: list[str], state: SayState, now: int) -> None:
        found = await says.get(tx, local_ids[0])
        stored.append((found.state if found else None, local_ids))

    async def nothing(*_: Any) -> None: ...

    stream = cast(EventStream, SimpleNamespace(acknowledge=lambda _: None))
    feed = Feed(
        desk,
        cast(HubApi, None),
        stream,
        check=nothing,
        says_stored=says_stored,
        says_changed=says_changed,
        trouble=nothing,
        back=nothing,
    )
    commit = desk.commit

    async def slow_commit(also: Also | None = None) -> None:
        await commit(also)
        feed._said_state += [([second], "taken")]
        await asyncio.sleep(0)

    desk.commit = slow_commit  # type: ignore[method-assign]
    feed._said_state += [([first], "taken")]
    await feed._commit(None)
    desk.commit = commit  # type: ignore[method-assign]
    await feed._commit(None)
    assert told == [([first], "taken"), ([second], "taken")]
    assert stored == [("taken", [first]), ("taken", [second])], "what is said of it is one transaction with the state"
    async with store.read() as tx:
        kept = [await says.get(tx, local_id) for local_id in (first, second)]
    assert [say.state for say in kept if say] == ["taken", "taken"]
    await store.close()

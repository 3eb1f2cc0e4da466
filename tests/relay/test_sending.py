"""Messages on their way to the hub: what a person did to one until it left counts."""

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bridge.chat.intents import Person, Say, Where
from bridge.hub.rest import HubApi
from bridge.relay.desk import Desk
from bridge.relay.keeping import say_record
from bridge.relay.people.words.marks import Marks
from bridge.relay.people.words.sending import Sender
from bridge.store import conversations, says
from bridge.store.engine import Store


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    yield Desk(store, [], lambda: 1)
    await store.close()


async def kept(desk: Desk, text: str) -> str:
    """A message that is to be sent; its local id."""
    async with desk.store.begin() as tx:
        place = await conversations.ensure_chat(tx, "telegram", "1", 1)
        record = say_record("telegram", place, Say(Person("1", "Ada"), Where("1"), "m1", text), None, 1)
        await says.add(tx, record)
        await says.set_state(tx, [record.local_id], "kept", 1, lineage="s1", session_id="s1", next_try_ms=1)
    return record.local_id


def sender_of(desk: Desk, sent: list[str]) -> Sender:
    async def send_message(session_id: str, text: str, *_: Any, **__: Any) -> None:
        sent.append(text)

    return Sender(desk, cast(HubApi, SimpleNamespace(send_message=send_message)), Marks(desk))


async def test_a_message_cancelled_after_it_was_looked_up_is_not_sent(desk: Desk) -> None:
    """Its author was told that it is cancelled."""
    sent: list[str] = []
    sender, local_id = sender_of(desk, sent), await kept(desk, "delete it all")
    (pieces,), _ = await sender._due()
    async with desk.store.begin() as tx:
        await says.set_state(tx, [local_id], "cancelled", 1, next_try_ms=None)
    await sender._send(pieces)
    assert sent == []
    async with desk.store.read() as tx:
        assert cast(Any, await says.get(tx, local_id)).state == "cancelled"


async def test_a_message_changed_after_it_was_looked_up_goes_as_it_reads_now(desk: Desk) -> None:
    sent: list[str] = []
    sender, local_id = sender_of(desk, sent), await kept(desk, "delete it all")
    (pieces,), _ = await sender._due()
    async with desk.store.begin() as tx:
        await says.set_state(tx, [local_id], "kept", 1, text="delete nothing")
    await sender._send(pieces)
    assert sent == ["delete nothing"]

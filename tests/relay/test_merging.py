"""Which messages go to the agent as one: quick ones of one person in one place, and no others."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.relay.people.words.albums import joined
from bridge.relay.people.words.merging import LONGEST_WAIT_MS, group, leaves_at_ms
from bridge.store import conversations, says
from bridge.store.engine import Store
from bridge.store.records import SayRecord

PAUSE = 1_000


def say(at: int, **fields: object) -> SayRecord:
    plain = SayRecord(
        local_id=f"telegram-bot-{at}",
        lineage="s1",
        session_id="s1",
        conversation_id=1,
        message=str(at),
        person_id="7",
        person_name="Ada",
        text=f"said at {at}",
        state="kept",
        next_try_ms=at + PAUSE,
        created_ms=at,
        updated_ms=at,
        data={"sent_from": "telegram-bot"},
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def ids(pieces: list[SayRecord]) -> list[str]:
    return [piece.message for piece in pieces]


def test_what_comes_quickly_after_one_another_is_one_message() -> None:
    assert ids(group([say(0), say(900), say(1_800), say(3_000)], PAUSE)) == ["0", "900", "1800"]


def test_what_two_people_write_is_never_put_together() -> None:
    assert ids(group([say(0), say(10, person_id="8"), say(20)], PAUSE)) == ["0"]


def test_neither_is_what_was_written_in_two_places() -> None:
    assert ids(group([say(0), say(10, conversation_id=2)], PAUSE)) == ["0"]


def test_a_planned_message_a_reason_and_one_that_was_tried_stay_alone() -> None:
    for other in (
        say(10, data={"sent_from": "telegram-bot", "scheduled_ms": 99}),
        say(10, data={"sent_from": "telegram-bot", "follows": "request"}),
        say(10, attempts=1),
    ):
        assert ids(group([say(0), other], PAUSE)) == ["0"]
        assert ids(group([other, say(20)], PAUSE)) == ["10"]


def test_texts_that_were_written_long_apart_but_arrived_together_stay_apart() -> None:
    def written(at: int, ms: int) -> SayRecord:
        return say(at, data={"sent_from": "telegram-bot", "written_ms": ms})

    assert ids(group([written(0, 100_000), written(1, 160_000)], PAUSE)) == ["0"]
    assert ids(group([written(0, 100_000), written(1, 101_000)], PAUSE)) == ["0", "1"]


def test_no_pause_means_no_merging() -> None:
    assert ids(group([say(0), say(0, message="second")], 0)) == ["0"]


def test_a_group_leaves_when_its_pause_is_over_but_does_not_wait_for_ever() -> None:
    assert leaves_at_ms([say(0), say(700)]) == 1_700
    pieces = [say(at) for at in range(0, 20_000, 900)]
    assert leaves_at_ms(group(pieces, PAUSE)) == LONGEST_WAIT_MS


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    async with store.begin() as tx:
        await conversations.ensure_chat(tx, "telegram", "1", 1)
    yield store
    await store.close()


def of_album(at: int, **fields: object) -> SayRecord:
    return replace(say(at, **fields), data={"sent_from": "telegram-bot", "album": "7"})


async def test_an_album_joins_its_first_message_and_no_other_persons(store: Store) -> None:
    first, hers = of_album(0), of_album(10, person_id="8")
    async with store.begin() as tx:
        assert await joined(tx, first, 0, 0) is None
        await says.add(tx, first)
        assert await joined(tx, hers, 10, 0) is None
        await says.add(tx, hers)
        assert (await joined(tx, of_album(20), 20, 0) or hers).local_id == first.local_id
        assert [piece.message for piece in await says.joined_to(tx, first)] == ["20"]
        assert await joined(tx, of_album(20), 30, 0) is not None, "told again"
        assert [piece.message for piece in await says.joined_to(tx, first)] == ["20"]


async def test_what_comes_after_its_album_left_is_a_message_of_its_own(store: Store) -> None:
    first = of_album(0)
    async with store.begin() as tx:
        await says.add(tx, first)
        await says.set_state(tx, [first.local_id], "sending", 1)
        assert await joined(tx, of_album(10), 10, 0) is None


async def test_an_album_that_goes_with_a_quick_text_takes_its_messages_along(store: Store) -> None:
    text, first = say(0), of_album(10)
    async with store.begin() as tx:
        for one in (text, first):
            await says.add(tx, one)
        await joined(tx, of_album(20), 20, 0)
        await says.join(tx, text, [first], 30)
        assert [piece.message for piece in await says.joined_to(tx, text)] == ["10", "20"]

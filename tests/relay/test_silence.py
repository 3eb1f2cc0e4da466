"""What the first batch after a silence brings may be as old as the silence; across restarts, by the clock given."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from bridge.chat.capabilities import Capability
from bridge.chat.intents import Person, Press, Say, Where
from bridge.chat.surface import Surface
from bridge.delivery.courier import Courier
from bridge.relay.desk import Desk, Home, Link
from bridge.relay.people.door.silence import FULL_BATCH, Silence
from bridge.relay.people.received import Received
from bridge.relay.people.words.stale import is_old, press_since
from bridge.store.engine import Store

MINUTE = 60_000


def link(*, polls: bool = True) -> Link:
    capabilities = frozenset({Capability.POLLS} if polls else ())
    surface = SimpleNamespace(name="telegram", capabilities=capabilities)
    return Link(cast(Surface, surface), cast(Courier, SimpleNamespace()), Home("1", "1"))


def polled(heard_ms: int = 0, *, polls: bool = True) -> Silence:
    return Silence("telegram/heard", polls, heard_ms)


def test_only_the_first_batch_after_two_minutes_is_late() -> None:
    silence = polled()
    assert silence.heard(3, 2 * MINUTE - 1) is None
    assert silence.heard(3, 4 * MINUTE) == 2 * MINUTE - 1, "as old as the last time it was heard"
    assert silence.heard(3, 4 * MINUTE + 100) is None


def test_polls_without_news_are_no_silence_and_end_one() -> None:
    silence = polled()
    for minute in range(1, 10):
        assert silence.heard(0, minute * MINUTE) is None
    assert silence.heard(0, 20 * MINUTE) == 9 * MINUTE
    assert silence.heard(1, 20 * MINUTE + 100) is None, "nothing was waiting: this was pressed now"


def test_a_full_batch_is_not_all_there_was() -> None:
    silence = polled()
    assert silence.heard(FULL_BATCH, 10 * MINUTE) == 0
    assert silence.heard(FULL_BATCH, 10 * MINUTE + 50) == 0
    assert silence.heard(7, 10 * MINUTE + 99) == 0
    assert silence.heard(7, 10 * MINUTE + 150) is None


def test_a_platform_that_tells_times_itself_has_no_silence() -> None:
    assert polled(polls=False).heard(1, 99 * MINUTE) is None


async def test_when_it_was_heard_survives_a_restart(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    desk = Desk(store, [link()], lambda: 0)
    first = await Silence.of(desk, link())
    assert first.heard(1, MINUTE) is None, "before the first start there was nothing to miss"
    assert first.heard(0, 2 * MINUTE) is None
    first.heard(0, 3 * MINUTE)
    assert first.heard(1, 4 * MINUTE) is None
    async with store.begin() as tx:
        await first.keep(tx)
    again = await Silence.of(desk, link())
    assert again.heard(1, 15 * MINUTE) == 4 * MINUTE
    await store.close()


PRESS = Press(Person("1", "Ada"), Where("1"), "9", "token", "q")


@pytest.mark.parametrize(
    ("late_since", "sent_at", "received", "since"),
    [
        (None, 0, 99 * MINUTE, None),
        (90 * MINUTE, 0, 99 * MINUTE, 90 * MINUTE),
        (None, 0, 97 * MINUTE, 97 * MINUTE),
        (None, 95 * MINUTE, 99 * MINUTE, 95 * MINUTE),
        (None, 99 * MINUTE, 99 * MINUTE, None),
    ],
    ids=["fresh", "after a silence", "kept in the inbox over a crash", "late by the platform's time", "in time"],
)
def test_a_press_is_late_by_what_is_known_of_its_time(
    late_since: int | None, sent_at: int, received: int, since: int | None
) -> None:
    press = Press(PRESS.person, PRESS.where, "9", "token", "q", sent_at_ms=sent_at)
    arrived = Received(link(), press, "u1", received, 1, late_since)
    assert press_since(arrived, press, 99 * MINUTE + 1) == since


def test_a_text_is_old_after_a_quarter_of_an_hour() -> None:
    said = Say(PRESS.person, PRESS.where, "m1", "hello", sent_at_ms=10 * MINUTE)
    assert not is_old(said, 25 * MINUTE - 1)
    assert is_old(said, 25 * MINUTE)
    assert not is_old(Say(PRESS.person, PRESS.where, "m1", "hello"), 99 * MINUTE), "no time, no age"

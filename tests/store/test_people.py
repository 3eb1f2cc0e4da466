"""People, their roles, pairing codes and the audit log, on both databases."""

from dataclasses import replace
from typing import Any

from bridge.store import audit, conversations, pairing, people
from bridge.store.engine import Store
from bridge.store.prune import prune
from bridge.store.records import AuditEntry, Pairing

DAY = 86_400_000


async def test_a_role_in_a_conversation_goes_along_when_the_place_is_replaced(store: Store) -> None:
    async with store.begin() as tx:
        old = await conversations.ensure_topic(tx, "telegram", "-100", "7", 1)
        await people.put(tx, "telegram", "2", "Bob", None)
        await people.give_here(tx, "telegram", "2", old.id, "approver")
        new = await conversations.want_topic(tx, "telegram", "-100", "parser", 2)
        await conversations.replace(tx, old.id, new.id)
        assert await people.here(tx, "telegram", "2") == {new.id: "approver"}


async def test_a_role_in_a_topic_never_becomes_one_in_the_whole_chat_but_a_restriction_does(store: Store) -> None:
    async with store.begin() as tx:
        topic = await conversations.ensure_topic(tx, "telegram", "-100", "7", 1)
        chat = await conversations.ensure_chat(tx, "telegram", "-100", 1)
        for id, role, here in (("2", None, "approver"), ("3", "approver", "viewer"), ("4", "viewer", "member")):
            await people.put(tx, "telegram", id, f"P{id}", role)
            await people.give_here(tx, "telegram", id, topic.id, here)
        await conversations.replace(tx, topic.id, chat.id)
        assert [(one.platform_id, one.role) for one in await people.all_in(tx, chat.id)] == [("3", "viewer")]


async def test_everybody_with_a_role_somewhere_is_listed_and_removed_from_everywhere(store: Store) -> None:
    async with store.begin() as tx:
        place = await conversations.ensure_chat(tx, "slack", "C1", 1)
        await people.put(tx, "slack", "U2", "Bob", "member")
        await people.named(tx, "slack", "U3", "Cyd")
        await people.named(tx, "slack", "U4", "Dan")
        await people.named(tx, "slack", "U2", "Bobby")
        await people.give_here(tx, "slack", "U3", place.id, "viewer")
        assert [(one.name, one.role) for one in await people.everybody(tx, "slack")] == [
            ("Bobby", "member"),
            ("Cyd", None),
        ]
        await people.remove(tx, "slack", "U3")
        await people.remove(tx, "slack", "U2")
        assert await people.everybody(tx, "slack") == []
        assert await people.here(tx, "slack", "U3") == {}


async def test_codes_are_found_by_their_first_part_count_their_misses_and_expire(store: Store) -> None:
    code = Pairing("ABCD", "slack", "salt", "digest", "member", None, "note", expires_ms=1000)
    async with store.begin() as tx:
        assert await pairing.add(tx, code)
        assert not await pairing.add(tx, code), "the first part is one code's alone"
        await pairing.missed(tx, "ABCD")
        assert await pairing.get(tx, "ABCD") == replace(code, tries=1)
        await pairing.tried(tx, "slack", "U2", 500)
        await pairing.tried(tx, "slack", "U3", 600)
        assert await pairing.tries(tx, "slack", 0) == 2
        assert await pairing.tries(tx, "slack", 0, "U2") == 1
        assert await pairing.tries(tx, "slack", 601) == 0
        await pairing.prune(tx, 1001)
        assert await pairing.get(tx, "ABCD") is None
        assert await pairing.tries(tx, "slack", 0) == 0


async def test_the_audit_log_is_read_in_pages_and_forgotten_after_its_time_alone(store: Store) -> None:
    entry = AuditEntry(0, "slack", "U2", "Bob", "decide", "claimed", session_id="s1")
    async with store.begin() as tx:
        for day in range(5):
            await audit.add(tx, replace(entry, at_ms=day * DAY, session_id=f"s{day % 2}"))
        newest = await audit.page(tx, before=None, limit=2)
        assert [one.at_ms for one in newest] == [4 * DAY, 3 * DAY]
        assert [one.at_ms for one in await audit.page(tx, before=newest[-1].id, limit=9)] == [2 * DAY, DAY, 0]
        assert len(await audit.page(tx, before=None, limit=9, session_id="s1")) == await audit.count(tx, "s1") == 2
        assert [one.at_ms async for one in audit.since(tx, 3 * DAY)] == [3 * DAY, 4 * DAY]
        await prune(tx, 4 * DAY, audit_kept_ms=2 * DAY)
        assert [one.at_ms async for one in audit.since(tx, 0)] == [2 * DAY, 3 * DAY, 4 * DAY]


async def test_the_same_of_the_same_person_is_counted_for_a_while_and_else_a_line(store: Store) -> None:
    def line(at_ms: int, **fields: Any) -> AuditEntry:
        told = {
            "surface": "telegram",
            "person_id": "66",
            "person_name": "Eve",
            "act": "decide",
            "outcome": "refused: no",
        }
        return AuditEntry(**{"at_ms": at_ms, "request_id": "r1", "choice": "allow", **told, **fields})

    async with store.begin() as tx:
        for entry in (
            line(10),
            line(20, choice="deny"),
            line(30, person_id="67"),
            line(40, request_id="r2"),
            line(50, request_id=None, act="stop"),
            line(60, request_id=None, act="halt"),
            line(70, outcome="refused: otherwise"),
            line(200),
        ):
            await audit.add_or_count(tx, entry, entry.at_ms - 100)
        rows = [(one.at_ms, one.times) for one in await audit.page(tx, before=None, limit=20)]
    assert rows == [(200, 1), (70, 1), (60, 1), (50, 1), (40, 1), (30, 1), (10, 2)]

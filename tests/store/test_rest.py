"""Cursors, follows, conversations, inbox, says, decisions, people."""

import asyncio
from dataclasses import replace

import pytest

from bridge.chat.capabilities import Learnt
from bridge.chat.surface import RawUpdate
from bridge.store import conversations, cursors, decisions, follows, inbox, learnt, people, says
from bridge.store.engine import Store, Tx
from bridge.store.records import Decision, Follow, SayRecord

NASTY = "a\ud800b\x00c"
CLEANED = "a\ufffdb\u2400c"


async def test_a_cursor_is_what_was_put_last(store: Store) -> None:
    async with store.begin() as tx:
        assert await cursors.get(tx, "hub") is None
        await cursors.put(tx, "hub", "1")
        await cursors.put(tx, "hub", NASTY)
        assert await cursors.get(tx, "hub") == CLEANED


async def test_a_session_is_found_by_all_the_ids_its_lineage_had(store: Store) -> None:
    async with store.begin() as tx:
        first = Follow("L", "s1", title=NASTY, since_at=5, data={"flavor": "claude", "x": NASTY})
        await follows.follow(tx, first)
        await follows.update(tx, "L", session_id="s2", anchor_seq=2**40)
        await follows.alias(tx, "s0", "L")
        found = await follows.get(tx, "L")
        assert found is not None
        assert (found.session_id, found.title, found.since_at, found.anchor_seq) == ("s2", CLEANED, 5, 2**40)
        assert found.data == {"flavor": "claude", "x": "a\ufffdb\x00c"}
        for session in ("s0", "s1", "s2"):
            assert await follows.of_session(tx, session) == found
        assert await follows.of_session(tx, "s3") is None
        assert await follows.all_live(tx) == [found]
        await follows.update(tx, "L", state="ended")
        assert await follows.all_live(tx) == []


async def test_a_chat_is_one_conversation_and_topics_are_others(store: Store) -> None:
    async with store.begin() as tx:
        chat = await conversations.ensure_chat(tx, "telegram", "1", 5)
        assert await conversations.ensure_chat(tx, "telegram", "1", 6) == chat
        topics = [await conversations.want_topic(tx, "telegram", "1", name, 7) for name in ("a", "b")]
        assert [(one.kind, one.state, one.thread) for one in topics] == [("topic", "wanted", None)] * 2
        await conversations.opened(tx, topics[1].id, "77")
        assert await conversations.find(tx, "telegram", "1") == chat
        found = await conversations.find(tx, "telegram", "1", "77")
        assert found is not None
        assert (found.id, found.state, found.title) == (topics[1].id, "open", "b")
        assert await conversations.ensure_topic(tx, "telegram", "1", "77", 9) == found
        assert (await conversations.ensure_topic(tx, "telegram", "1", "78", 9)).state == "open"
        assert await conversations.find(tx, "slack", "1") is None


async def test_bindings_say_where_a_lineage_is_shown(store: Store) -> None:
    async with store.begin() as tx:
        here = await conversations.ensure_chat(tx, "telegram", "1", 5)
        there = await conversations.ensure_chat(tx, "slack", "C1", 5)
        for lineage in ("M", "L"):
            await conversations.bind(tx, lineage, here.id)
        await conversations.bind(tx, "L", there.id)
        assert await conversations.bound(tx, "L") == [here, there]
        assert await conversations.bound(tx, "L", "slack") == [there]
        assert await conversations.lineages_in(tx, here.id) == ["L", "M"]
        await conversations.unbind(tx, "L", here.id)
        assert await conversations.bound(tx, "L") == [there]
        await conversations.bind(tx, "L", here.id)
        assert await conversations.lineages_in(tx, here.id) == ["L", "M"]


async def test_a_chat_that_moves_takes_its_conversations_along(store: Store) -> None:
    async with store.begin() as tx:
        chat = await conversations.ensure_chat(tx, "telegram", "1", 5)
        thread = await conversations.ensure_topic(tx, "telegram", "1", "7", 5)
        await conversations.bind(tx, "L", chat.id)
        known = await conversations.ensure_chat(tx, "telegram", "-100", 6)
        await conversations.moved(tx, "telegram", "1", "-100")
        assert await conversations.find(tx, "telegram", "-100", "7") == replace(thread, chat="-100")
        assert [one.id for one in await conversations.bound(tx, "L")] == [known.id]
        assert (await conversations.get(tx, chat.id)) == replace(chat, state="gone")


async def test_a_blocked_chat_pauses_with_its_topics_and_goes_on_where_it_was(store: Store) -> None:
    async with store.begin() as tx:
        chat = await conversations.ensure_chat(tx, "telegram", "1", 5)
        made = await conversations.ensure_topic(tx, "telegram", "1", "7", 5)
        wanted = await conversations.want_topic(tx, "telegram", "1", "x", 5)
        gone = await conversations.ensure_topic(tx, "telegram", "1", "8", 5)
        await conversations.mark(tx, gone.id, "gone")
        await conversations.block(tx, "telegram", "1")
        there = await conversations.in_chat(tx, "telegram", "1")
        assert [one.state for one in there] == ["blocked", "blocked", "blocked", "gone"]
        await conversations.unblock(tx, "telegram", "1")
        there = await conversations.in_chat(tx, "telegram", "1")
        assert there == [chat, made, wanted, replace(gone, state="gone")]


async def test_a_chat_that_was_given_up_is_used_again_when_needed(store: Store) -> None:
    async with store.begin() as tx:
        chat = await conversations.ensure_chat(tx, "telegram", "1", 5)
        await conversations.mark(tx, chat.id, "gone")
        assert await conversations.ensure_chat(tx, "telegram", "1", 6) == chat


async def test_a_topic_somebody_wrote_in_before_we_knew_it_was_made_is_one_conversation(store: Store) -> None:
    async with store.begin() as tx:
        wanted = await conversations.want_topic(tx, "telegram", "1", "x", 5)
        await conversations.bind(tx, "L", wanted.id)
        known = await conversations.ensure_topic(tx, "telegram", "1", "7", 6)
        await conversations.opened(tx, wanted.id, "7")
        assert await conversations.bound(tx, "L") == [known]


async def test_an_update_delivered_twice_is_kept_once_and_in_order(store: Store) -> None:
    """Invariant 1's other half: what is stored before it is confirmed may come again."""
    async with store.begin() as tx:
        assert await inbox.put(tx, "telegram", [RawUpdate("2", {"t": NASTY}), RawUpdate("1", {})], 5) == 2
        assert await inbox.put(tx, "telegram", [RawUpdate("1", {}), RawUpdate("3", {})], 6) == 1
        assert await inbox.put(tx, "slack", [RawUpdate("1", {})], 6) == 1
        rows = await inbox.next(tx, "telegram")
        assert [row.update_id for row in rows] == ["2", "1", "3"]
        assert rows[0].payload == {"t": "a\ufffdb\x00c"}
        await inbox.done(tx, rows[0].id)
        assert await inbox.tried(tx, rows[1].id) == 1
        assert await inbox.tried(tx, rows[1].id) == 2
        await inbox.failed(tx, rows[1].id, "can't be read")
        assert [row.update_id for row in await inbox.next(tx, "telegram")] == ["3"]
        assert await inbox.prune(tx, 6) == 2
        assert await inbox.put(tx, "telegram", [RawUpdate("3", {})], 6) == 0


def say(local_id: str, **fields: object) -> SayRecord:
    values: dict[str, object] = {
        "lineage": "L",
        "session_id": "s",
        "message": "9",
        "person_id": "1",
        "person_name": NASTY,
        "text": NASTY,
        "state": "kept",
        "created_ms": 1,
        "updated_ms": 1,
    }
    return SayRecord(local_id=local_id, **{**values, **fields})  # type: ignore[arg-type]


async def test_a_message_on_its_way_is_added_once_and_followed_through_its_states(store: Store) -> None:
    async with store.begin() as tx:
        here = (await conversations.ensure_chat(tx, "telegram", "1", 5)).id
        assert await says.add(tx, say("a", conversation_id=here, next_try_ms=10))
        assert not await says.add(tx, say("a", conversation_id=here, text="other"))
        assert await says.add(tx, say("b", conversation_id=here, created_ms=2, next_try_ms=20))
        assert await says.add(tx, say("c", conversation_id=here, created_ms=3))
        kept = await says.get(tx, "a")
        assert kept is not None
        assert (kept.text, kept.person_name) == (CLEANED, CLEANED)
        assert [one.local_id for one in await says.due(tx, 15)] == ["a"]
        await says.set_state(tx, ["a", "b"], "queued", 30, attempts=2, data={"x": 1})
        found = await says.by_lineage(tx, "L", ["queued"])
        assert [(one.local_id, one.attempts, one.updated_ms, one.data) for one in found] == [
            ("a", 2, 30, {"x": 1}),
            ("b", 2, 30, {"x": 1}),
        ]
        assert [one.local_id for one in await says.in_state(tx, ["kept", "failed"])] == ["c"]
        assert [one.local_id for one in await says.of_message(tx, here, "9")] == ["a", "b", "c"]
        assert await says.get(tx, "d") is None


async def claim(tx: Tx, person: str = "1", argument_hash: str = "h") -> Decision | None:
    return await decisions.claim(
        tx,
        session_id="s",
        request_id="r",
        argument_hash=argument_hash,
        surface="telegram",
        person_id=person,
        person_name=NASTY,
        choice={"allow": True},
        now_ms=5,
    )


async def test_of_fifty_who_decide_at_once_one_does(url: str) -> None:
    """Invariant 4: a double press acts once, across tasks and across two bridges on one database."""
    stores = [await Store.open(url), await Store.open(url)]

    async def press(number: int) -> Decision | None:
        async with stores[number % 2].begin() as tx:
            return await claim(tx, str(number))

    taken = [one for one in await asyncio.gather(*(press(number) for number in range(50))) if one]
    async with stores[0].read() as tx:
        assert [await decisions.holder(tx, "s", "r", "h")] == taken
    for store in stores:
        await store.close()


async def test_a_claim_is_resumed_settled_or_released(store: Store) -> None:
    async with store.begin() as tx:
        first = await claim(tx)
        assert first is not None
        assert first.person_name == CLEANED
        assert await claim(tx) is None
        other = await claim(tx, argument_hash="h2")
        assert other is not None
        await decisions.sent(tx, first.id)
        assert [one.state for one in await decisions.unfinished(tx)] == ["sent", "claimed"]
        await decisions.release(tx, first.id, "the hub answered 503", 7)
        assert await decisions.holder(tx, "s", "r", "h") is None
        again = await claim(tx, "2")
        assert again is not None
        await decisions.settle(tx, again.id, "allowed", 9)
        held = await decisions.holder(tx, "s", "r", "h")
        assert held is not None
        assert (held.id, held.state, held.outcome, held.settled_ms) == (again.id, "settled", "allowed", 9)
        assert await claim(tx, "3") is None
        assert await decisions.unfinished(tx) == [other]
        released = await decisions.get(tx, first.id)
        assert released is not None
        assert (released.state, released.outcome) == ("released", "the hub answered 503")


@pytest.mark.parametrize("known", [True, False])
async def test_a_stranger_is_refused_once(store: Store, known: bool) -> None:
    async with store.begin() as tx:
        if known:
            await people.put(tx, "telegram", "1", "Eve", None)
        assert await people.refuse_once(tx, "telegram", "1", NASTY, 5)
        assert not await people.refuse_once(tx, "telegram", "1", NASTY, 6)
        assert await people.role(tx, "telegram", "1") is None
        await people.put(tx, "telegram", "1", "Eve", "viewer")
        person = await people.get(tx, "telegram", "1")
        assert person is not None
        assert (person.role, person.refused_ms) == ("viewer", 5)
        assert await people.everybody(tx, "telegram") == [person]
        assert await people.role(tx, "slack", "1") is None


async def test_what_was_learnt_of_a_workspace_is_known_until_it_is_learnt_anew_or_forgotten(store: Store) -> None:
    there, refused = Learnt("a", "present", "", 5), Learnt("b", "refused", NASTY, 2**41)
    async with store.begin() as tx:
        assert await learnt.known(tx, "slack") == []
        for one in (Learnt("a", "refused", "no", 1), there, refused):
            await learnt.learn(tx, "slack", one)
        assert await learnt.known(tx, "slack") == [there, Learnt("b", "refused", CLEANED, 2**41)]
        assert await learnt.known(tx, "telegram") == []
        await learnt.forget_refusals(tx, "slack")
        assert await learnt.known(tx, "slack") == [there]

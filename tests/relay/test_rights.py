"""Who may do what: by role, place and press, from the store and the configuration as they are at that moment."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bridge.cards.model import Act, Button, Card, Text, button_token, plain
from bridge.chat.intents import Command, Intent, Person, Press, Say, Where
from bridge.chat.surface import Surface
from bridge.delivery.courier import Courier
from bridge.relay.desk import Desk, Home, Link
from bridge.relay.keeping import say_record
from bridge.relay.people.roles.everyone import Company
from bridge.relay.people.roles.rights import Rights
from bridge.relay.people.roles.roles import ROLES, Leave, Right, Role, allows
from bridge.store import conversations, follows, people, posts, says
from bridge.store.engine import Store
from bridge.store.records import Follow, Wish

GROUP = Where("-100", None, private=False)
OWNER, BOB, GUEST = Person("1", "Ada"), Person("2", "Bob"), Person("3", "Gil", "guest")


@dataclass
class Office:
    """A store, a surface of one owner, and what its people may do."""

    store: Store
    rights: Rights
    link: Link

    async def give(self, person: Person, role: Role | None) -> None:
        async with self.store.begin() as tx:
            await people.put(tx, "telegram", person.id, person.name, role)

    async def leave(self, intent: Intent) -> Leave:
        return await self.rights.of(self.link, intent)

    async def button(self, act: Act, key: str = "s1/approval/r1") -> str:
        """The token of a button that stands somewhere."""
        card = Card(pieces=(Text(lines=(plain("?"),)),), buttons=((Button(label="!", act=act),),))
        async with self.store.begin() as tx:
            await posts.wish(tx, Wish(key=key, lineage="s1", kind="approval", urgency="approval", card=card), 1)
        return button_token(key, act)


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    home = Home("1", "1", admitted=frozenset({"4"}))
    surface, courier = SimpleNamespace(name="telegram"), SimpleNamespace()
    link = Link(cast(Surface, surface), cast(Courier, courier), home)
    desk = Desk(store, [link], lambda: 1)
    needed: dict[str, Right | None] = {"sessions": "view", "attach": "own", "pair": None}
    yield Office(store, Rights(desk, lambda name: needed.get(name, "talk")), link)
    await store.close()


def say(person: Person, where: Where = GROUP) -> Say:
    return Say(person, where, "m1", "hello")


async def test_each_role_has_its_own_right_and_those_of_the_roles_below() -> None:
    table = {role: [right for right in ("view", "talk", "approve", "own") if allows(role, right)] for role in ROLES}
    assert table == {
        "viewer": ["view"],
        "member": ["view", "talk"],
        "approver": ["view", "talk", "approve"],
        "owner": ["view", "talk", "approve", "own"],
    }
    assert not allows(None, "view")


async def test_what_a_press_needs_is_what_its_card_showed(office: Office) -> None:
    """Invariant 4: the token is looked up; a button nobody thought of is the owner's."""
    await office.give(BOB, "member")

    async def may(do: str, choice: str | None = None, **data: Any) -> bool:
        token = await office.button(Act(do=do, choice=choice, data=data))
        return (await office.leave(Press(BOB, GROUP, "9", token, "q"))).refusal is None

    assert await may("stop")
    assert not await may("decide", "allow")
    assert not await may("pick")
    assert await may("interject", "keep_queued")
    assert not await may("interject", "deny_and_send")
    assert not await may("something_new")
    await office.give(BOB, "approver")
    assert await may("decide", "allow")
    assert not await may("something_new")
    assert not await may("attach_here")


async def test_a_role_taken_away_is_gone_at_once_also_for_cards_that_stand(office: Office) -> None:
    """Invariant 4: the clicker's role now."""
    token = await office.button(Act(do="decide", choice="allow"))
    press = Press(BOB, GROUP, "9", token, "q")
    await office.give(BOB, "approver")
    assert (await office.leave(press)).refusal is None
    await office.give(BOB, None)
    leave = await office.leave(press)
    assert leave.role is None
    assert leave.refusal == "This bot works for its owner and the people they invited."


async def test_commands_need_what_their_entry_says_and_pairing_needs_nothing(office: Office) -> None:
    def command(name: str) -> Command:
        return Command(BOB, GROUP, "m1", name)

    assert (await office.leave(command("sessions"))).refusal is not None
    assert (await office.leave(command("pair"))).refusal is None
    await office.give(BOB, "viewer")
    assert (await office.leave(command("sessions"))).refusal is None
    assert (await office.leave(command("stop"))).refusal is not None
    assert (await office.leave(command("attach"))).refusal == "Only this bot's owner can do that."
    assert (await office.leave(say(BOB))).refusal is not None


async def test_the_owner_is_who_the_configuration_names_and_nobody_by_the_store(office: Office) -> None:
    await office.give(BOB, "owner")
    await office.give(OWNER, "viewer")
    assert (await office.leave(say(BOB))).role is None
    assert (await office.leave(say(OWNER))).role == "owner"


async def test_a_guest_has_a_role_only_if_the_configuration_names_them(office: Office) -> None:
    named, stranger = Person("4", "Nan", "stranger"), Person("5", "Sol", "stranger")
    for person in (GUEST, named, stranger):
        await office.give(person, "approver")
    roles = [(await office.leave(say(person))).role for person in (GUEST, named, stranger)]
    assert roles == [None, "approver", None]


async def test_a_session_shown_nowhere_here_is_not_for_who_has_a_role_in_one_conversation_alone(office: Office) -> None:
    """Its button may stand before others, on a list that the owner asked for; followed or not, it names a session."""
    async with office.store.begin() as tx:
        group = await conversations.ensure_chat(tx, "telegram", "-100", 1)
        await people.named(tx, "telegram", BOB.id, BOB.name)
        await people.give_here(tx, "telegram", BOB.id, group.id, "member")
        await follows.follow(tx, Follow("s1", "s1b", "parser", 0, 0, state="removed"))
        await conversations.bind(tx, "s1", group.id)
    for session, refused in (("s1", False), ("s1b", False), ("s2", True)):
        token = await office.button(Act(do="history", session=session), key=f"conversation/1/{session}")
        assert ((await office.leave(Press(BOB, GROUP, "9", token, "q"))).refusal is not None) is refused, session
    await office.give(BOB, "viewer")
    own = Where(BOB.id, None, private=True)
    assert (await office.leave(Press(BOB, own, "9", token, "q"))).refusal is None, "a role everywhere covers it"
    assert (await office.leave(Press(BOB, GROUP, "9", token, "q"))).refusal, "but it is not read before others"


@pytest.mark.parametrize(("everywhere", "here", "may"), [("member", "viewer", "view"), ("viewer", "approver", "view")])
async def test_from_elsewhere_nobody_may_do_more_to_a_session_than_in_either_place(
    office: Office, everywhere: Role, here: Role, may: Right
) -> None:
    async with office.store.begin() as tx:
        group = await conversations.ensure_chat(tx, "telegram", "-100", 1)
        topic = await conversations.ensure_topic(tx, "telegram", "-100", "5", 1)
        await people.put(tx, "telegram", BOB.id, BOB.name, everywhere)
        await people.give_here(tx, "telegram", BOB.id, group.id, here)
        await conversations.bind(tx, "s1", topic.id)
    leave = await office.leave(Command(BOB, Where(BOB.id, None, private=True), "9", "stop"))
    rights: tuple[Right, ...] = ("view", "talk", "approve")
    assert [right for right in rights if leave.refusal_for(right, "s1") is None] == [may]
    assert [right for right in rights if leave.refusal_for(right, "s2") is None][-1] == (
        "talk" if everywhere == "member" else "view"
    ), "another session is judged by their role everywhere"


async def test_a_correction_is_sent_by_who_wrote_the_message_or_the_owner(office: Office) -> None:
    """Invariant 4: it goes to the agent as its writer's words."""
    await office.give(BOB, "member")
    async with office.store.begin() as tx:
        place = await conversations.ensure_chat(tx, "telegram", "-100", 1)
        said = Say(Person("7", "Cy"), GROUP, "m1", "fix it")
        record = say_record("telegram", place, said, None, 1)
        await says.add(tx, record)
    token = await office.button(Act(do="correct", data={"text": "fix that", "local_id": record.local_id}))
    refusal = (await office.leave(Press(BOB, GROUP, "9", token, "q"))).refusal
    assert refusal == "Only Cy and the owner can say what becomes of this message."
    assert (await office.leave(Press(OWNER, GROUP, "9", token, "q"))).refusal is None


async def test_before_others_only_sessions_shown_there_are_named(office: Office) -> None:
    await office.give(BOB, "viewer")
    async with office.store.begin() as tx:
        place = await conversations.ensure_topic(tx, "telegram", "-100", "7", 1)
        await conversations.bind(tx, "s1", place.id)
    here = await office.leave(say(BOB, Where("-100", "7", private=False)))
    assert here.lineages == frozenset({"s1"})
    assert (await office.leave(say(BOB, Where("-200", None, private=False)))).lineages == frozenset()
    assert (await office.leave(say(BOB, Where("2")))).lineages is None, "alone with us, whoever has a role sees all"
    assert (await office.leave(say(Person("9", "Eve"), Where("9")))).lineages == frozenset()


async def test_a_second_approver_is_another_person_with_the_right(office: Office) -> None:
    approver, member = Leave("approver"), Leave("member")
    second = office.rights.second
    assert second(("telegram", "2"), ("telegram", "3"), approver)
    assert second(("telegram", "1"), ("telegram", "2"), approver)
    assert not second(("telegram", "2"), ("telegram", "3"), member)
    assert not second(("telegram", "2"), ("telegram", "2"), approver)


async def test_the_owner_is_one_person_on_all_surfaces(office: Office) -> None:
    other = Link(cast(Surface, SimpleNamespace(name="slack")), office.link.courier, Home("U1", "U1"))
    office.rights.desk.links_by_name["slack"] = other
    owner = Leave("owner")
    approver = Leave("approver")
    assert not office.rights.second(("telegram", "1"), ("slack", "U1"), owner)
    assert office.rights.second(("telegram", "2"), ("slack", "U1"), owner)
    assert office.rights.second(("slack", "U1"), ("telegram", "2"), approver)
    assert not office.rights.second(("telegram", "2"), ("slack", "U2"), approver), "who may be one person on both"


async def test_who_pressed_before_is_asked_for_again_by_the_role_they_have_now(office: Office) -> None:
    still = office.rights.may_still
    assert await still("telegram", OWNER.id, "s1", "approve")
    assert not await still("telegram", BOB.id, "s1", "approve"), "nobody"
    await office.give(BOB, "approver")
    assert await still("telegram", BOB.id, "s1", "approve")
    assert not await still("slack", OWNER.id, "s1", "approve"), "a platform that is not served any more"
    async with office.store.begin() as tx:
        group = await conversations.ensure_chat(tx, "telegram", "-100", 1)
        await conversations.bind(tx, "s1", group.id)
        await people.give_here(tx, "telegram", BOB.id, group.id, "member")
    assert not await still("telegram", BOB.id, "s1", "approve"), "by their role where it is shown"
    assert await still("telegram", BOB.id, "s2", "approve")
    await office.give(BOB, None)
    assert not await still("telegram", BOB.id, "s2", "approve")


async def test_what_everybody_is_is_the_same_read_at_once_as_asked_one_by_one(office: Office) -> None:
    """What is kept current for many people at once is drawn from memory, and must not show more than they may see."""
    await office.give(BOB, "approver")
    await office.give(GUEST, "approver")
    cy, dan = Person("6", "Cy"), Person("7", "Dan")
    async with office.store.begin() as tx:
        group = await conversations.ensure_chat(tx, "telegram", "-100", 1)
        topic = await conversations.ensure_topic(tx, "telegram", "-100", "7", 1)
        other = await conversations.ensure_chat(tx, "telegram", "-200", 1)
        for lineage, place in (("s1", topic), ("s2", group), ("s3", other)):
            await conversations.bind(tx, lineage, place.id)
        for person in (cy, dan):
            await people.named(tx, "telegram", person.id, person.name)
        await people.stands(tx, "telegram", GUEST.id, "guest")
        await people.give_here(tx, "telegram", cy.id, group.id, "viewer")
        await people.give_here(tx, "telegram", BOB.id, topic.id, "none")
        await people.give_here(tx, "telegram", BOB.id, other.id, "member")
    everyone = await Company(office.rights.desk).now()
    lineages = ("s1", "s2", "s3", "s4")
    told = {
        person.name: [everyone.role_for(office.link, person, lineage) for lineage in lineages]
        for person in (OWNER, BOB, GUEST, cy, dan)
    }
    assert told == {
        "Ada": ["owner"] * 4,
        "Bob": [None, "approver", "member", "approver"],
        "Gil": [None] * 4,
        "Cy": ["viewer", "viewer", None, None],
        "Dan": [None] * 4,
    }
    assert [person.name for person in everyone.on(office.link)] == ["Bob", "Cy"]
    for person in (OWNER, BOB, GUEST, cy, dan):
        for session, role in zip(lineages, told[person.name], strict=True):
            token = await office.button(Act(do="history", session=session), key=f"conversation/1/{session}")
            press = Press(person, Where("-900"), "", token, "q")  # as on their page: it counts with the session's role
            assert (await office.leave(press)).role == role, (person.name, session)


async def test_what_is_shown_where_somebody_may_do_nothing_is_not_named_to_them_in_private_either(
    office: Office,
) -> None:
    await office.give(BOB, "approver")
    async with office.store.begin() as tx:
        group = await conversations.ensure_chat(tx, "telegram", "-100", 1)
        topic = await conversations.ensure_topic(tx, "telegram", "-100", "7", 1)
        other = await conversations.ensure_topic(tx, "telegram", "-100", "8", 1)
        for lineage, place in (("s1", topic), ("s2", other)):
            await conversations.bind(tx, lineage, place.id)
        await people.give_here(tx, "telegram", BOB.id, group.id, "none")
        await people.give_here(tx, "telegram", BOB.id, other.id, "viewer")
    leave = await office.leave(say(BOB, Where("2")))
    assert [lineage for lineage in ("s1", "s2", "s3") if leave.sees(lineage)] == ["s2", "s3"]
    owners = await office.leave(say(OWNER, Where("1")))
    assert all(owners.sees(lineage) for lineage in ("s1", "s2", "s3"))

"""Pages and home posts, kept current for many people at once: what a change costs, and who sees what after it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from bridge.cards.model import Card
from bridge.chat.intents import Person
from bridge.chat.surface import Surface
from bridge.delivery.courier import Courier
from bridge.hub.wire import Position
from bridge.observe.health import Health
from bridge.relay.desk import Desk, Home, Link
from bridge.relay.follow.sessions import SessionView
from bridge.relay.home import HomePosts
from bridge.relay.people.places.pages import Pages
from bridge.relay.people.roles.everyone import Company
from bridge.store import conversations, people
from bridge.store.engine import Store
from bridge.store.whole import WholeConnection

SESSIONS = 40
BOB, VIC = Person("U2", "Bob"), Person("U3", "Vic")


@dataclass
class Paper:
    """A surface that keeps the pages it is given."""

    name: str = "slack"
    capabilities: frozenset[str] = frozenset()
    published: list[tuple[str, str]] = field(default_factory=list)
    """Person, and all that their page says."""

    async def publish(self, person: str, cards: Sequence[tuple[str, Card]]) -> None:
        self.published.append((person, " ".join(card.model_dump_json() for _, card in cards)))


class Wires:
    """A courier that delivers nothing."""

    def nudge(self) -> None:
        return None


@dataclass
class Office:
    """Many sessions in a channel, and the pages of two teammates."""

    store: Store
    desk: Desk
    paper: Paper
    pages: Pages
    statements: list[str]

    async def cost(self) -> tuple[int, int, list[str]]:
        """What a look costs: transactions, statements, and whose pages were drawn."""
        before, said, drawn = self.store.transactions, len(self.statements), len(self.paper.published)
        await self.pages.look()
        return (
            self.store.transactions - before,
            len(self.statements) - said,
            [person for person, _ in self.paper.published[drawn:]],
        )

    async def hear(self, number: int, **changes: Any) -> None:
        """The hub tells of a session."""
        session_changed = {**record(number), **changes}
        self.desk.followers[f"s{number}"].session_changed(SessionView(session_changed), 2)
        await self.desk.commit()


def record(number: int) -> dict[str, Any]:
    metadata = {"path": f"/home/ada/p{number}", "host": "laptop", "flavor": "claude", "name": f"project {number}"}
    return {"id": f"s{number}", "active": True, "thinking": False, "agentState": {}, "metadata": metadata}


@pytest.fixture
async def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Office]:
    statements: list[str] = []
    execute = WholeConnection.execute

    async def counted(self: WholeConnection, *arguments: Any, **options: Any) -> Any:
        statements.append(str(arguments[0]))
        return await execute(self, *arguments, **options)

    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    paper = Paper()
    link = Link(cast(Surface, paper), cast(Courier, Wires()), Home("U1", "U1"))
    desk = Desk(store, [link], lambda: 1)
    async with store.begin() as tx:
        channel = await conversations.ensure_chat(tx, "slack", "C1", 1)
        for person, role in ((BOB, "approver"), (VIC, "viewer")):
            await people.put(tx, "slack", person.id, person.name, role)
        for number in range(SESSIONS):
            await conversations.bind(tx, f"s{number}", channel.id)
    for number in range(SESSIONS):
        session = desk.sessions.replace(record(number))
        assert session is not None
        await desk.start_following(session, Position(0, 0))
    await desk.commit()
    pages = Pages(desk, Health("hub"), Company(desk))
    for person in (BOB, VIC):
        await pages.opened(link, person)
    monkeypatch.setattr(WholeConnection, "execute", counted)
    yield Office(store, desk, paper, pages, statements)
    await store.close()


async def test_however_many_sessions_and_people_there_are_a_look_asks_the_store_a_few_times_and_then_not_at_all(
    office: Office,
) -> None:
    assert await office.cost() == (1, 4, [BOB.id, VIC.id])
    assert "project 39" in office.paper.published[-1][1]
    assert await office.cost() == (0, 0, []), "nothing has changed"


async def test_what_the_hub_tells_is_drawn_without_asking_the_store(office: Office) -> None:
    await office.pages.look()
    await office.hear(7, thinking=True)
    assert await office.cost() == (0, 0, [BOB.id, VIC.id])
    asked = {"requests": {"r1": {"tool": "Bash", "arguments": {"command": "make build"}}}}
    await office.hear(7, thinking=True, agentState=asked)
    assert await office.cost() == (0, 0, [BOB.id, VIC.id])
    (_, bobs), (_, vics) = office.paper.published[-2:]
    assert "make build" in bobs
    assert "make build" in vics
    assert '"label":"Allow"' in bobs
    assert '"label":"Allow"' not in vics


async def test_a_role_that_changed_is_read_once_and_drawn_for_who_it_concerns(office: Office) -> None:
    """Invariant 4."""
    await office.pages.look()
    async with office.store.begin() as tx:
        await people.remove(tx, "slack", BOB.id)
    assert await office.cost() == (1, 4, [BOB.id])
    assert "project" not in office.paper.published[-1][1]
    async with office.store.begin() as tx:
        channel = await conversations.ensure_chat(tx, "slack", "C1", 1)
        await people.give_here(tx, "slack", VIC.id, channel.id, "none")
    assert await office.cost() == (1, 4, [VIC.id])
    assert "project" not in office.paper.published[-1][1]


async def test_what_is_written_to_other_tables_costs_nothing(office: Office) -> None:
    await office.pages.look()
    office.desk.followers["s3"].touched = True
    before = office.store.transactions
    await office.desk.commit()
    assert office.store.transactions > before, "something was written"
    assert await office.cost() == (0, 0, [])


async def test_a_look_at_the_home_posts_costs_nothing_while_nothing_changes_and_little_for_a_change(
    office: Office,
) -> None:
    async with office.store.begin() as tx:
        for person in (BOB, VIC):
            await conversations.ensure_chat(tx, "slack", person.id, 1)
    homes = HomePosts(office.desk, Company(office.desk))
    await homes.look()
    await homes.look()  # after the owner's own chat and the first posts were stored
    before, said = office.store.transactions, len(office.statements)
    await homes.look()
    assert office.store.transactions == before
    await office.hear(7, thinking=True)
    before, said = office.store.transactions, len(office.statements)
    await homes.look()
    assert office.store.transactions - before == 2, "one to read, one to write"
    per_post = 20
    assert len(office.statements) - said < 3 * per_post, "not by the number of sessions"

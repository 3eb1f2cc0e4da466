"""The home post goes on, whatever begins and ends while it is drawn."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from bridge.chat.surface import Place, Surface
from bridge.delivery.courier import Courier
from bridge.hub.wire import Position
from bridge.relay.desk import Desk, Home, Link
from bridge.relay.home import HomePosts
from bridge.relay.people.roles.everyone import Company
from bridge.store import conversations, posts
from bridge.store.engine import Store


@dataclass
class Board:
    """A surface with addresses; somebody starts a session whenever it is asked for one."""

    desk: Desk | None = None
    name: str = "slack"
    capabilities: frozenset[str] = frozenset()
    asked: int = 0

    def address(self, place: Place, message: str | None) -> str | None:
        assert self.desk is not None
        self.asked += 1
        self.desk.followers[f"new{self.asked}"] = next(iter(self.desk.followers.values()))
        return "https://slack.example/"


@dataclass
class Wires:
    """A courier that only hears that there is something to deliver."""

    nudged: asyncio.Event = field(default_factory=asyncio.Event)

    def nudge(self) -> None:
        self.nudged.set()


def record(number: int) -> dict[str, Any]:
    metadata = {"path": f"/home/ada/p{number}", "host": "laptop", "flavor": "claude", "name": f"project {number}"}
    asked = {"requests": {"r1": {"tool": "Bash", "arguments": {"command": "make"}}}}
    return {"id": f"s{number}", "active": True, "thinking": True, "agentState": asked, "metadata": metadata}


async def test_a_session_that_begins_while_the_home_post_is_drawn_does_not_end_the_bridge(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    board, wires = Board(), Wires()
    desk = board.desk = Desk(store, [Link(cast(Surface, board), cast(Courier, wires), Home("U1", "D1"))], lambda: 1)
    async with store.begin() as tx:
        channel = await conversations.ensure_chat(tx, "slack", "C1", 1)
        for number in range(2):
            await conversations.bind(tx, f"s{number}", channel.id)
    for number in range(2):
        session = desk.sessions.replace(record(number))
        assert session is not None
        await desk.start_following(session, Position(0, 0))
    await desk.commit()
    wires.nudged.clear()
    desk.heard.set()
    keeping = asyncio.create_task(HomePosts(desk, Company(desk)).run())
    nudged = asyncio.create_task(wires.nudged.wait())
    await asyncio.wait([keeping, nudged], return_when=asyncio.FIRST_COMPLETED, timeout=10)
    if keeping.done():
        keeping.result()
    keeping.cancel()
    assert board.asked == 2
    async with store.read() as tx:
        home = await posts.get(tx, "conversation/2/home")
    assert home is not None
    assert home.card is not None
    assert "project 1" in home.card.model_dump_json()
    await store.close()

"""Random wishes, faults and crashes: whatever the order of events, the promises hold at the end."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import pytest

from bridge.chat.capabilities import Capability
from bridge.chat.errors import RetryAfter, Unreachable
from bridge.chat.surface import Part, Place
from bridge.store import conversations, posts
from bridge.store.records import Conversation, Urgency
from tests.rig.stored_posts import unsettled

if TYPE_CHECKING:
    from tests.delivery.conftest import World


@dataclass
class Wished:
    lineage: str
    name: str
    urgency: Urgency
    ring: bool
    text: str
    final: bool = False
    withdrawn: bool = False

    @property
    def key(self) -> str:
        return f"{self.lineage}/{self.name}"


@dataclass
class Chaos:
    """Faults at random, and a record of what may have been doubled by them."""

    world: World
    dice: random.Random
    kills_places: bool
    healed: bool = False
    in_doubt: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    closed_until: dict[str, float] = field(default_factory=dict)
    too_early: int = 0
    """Calls to a chat that had asked to wait."""

    def fault(self, what: str, place: Place | None, part: Part | None) -> Any:
        now = self.world.time.now
        if place is not None:
            self.too_early += now < self.closed_until.get(place.chat, 0)
        if self.healed:
            return None
        roll = self.dice.random()
        where = (place.chat, place.thread) if place else None
        if roll < 0.04 and place is not None:
            seconds = self.dice.choice([1, 5, 40])
            self.closed_until[place.chat] = now + seconds
            return RetryAfter(seconds)
        if roll < 0.07:
            return Unreachable("no route")
        if roll < 0.12 and what != "open":
            if what == "send" and where is not None:
                self.in_doubt[where] += 1
            return self.dice.choice(["lost", "unheard"])
        if roll < 0.13 and self.kills_places and place is not None and place.thread is not None:
            self.world.surface.dead_threads.add(place.thread)
        return None

    def crashed(self) -> None:
        """Whatever was under way is in doubt, and the next bridge does not know what the last was asked to wait for."""
        for call in self.world.surface.calls:
            self.in_doubt[call.chat, call.thread] += 0
        for where in self.in_doubt:
            self.in_doubt[where] += 1
        self.closed_until.clear()


class Relay:
    """Wishes at random for two sessions that share a chat and one that has a topic."""

    def __init__(self, world: World, dice: random.Random) -> None:
        self.world = world
        self.dice = dice
        self.wished: list[Wished] = []

    async def act(self) -> None:
        open_ones = [one for one in self.wished if not one.withdrawn]
        if not open_ones or self.dice.random() < 0.45:
            urgency = self.dice.choice(get_args(Urgency))
            ring = urgency in ("approval", "answer") and self.dice.random() < 0.7
            new = Wished(self.dice.choice("LMT"), f"p{len(self.wished)}", urgency, ring, "")
            self.wished.append(new)
            await self.change(new, final=self.dice.random() < 0.5)
            return
        one = self.dice.choice(open_ones[-6:])
        if one.urgency == "preview" and not one.final and self.dice.random() < 0.2:
            one.withdrawn = True
            async with self.world.store.begin() as tx:
                await posts.withdraw(tx, one.key)
            return
        await self.change(one, final=one.final or self.dice.random() < 0.4)

    async def change(self, one: Wished, *, final: bool) -> None:
        version = f"{one.name}.{self.dice.randrange(1000)} "
        one.text = (version * 12)[: self.dice.choice([8, 8, 8, 25, 50])]
        one.final = final
        await self.world.wish(
            one.name, one.text, lineage=one.lineage, urgency=one.urgency, final=final, ring=one.ring, acts=("x",)
        )


async def live(world: World, chaos: Chaos, relay: Relay, steps: int, *, crashes: bool) -> None:
    """Some steps of wishing and waiting, with couriers that die in between, at whatever they are doing."""
    left = steps
    while left:
        async with world.running():
            life = chaos.dice.randrange(1, 8) if crashes else left
            for _ in range(min(life, left)):
                left -= 1
                await relay.act()
                if crashes and chaos.dice.random() < 0.7:
                    for _ in range(chaos.dice.randrange(30)):
                        await asyncio.sleep(chaos.dice.choice([0, 0, 0.0003]))
                else:
                    await world.pass_time(chaos.dice.choice([0.1, 1, 5]))
        chaos.crashed()


async def shown(world: World, conversation: Conversation, one: Wished) -> list[str] | None:
    """The ids of the messages that show a post in a conversation; ``None`` if it is not delivered there."""
    async with world.store.read() as tx:
        mine = [it for it in await posts.deliveries_of(tx, one.key) if it.conversation_id == conversation.id]
        records = [it for it in await posts.parts_of(tx, one.key, conversation.id) if it.index >= 0]
    if not mine:
        return None
    # One that was withdrawn while it was being sent stays as it was: nobody asks what became of it.
    assert one.withdrawn or all(record.state == "sent" and record.message for record in records), records
    return [record.message for record in records if record.message]


async def came_back(world: World, one: Wished) -> bool:
    """Whether a post stood in a place that is gone: it is posted anew when it changes, maybe after later ones."""
    async with world.store.read() as tx:
        return len(await posts.deliveries_of(tx, one.key)) > 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mode", ["ask", "guess", "places"])
async def test_whatever_happens_all_arrives_in_order_and_hardly_anything_twice(
    world: World, mode: str, seed: int
) -> None:
    """Invariants 2, 3 and 9, and: the newest card wins, nothing rings twice, a wait that was asked for is kept.

    ``ask``: the platform can be asked, so nothing comes twice. ``guess``: it can't; one message per unknown outcome
    or crash may. ``places``: topics vanish too.
    """
    dice = random.Random(f"{mode}{seed}")
    await world.chat("1", "L", "M")
    await world.topic("2", "T")
    chaos, relay = Chaos(world, dice, kills_places=mode == "places"), Relay(world, dice)
    world.surface.fault = chaos.fault
    world.surface.capabilities = frozenset({Capability.FIND} if mode == "ask" else ())
    await live(world, chaos, relay, 30, crashes=seed % 3 != 0)
    assert chaos.too_early == 0
    chaos.healed = True
    for one in relay.wished:
        if not one.withdrawn and not one.final:
            await relay.change(one, final=True)
    await world.deliver()

    async with world.store.read() as tx:
        assert await unsettled(tx) == []
        places = [await conversations.bound(tx, lineage) for lineage in "LMT"]
    sent_at = {message.id: number for number, message in enumerate(world.surface.messages)}
    official: set[str] = set()
    for lineage, (place,) in zip("LMT", places, strict=True):
        last = -1
        for one in relay.wished:
            if one.lineage != lineage:
                continue
            ids = await shown(world, place, one)
            if ids is None or one.withdrawn:
                official.update(ids or ())
                if ids is None and not one.withdrawn:
                    assert mode == "places", f"{one.key} was never delivered"
                continue
            official.update(ids)
            messages = [world.surface.by_id(id) for id in ids]
            texts = [message for message in messages if message.kind == "text"]
            files = [message for message in messages if message.kind == "file"]
            whole = "".join(message.text for message in texts)
            assert (files[0].text if files else whole) == one.text, f"{one.key} does not show its newest card"
            assert not any(message.deleted for message in messages)
            order = [sent_at[message.id] for message in texts]
            assert order == sorted(order)
            if one.urgency != "approval" and not await came_back(world, one):
                assert order[0] > last, f"{one.key} overtook an earlier post"
                last = order[0]
    withdrawn = {one.key for one in relay.wished if one.withdrawn}
    for place in {place for (place,) in places}:
        where = (place.chat, place.thread)
        seen = [message for message in world.surface.visible(*where) if message.key not in withdrawn]
        surplus = [message for message in seen if message.id not in official]
        if mode == "ask":
            assert surplus == []
        assert len(surplus) <= chaos.in_doubt[where]
    rings = Counter((message.key, message.chat) for message in world.surface.messages if message.ring)
    urgencies = {one.key: one.urgency for one in relay.wished}
    for (key, _), count in rings.items():
        again = sum(chaos.in_doubt.values()) if urgencies[key] == "approval" and mode != "ask" else 0
        assert count <= 1 + again, f"{key} rang {count} times"

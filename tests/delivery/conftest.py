"""A scripted platform and a clock that the test turns: the courier's days pass in milliseconds."""

import asyncio
import random
import shutil
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from bridge.cards.model import Act, Button, Card, Code, File, Markdown, Text, plain
from bridge.chat.capabilities import Capability
from bridge.chat.errors import MessageGone, OutcomeUnknown, PlaceGone, SurfaceError
from bridge.chat.surface import Part, Place, Rates, RawUpdate
from bridge.delivery.clock import Clock
from bridge.delivery.courier import Courier
from bridge.store import conversations, follows, posts, work
from bridge.store.engine import Store
from bridge.store.records import Conversation, Follow, Urgency, Wish
from tests.conftest import MEMORY

LIMIT = 20
"""Characters of one of the scripted platform's messages."""


@dataclass
class Message:
    """A message as people see it."""

    id: str
    chat: str
    thread: str | None
    kind: str
    text: str
    ring: bool
    key: str
    index: int
    reply_to: str | None
    at: float
    buttons: bool = False
    deleted: bool = False
    edits: list[float] = field(default_factory=list)


@dataclass
class Call:
    what: str
    chat: str
    thread: str | None
    text: str
    at: float


Fault = SurfaceError | Literal["lost", "unheard", "hang"]
"""An error instead of the call; ``lost``: done, but the answer never comes; ``unheard``: not done, no answer either."""


class TurnedClock:
    """Time passes only when the courier has nothing to do and the test turns the clock."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.sleeper: asyncio.Event | None = None
        self.deadline = 0.0

    def clock(self) -> Clock:
        return Clock(lambda: round(self.now * 1000), lambda: self.now, self._pause)

    async def _pause(self, event: asyncio.Event, seconds: float) -> None:
        self.sleeper, self.deadline = event, self.now + seconds
        try:
            await event.wait()
        finally:
            self.sleeper = None

    def turn(self) -> None:
        """Go on to when the courier wants to look again."""
        assert self.sleeper is not None
        self.now = max(self.now, self.deadline)
        self.sleeper.set()


class ScriptedSurface:
    """Keeps what it is sent; breaks as scripted."""

    name = "scripted"

    def __init__(self, time: TurnedClock, rates: Rates, *, find: bool = False, topics: bool = True) -> None:
        self.rates = rates
        self.capabilities = frozenset({Capability.FIND} if find else ())
        self.time = time
        self.topics = topics
        self.messages: list[Message] = []
        self.calls: list[Call] = []
        self.script: deque[tuple[str, Fault]] = deque()
        self.fault: Callable[[str, Place | None, Part | None], Fault | None] = lambda what, place, part: None
        self.dead_threads: set[str] = set()
        self.on_call: Callable[[str], None] = lambda what: None
        self.called = asyncio.Event()
        self._ids = 0

    # What people see

    def visible(self, chat: str = "1", thread: str | None = None) -> list[Message]:
        return [one for one in self.messages if (one.chat, one.thread) == (chat, thread) and not one.deleted]

    def texts(self, chat: str = "1", thread: str | None = None) -> list[str]:
        return [one.text for one in self.visible(chat, thread)]

    def by_id(self, id: str) -> Message:
        return next(one for one in self.messages if one.id == id)

    # Drawing

    def render(self, key: str, card: Card, place: Place) -> list[Part]:
        lines = ["".join(span.text for span in place.header)] if place.header else []
        files = [Part("file", {"name": one.name, "text": one.text}, one) for one in card.files]
        for piece in card.pieces:
            match piece:
                case Text():
                    body = "\n".join("".join(span.text for span in line) for line in piece.lines)
                case Markdown() | Code():
                    body = piece.source
                case _:
                    raise NotImplementedError
            if card.one_message and len(body) > LIMIT:
                assert piece.spill is not None
                files.append(Part("file", {"name": piece.spill, "text": body}, File(name=piece.spill, text=body)))
                body = body[: LIMIT - 1] + "…"
            lines.append(body)
        whole = "\n".join(lines)
        chunks = [whole] if card.one_message else [whole[at : at + LIMIT] for at in range(0, len(whole), LIMIT)] or [""]
        texts = [Part("text", {"text": chunk, "buttons": []}) for chunk in chunks]
        texts[-1] = replace(texts[-1], payload={"text": chunks[-1], "buttons": [one.do for one in card.acts()]})
        return [*files, *texts] if card.files_first else [*texts, *files]

    def duller(self, part: Part) -> Part | None:
        if part.payload.get("dull"):
            return None
        return replace(part, payload={**part.payload, "dull": True})

    # Calls

    async def _called(self, what: str, place: Place | None, part: Part | None, text: str) -> Fault | None:
        chat, thread = (place.chat, place.thread) if place else ("", None)
        self.calls.append(Call(what, chat, thread, text, self.time.now))
        self.called.set()
        self.on_call(what)
        fault = None
        if self.script and self.script[0][0] in (what, "any"):
            fault = self.script.popleft()[1]
        fault = fault or self.fault(what, place, part)
        if isinstance(fault, SurfaceError):
            raise fault
        if fault == "unheard":
            raise OutcomeUnknown("no answer")
        if place is not None and place.thread in self.dead_threads:
            raise PlaceGone("message thread not found")
        return fault

    async def _after(self, fault: Fault | None) -> None:
        if fault == "hang":
            await asyncio.Event().wait()
        if fault == "lost":
            raise OutcomeUnknown("no answer")

    async def send(
        self, place: Place, part: Part, *, ring: bool, reply_to: str | None = None, key: str, index: int
    ) -> str:
        text = str(part.payload["text"])
        fault = await self._called("send", place, part, text)
        self._ids += 1
        message = Message(
            f"m{self._ids}",
            place.chat,
            place.thread,
            part.kind,
            text,
            ring,
            key,
            index,
            reply_to,
            self.time.now,
            buttons=bool(part.payload.get("buttons")),
        )
        self.messages.append(message)
        await self._after(fault)
        return message.id

    async def edit(self, place: Place, message: str, part: Part) -> None:
        text = str(part.payload["text"])
        fault = await self._called("edit", place, part, text)
        found = self.by_id(message)
        if found.deleted:
            raise MessageGone("message to edit not found")
        found.text = text
        found.buttons = bool(part.payload.get("buttons"))
        found.edits.append(self.time.now)
        await self._after(fault)

    async def delete(self, place: Place, message: str) -> None:
        fault = await self._called("delete", place, None, message)
        self.by_id(message).deleted = True
        await self._after(fault)

    async def find(self, place: Place, key: str, index: int, since_ms: int) -> str | None:
        fault = await self._called("find", place, None, key)
        await self._after(fault)
        found = [
            one.id
            for one in self.messages
            if (one.chat, one.thread, one.key, one.index) == (place.chat, place.thread, key, index)
            and not one.deleted
            and one.at * 1000 >= since_ms
        ]
        return found[-1] if found else None

    async def open_place(self, chat: str, title: str, *, mark: str = "", wanted_ms: int | None = None) -> str | None:
        fault = await self._called("open", None, None, title)
        if not self.topics:
            return None
        self._ids += 1
        await self._after(fault)
        return f"t{self._ids}"

    async def rename_place(self, place: Place, title: str) -> None:
        raise NotImplementedError

    async def typing(self, place: Place) -> None:
        raise NotImplementedError

    async def react(self, place: Place, message: str, mark: Literal["queued", "taken", "failed", "none"]) -> None:
        raise NotImplementedError

    async def acknowledge_press(self, press: str, text: str, *, alert: bool = False) -> None:
        raise NotImplementedError

    async def updates(self) -> AsyncIterator[Sequence[RawUpdate]]:
        raise NotImplementedError
        yield


@dataclass
class Heard:
    """What the courier said."""

    troubles: list[str] = field(default_factory=list)
    recoveries: int = 0
    waits: list[float] = field(default_factory=list)
    figures: list[tuple[Any, ...]] = field(default_factory=list)

    async def on_trouble(self, words: str) -> None:
        self.troubles.append(words)

    async def on_recovered(self) -> None:
        self.recoveries += 1

    async def on_wait(self, place: Place, seconds: float) -> None:
        self.waits.append(seconds)

    def queued(self, surface: str, waiting: dict[Urgency, int]) -> None:
        self.figures.append(("queued", dict(waiting)))

    def delivered(self, surface: str, urgency: Urgency, waited_ms: int) -> None:
        self.figures.append(("delivered", urgency, waited_ms))

    def called(self, surface: str, what: str, outcome: str) -> None:
        self.figures.append(("called", what, outcome))

    def closed(self, surface: str, whole_bot: bool, seconds: float) -> None:
        self.figures.append(("closed", whole_bot, seconds))


class World:
    """A store, a platform, a courier, and a hand on the clock."""

    def __init__(self, store: Store, url: str) -> None:
        self.store = store
        self.url = url
        self.time = TurnedClock()
        self.surface = ScriptedSurface(self.time, Rates(chat_interval_s=1, chat_burst=3, bot_per_s=25))
        self.heard = Heard()
        self.call_timeout_s = 30.0
        self.courier: Courier | None = None
        self.task: asyncio.Task[None] | None = None

    # The relay's side

    async def chat(self, chat: str = "1", *lineages: str, title: str = "") -> int:
        """A chat that lineages share (``L`` if none is named), with a header line if there is a title."""
        async with self.store.begin() as tx:
            made = await conversations.ensure_chat(tx, "scripted", chat, 0)
            for lineage in lineages or ("L",):
                await follows.follow(tx, Follow(lineage, f"s-{lineage}", title=title))
                await conversations.bind(tx, lineage, made.id)
        return made.id

    async def topic(self, chat: str = "1", lineage: str = "L") -> int:
        async with self.store.begin() as tx:
            made = await conversations.want_topic(tx, "scripted", chat, f"topic {lineage}", 0)
            await conversations.bind(tx, lineage, made.id)
        return made.id

    async def wish(self, name: str, text: str = "", **fields: Any) -> bool:
        """Wish for post ``<lineage>/<name>``: one text, final unless said otherwise."""
        lineage = fields.pop("lineage", "L")
        acts = fields.pop("acts", ())
        files = tuple(File(name=one, text=body) for one, body in fields.pop("files", {}).items())
        row = tuple(Button(label=act, act=Act(do=act)) for act in acts)
        pieces = (Text(lines=(plain(text or name),)),)
        card = Card(
            pieces=pieces, buttons=(row,) if row else (), files=files, files_first=fields.pop("files_first", False)
        )
        values = {"kind": "x", "urgency": "answer", "final": True, **fields}
        async with self.store.begin() as tx:
            changed = await posts.wish(tx, Wish(f"{lineage}/{name}", lineage, card=card, **values), self.now_ms)
        if self.courier is not None:
            self.courier.nudge()
        return changed

    @property
    def now_ms(self) -> int:
        return round(self.time.now * 1000)

    # The courier's side

    def new_courier(self) -> Courier:
        return Courier(
            self.store,
            self.surface,
            listener=self.heard,
            figures=self.heard,
            clock=self.time.clock(),
            call_timeout_s=self.call_timeout_s,
            last_words_s=0.0,
            jitter=random.Random(1),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Courier]:
        """A courier at work, cancelled at the end wherever it is: to the store that is a crash."""
        self.courier = self.new_courier()
        self.task = asyncio.create_task(self.courier.run())
        try:
            yield self.courier
        finally:
            self.courier = None
            self.task.cancel()
            with suppress(asyncio.CancelledError):
                await self.task

    async def rest(self, *, for_s: float = 3600) -> None:
        """Let the running courier work, turning the clock, until nothing is left to do."""
        end = self.time.now + for_s
        while True:
            await self.idle()
            async with self.store.read() as tx:
                if not await work.heads(tx, "scripted", 1):
                    return
            await self.idle()
            if self.time.now >= end:
                raise AssertionError(f"still at work after {for_s} s")
            self.time.turn()

    async def pass_time(self, seconds: float) -> None:
        """Let the running courier work for so long."""
        end = self.time.now + seconds
        while True:
            await self.idle()
            if self.time.deadline > end:
                self.time.now = end
                return
            self.time.turn()

    async def idle(self) -> None:
        """Until the courier waits for time to pass, and for nothing else."""
        assert self.courier is not None
        async with asyncio.timeout(20):
            calm = 0
            while calm < 3:
                assert self.task is not None
                if self.task.done():
                    self.task.result()
                sleeper = self.time.sleeper
                resting = sleeper is not None and not sleeper.is_set() and self.courier.in_flight == 0
                calm = calm + 1 if resting else 0
                await asyncio.sleep(0 if resting else 0.0005)

    async def deliver(self, **options: Any) -> None:
        """Run a courier until nothing is left to do."""
        async with self.running():
            await self.rest(**options)

    async def until_called(self) -> None:
        """Until the platform is called, for the first time since ``called`` was cleared."""
        async with asyncio.timeout(10):
            await self.surface.called.wait()

    async def conversation(self, id: int) -> Conversation:
        async with self.store.read() as tx:
            found = await conversations.get(tx, id)
        assert found is not None
        return found


@pytest.fixture
async def world(tmp_path: Path, migrated: Path) -> AsyncIterator[World]:
    with tempfile.TemporaryDirectory(dir=MEMORY or tmp_path) as directory:
        shutil.copy(migrated, directory)
        url = f"sqlite:///{directory}/bridge.sqlite3"
        store = await Store.open(url)
        yield World(store, url)
        await store.close()

"""The relay: everything between the hub and the couriers, as one thing to run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import structlog

from bridge.cards.own.bridge_notes import present_said
from bridge.chat.errors import AnotherPoller, SurfaceError
from bridge.chat.intents import Intent
from bridge.chat.surface import RawUpdate
from bridge.hub.events import EventStream
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.observe.health import Health
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.feed import Feed
from bridge.relay.home import HomePosts
from bridge.relay.housekeeping import Housekeeping
from bridge.relay.learning import Keeper
from bridge.relay.manners import Manners
from bridge.relay.notes import note
from bridge.relay.people.commands.about import About
from bridge.relay.people.commands.table import Group
from bridge.relay.people.company.people import People
from bridge.relay.people.door.commands import Commands
from bridge.relay.people.door.dispatch import Dispatch
from bridge.relay.people.door.inbox import Inbox, Lane
from bridge.relay.people.door.presses import Presses
from bridge.relay.people.door.stale_commands import StaleCommands
from bridge.relay.people.places.attaching import Attaching
from bridge.relay.people.places.homing import Homing
from bridge.relay.people.places.pages import Pages
from bridge.relay.people.places.placing import Placing
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.press_turns import TurnPresses
from bridge.relay.people.presses.pressed import Group as Acts
from bridge.relay.people.requests.claims import Claims
from bridge.relay.people.requests.pending import Pending
from bridge.relay.people.requests.press_forms import FormPresses
from bridge.relay.people.requests.press_requests import RequestPresses
from bridge.relay.people.requests.sure import MeantTwice
from bridge.relay.people.requests.who_decides import WhoDecides
from bridge.relay.people.roles.everyone import Company
from bridge.relay.people.roles.rights import Rights
from bridge.relay.people.sessions.groups import session_groups
from bridge.relay.people.sessions.starter import Starter
from bridge.relay.people.sessions.stop_command import Stopping
from bridge.relay.people.words.editing import Editing
from bridge.relay.people.words.lapsing import Lapsing
from bridge.relay.people.words.marks import Marks
from bridge.relay.people.words.own_words import OwnWords
from bridge.relay.people.words.press_own import OwnPresses
from bridge.relay.people.words.press_texts import TextPresses
from bridge.relay.people.words.scenarios import Scenarios
from bridge.relay.people.words.sending import Sender, tell_what_became
from bridge.relay.people.words.stale import Stale
from bridge.relay.people.words.taking_back import TakingBack
from bridge.relay.people.words.texts import Texts
from bridge.relay.people.words.unsaying import Unsaying
from bridge.relay.pictures import Pictures
from bridge.relay.presence import Presence
from bridge.relay.reminding import Reminders
from bridge.relay.watch import HubWatch
from bridge.store import conversations, cursors

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Hub:
    """The hub as the relay needs it."""

    api: HubApi
    stream: EventStream
    check: Callable[[], Awaitable[None]]
    """Asks the hub who it is; raises ``HubTooNew``."""
    url: str
    health: Health


class Part(Protocol):
    """Something that runs until it is cancelled."""

    async def run(self) -> None: ...


class Relay:
    """Runs the tasks of the relay together; they end together."""

    def __init__(
        self,
        desk: Desk,
        hub: Hub,
        readers: dict[str, Callable[[RawUpdate], Intent | None]],
        *,
        version: str,
        manners: Manners,
        ready: Callable[[], None],
    ) -> None:
        self._desk = desk
        self._health = hub.health
        company = Company(desk)
        self._marks = Marks(desk)
        self._sender = sender = Sender(desk, hub.api, self._marks, pause_ms=manners.pause_ms)
        self._claims = Claims(desk, hub.api)
        self._presence = Presence(desk)
        lapsing = Lapsing(desk, manners.undecided_ms)
        self._housekeeping = Housekeeping(desk, lapsing, audit_kept_ms=manners.audit_kept_ms)
        self._keeper = Keeper(desk)
        self._pictures = Pictures(desk, hub.api)
        self._who_decides = WhoDecides(desk, company)
        self._reminders = Reminders(desk, manners.patience)
        self._home = HomePosts(desk, company) if manners.home_post else None
        self._watch = watch = HubWatch(desk, hub.health, check=hub.check, hurry=hub.stream.hurry, ready=ready)
        self._feed = Feed(
            desk,
            hub.api,
            hub.stream,
            check=hub.check,
            says_stored=tell_what_became,
            says_changed=self._marks.want,
            trouble=watch.trouble,
            back=watch.back,
        )
        stale = Stale(desk, sender, self._claims)
        texts = Texts(desk, sender, self._claims, stale, pause_ms=manners.pause_ms)
        taking_back = TakingBack(desk, hub.api)
        unsaying = Unsaying(desk, taking_back, self._marks)
        own_words = OwnWords(desk, sender, unsaying, manners)
        attaching = Attaching(desk)
        rights = Rights(desk, lambda name: commands.right(name))
        self._pages = pages = Pages(desk, hub.health, company)
        askings = Askings(desk)
        scenarios = Scenarios(desk, sender, askings, manners.scenarios)
        requests = RequestPresses(desk, self._claims, MeantTwice(desk, rights))
        people = People(desk, manners)
        self._starter = Starter(desk, hub.api, attaching)
        acts: list[Acts] = [
            people,
            requests,
            FormPresses(desk, requests, self._claims, askings),
            TextPresses(desk, hub.api, requests, self._claims, sender, attaching),
            OwnPresses(desk, hub.api, sender, unsaying, own_words),
            scenarios,
            TurnPresses(desk, hub.api),
            about := About(desk, hub.health, hub.url, version),
            pending := Pending(desk),
            *(sessions := session_groups(desk, hub.api, attaching, askings, self._starter, sender)),
        ]
        groups: list[Group] = [
            *sessions,
            pending,
            Stopping(desk, hub.api),
            Placing(desk, attaching),
            own_words,
            people,
            scenarios,
            about,
        ]
        commands = Commands(desk, texts, stale, groups)
        presses = Presses(desk, pages, askings, stale, [*acts, StaleCommands(desk, commands, stale)])
        self._homing = homing = Homing(desk, attaching)
        dispatch = Dispatch(
            desk, rights, texts, Editing(desk, taking_back, sender), presses, commands, homing, pages, askings
        )
        lanes = [Lane(link, readers[link.surface.name]) for link in desk.links]
        self._inbox = Inbox(desk, lanes, dispatch.handle, self._surface_trouble, dispatch.mishap)

    @property
    def _parts(self) -> tuple[Part, ...]:
        return (
            self._watch,
            self._feed,
            self._inbox,
            self._sender,
            self._claims,
            self._starter,
            self._marks,
            self._presence,
            self._housekeeping,
            self._keeper,
            self._pictures,
            self._reminders,
            self._who_decides,
            self._homing,
            *((self._home,) if self._home is not None else ()),
            self._pages,
        )

    def figures(self) -> dict[str, tuple[str, Callable[[], float]]]:
        """What waits here, by name: words on it, and how to read it (invariant 8)."""
        return {
            "hub_events_waiting": ("Hub events read but not worked through", lambda: self._feed.waiting),
            "files_under_way": ("People's files on their way to agents", lambda: self._sender.files_under_way),
            "marks_waiting": ("Marks on people's messages still to be set", lambda: self._marks.waiting),
            "updates_under_way": ("People's updates being carried out", lambda: self._inbox.under_way),
        }

    async def remember(self) -> None:
        """Remind the surfaces of what they learnt; before anything is sent."""
        await self._keeper.sync()

    async def run(self) -> None:
        """Relay until cancelled. Raises what is final: a refused token, a hub that is too new."""
        await self._desk.restore()
        await self._who_decides.look()
        async with asyncio.TaskGroup() as tasks:
            for part in self._parts:
                tasks.create_task(part.run(), name=type(part).__name__.lower())

    async def _surface_trouble(self, link: Link, error: SurfaceError | None) -> None:
        """A surface can't be heard, or can again; somebody else fetching its updates is said in its chat as well."""
        name = link.surface.name
        news = self._health.tell(name, "ok" if error is None else "failing", str(error or ""))
        if error is None:
            if news:
                log.info("surface.heard", surface=name)
            await self._poller_gone(link)
            return
        if news:
            log.warning("surface.trouble", surface=name, error=str(error))
        if not isinstance(error, AnotherPoller):
            return
        now = self._desk.clock()
        async with self._desk.store.begin() as tx:
            place = await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now)
            if not await cursors.get(tx, f"{name}/poller"):
                what = f"another-poller/{now}"
                await cursors.put(tx, f"{name}/poller", what)
                await note(tx, place, what, present_said(tr(str(error))), now, open_=True)
        self._desk.nudge()

    async def _poller_gone(self, link: Link) -> None:
        """If somebody else fetched this bot's updates, say on that notice that it is over."""
        name, now = link.surface.name, self._desk.clock()
        async with self._desk.store.begin() as tx:
            what = await cursors.get(tx, f"{name}/poller")
            if what:
                place = await conversations.ensure_chat(tx, name, link.home.chat, now)
                await note(tx, place, what, present_said(tr("The bridge fetches this bot's updates again.")), now)
                await cursors.put(tx, f"{name}/poller", "")
        self._desk.nudge()

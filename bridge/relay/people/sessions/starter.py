"""Brings asked-for sessions into being, one for each press of Start.

A start is stored before the hub is asked (:mod:`bridge.store.starts`). If the answer is lost, or the bridge dies before
it comes, the session is looked for among those there are; the hub is not asked a second time unless a person says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import structlog

from bridge.cards.model import Card
from bridge.cards.session.starting import Plan, present_plan, present_started, read_plan
from bridge.cards.words import brief
from bridge.hub.errors import HubError, HubFailed, HubUnreachable, MalformedAnswer, NotFound, OutcomeUnknown
from bridge.hub.rest import HubApi
from bridge.hub.session_settings import MODE, MODEL, settings_of
from bridge.hub.wire import Position
from bridge.language import N_, tr
from bridge.relay.desk import Desk
from bridge.relay.follow.sessions import SessionView
from bridge.relay.people.company.audit import DONE, MOST_DETAIL
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.places.attaching import Attaching
from bridge.relay.people.presses.in_place import draw
from bridge.relay.people.sessions.acting import introduce, show_at
from bridge.relay.people.sessions.carrying_on import up
from bridge.store import audit, conversations, starts
from bridge.store.engine import Tx
from bridge.store.records import AuditEntry, StartRecord

LOOK_S: Final = 2.0
"""Between looks for a session whose start was answered by nobody."""
LOOK_FOR_MS = 45_000
"""How long it is looked for. A computer that is asked to start one does so within seconds, or not at all."""
LATER_S: Final = 5.0
ASKED_BY: Final = "asked_by"
"""In a start's plan: the line of the audit log that somebody asked for it."""

log = structlog.get_logger(__name__)


class Starter:
    """Carries out what :func:`bridge.store.starts.want` stored."""

    def __init__(self, desk: Desk, api: HubApi, attaching: Attaching) -> None:
        self._desk = desk
        self._api = api
        self._attaching = attaching
        self._bell = asyncio.Event()
        self._under_way: set[str] = set()

    def nudge(self) -> None:
        """Somebody pressed Start."""
        self._bell.set()

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._bell.clear()
                async with self._desk.store.read() as tx:
                    rows = await starts.unfinished(tx)
                for row in rows:
                    if row.key not in self._under_way:
                        self._under_way.add(row.key)
                        tasks.create_task(self._carry(row), name=f"start-{row.key}")
                try:
                    async with asyncio.timeout(LATER_S):
                        await self._bell.wait()
                except TimeoutError:
                    continue

    async def _carry(self, start: StartRecord) -> None:
        try:
            if start.state == "wanted":
                start = await self._ask(start)
            if start.session_id is None:
                start = await self._look_for(start)
            if start.session_id is None:
                why = tr(
                    "The answer got lost, and no new session has appeared. Look at /sessions before you try again."
                )
                await self._failed(start, why)
            else:
                await self._show(start, start.session_id)
        except HubUnreachable as error:
            # Only where nothing can have been started, or where it is known what was: then it is shown later.
            if start.session_id is None:
                await self._failed(start, error.spoken())
        except HubError as error:
            log.info("start.refused", error=str(error), detail=error.detail)
            await self._failed(start, hub_words(error))
        finally:
            self._under_way.discard(start.key)

    async def _ask(self, start: StartRecord) -> StartRecord:
        """Ask the hub, once. What is not known afterwards is looked for."""
        plan = read_plan(start.plan)
        before = [each["id"] for each in await self._api.sessions() if _fits(each, plan)]
        start = replace(start, state="sent", plan={**start.plan, "before": before}, asked_ms=self._desk.clock())
        async with self._desk.store.begin() as tx:
            await starts.move(tx, start.key, "sent", plan=start.plan, asked_ms=start.asked_ms)
        try:
            session_id = await self._api.spawn(plan.machine, plan.directory, **_options(plan))
        except (OutcomeUnknown, HubFailed, MalformedAnswer) as error:
            log.warning("start.outcome_unknown", error=str(error))
            return start
        async with self._desk.store.begin() as tx:
            await starts.move(tx, start.key, "sent", session_id=session_id)
        return replace(start, session_id=session_id)

    async def _look_for(self, start: StartRecord) -> StartRecord:
        """With the session that a call of unknown outcome started: the one that was not there before; as it is, if
        there is none. What was found is stored: no other start takes it, and a hub that goes away now hides it not."""
        plan, before = read_plan(start.plan), set(start.plan.get("before", []))
        while True:
            try:
                listed = await self._api.sessions()
            except HubUnreachable:
                listed = []
            fresh = [str(each["id"]) for each in listed if each["id"] not in before and _fits(each, plan)]
            async with self._desk.store.begin() as tx:
                free = set(fresh) - await starts.taken(tx, fresh)
                if len(free) == 1:
                    found = replace(start, session_id=free.pop())
                    await starts.move(tx, start.key, "sent", session_id=found.session_id)
                    return found
            if free or self._desk.clock() - start.asked_ms > LOOK_FOR_MS:
                return start
            await asyncio.sleep(LOOK_S)

    async def _show(self, start: StartRecord, session_id: str) -> None:
        """Follow it from its beginning, and show it where it was asked for."""
        record = await up(self._api, session_id)
        async with self._desk.lock:
            session = self._desk.sessions.replace(record)
            if session is None:
                raise NotFound(N_("The hub does not know this (any more)."))
            follower = self._desk.of_session(session_id) or await self._desk.start_following(session, Position(0, 0))
            follower.session_changed(session, self._desk.clock())

            async def also(tx: Tx) -> None:
                await starts.move(tx, start.key, "done", session_id=session_id)
                await self._log(tx, start, DONE, session_id)
                place = await conversations.get(tx, start.conversation_id)
                if place is None:
                    return
                card = present_started(read_plan(start.plan), session_id, SessionView(record).title)
                await draw(tx, self._desk, start.key, place, card)

            async with self._desk.store.begin() as tx:
                place = await conversations.get(tx, start.conversation_id)
                link = self._desk.links_by_name.get(place.surface) if place is not None else None
                if place is not None and link is not None:
                    await show_at(tx, self._attaching, link, follower, place)
            introduce(follower, "started")
            await self._desk.commit(also)
        log.info("start.done", session=session_id)

    async def _log(self, tx: Tx, start: StartRecord, outcome: str, session_id: str | None) -> None:
        """What came of it, after the line that it was tried."""
        line = start.plan.get(ASKED_BY)
        if isinstance(line, Mapping):
            now, said = self._desk.clock(), brief(outcome, MOST_DETAIL)
            await audit.add(tx, replace(AuditEntry(**line), at_ms=now, outcome=said, session_id=session_id))

    async def _failed(self, start: StartRecord, why: str) -> None:
        plan = read_plan(start.plan)
        card = plan_card(plan, why)
        async with self._desk.store.begin() as tx:
            await starts.move(tx, start.key, "failed")
            await self._log(tx, start, f"refused: {why}", None)
            place = await conversations.get(tx, start.conversation_id)
            if place is not None:
                await draw(tx, self._desk, start.key, place, card)
        self._desk.nudge()


def plan_card(plan: Plan, said: str = "") -> Card:
    """The plan's card, with what its agent has."""
    given = settings_of(plan.agent)
    return present_plan(plan, models=MODEL in given, modes=MODE in given, said=said)


def _fits(listed: Mapping[str, Any], plan: Plan) -> bool:
    """Whether a session of the hub's list is where the plan wants one."""
    metadata = listed.get("metadata")
    if not isinstance(metadata, Mapping) or metadata.get("flavor") != plan.agent:
        return False
    if metadata.get("machineId") not in (None, plan.machine):
        return False
    path = str(metadata.get("path", "")).rstrip("/")
    return path == plan.directory.rstrip("/") if plan.tree is None else path.startswith(plan.directory.rstrip("/"))


def _options(plan: Plan) -> dict[str, Any]:
    options: dict[str, Any] = {"agent": plan.agent}
    if plan.model is not None:
        options["model"] = plan.model
    if plan.mode:
        options["permissionMode"] = plan.mode
    if plan.tree is not None:
        options["sessionType"] = "worktree"
        if plan.tree:
            options["worktreeName"] = plan.tree
    return options

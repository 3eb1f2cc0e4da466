"""Claims: a person's decision on its way to the hub, and what the hub made of it.

A claim goes claimed → sent → settled. It is made in one transaction with the card's "sending…", so two presses can't
both get one (invariant 4); it is taken up again at the start, and released when the hub could not be asked, so that
somebody can decide again. What the card says in the end is what ``agentState`` says, never what we sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from bridge.cards.bridge_notes import present_command_error
from bridge.hub.errors import HubError, HubUnreachable, NotPending, OutcomeUnknown
from bridge.hub.rest import HubApi
from bridge.relay.desk import Desk
from bridge.relay.notes import note
from bridge.relay.requests import Request
from bridge.relay.stopping import stop_session
from bridge.store import conversations, decisions
from bridge.store.engine import Tx
from bridge.store.records import Decision

UNANSWERED_MS = 60_000
"""How long the hub may take to show the outcome of a call it took, before somebody may press again."""
LOOK_S = 1.0
TRIES_S = (1.0, 2.0, 4.0, 8.0)
"""Waits between the tries of a decision while the hub can't be reached; then the buttons come back."""

log = structlog.get_logger(__name__)


class Claims:
    """Carries claimed decisions to the hub."""

    def __init__(self, desk: Desk, api: HubApi, *, unanswered_ms: int = UNANSWERED_MS) -> None:
        self._desk = desk
        self._api = api
        self._unanswered_ms = unanswered_ms
        self._bell = asyncio.Event()
        self._bell.set()
        self._under_way: set[int] = set()

    def nudge(self) -> None:
        """There is a new claim."""
        self._bell.set()

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as calls:
            while True:
                for claim in await self._unfinished():
                    if claim.id in self._under_way:
                        continue
                    if claim.state == "claimed":
                        self._under_way.add(claim.id)
                        calls.create_task(self._carry(claim), name=f"decision-{claim.id}")
                    else:
                        await self._look(claim)
                self._bell.clear()
                try:
                    async with asyncio.timeout(LOOK_S):
                        await self._bell.wait()
                except TimeoutError:
                    continue

    async def _unfinished(self) -> list[Decision]:
        async with self._desk.store.read() as tx:
            return await decisions.unfinished(tx)

    async def _carry(self, claim: Decision) -> None:
        try:
            if self._request(claim) is None:
                await self._settle(claim, "no longer asked")
                return
            await self._insist(lambda: self._decide(claim))
            await self._mark_sent(claim)
        except NotPending:
            await self._look_closely(claim)
        except OutcomeUnknown:
            await self._mark_sent(claim)
        except HubError as error:
            log.warning("decision.not_delivered", request=claim.request_id, error=str(error))
            await self._release(claim, str(error))
        finally:
            self._under_way.discard(claim.id)

    async def _insist(self, call: Callable[[], Awaitable[None]]) -> None:
        for wait_s in TRIES_S:
            try:
                await call()
            except OutcomeUnknown:
                raise
            except HubUnreachable:
                await asyncio.sleep(wait_s)
            else:
                return
        await call()

    async def _decide(self, claim: Decision) -> None:
        choice = claim.choice
        if choice["call"] == "approve":
            await self._api.approve(claim.session_id, claim.request_id, **choice.get("with", {}))
            return
        try:
            await self._api.deny(claim.session_id, claim.request_id, **choice.get("with", {}))
        except NotPending:
            if not choice.get("stop"):
                raise
        if choice.get("stop"):
            await self._stop(claim)

    async def _stop(self, claim: Decision) -> None:
        """The second half of Stop. The denial stands by now, so trouble here releases nothing, but is said."""
        words = await stop_session(self._desk, self._api, claim.session_id, tries_s=TRIES_S)
        if words is None:
            return
        follower = self._desk.of_session(claim.session_id)
        lineage = follower.lineage if follower is not None else claim.session_id
        async with self._desk.store.begin() as tx:
            for place in await conversations.bound(tx, lineage):
                card = present_command_error(f"Denied, but the turn could not be stopped: {words}")
                await note(tx, place, f"not-stopped/{claim.id}", card, self._desk.clock())
        self._desk.nudge()

    async def _look_closely(self, claim: Decision) -> None:
        """The hub says that the request is not pending: what does the session itself say?"""
        record = await self._api.session(claim.session_id)
        async with self._desk.lock:
            session = self._desk.sessions.replace(record)
            follower = self._desk.of_session(claim.session_id)
            if session is not None and follower is not None:
                follower.session_changed(session, self._desk.clock())
                await self._desk.commit()
        if self._request(claim) is not None:
            await self._release(claim, "HAPI says that this is not waiting any more. Press again if it still is.")
        else:
            await self._settle(claim, "not pending")

    async def _look(self, claim: Decision) -> None:
        """A call the hub took: has ``agentState`` said what became of it?"""
        request = self._request(claim)
        if request is None:
            await self._settle(claim, "shown by the hub")
        elif self._desk.clock() - claim.claimed_ms > self._unanswered_ms:
            await self._release(claim, "The agent has not answered. Press again if you still want it.")

    def _request(self, claim: Decision) -> Request | None:
        """The request as long as it waits with exactly the arguments that were decided on."""
        follower = self._desk.of_session(claim.session_id)
        request = follower.requests.get(claim.request_id) if follower is not None else None
        if request is None or not request.open or request.argument_hash != claim.argument_hash:
            return None
        return request

    async def _mark_sent(self, claim: Decision) -> None:
        async with self._desk.store.begin() as tx:
            await decisions.sent(tx, claim.id)

    async def _settle(self, claim: Decision, outcome: str) -> None:
        async with self._desk.store.begin() as tx:
            await decisions.settle(tx, claim.id, outcome, self._desk.clock())

    async def _release(self, claim: Decision, why: str) -> None:
        async def also(tx: Tx) -> None:
            await decisions.release(tx, claim.id, why, self._desk.clock())

        async with self._desk.lock:
            request = self._request(claim)
            follower = self._desk.of_session(claim.session_id)
            if request is not None and follower is not None:
                request.back_to_pending(why)
                follower.redraw(request)
            await self._desk.commit(also)


async def claim(
    desk: Desk, request: Request, *, surface: str, where: str, person_id: str, person_name: str, choice: dict[str, Any]
) -> Decision | None:
    """Claim a request for a person, with the card's "sending…" in the same transaction. Hold the desk's lock.

    ``choice`` is the hub call: ``call`` (approve or deny), ``with`` its arguments, ``choice`` the button. ``None`` if
    somebody else has it already.
    """
    follower = desk.of_session(request.session)
    if follower is None or request.state != "pending":
        return None
    taken: list[Decision] = []

    async def also(tx: Tx) -> None:
        what = (request.session, request.id, request.argument_hash)
        before = await decisions.holder(tx, *what)
        if before is not None and before.state == "settled":
            # The hub asks again what was decided before: that decision does not answer this.
            await decisions.release(tx, before.id, "asked again", desk.clock())
        made = await decisions.claim(
            tx,
            session_id=request.session,
            request_id=request.id,
            argument_hash=request.argument_hash,
            surface=surface,
            person_id=person_id,
            person_name=person_name,
            choice=choice,
            now_ms=desk.clock(),
        )
        if made is None:
            raise AlreadyClaimed
        taken.append(made)

    request.sending(str(choice["choice"]), person_name, where)
    follower.redraw(request)
    try:
        await desk.commit(also)
    except AlreadyClaimed:
        request.back_to_pending("")
        follower.redraw(request)
        await desk.commit()
        return None
    return taken[0]


class AlreadyClaimed(Exception):
    """Somebody else decides this request at this moment."""

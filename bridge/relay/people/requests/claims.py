"""Claims: a person's decision on its way to the hub, and what the hub made of it.

A claim goes claimed → sent → settled. It is made in ``claiming.py``; here it is taken up, also after a start, and
released when the hub could not be asked, so that somebody can decide again. What the card says in the end is what
``agentState`` says, never what we sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from bridge.cards.own.bridge_notes import present_said
from bridge.hub.errors import HubError, HubUnreachable, NotPending, OutcomeUnknown
from bridge.hub.rest import HubApi
from bridge.language import tr
from bridge.relay.attached import whole_shown
from bridge.relay.desk import Desk
from bridge.relay.follow.requests import Request
from bridge.relay.keeping import FOLLOWS, keep_or_send, reason_note
from bridge.relay.notes import note, note_key
from bridge.relay.people.requests.deciding import TRIES_S, decide, tell_half_done
from bridge.relay.people.requests.telling import tell_owner, tell_released
from bridge.store import audit, conversations, decisions, posts, says
from bridge.store.engine import Tx
from bridge.store.records import AuditEntry, Decision

UNANSWERED_MS = 60_000
"""How long the hub may take to show the outcome of a call it took, before somebody may press again; from the call's end
on, and not while the hub can't be reached: then nothing is known."""
RESEND_MS = 15_000
"""How long after the hub was heard first a decision that was on its way when the bridge ended may show its outcome by
itself."""
LOOK_S = 1.0

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
        self._tried_ms: dict[int, int] = {}
        """When the last try of each claim came to its end, of those that were tried since the start."""
        self._resend_ms = RESEND_MS
        self._heard_ms: int | None = None

    def nudge(self) -> None:
        """There is a new claim."""
        self._bell.set()

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as calls:
            while True:
                # As of before the read, too: what comes to its end meanwhile still looks unsent in the rows.
                under_way = self._under_way.copy()
                for claim in await self._unfinished():
                    if claim.id in under_way or claim.id in self._under_way:
                        continue
                    work = self._carry if claim.state == "claimed" else await self._of_sent(claim)
                    if work is not None:
                        self._under_way.add(claim.id)
                        calls.create_task(self._do(work, claim), name=f"decision-{claim.id}")
                self._bell.clear()
                try:
                    async with asyncio.timeout(LOOK_S):
                        await self._bell.wait()
                except TimeoutError:
                    continue

    async def _unfinished(self) -> list[Decision]:
        async with self._desk.store.read() as tx:
            return await decisions.unfinished(tx)

    async def _do(self, work: Work, claim: Decision) -> None:
        try:
            await work(claim)
        finally:
            self._under_way.discard(claim.id)

    async def _carry(self, claim: Decision) -> None:
        try:
            await self._insist(claim)
        except NotPending:
            await self._look_closely(claim)
        except Over:
            await self._settle(claim, "no longer asked")
        except OutcomeUnknown:
            log.info("decision.outcome_unknown", request=claim.request_id)  # it is in state sent: agentState will say
        except HubError as error:
            log.warning("decision.not_delivered", request=claim.request_id, error=str(error))
            if claim.state == "claimed" or not isinstance(error, HubUnreachable):
                await self._release(claim, error.spoken())  # else an earlier process may have brought it there
        else:
            async with self._desk.store.begin() as tx:
                await self._follow_up(tx, claim)
            log.info("decision.delivered", request=claim.request_id, choice=claim.choice["choice"])
        finally:
            self._tried_ms[claim.id] = self._desk.clock()

    async def _insist(self, claim: Decision) -> None:
        for wait_s in TRIES_S:
            try:
                await self._try(claim)
            except OutcomeUnknown:
                raise
            except HubUnreachable:
                await asyncio.sleep(wait_s)
            else:
                return
        await self._try(claim)

    async def _try(self, claim: Decision) -> None:
        """One try: ask what the session says now, then send, stored as sent before it goes out.

        Between the press and now the agent may have asked for something else under the same id (invariant 4). Raises
        :class:`Over` if the request does not wait with the very arguments that were decided on.
        """
        await self._refresh(claim)
        if self._request(claim) is None:
            raise Over
        async with self._desk.store.begin() as tx:
            await decisions.sent(tx, claim.id)
        try:
            await decide(self._desk, self._api, claim)
        except OutcomeUnknown:
            raise
        except HubUnreachable:
            async with self._desk.store.begin() as tx:
                await decisions.unsent(tx, claim.id)
            raise

    async def _refresh(self, claim: Decision) -> None:
        record = await self._api.session(claim.session_id)
        async with self._desk.lock:
            session = self._desk.sessions.replace(record)
            follower = self._desk.of_session(claim.session_id)
            if session is not None and follower is not None and session.id == follower.session.id:
                follower.session_changed(session, self._desk.clock())
                await self._desk.commit()

    async def _look_closely(self, claim: Decision) -> None:
        """The hub says that the request is not pending: what does the session itself say?"""
        try:
            await self._refresh(claim)
        except HubError as error:
            log.info("decision.unclear", request=claim.request_id, error=str(error))
        if self._request(claim) is not None:
            await self._release(claim, tr("HAPI says that this is not waiting any more. Press again if it still is."))
        else:
            await self._settle(claim, "not pending")

    async def _of_sent(self, claim: Decision) -> Work | None:
        """A call the hub may have taken: has ``agentState`` said what became of it? What is to be done, if anything."""
        if not self._desk.heard.is_set():
            return None  # what is known of it is from before the start
        now = self._desk.clock()
        self._heard_ms = self._heard_ms or now
        tried_ms = self._tried_ms.get(claim.id)
        if self._request(claim) is None:
            became = self._became(claim)
            if tried_ms is None and became is not None:
                allowed = became.state in ("approved", "approved_for_session")
                await tell_half_done(self._desk, claim, allowed=allowed)
            await self._settle(claim, "shown by the hub")
        elif tried_ms is None:
            # A call of an earlier process: it may not have left, and its agent may still be at it. Time tells.
            return self._carry if now - self._heard_ms > self._resend_ms else None
        elif now - tried_ms > self._unanswered_ms:
            return self._give_up
        return None

    async def _give_up(self, claim: Decision) -> None:
        """The hub has shown no outcome for long. If it says now that the request waits, somebody may press again."""
        try:
            await self._refresh(claim)
        except HubUnreachable as error:
            log.info("decision.unclear", request=claim.request_id, error=str(error))
            return  # asked again with the next look
        except HubError as error:
            log.info("decision.unclear", request=claim.request_id, error=str(error))
        if self._request(claim) is not None:
            await self._release(claim, tr("The agent has not answered. Press again if you still want it."))

    def _request(self, claim: Decision) -> Request | None:
        """The request as long as it waits with exactly the arguments that were decided on."""
        follower = self._desk.of_session(claim.session_id)
        request = follower.requests.get(claim.request_id) if follower is not None else None
        if request is None or not request.open or request.argument_hash != claim.argument_hash:
            return None
        return request

    async def _settle(self, claim: Decision, outcome: str) -> None:
        async with self._desk.store.begin() as tx:
            await decisions.settle(tx, claim.id, outcome, self._desk.clock())
            became = self._became(claim)
            await audit.add(tx, self._line(claim, became.state if became is not None else outcome))
            state, tool = (became.state, became.tool) if became is not None else (None, "")
            await tell_owner(tx, self._desk, claim, state, tool or tr("a request"))
            await self._follow_up(tx, claim)

    def _became(self, claim: Decision) -> Request | None:
        """The request that was decided as it is now; ``None`` if another one goes by its id, or none."""
        follower = self._desk.of_session(claim.session_id)
        request = follower.requests.get(claim.request_id) if follower is not None else None
        return request if request is not None and request.argument_hash == claim.argument_hash else None

    def _line(self, claim: Decision, outcome: str) -> AuditEntry:
        return AuditEntry(
            at_ms=self._desk.clock(),
            surface=claim.surface,
            person_id=claim.person_id,
            person_name=claim.person_name,
            act="decide",
            outcome=outcome,
            choice=str(claim.choice["choice"]),
            session_id=claim.session_id,
            request_id=claim.request_id,
            argument_hash=claim.argument_hash,
        )

    async def _follow_up(self, tx: Tx, claim: Decision, *, released: str = "") -> None:
        """The text that was to follow the decision goes; ``released``: why the decision did not count, so what is the
        text now?"""
        say = await says.get(tx, str(claim.choice["then"])) if "then" in claim.choice else None
        if say is None or say.state != "kept" or say.next_try_ms is not None:
            return
        now, follower = self._desk.clock(), self._desk.of_session(claim.session_id)
        place = await conversations.get(tx, say.conversation_id)
        if released and follower is not None and place is not None:
            data = {name: value for name, value in say.data.items() if name != FOLLOWS}
            await says.set_state(tx, [say.local_id], "kept", now, data=data)
            await keep_or_send(tx, place, replace(say, data=data), follower, now)
            reason = await posts.get(tx, note_key(place, reason_note(say.local_id)))
            if reason is not None:
                words = tr(
                    "Nothing was denied after all: {why} You wrote: {text}",
                    why=released,
                    text=await whole_shown(tx, say),
                )
                await note(tx, place, reason_note(say.local_id), present_said(words), now, reply_to=reason.reply_to)
        else:
            await says.set_state(tx, [say.local_id], "kept", now, next_try_ms=now)

    async def _release(self, claim: Decision, why: str) -> None:
        async def also(tx: Tx) -> None:
            await decisions.release(tx, claim.id, why, self._desk.clock())
            await audit.add(tx, self._line(claim, f"released: {why}"))
            await tell_released(tx, self._desk, claim, request, why)
            await self._follow_up(tx, claim, released=why)

        async with self._desk.lock:
            request, follower = self._request(claim), self._desk.of_session(claim.session_id)
            if request is not None and follower is not None:
                request.back_to_pending(why)
                follower.redraw(request)
            await self._desk.commit(also)


Work = Callable[[Decision], Awaitable[None]]


class Over(Exception):
    """The request does not wait any more with what was decided on."""

"""Sending: people's messages on their way to the hub, in order per session, until they are there or a person decides.

A message is in the store before anything is tried. A repeat is harmless, since the hub knows the ``localId``; so after
a crash, and after an unknown outcome, it is simply sent again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import structlog

from bridge.cards.own.bridge_notes import present_not_sent, present_said, present_sent_after_all
from bridge.cards.own.own_words import present_matured
from bridge.cards.words import brief
from bridge.hub.errors import HubError, HubUnreachable, OutcomeUnknown
from bridge.hub.rest import HubApi
from bridge.language import tr, trn
from bridge.relay.attached import as_new, files_of, in_order, shown, whole_shown, with_files
from bridge.relay.desk import Desk
from bridge.relay.follow.census import strings
from bridge.relay.notes import note
from bridge.relay.people.naming import SPEAKER
from bridge.relay.people.words.bringing import Bringing, NotBrought, attachments
from bridge.relay.people.words.marks import Marks
from bridge.relay.people.words.merging import group, leaves_at_ms, text_of
from bridge.store import conversations, says
from bridge.store.engine import Tx
from bridge.store.records import SayRecord, SayState
from bridge.transcript.scenarios import split_scenarios

TRIES_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Waits between our own tries; after the last one the person is told, with a Retry button."""
CLOCK_SET_BACK_MS = 600_000
"""A next try further ahead than any wait is from before the clock was set back."""
LOOK_S = 1.0


log = structlog.get_logger(__name__)


class Sender:
    """Brings kept messages to the hub."""

    def __init__(
        self, desk: Desk, api: HubApi, marks: Marks, *, pause_ms: int = 0, tries_s: tuple[float, ...] | None = None
    ) -> None:
        """``pause_ms``: how long a message waits for a next one of the same person, see ``merging``."""
        self._desk = desk
        self._api = api
        self._bringing = Bringing(desk, api)
        self._marks = marks
        self._pause_ms = pause_ms
        self._tries_s = TRIES_S if tries_s is None else tries_s
        self._bell = asyncio.Event()
        self._busy: set[str] = set()
        """Lineages with a message under way: the next one waits, so that order holds."""

    @property
    def files_under_way(self) -> int:
        """Files being brought to the computers of their sessions."""
        return self._bringing.under_way

    def nudge(self) -> None:
        """There is a message to send."""
        self._bell.set()

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as calls:
            while True:
                self._bell.clear()
                due, wait_s = await self._due()
                for pieces in due:
                    self._busy.add(pieces[0].lineage)
                    calls.create_task(self._one(pieces), name=f"say-{pieces[0].local_id}")
                try:
                    async with asyncio.timeout(wait_s):
                        await self._bell.wait()
                except TimeoutError:
                    continue

    async def _one(self, pieces: list[SayRecord]) -> None:
        try:
            await self._send(pieces)
        finally:
            self._busy.discard(pieces[0].lineage)
        self._bell.set()

    async def _due(self) -> tuple[list[list[SayRecord]], float]:
        """The first waiting message of every session that has none under way, with what belongs to it, if its time has
        come; and how many seconds to wait at most for the next."""
        busy = self._busy.copy()  # as of before the read: what arrives meanwhile still looks unsent in the rows
        async with self._desk.store.read() as tx:
            waiting = await says.in_state(tx, ["kept", "sending"])
        queues: dict[str, list[SayRecord]] = {}
        for say in waiting:
            if say.lineage not in busy and _goes(say):
                queues.setdefault(say.lineage, []).append(say)
        now, due, wait_ms = self._desk.clock(), [], int(1000 * LOOK_S)
        longest = int(1000 * max(self._tries_s, default=0)) + CLOCK_SET_BACK_MS
        for queue in queues.values():
            pieces = [queue[0]] if queue[0].state == "sending" else group(queue, self._pause_ms)
            left_ms = 0 if queue[0].state == "sending" else leaves_at_ms(pieces) - now
            if not 0 < left_ms <= longest:
                due.append(pieces)
            else:
                wait_ms = min(wait_ms, left_ms)
        return due, wait_ms / 1000

    async def _send(self, pieces: list[SayRecord]) -> None:
        now, say = self._desk.clock(), pieces[0]
        follower = self._desk.followers.get(say.lineage)
        session_id = follower.session.id if follower is not None else say.session_id
        if not await self._brought(session_id, pieces):
            return
        async with self._desk.store.begin() as tx:
            current = await _as_now(tx, pieces)
            files = attachments(session_id, await _whole(tx, current or []))
            if current is None or files is None:
                return  # cancelled or changed since it was looked up, or there is more of it: it is looked up again
            say, *others = current
            again = say.state == "sending" or say.attempts > 0
            await says.set_state(tx, [say.local_id], "sending", now)
            await says.join(tx, say, others, now)
            whole = await _whole(tx, [say])
        planned = say.data.get("scheduled_ms")
        at = planned if isinstance(planned, int) and planned > now else None
        state: SayState | None = None
        try:
            if again:
                state = await self._fate(session_id, say)
            if state is None:
                spoken, sent_from = _spoken(say, text_of(whole)), say.data["sent_from"]
                await self._api.send_message(
                    session_id, spoken, say.local_id, sent_from, scheduled_at=at, attachments=files
                )
        except (HubUnreachable, OutcomeUnknown) as error:
            await self._later(say, error.spoken(), error.retry_after_s)
        except HubError as error:
            await self._give_up(say, error.spoken())
        else:
            await self._arrived(say, state or "queued")

    async def _brought(self, session_id: str, pieces: list[SayRecord]) -> bool:
        """Bring the files of messages that go as one; False, and whatever must be done about it done, if one is not
        there."""
        async with self._desk.store.read() as tx:
            whole = await _whole(tx, pieces)
        try:
            await self._bringing.bring(session_id, pieces[0], whole)
        except NotBrought as error:
            async with self._desk.store.begin() as tx:
                current = await _as_now(tx, pieces)
                if current is None:
                    return False  # as above
                await says.join(tx, current[0], current[1:], self._desk.clock())
            if error.again:
                await self._later(current[0], error.words, error.retry_after_s, error.lost)
            else:
                await self._give_up(current[0], error.words, error.lost)
            return False
        return True

    async def _fate(self, session_id: str, say: SayRecord) -> SayState | None:
        """What became of a message that may have been sent before; ``None`` if the hub does not have it.

        A repeat would add no row there, but its CLI is told of the message once more, and what became of it in between
        is told nobody again.
        """
        answer = await self._api.queued_state(session_id, [say.local_id])
        invoked = answer.get("invokedLocalMessages")
        rows = [row for row in invoked if isinstance(row, Mapping)] if isinstance(invoked, list) else []
        if any(row.get("localId") == say.local_id for row in rows):
            return "taken"
        if say.local_id in strings(answer.get("indeterminateLocalIds")):
            return "indeterminate"
        return "queued" if say.local_id in strings(answer.get("queuedLocalIds")) else None

    async def _arrived(self, say: SayRecord, state: SayState) -> None:
        """The hub has a message, and it is in this state there."""
        now = self._desk.clock()
        async with self._desk.store.begin() as tx:
            current = await says.get(tx, say.local_id)
            news = current is not None and current.state == "sending"
            if news:
                await says.set_state(tx, [say.local_id], state, now)
                await tell_what_became(tx, [say.local_id], state, now)
            place = await conversations.get(tx, say.conversation_id)
            if place is not None and say.data.get("failed"):
                await note(tx, place, f"say/{say.local_id}", present_sent_after_all(await whole_shown(tx, say)), now)
        if news:
            self._marks.want([say.local_id], state)
        self._desk.nudge()

    async def _later(self, say: SayRecord, why: str, retry_after_s: float | None, lost: Sequence[str] = ()) -> None:
        if say.attempts >= len(self._tries_s):
            await self._give_up(say, why, lost)
            return
        wait_s = max(self._tries_s[say.attempts], retry_after_s or 0.0)
        now = self._desk.clock()
        async with self._desk.store.begin() as tx:
            fields = {"attempts": say.attempts + 1, "next_try_ms": now + int(wait_s * 1000)}
            await says.set_state(tx, [say.local_id], "kept", now, **fields)
        log.warning("say.not_sent", local_id=say.local_id, error=why, retry_in_s=wait_s)

    async def _give_up(self, say: SayRecord, why: str, lost: Sequence[str] = ()) -> None:
        """``lost``: the sources of the files that are to blame; none: it is about all of it."""
        now = self._desk.clock()
        async with self._desk.store.begin() as tx:
            say = await says.get(tx, say.local_id) or say
            await lose(tx, say, lost, now)
            say = await says.get(tx, say.local_id) or say
            say = replace(say, state="failed", data={**say.data, "failed": True})
            await says.set_state(tx, [say.local_id], "failed", now, next_try_ms=None, data=say.data)
            await tell_not_sent(tx, say, why, now)
        self._marks.want([say.local_id], "failed")
        self._desk.nudge()


def _goes(say: SayRecord) -> bool:
    """Whether a message is still to be sent, and not held for a person's word."""
    return say.state == "sending" or (say.state == "kept" and say.next_try_ms is not None)


async def _as_now(tx: Tx, pieces: Sequence[SayRecord]) -> list[SayRecord] | None:
    """Messages as they are by now; ``None`` if one of them is not to be sent any more."""
    current = [await says.get(tx, piece.local_id) for piece in pieces]
    going = [piece for piece in current if piece is not None and _goes(piece)]
    return going if len(going) == len(pieces) else None


async def _whole(tx: Tx, pieces: Sequence[SayRecord]) -> list[SayRecord]:
    """Messages with those that were joined to them, in order."""
    return in_order([each for piece in pieces for each in (piece, *await says.joined_to(tx, piece))])


def _spoken(say: SayRecord, text: str) -> str:
    """What the agent gets: with the name of who said it where several may talk. An agent's own command stays one."""
    speaker = brief(say.data.get(SPEAKER), 40)
    if not speaker or text.startswith("/"):
        return text
    words, scenarios = split_scenarios(text)
    before = text[: len(text) - len(words)] if scenarios else ""  # tags stand first
    return f"{before}{speaker}: {words}" if words else f"{before}{speaker}:"


async def tell_not_sent(tx: Tx, say: SayRecord, why: str, now_ms: int) -> None:
    """Say in the chat that a message did not arrive, with a Retry button; what has files can go without those that
    are to blame, too, or not at all."""
    place = await conversations.get(tx, say.conversation_id)
    if place is None:
        return
    pieces = [say, *await says.joined_to(tx, say)]
    files = [one for piece in pieces for one in files_of(piece)] if say.state == "failed" else []
    left = any(piece.text for piece in pieces) or not all(one.get("lost") for one in files)
    card = present_not_sent(
        shown(*pieces), why, session=say.session_id, local_id=say.local_id, files=bool(files), left=left
    )
    await note(tx, place, f"say/{say.local_id}", card, now_ms, reply_to=say.message, ring=True)


async def lose(tx: Tx, head: SayRecord, lost: Sequence[str], now_ms: int) -> None:
    """Mark the files of a message that did not arrive (sources; none: all of them). The others are brought anew when
    it is tried again: where they went may be gone by then."""
    for piece in [head, *await says.joined_to(tx, head)]:
        if files := as_new(files_of(piece)):
            files = [{**one, "lost": True} if not lost or one["source"] in lost else one for one in files]
            await says.set_state(tx, [piece.local_id], piece.state, now_ms, data=with_files(piece, files))


async def tell_what_became(tx: Tx, local_ids: list[str], state: SayState, now: int) -> None:
    """Say in the chat what the marks on the messages alone can't: an unknown fate, several taken as one turn, a planned
    one that went. In the transaction that stores the state, since it is told only once."""
    ours = [say for say in [await says.get(tx, local_id) for local_id in local_ids] if say is not None]
    if state == "indeterminate":
        for say in ours:
            await tell_not_sent(tx, say, tr("HAPI can't tell whether the agent got it"), now)
    if state != "taken":
        return
    for say in ours:
        place = await conversations.get(tx, say.conversation_id) if "scheduled_ms" in say.data else None
        if place is not None:
            card, what = present_matured(say.text), f"plan/{say.local_id}"
            await note(tx, place, what, card, now, reply_to=say.message or None)
    if len(ours) > 1:
        last = ours[-1]
        place = await conversations.get(tx, last.conversation_id)
        if place is not None:
            merged = trn(
                "Your last message was taken as one turn.",
                "Your last {n} messages were taken together, as one turn.",
                len(ours),
            )
            card = present_said(merged)
            await note(tx, place, f"merged/{last.local_id}", card, now, reply_to=last.message)

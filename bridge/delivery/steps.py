"""Taking one step: the rows before the call, the call, the rows after it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import structlog

from bridge.cards.model import plain
from bridge.chat.capabilities import Capability
from bridge.chat.errors import MessageGone, OutcomeUnknown, PlaceGone, Rejected, SurfaceError
from bridge.chat.surface import Part, Place, Surface
from bridge.delivery import lanes
from bridge.delivery.calls import Calls, Turn
from bridge.delivery.clock import Clock
from bridge.delivery.drawing import Drawing
from bridge.delivery.figures import Figures
from bridge.delivery.forms import Forms, Slot
from bridge.delivery.places import place_of
from bridge.store import pictures, posts, progress
from bridge.store.engine import Store
from bridge.store.records import PartRecord
from bridge.store.sql import Tx
from bridge.store.work import Job

log = structlog.get_logger(__name__)

FIND_SLACK_MS = 60_000
"""How far the platform's clock may be behind ours."""


class Steps:
    """Takes posts further in their conversations, one call at a time."""

    def __init__(
        self, store: Store, surface: Surface, calls: Calls, clock: Clock, figures: Figures, edit_interval_ms: int
    ) -> None:
        self._store = store
        self._surface = surface
        self._calls = calls
        self._clock = clock
        self._figures = figures
        self._edit_interval_ms = edit_interval_ms
        self._drawing = Drawing(surface)
        self._forms = Forms(surface, calls, self._drawing)
        self.edits_from = clock.monotonic()
        """No message may be changed before (seconds, monotonic)."""

    async def take(self, job: Job, turn: Turn) -> lanes.Wait | lanes.Hold | None:
        """Take the next step with a post; :class:`~lanes.Wait` if it is too soon for any, :class:`~lanes.Hold` if a
        picture is not there yet.

        Raises the :class:`SurfaceError` of a call that did not succeed, after the rows say what is known of it.
        """
        place = place_of(job.conversation, job.title)
        try:
            wanted = self._drawing.wanted(job, place)
        except Rejected as error:
            async with self._store.begin() as tx:
                await progress.failed(tx, job.post.key, job.conversation.id, str(error))
            return None
        step = lanes.step(
            wanted, job.parts, self._situation(job, can_find=Capability.FIND in self._surface.capabilities)
        )
        if isinstance(step, lanes.Ask):
            if await self._find(job, step.record, place, wanted, turn):
                return None
            step = lanes.step(wanted, job.parts, self._situation(job, can_find=False))
        missing = ""
        if isinstance(step, lanes.Send) and step.part.file is not None and step.part.file.source:
            async with self._store.read() as tx:
                picture = await pictures.get(tx, step.part.file.source)
            if picture.data is None and picture.missing is None:
                return lanes.Hold()
            step, missing = replace(step, part=replace(step.part, content=picture.data)), picture.missing or ""
        match step:
            case lanes.Send():
                await self._send(job, step, place, wanted, turn, missing)
            case lanes.Edit() if step.part.file is not None and step.part.file.source:
                # A picture never changes; that it is called otherwise now is no reason to send it again.
                slot, digest, now = _slot(job, step.record.index), step.part.digest, self._clock.now_ms()
                await self._note(job, wanted, lambda tx: progress.changed(tx, *slot, digest, now))
            case lanes.Edit():
                await self._edit(job, step, place, wanted, turn)
            case lanes.Delete():
                await self._delete(job, step, place, wanted, turn)
            case lanes.Forget() | lanes.Ask():
                await self._note(job, wanted, lambda tx: progress.drop(tx, *_slot(job, step.record.index)))
            case lanes.Nothing():
                await self._note(job, wanted, None)
            case lanes.Wait():
                return step
        return None

    def _situation(self, job: Job, *, can_find: bool) -> lanes.Situation:
        post = job.post
        approval = post.urgency == "approval"
        now_ms, closed_s = self._clock.now_ms(), self.edits_from - self._clock.monotonic()
        return lanes.Situation(
            now_ms=now_ms,
            can_find=can_find,
            rings=post.ring,
            rung=job.delivery.rung,
            approval=approval,
            resend_gone=_resends(job),
            edit_interval_ms=0 if post.final or approval else self._edit_interval_ms,
            edits_from_ms=now_ms + int(closed_s * 1000) + 1 if closed_s > 0 else 0,
        )

    async def _find(self, job: Job, record: PartRecord, place: Place, wanted: Sequence[Part], turn: Turn) -> bool:
        """Ask whether a send of unknown outcome arrived; if it did, that is what happened (invariant 3)."""
        since = max(0, (record.sent_ms or 0) - FIND_SLACK_MS)
        place = replace(place, thread=record.hung_on) if record.hung_on is not None else place
        try:
            message = await self._calls.make(turn, "find", self._surface.find(place, job.post.key, record.index, since))
        except Rejected as error:
            log.warning("courier.not_looked_for", post=job.post.key, reason=str(error))
            return False
        if message is None:
            return False
        async with self._store.read() as tx:
            known = await posts.part_at(tx, self._surface.name, place.chat, message)
        if known is not None and known.message != record.message:
            return False  # an earlier message of the same post, from before it was posted anew
        await self._note(
            job,
            wanted,
            lambda tx: progress.sent(
                tx, *_slot(job, record.index), record.kind, record.digest, message, record.sent_ms or 0
            ),
        )
        return True

    async def _send(
        self, job: Job, step: lanes.Send, place: Place, wanted: Sequence[Part], turn: Turn, missing: str
    ) -> None:
        """``missing``: why the part's picture can't be had; empty if it is there, or the part has none."""
        slot = _slot(job, step.index)
        kind = step.part.kind
        if job.under is not None:
            place = replace(place, thread=job.under)
        async with self._store.begin() as tx:
            await progress.sending(tx, *slot, kind, step.part.digest, step.ring, self._clock.now_ms(), job.under)

        async def send(part: Part) -> str:
            reply_to = job.post.reply_to if step.first else None
            return await self._surface.send(
                place, part, ring=step.ring, reply_to=reply_to, key=job.post.key, index=step.index
            )

        try:
            message, form = await self._forms.make(job, step.part, slot, turn, "send", send, missing)
        except OutcomeUnknown:
            self._forms.unanswered(slot)
            raise
        except SurfaceError as error:
            async with self._store.begin() as tx:
                await progress.not_sent(tx, *slot, step.before, job.delivery.rung)
                if isinstance(error, Rejected):
                    await progress.failed(tx, *slot[:2], str(error))
                if isinstance(error, PlaceGone) and job.under is not None and job.post.under is not None:
                    await progress.lost(tx, job.post.under, job.conversation.id)
            if isinstance(error, Rejected):
                log.error("courier.post_not_shown", post=job.post.key, reason=str(error))
                return
            if isinstance(error, PlaceGone) and job.under is not None:
                log.info("courier.hangs_under_nothing", post=job.post.key, under=job.under)
                return  # what it should hang under was deleted: it stands in the chat itself instead
            raise
        self._forms.answered(slot)
        now = self._clock.now_ms()

        async def note(tx: Tx) -> None:
            await progress.sent(tx, *slot, kind, step.part.digest, message, now)
            if form == "note" and kind == "file" and job.post.card is not None and job.post.card.files_first:
                # The buttons wait for a file that can't be shown: nothing is approved unseen (invariant 4).
                await progress.failed(tx, *slot[:2], "a file that must be seen first can't be shown")

        await self._note(job, wanted, note)

    async def _edit(self, job: Job, step: lanes.Edit, place: Place, wanted: Sequence[Part], turn: Turn) -> None:
        slot = _slot(job, step.record.index)
        async with self._store.begin() as tx:
            await progress.changing(tx, *slot, self._clock.now_ms())

        async def edit(part: Part) -> None:
            await self._surface.edit(place, step.message, part)

        try:
            await self._forms.make(job, step.part, slot, turn, "edit", edit)
        except MessageGone:
            log.info("courier.message_gone", post=job.post.key, message=step.message)
            change = progress.drop if _resends(job) else progress.gone
            await self._note(job, wanted, lambda tx: change(tx, *slot))
            return
        except Rejected as error:
            # It takes no change at all. What matters is said anew; a preview is not worth another message.
            log.warning("courier.not_changed", post=job.post.key, message=step.message, reason=str(error))
            change = progress.gone if job.post.urgency == "preview" else progress.supersede
            await self._note(job, wanted, lambda tx: change(tx, *slot))
            return
        now = self._clock.now_ms()
        await self._note(job, wanted, lambda tx: progress.changed(tx, *slot, step.part.digest, now))

    async def _delete(self, job: Job, step: lanes.Delete, place: Place, wanted: Sequence[Part], turn: Turn) -> None:
        slot = _slot(job, step.record.index)
        async with self._store.begin() as tx:
            await progress.deleting(tx, *slot)
        change = progress.drop
        try:
            await self._calls.make(turn, "delete", self._surface.delete(place, step.message))
        except MessageGone:
            log.debug("courier.gone_already", post=job.post.key)
        except Rejected:
            # Telegram deletes nothing older than 48 hours: a stub stays.
            change = progress.supersede
            stub = self._drawing.note(job, plain("⋯"))
            try:
                await self._calls.make(turn, "edit", self._surface.edit(place, step.message, stub))
            except (MessageGone, Rejected) as error:
                log.warning("courier.surplus_stays", post=job.post.key, message=step.message, reason=str(error))
        await self._note(job, wanted, lambda tx: change(tx, *slot))

    async def _note(self, job: Job, wanted: Sequence[Part], change: Callable[[Tx], Awaitable[None]] | None) -> None:
        """Write down what happened, and whether the card stands there in full now."""
        key, conversation = job.post.key, job.conversation.id
        async with self._store.begin() as tx:
            if change is not None:
                await change(tx)
            records = [one for one in await posts.parts_of(tx, key, conversation) if one.index >= 0]
            rest = lanes.step(wanted, records, self._situation(job, can_find=False))
            done = isinstance(rest, lanes.Nothing)
            if done:
                await progress.delivered(tx, key, conversation, job.post.digest)
            elif not job.delivery.shown and lanes.posted(wanted, records):
                await progress.shown(tx, key, conversation)
        if done:
            waited = max(0, self._clock.now_ms() - job.post.updated_ms)
            self._figures.delivered(self._surface.name, job.post.urgency, waited)


def _slot(job: Job, index: int) -> Slot:
    return job.post.key, job.conversation.id, index


def _resends(job: Job) -> bool:
    """Whether a message that somebody deleted is missed: an open approval, or an answer whose final form nobody saw."""
    if job.post.urgency == "approval":
        return not job.post.final
    return job.post.final and job.post.urgency == "answer"

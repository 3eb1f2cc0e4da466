"""Forms: a part as it is, a duller one if the platform does not take it, and a note in its place in the end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

import structlog

from bridge.cards.model import plain
from bridge.chat.errors import Rejected
from bridge.chat.surface import Part, Surface
from bridge.delivery.calls import Calls, Turn
from bridge.delivery.drawing import Drawing
from bridge.language import tr
from bridge.store.work import Job

log = structlog.get_logger(__name__)
Result = TypeVar("Result")
Slot = tuple[str, int, int]
"""Post key, conversation, index."""
Form = Literal["whole", "dull", "note"]

UNANSWERED_FILE = 3
"""So often a file may go unanswered, while all else gets through, before it is given up for a note."""


class Forms:
    """Makes calls with parts in the first form that is taken."""

    def __init__(self, surface: Surface, calls: Calls, drawing: Drawing) -> None:
        self._surface = surface
        self._calls = calls
        self._drawing = drawing
        self._unanswered: dict[Slot, tuple[int, int]] = {}
        """How often a part's calls got no answer, and how many calls had succeeded at the last of them."""

    async def make(
        self,
        job: Job,
        part: Part,
        slot: Slot,
        turn: Turn,
        what: Literal["send", "edit"],
        call: Callable[[Part], Awaitable[Result]],
        missing: str = "",
    ) -> tuple[Result, Form]:
        """Make a call with a part as it is; if it is rejected, with a duller one; then with a note in its place, which
        is all there is of what is ``missing``, with why.

        Raises :class:`Rejected` if even the note is.
        """
        forms: list[tuple[Form, Callable[[], Part | None]]] = [
            ("whole", lambda: part),
            ("dull", lambda: self._surface.duller(part)),
            ("note", lambda: self._drawing.note(job, plain(_apology(job, reason)))),
        ]
        reason = tr("the platform did not take it")
        if part.kind == "file" and self._unanswered.get(slot, (0, 0))[0] >= UNANSWERED_FILE:
            forms, reason = forms[2:], tr("the platform gave no answer, several times")
        if missing:
            forms, reason = forms[2:], missing
        for form, make in forms:
            drawn = make()
            if drawn is None:
                continue
            try:
                return await self._calls.make(turn, what, call(drawn)), form
            except Rejected as error:
                reason = str(error)
                log.warning("courier.rejected", post=job.post.key, part=slot[2], form=form, reason=reason)
        raise Rejected(reason)

    def unanswered(self, slot: Slot) -> None:
        """A call with a part, in whichever form, got no answer."""
        count, others = self._unanswered.get(slot, (0, -1))
        if others != self._calls.succeeded:  # something else got through since: it is not the line that is down
            self._unanswered[slot] = (count + 1, self._calls.succeeded)

    def answered(self, slot: Slot) -> None:
        """A part was sent, in some form."""
        self._unanswered.pop(slot, None)


def _apology(job: Job, reason: str) -> str:
    if job.post.kind == "image":
        name = job.post.card.summary if job.post.card else tr("Picture")
        return tr("{name}. It can't be shown here ({why}).", name=name, why=reason)
    if job.post.urgency == "approval":
        return tr("This message can't be shown here ({why}). It can be read and decided in HAPI.", why=reason)
    return tr("This message can't be shown here ({why}). It can be read in HAPI.", why=reason)

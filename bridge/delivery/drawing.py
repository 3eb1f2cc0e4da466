"""Drawing: what a post's card is as messages in a place."""

from __future__ import annotations

from collections import OrderedDict

import structlog

from bridge.cards.model import Card, Line, Text
from bridge.chat.errors import Rejected
from bridge.chat.surface import Part, Place, Surface
from bridge.delivery import lanes
from bridge.store.work import Job

log = structlog.get_logger(__name__)

RENDERINGS = 64
"""Renderings kept: a post of ten parts is drawn once, not ten times."""
_WITHOUT_PLACE = Place(conversation=0, chat="")
"""For notes, which need no header line."""


class Drawing:
    """Has a surface draw posts, and remembers the last of them."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._drawn: OrderedDict[tuple[str, str, Place, bool], list[Part]] = OrderedDict()

    def wanted(self, job: Job, place: Place) -> list[Part]:
        """The messages a post should be; a single one where an older post grew and others stand below it by now.

        Raises :class:`Rejected` if the surface can't draw it.
        """
        assert job.post.card is not None
        card = job.post.card.brief() if place.room else job.post.card
        wanted = self._draw(job, card, place, one=False)
        if job.delivery.shown and not job.newest and lanes.outgrows(wanted, job.parts):
            return self._draw(job, lanes.in_one_message(card), place, one=True)
        return wanted

    def _draw(self, job: Job, card: Card, place: Place, *, one: bool) -> list[Part]:
        name = (job.post.key, job.post.digest, place, one)
        if name not in self._drawn:
            self._drawn[name] = self._render(job.post.key, card, place)
            if len(self._drawn) > RENDERINGS:
                self._drawn.popitem(last=False)
        self._drawn.move_to_end(name)
        return self._drawn[name]

    def note(self, job: Job, line: Line) -> Part:
        """One line in a post's place. Raises :class:`Rejected`, as :meth:`wanted` does."""
        return self._render(job.post.key, Card(pieces=(Text(lines=(line,)),)), _WITHOUT_PLACE)[0]

    def _render(self, key: str, card: Card, place: Place) -> list[Part]:
        try:
            return self._surface.render(key, card, place)
        except Exception as error:
            # Surfaces promise never to raise (invariant 5); one post must not end the courier if one does.
            log.exception("courier.card_not_drawn", post=key)
            raise Rejected(f"the bridge's own error {type(error).__name__}") from error

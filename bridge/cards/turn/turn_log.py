"""A turn's steps as a post of their own, which hangs under the turn's post where the platform has such a thing."""

from __future__ import annotations

from typing import Final

from bridge.cards.model import Card, File
from bridge.cards.turn.activity import ActivityView, activity_title
from bridge.cards.turn.steps import show_steps, whole_turn
from bridge.cards.turn.subagents import MOST_UNITS

_MOST_UNITS: Final = 3_400


def present_turn_log(view: ActivityView) -> Card | None:
    """The steps and the sub-agents, one message edited in place, without the reasoning, which hangs there in full.

    ``None`` while there is no step. What was shortened is whole in ``turn.md`` once the turn has ended.
    """
    room = _MOST_UNITS - (MOST_UNITS if view.agents else 0)
    shown = show_steps(view.steps, room, ended=view.ended)
    pieces = (*shown.pieces, view.agents.fold) if view.agents else shown.pieces
    if not pieces:
        return None
    title = activity_title(view)
    hidden = shown.shortened or (view.agents is not None and view.agents.shortened)
    files: tuple[File, ...] = (whole_turn(title, view.steps),) if view.ended and hidden else ()
    return Card(pieces=pieces, files=files, summary=title, one_message=True, spill_now=view.ended)

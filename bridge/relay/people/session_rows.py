"""A session as one row of a list to choose from."""

from __future__ import annotations

from bridge.cards.own.bridge_notes import SessionRow
from bridge.cards.turn.waiting import answers_among, awaited, waiting_words
from bridge.language import tr
from bridge.relay.follow.follower import Follower


def session_row(follower: Follower) -> SessionRow:
    """A follower's session for a list."""
    session = follower.session
    waiting = [request.tool for request in follower.requests.waiting()]
    busy = session.active and not waiting and follower.running
    if not session.active:
        state = tr("ended")
    elif waiting:
        state = waiting_words(awaited(waiting))
    else:
        state = tr("working") if busy else tr("idle")
    return SessionRow(
        id=session.id,
        title=session.title,
        state=state,
        project=session.directory,
        machine=session.machine,
        flavor=session.flavor,
        waiting=len(waiting),
        answers=answers_among(waiting),
        busy=busy,
        live=session.active,
    )

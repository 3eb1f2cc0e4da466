"""What hangs under a turn's post in rooms: its steps, and what the agent thought. Pure.

Elsewhere the turn's own post shows them, so these are details: posts that go to rooms alone.
"""

from __future__ import annotations

from bridge.cards.text import clean, utf16_len
from bridge.cards.turn.activity import ActivityView
from bridge.cards.turn.answer import present_reasoning
from bridge.cards.turn.turn_log import present_turn_log
from bridge.relay.follow.subject import Subject
from bridge.relay.follow.turns import Turn
from bridge.store.records import Wish
from bridge.transcript.blocks import AgentReasoning


def detail_wishes(subject: Subject, turn: Turn, key: str, view: ActivityView) -> list[Wish]:
    """The details of the turn whose post has this key; none where no lineage is shown in a room."""
    if not subject.rooms:
        return []
    over = turn.outcome is not None
    wishes = []
    if (card := present_turn_log(view)) is not None:
        wishes.append(
            Wish(
                key=f"{key}/log",
                lineage=subject.lineage,
                session_id=subject.session.id,
                kind="log",
                urgency="preview",
                card=card,
                final=over,
                min_level="normal",
                under=key,
                detail=True,
            )
        )
    blocks = list(turn.work.values())
    for block in blocks:
        if not isinstance(block, AgentReasoning) or not block.text.strip():
            continue
        done = over or block is not blocks[-1]
        drawn = f"{utf16_len(block.text)} {done}"
        if turn.thoughts_drawn.get(block.id) == drawn:
            continue
        turn.thoughts_drawn[block.id] = drawn
        wishes.append(
            Wish(
                key=str(clean(f"{key}/reasoning/{block.id}")),
                lineage=subject.lineage,
                session_id=subject.session.id,
                kind="reasoning",
                urgency="notice" if done else "preview",
                card=present_reasoning(block.text),
                final=done,
                min_level="normal",
                under=key,
                detail=True,
            )
        )
    return wishes

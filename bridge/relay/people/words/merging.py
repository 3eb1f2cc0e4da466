"""Several quick messages of one person become one: what was typed or pasted in pieces is one thing to the agent.

The pieces stay messages of their own in the chat and in the store; on the way to the hub they are one, the first of
them, which carries the text of all and whose fate they share. What two people write is never put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bridge.store.records import SayRecord

LONGEST_WAIT_MS: Final = 5_000
"""However fast somebody goes on writing, the first message leaves after this."""
MOST_PIECES: Final = 50
_CLOCK_MS: Final = 1_000
"""Telegram tells when something was written in whole seconds."""


def group(waiting: Sequence[SayRecord], pause_ms: int) -> list[SayRecord]:
    """The first of a session's waiting messages, and those right after it that belong to it.

    ``waiting``: messages of one session that are to be sent, oldest first, at least one.
    """
    head, *others = waiting
    pieces = [head]
    if not _fresh(head) or pause_ms <= 0:
        return pieces
    for say in others:
        same = (say.conversation_id, say.person_id) == (head.conversation_id, head.person_id)
        if not same or not _fresh(say) or not _soon(pieces[-1], say, pause_ms) or len(pieces) == MOST_PIECES:
            break
        pieces.append(say)
    return pieces


def leaves_at_ms(pieces: Sequence[SayRecord]) -> int:
    """When a group's pause is over: nothing came after its last piece for so long, or it waited long enough."""
    latest = max(say.next_try_ms or 0 for say in pieces)
    return min(latest, max(pieces[0].next_try_ms or 0, pieces[0].created_ms + LONGEST_WAIT_MS))


def text_of(pieces: Sequence[SayRecord]) -> str:
    """The texts of messages that go as one, a line each; those that are only files have none."""
    return "\n".join(piece.text for piece in pieces if piece.text)


def _fresh(say: SayRecord) -> bool:
    """Whether a message was not tried yet, and is one that may be joined at all."""
    alone = "scheduled_ms" in say.data or "follows" in say.data or "alone" in say.data
    return say.state == "kept" and say.next_try_ms is not None and say.attempts == 0 and not alone


def _soon(before: SayRecord, after: SayRecord, pause_ms: int) -> bool:
    """Whether one was written right after the other, by our clock and by the platform's, where it tells."""
    here = after.created_ms - before.created_ms <= pause_ms
    written = [int(say.data.get("written_ms") or 0) for say in (before, after)]
    return here and (0 in written or written[1] - written[0] <= pause_ms + _CLOCK_MS)

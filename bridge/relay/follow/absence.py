"""After an absence: every text, in order; or, if nobody could hear for long, one digest with everything in its file."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from bridge.store.records import Wish

DIGEST_FROM = 50
DIGEST_AFTER_MS = 15 * 60_000
DIGEST_AT_ONCE = 500


def piled_up(wishes: Sequence[Wish]) -> bool:
    """Whether there are so many texts that a digest may be due."""
    return _texts(wishes) > DIGEST_FROM


def divide(wishes: Sequence[Wish], known: AbstractSet[str], away_ms: int) -> tuple[list[Wish], list[Wish]]:
    """What is shown as it is, and what goes into a digest (nothing, as a rule).

    A digest is made of more than :data:`DIGEST_FROM` texts the oldest of which is :data:`DIGEST_AFTER_MS` old, or of
    more than :data:`DIGEST_AT_ONCE` whatever their age. Requests stay live, limits and ends of sessions stay notices,
    and a post that stands in the chat already (``known``) gets its last form.
    """
    fresh = [wish for wish in wishes if wish.key not in known and wish.urgency != "approval"]
    fresh = [wish for wish in fresh if wish.kind != "notice" or wish.min_level != "quiet"]
    texts = _texts(fresh)
    if texts <= DIGEST_FROM or not (away_ms >= DIGEST_AFTER_MS or texts > DIGEST_AT_ONCE):
        return list(wishes), []
    digested = {id(wish) for wish in fresh}
    return [wish for wish in wishes if id(wish) not in digested], fresh


def _texts(wishes: Sequence[Wish]) -> int:
    return sum(wish.kind in ("answer", "user") for wish in wishes)

"""The audit log: who did what to a session, or tried to, as one line each, in the transaction of the act.

``record`` is for whoever carries out something that another person may one day ask about: decisions, sessions begun,
ended or set otherwise, roles given and taken. Texts to an agent are no lines of it: they stand in the conversation.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bridge.cards.model import Act
from bridge.cards.words import brief
from bridge.relay.desk import Desk
from bridge.relay.people.received import Received
from bridge.store import audit, posts
from bridge.store.engine import Tx
from bridge.store.records import AuditEntry

MOST_DETAIL: Final = 300
COUNTED_MS: Final = 3_600_000
"""For how long refused presses of one person on one card are one line."""
DONE: Final = "done"
TRIED: Final = "tried"
"""What the hub is about to be asked for. Its outcome is the next line; where there is none, nobody knows it."""


async def record(
    tx: Tx,
    received: Received,
    now_ms: int,
    act: str,
    outcome: str = DONE,
    *,
    choice: str | None = None,
    session: str | None = None,
    request: str | None = None,
    argument_hash: str | None = None,
    detail: str | None = None,
) -> None:
    """Add a line about what the person behind ``received`` did.

    ``act`` is one word (``decide``, ``stop``, ``spawn``, ``delete``, ``mode``, ``role``, …), ``choice`` what was
    chosen, ``outcome`` what came of it (``done``, ``refused: …``). Neither may hold a secret (invariant 7).
    """
    await audit.add(
        tx,
        entry(
            received,
            now_ms,
            act,
            outcome,
            choice=choice,
            session=session,
            request=request,
            argument_hash=argument_hash,
            detail=detail,
        ),
    )


async def record_counted(tx: Tx, received: Received, now_ms: int, act: str, outcome: str) -> None:
    """A line about what was refused. Who tries the same again within :data:`COUNTED_MS` is counted on the line that is
    there: else anybody who may write to us could fill the log."""
    await audit.add_or_count(tx, entry(received, now_ms, act, outcome), now_ms - COUNTED_MS)


@asynccontextmanager
async def trying(
    desk: Desk,
    received: Received,
    act: str,
    *,
    choice: str | None = None,
    session: str | None = None,
    detail: str | None = None,
) -> AsyncIterator[None]:
    """Around what only the hub can do: a line before it, and one after it with what came of it."""

    async def line(outcome: str) -> None:
        async with desk.store.begin() as tx:
            await record(tx, received, desk.clock(), act, outcome, choice=choice, session=session, detail=detail)

    await line(TRIED)
    try:
        yield
    except Exception as error:
        await line(f"refused: {error}")
        raise
    await line(DONE)


async def record_act(
    tx: Tx, received: Received, now_ms: int, act: Act, outcome: str = DONE, *, detail: str | None = None
) -> None:
    """Add a line about a press: ``act`` is what its button stands for."""
    await record(
        tx,
        received,
        now_ms,
        act.do,
        outcome,
        choice=act.choice,
        session=act.session,
        request=act.request,
        argument_hash=act.argument_hash,
        detail=detail,
    )


async def record_token(tx: Tx, received: Received, now_ms: int, token: str, outcome: str) -> None:
    """:func:`record_refused`, for a button that is known by its token alone; nothing for one that is not known."""
    found = await posts.button(tx, token)
    if found is not None:
        await record_refused(tx, received, now_ms, found[1], outcome)


async def record_refused(tx: Tx, received: Received, now_ms: int, act: Act, outcome: str) -> None:
    """A line about a press that does not count. Who presses again within :data:`COUNTED_MS` is counted on the line that
    is there."""
    line = entry(
        received,
        now_ms,
        act.do,
        outcome,
        choice=act.choice,
        session=act.session,
        request=act.request,
        argument_hash=act.argument_hash,
    )
    await audit.add_or_count(tx, line, now_ms - COUNTED_MS)


def entry(
    received: Received,
    now_ms: int,
    act: str,
    outcome: str,
    *,
    choice: str | None = None,
    session: str | None = None,
    request: str | None = None,
    argument_hash: str | None = None,
    detail: str | None = None,
) -> AuditEntry:
    """The line itself."""
    person, where = received.intent.person, received.intent.where  # type: ignore[union-attr]
    return AuditEntry(
        at_ms=now_ms,
        surface=received.link.surface.name,
        person_id=person.id,
        person_name=person.name,
        act=act,
        outcome=brief(outcome, MOST_DETAIL),
        choice=choice,
        role=received.leave.role,
        chat=where.chat,
        thread=where.thread,
        session_id=session,
        request_id=request,
        argument_hash=argument_hash,
        detail=brief(detail, MOST_DETAIL) if detail is not None else None,
    )

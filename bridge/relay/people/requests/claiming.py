"""Claiming: a person's decision takes its request, before anything goes to the hub.

A claim is made in one transaction with the card's "sending…", so two presses can't both get one (invariant 4). What
brings it to the hub is ``claims.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.relay.desk import Also, Desk
from bridge.relay.follow.requests import Request
from bridge.relay.people.company.audit import record
from bridge.relay.people.received import Received
from bridge.store import decisions
from bridge.store.engine import Tx
from bridge.store.records import Decision


async def claim(
    desk: Desk,
    request: Request,
    *,
    surface: str,
    where: str,
    person_id: str,
    person_name: str,
    choice: dict[str, Any],
    received: Received,
    with_it: Also | None = None,
) -> Decision | None:
    """Claim a request for a person, with the card's "sending…" in the same transaction. Hold the desk's lock.

    ``choice`` is the hub call: ``call`` (approve or deny), ``with`` its arguments, ``choice`` the button, ``then`` the
    local id of a kept text that follows once the hub took the call. ``with_it`` is stored in the same transaction, and
    so is a line of the audit log; ``received`` is what the person did.
    ``None`` if somebody else has it already.
    """
    follower = desk.of_session(request.session)
    if follower is None or request.state != "pending":
        return None
    taken: list[Decision] = []

    async def also(tx: Tx) -> None:
        what = (request.session, request.id, request.argument_hash)
        before = await decisions.holder(tx, *what)
        if before is not None and before.state == "settled":
            # The hub asks again what was decided before: that decision does not answer this.
            await decisions.release(tx, before.id, "asked again", desk.clock())
        made = await decisions.claim(
            tx,
            session_id=request.session,
            request_id=request.id,
            argument_hash=request.argument_hash,
            surface=surface,
            person_id=person_id,
            person_name=person_name,
            choice=choice,
            now_ms=desk.clock(),
        )
        if made is None:
            raise AlreadyClaimed
        await record(
            tx,
            received,
            desk.clock(),
            "decide",
            "claimed",
            choice=str(choice["choice"]),
            session=request.session,
            request=request.id,
            argument_hash=request.argument_hash,
            detail=" · ".join([request.tool, *_wider(choice)]),
        )
        if with_it is not None:
            await with_it(tx)
        taken.append(made)

    request.sending(str(choice["choice"]), person_name, where)
    follower.redraw(request)
    try:
        await desk.commit(also)
    except AlreadyClaimed:
        request.back_to_pending("")
        follower.redraw(request)
        await desk.commit()
        return None
    except Exception:
        request.back_to_pending("")  # nothing was stored, so nothing is on its way
        follower.redraw(request)
        raise
    return taken[0]


def _wider(choice: Mapping[str, Any]) -> list[str]:
    """What a decision grants besides the request itself, for the log: a mode, patterns of tools."""
    given = choice.get("with", {})
    mode = choice.get("mode") or given.get("mode")
    return [*([f"mode {mode}"] if mode else []), *map(str, given.get("allow_tools", ()))]


class AlreadyClaimed(Exception):
    """Somebody else decides this request at this moment."""

"""What is told of a session: from the hub's record of it, and from what is known here besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.cards.session.session_card import SessionFacts
from bridge.cards.session.session_list import Listed
from bridge.cards.turn.waiting import answers_among
from bridge.hub.errors import NotFound
from bridge.hub.rest import HubApi
from bridge.hub.session_settings import MODE, MODEL, current_choice, fixed_choices, settings_of
from bridge.hub.wire import PageRequest, Position
from bridge.language import N_
from bridge.relay.desk import Desk
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.sessions import SessionView
from bridge.store import conversations
from bridge.store.engine import Tx
from bridge.store.records import Conversation

Json = Mapping[str, Any]


def listed(desk: Desk, record: Json) -> Listed:
    """A session for the list, from the hub's list or its whole record, with what is known here besides."""
    view = SessionView(record)
    follower = desk.of_session(view.id)
    known = desk.sessions.get(view.id) or (follower.session if follower is not None else None)
    counted = record.get("pendingRequestsCount")
    requests = view.agent_state.get("requests") if isinstance(view.agent_state, Mapping) else None
    tools = [_tool(each) for each in requests.values()] if isinstance(requests, Mapping) else []
    waiting = counted if isinstance(counted, int) else len(tools)
    if follower is not None and follower.session.id == view.id:
        tools = [request.tool for request in follower.requests.waiting()]
        waiting = max(waiting, len(tools))
    named = view.record.get("metadata")
    has_name = isinstance(named, Mapping) and (named.get("name") or named.get("summary"))
    return Listed(
        id=view.id,
        title=view.title if has_name or known is None else known.title,
        active=view.active,
        running=view.active and (view.thinking or (follower is not None and follower.running)),
        waiting=waiting if view.active else 0,
        answers=min(waiting, answers_among(tools)) if view.active else 0,
        directory=view.directory,
        machine=known.machine if known is not None else view.machine,
        flavor=view.flavor,
        pinned=record.get("pinned") is True or record.get("globalPinned") is True,
    )


def _tool(request: Any) -> str:
    tool = request.get("tool") if isinstance(request, Mapping) else None
    return tool if isinstance(tool, str) else ""


def in_order(sessions: list[Listed], records: list[Json]) -> list[Listed]:
    """What wants a person first: decisions that wait, then pinned, then active ones, then the newest."""
    at = {str(each.get("id")): each.get("updatedAt") for each in records}
    newest = {name: when if isinstance(when, int) else 0 for name, when in at.items()}
    return sorted(sessions, key=lambda one: (not one.active, not one.waiting, not one.pinned, -newest.get(one.id, 0)))


async def facts(tx: Tx, desk: Desk, record: Json, place: Conversation, page: int = 0) -> SessionFacts:
    """Everything a session's card tells, for the place where it stands."""
    view = SessionView(record)
    follower = desk.of_session(view.id)
    here = False
    if follower is not None:
        bound = await conversations.bound(tx, follower.lineage, place.surface)
        link = desk.links_by_name[place.surface]
        at_home = place.chat == link.home.chat and any(one.chat == place.chat for one in bound)
        here = at_home or any(one.id == place.id for one in bound)
    given = settings_of(view.flavor)
    words = {
        each.name: current_choice(fixed_choices(view.flavor, each), record.get(each.key)).label
        for each in given
        if record.get(each.key) is not None or each is MODE
    }
    state = view.agent_state
    return SessionFacts(
        listed=listed(desk, record),
        mode=words.pop(MODE.name, ""),
        model=words.pop(MODEL.name, ""),
        efforts=tuple(words.values()),
        controlled=view.active and isinstance(state, Mapping) and state.get("controlledByUser") is True,
        shown_here=here,
        settings=bool(given),
        page=page,
    )


async def fetch(desk: Desk, api: HubApi, session_id: str) -> Json:
    """The session as the hub has it now, whichever session its lineage goes on as; the followers hear of it too.

    Raises ``HubError``; ``NotFound`` if it is gone.
    """
    follower = desk.of_session(session_id)
    current = follower.session.id if follower is not None else session_id
    record = await api.session(current or session_id)
    async with desk.lock:
        session = desk.sessions.replace(record)
        if session is None:
            raise NotFound(N_("The hub does not know this (any more)."))
        if follower is not None and follower.session.id == session.id:
            follower.session_changed(session, desk.clock())
            await desk.commit()
    return record


async def followed(desk: Desk, api: HubApi, record: Json) -> Follower:
    """The follower of a session; one that was never followed is from its newest message on. Raises ``HubError``."""
    view = SessionView(record)
    follower = desk.of_session(view.id)
    if follower is not None:
        return follower
    page = await api.messages(view.id, PageRequest(limit=1))
    async with desk.lock:
        desk.sessions.replace(record)
        known = desk.of_session(view.id)
        if known is None:
            known = await desk.start_following(view, page.snapshot_head or Position(0, 0))
            known.session_changed(view, desk.clock())
            await desk.commit()
    return known

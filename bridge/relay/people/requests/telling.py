"""Telling the owner, without a ring, what a teammate decided: in the session's place in their own chat, else there."""

from __future__ import annotations

from bridge.cards.own.bridge_notes import present_command_error, present_said
from bridge.cards.request.decision import RequestState
from bridge.cards.words import brief
from bridge.language import tr
from bridge.relay.desk import Desk, Link
from bridge.relay.follow.requests import Request
from bridge.relay.notes import note
from bridge.store import conversations, posts
from bridge.store.engine import Tx
from bridge.store.records import Conversation, Decision


async def tell_owner(tx: Tx, desk: Desk, claim: Decision, state: RequestState | None, tool: str) -> None:
    """A decision has come to its end: the owner hears of it, unless it was theirs. ``state``: what the hub says."""
    theirs = desk.links_by_name.get(claim.surface)
    if theirs is not None and theirs.home.owner_id == claim.person_id:
        return
    now, follower = desk.clock(), desk.of_session(claim.session_id)
    lineage = follower.lineage if follower is not None else ""
    title = follower.session.title if follower is not None else claim.session_id[:8]
    card = present_said(_words(claim, state, tool, title))
    for link in desk.links:
        place = await owners_place(tx, link, lineage, now)
        await note(tx, place, f"decided/{claim.id}", card, now)


async def tell_released(tx: Tx, desk: Desk, claim: Decision, request: Request | None, why: str) -> None:
    """A decision did not count, and its request waits again: that rings where it was made, since somebody put the phone
    away who is needed. ``why``: for people."""
    follower = desk.of_session(claim.session_id)
    if request is None or follower is None:
        return
    for place in await conversations.bound(tx, follower.lineage, claim.surface):
        parts = await posts.parts_of(tx, request.key, place.id)
        card_message = next((part.message for part in reversed(parts) if part.message), None)
        words = tr("What {name} decided did not count: {why}", name=brief(claim.person_name, 60), why=why)
        card, now = present_command_error(words), desk.clock()
        await note(tx, place, f"released/{claim.id}", card, now, reply_to=card_message, ring=True)


async def owners_place(tx: Tx, link: Link, lineage: str, now_ms: int) -> Conversation:
    """Where the owner hears of a lineage in their own chat: its topic or thread there, if it has one."""
    for place in await conversations.bound(tx, lineage, link.surface.name):
        if place.chat == link.home.chat:
            return place
    return await conversations.ensure_chat(tx, link.surface.name, link.home.chat, now_ms)


def _words(claim: Decision, state: RequestState | None, tool: str, title: str) -> str:
    values = {
        "name": brief(claim.person_name, 60),
        "tool": brief(tool, 60),
        "title": brief(title, 80),
        "where": claim.surface.capitalize(),
    }
    if claim.choice["choice"] == "answer" and state in ("approved", "approved_for_session"):
        return tr("{name} answered a question in {title} ({where}).", **values)
    given = claim.choice.get("with", {})
    if state in ("approved", "approved_for_session") and (mode := claim.choice.get("mode") or given.get("mode")):
        return tr("{name} allowed {tool} in {title} and switched it to mode {mode} ({where}).", mode=mode, **values)
    if state in ("approved", "approved_for_session") and (tools := given.get("allow_tools")):
        words = brief(", ".join(map(str, tools)), 120)
        return tr("{name} allowed {tools} for the whole session in {title} ({where}).", tools=words, **values)
    match state:
        case "approved":
            return tr("{name} allowed {tool} in {title} ({where}).", **values)
        case "approved_for_session":
            return tr("{name} allowed {tool} for the whole session in {title} ({where}).", **values)
        case "denied":
            return tr("{name} denied {tool} in {title} ({where}).", **values)
        case "aborted" | "canceled":
            return tr("{name} denied {tool} in {title} and stopped the turn ({where}).", **values)
        case _:
            return tr("{name} decided on {tool} in {title} ({where}), but it was over already.", **values)

"""The sandbox hub's sessions as the page lists them, and the news of them."""

from __future__ import annotations

from typing import Any

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_session import Session
from bridge.sandbox.page.feed import Feed


def state(hub: SandboxHub) -> dict[str, Any]:
    """The hub and its sessions, the newest last."""
    sessions = [_session(session) for session in hub.state.sessions.values()]
    return {"url": hub.url, "sessions": sessions, "trouble": ""}


async def watch(hub: SandboxHub, feed: Feed) -> None:
    """Tell the page whenever the list looks different, until cancelled. A restarted hub is listened to anew."""
    told: dict[str, Any] = {}
    while True:
        log = hub.state.events
        stream, _ = log.open(everything=True, session=None, last_id=None)
        try:
            while True:
                now = state(hub)
                if now != told:
                    feed.tell("hub", hub=now)
                    told = now
                if await stream.queue.get() is None:
                    break
        finally:
            log.close(stream)


def _session(session: Session) -> dict[str, Any]:
    record = session.record
    return {
        "id": session.id,
        "title": record["metadata"].get("name") or record["metadata"]["path"],
        "active": record["active"],
        "thinking": record["thinking"],
        "flavor": record["metadata"]["flavor"],
        "pending": len(session.requests),
    }

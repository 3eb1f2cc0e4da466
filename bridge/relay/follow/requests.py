"""Permission requests of one session: which wait, which are over, and what is known of how they ended. Pure.

What the hub's ``agentState`` says is the truth (invariant 4); what we sent is only a hope until it says so too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bridge.cards.decision import RequestState
from bridge.cards.fingerprint import argument_hash
from bridge.cards.text import clean
from bridge.hub.wire import TOO_DEEP

OPEN = frozenset({"pending", "sending"})
COMPLETED: dict[str, RequestState] = {
    "approved": "approved",
    "denied": "denied",
    "canceled": "canceled",
    "resolved": "resolved",
}


@dataclass(slots=True)
class Request:
    """One permission request as it is shown on one card."""

    id: str
    session: str
    key: str
    """The post's key: a card of its own for each set of arguments."""
    tool: str
    arguments: Any
    argument_hash: str
    cut: bool = False
    """Part of the arguments was too deep to be taken in: it can't be shown, so it can't be allowed from here."""
    state: RequestState = "pending"
    note: str = ""
    """What went wrong with the last try, shown on the card."""
    picks: list[list[int]] = field(default_factory=list)
    """Chosen option indices, by question."""
    free: list[str | None] = field(default_factory=list)
    """Typed answers, by question."""
    question: int = 0
    """The question that is being asked now."""
    choice: str = ""
    """What we sent, if we did."""
    decided_by: str = ""
    decided_where: str = ""
    decided_at_ms: int | None = None
    reason: str = ""
    answers: Any = None

    @property
    def open(self) -> bool:
        return self.state in OPEN

    def sending(self, choice: str, person: str, where: str) -> None:
        """A person decided; the hub has yet to say what comes of it."""
        self.state, self.choice, self.decided_by, self.decided_where, self.note = "sending", choice, person, where, ""

    def back_to_pending(self, note: str) -> None:
        """What was sent did not count: the buttons come back, with a word on why."""
        self.state, self.choice, self.decided_by, self.decided_where, self.note = "pending", "", "", "", note

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


KEPT = 200
"""Ended requests remembered by id, so that the same id asked anew gets a card of its own."""
OUTCOMES_OF = {
    "allow": {"approved", "approved_for_session"},
    "allow_session": {"approved", "approved_for_session"},
    "answer": {"approved", "approved_for_session"},
    "deny": {"denied", "aborted", "canceled"},
    "abort": {"denied", "aborted", "canceled"},
}
"""Which ends agree with what we sent; with any other, somebody else was quicker."""


class RequestBook:
    """All requests of a lineage that still matter: the open ones, and those that ended since the last look."""

    def __init__(self, lineage: str) -> None:
        self.lineage = lineage
        self._requests: dict[str, Request] = {}
        """The newest card by request id."""
        self._cards: dict[str, int] = {}
        """How many cards a request id has had."""

    def restore(self, rows: Mapping[str, Any]) -> None:
        """Take back what :meth:`to_json` gave (after a restart)."""
        for row in rows.get("requests", []):
            request = Request(**row)
            self._requests[request.id] = request
        self._cards = dict(rows.get("cards", {}))

    def to_json(self) -> dict[str, Any]:
        waiting = [request.to_json() for request in self._requests.values() if request.open]
        return {"requests": waiting, "cards": dict(list(self._cards.items())[-KEPT:])}

    def trim(self) -> None:
        """Forget what nobody will ask for again: what ended requests showed, and all but the last of them."""
        ended = [request for request in self._requests.values() if not request.open]
        for request in ended:
            request.arguments = None
        for request in ended[:-KEPT]:
            del self._requests[request.id]

    def waiting(self) -> list[Request]:
        """Requests that wait for a person, oldest first."""
        return [request for request in self._requests.values() if request.open]

    def get(self, request_id: str) -> Request | None:
        return self._requests.get(request_id)

    def by_key(self, key: str) -> Request | None:
        """The request whose newest card has this post key."""
        return next((request for request in self._requests.values() if request.key == key), None)

    def apply(self, session_id: str, agent_state: Any, *, active: bool) -> list[Request]:
        """Compare with the session's ``agentState``; returns the cards that changed, in order.

        A pending entry is ignored only if its own id is completed already. Requests of another session of the lineage
        (before a resume) that this state doesn't name are left alone. An inactive session opens no new card.
        """
        state = agent_state if isinstance(agent_state, Mapping) else {}
        pending, completed = _record(state.get("requests")), _record(state.get("completedRequests"))
        changed: list[Request] = []
        for request_id, entry in pending.items():
            if request_id not in completed and isinstance(entry, Mapping):
                changed += self._pending(session_id, request_id, entry, active)
        for request in self.waiting():
            done = completed.get(request.id)
            if isinstance(done, Mapping):
                changed.append(_complete(request, done))
            elif request.id not in pending and request.session == session_id:
                request.state = "vanished"
                changed.append(request)
        return changed

    def session_gone(self, session_id: str) -> list[Request]:
        """The session ended or was removed: nothing of it can be answered any more."""
        gone = [request for request in self.waiting() if request.session == session_id]
        for request in gone:
            request.state = "session-gone"
        return gone

    def _pending(self, session_id: str, request_id: str, entry: Mapping[str, Any], active: bool) -> list[Request]:
        tool = entry.get("tool")
        tool = tool if isinstance(tool, str) and tool else "tool"
        arguments = entry.get("arguments")
        cut = is_cut(arguments)
        # What was cut on the way can't be told apart by what is left of it; nobody may approve it, either.
        digest = argument_hash(tool, TOO_DEEP if cut else arguments)
        known = self._requests.get(request_id)
        if known is not None and known.open and known.argument_hash == digest:
            if known.session == session_id:
                return []
            known.session = session_id
            return [known]
        if not active and (known is None or not known.open):
            return []
        changed = []
        if known is not None and known.open:
            known.state = "superseded"
            changed.append(known)
        count = self._cards.get(request_id, 0)
        self._cards[request_id] = count + 1
        key = clean(f"{self.lineage}/approval/{request_id}") + (f"/{count + 1}" if count else "")
        fresh = Request(request_id, session_id, key, tool, arguments, digest, cut=cut)
        self._requests.pop(request_id, None)
        self._requests[request_id] = fresh
        return [*changed, fresh]


def _complete(request: Request, done: Mapping[str, Any]) -> Request:
    status = done.get("status")
    request.state = COMPLETED.get(status, "resolved") if isinstance(status, str) else "resolved"
    decision = done.get("decision")
    if request.state == "approved" and decision == "approved_for_session":
        request.state = "approved_for_session"
    if request.state == "denied" and decision == "abort":
        request.state = "aborted"
    if request.state not in OUTCOMES_OF.get(request.choice, ()):
        request.decided_by = request.decided_where = ""
    at = done.get("completedAt")
    request.decided_at_ms = at if isinstance(at, int) else None
    reason = done.get("reason")
    request.reason = reason if isinstance(reason, str) else ""
    request.answers = done.get("answers")
    request.note = ""
    return request


def is_cut(value: Any) -> bool:
    """Whether something in a JSON value was replaced for being too deep (``hub.wire``)."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if one == TOO_DEEP:
            return True
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return False


def _record(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

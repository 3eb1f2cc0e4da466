"""Permission requests of one session: which wait, which are over, and what is known of how they ended. Pure.

What the hub's ``agentState`` says is the truth (invariant 4); what we sent is only a hope until it says so too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bridge.cards.fingerprint import canonical_text, hash_of_text, same_json
from bridge.cards.request.decision import RequestState
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
    danger: str = ""
    """The effect that makes it dangerous, in words; empty if nothing is known to."""
    alike: int = 0
    """How many requests of the same tool this session made before."""
    unfolded: bool = False
    """Whether its card shows the wider grants, too."""
    sure: dict[str, Any] | None = None
    """A first tap that a second one must confirm: ``choice``, ``data``, and who made it (``surface``, ``person``,
    ``name``)."""
    granted: dict[str, Any] = field(default_factory=dict)
    """What the hub says was granted besides: ``mode``, ``allowTools``."""

    @property
    def open(self) -> bool:
        return self.state in OPEN

    def sending(self, choice: str, person: str, where: str) -> None:
        """A person decided; the hub has yet to say what comes of it."""
        self.state, self.choice, self.decided_by, self.decided_where, self.note = "sending", choice, person, where, ""
        self.sure = None

    def back_to_pending(self, note: str) -> None:
        """What was sent did not count: the buttons come back, with a word on why."""
        self.unfolded = False
        self.state, self.choice, self.decided_by, self.decided_where, self.note = "pending", "", "", "", note

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


Judge = Callable[[str, Any], str]
"""The effect that makes a request (tool, arguments) dangerous; empty if nothing is known to."""
MOST_TOOLS = 500
"""Tools of which is counted how often a session asked for them."""
KEPT = 200
"""Ended requests remembered by id, so that the same id asked anew gets a card of its own."""
OUTCOMES_OF = {
    "allow": {"approved", "approved_for_session"},
    "allow_session": {"approved", "approved_for_session"},
    "allow_mode": {"approved", "approved_for_session"},
    "allow_tools": {"approved", "approved_for_session"},
    "answer": {"approved", "approved_for_session"},
    "deny": {"denied", "aborted", "canceled"},
    "abort": {"denied", "aborted", "canceled"},
}
"""Which ends agree with what we sent; with any other, somebody else was quicker."""


class RequestBook:
    """All requests of a lineage that still matter: the open ones, and those that ended since the last look."""

    def __init__(self, lineage: str, judge: Judge = lambda tool, arguments: "") -> None:
        self.lineage = lineage
        self._judge = judge
        self.revision = 0
        """Grows whenever a card is to be drawn anew."""
        self._judged: set[str] = set()
        """Cards that were judged by the rules of now; those of before a restart are judged, and drawn, anew."""
        self._asked: dict[str, int] = {}
        """How often each tool was asked for."""
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
        self._asked = dict(rows.get("asked", {}))

    def to_json(self) -> dict[str, Any]:
        waiting = [request.to_json() for request in self._requests.values() if request.open]
        return {"requests": waiting, "cards": dict(list(self._cards.items())[-KEPT:]), "asked": dict(self._asked)}

    def trim(self) -> None:
        """Forget what nobody will ask for again: what ended requests showed, and all but the last of them."""
        ended = [request for request in self._requests.values() if not request.open]
        for request in ended:
            request.arguments = None
            self._judged.discard(request.key)
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
        changed = self._of_before()
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

    def _of_before(self) -> list[Request]:
        """The waiting cards of before a restart, once: other rules may hold now, or another language."""
        before = [request for request in self.waiting() if request.key not in self._judged]
        for request in before:
            self._judged.add(request.key)
            danger = self._judge(request.tool, request.arguments)
            if danger != request.danger:
                request.danger, request.sure = danger, None
        return before

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
        known = self._requests.get(request_id)
        told = known is not None and known.open and not known.cut and known.session == session_id
        # Every change of a session tells all that waits anew, and its arguments may be megabytes.
        if told and known is not None and known.tool == tool and same_json(known.arguments, arguments):
            return []
        text = canonical_text(arguments)
        cut = TOO_DEEP in text and is_cut(arguments)
        # What was cut on the way can't be told apart by what is left of it; nobody may approve it, either.
        digest = hash_of_text(tool, canonical_text(TOO_DEEP) if cut else text)
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
        fresh.danger, fresh.alike = self._judge(tool, arguments), self._asked.get(tool, 0)
        self._judged.add(key)
        if not count and (tool in self._asked or len(self._asked) < MOST_TOOLS):
            self._asked[tool] = fresh.alike + 1
        if known is not None:
            self._judged.discard(known.key)
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
    request.granted = {key: done[key] for key in ("mode", "allowTools") if done.get(key)}
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

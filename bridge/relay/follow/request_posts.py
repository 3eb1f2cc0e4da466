"""From permission requests to wishes: the approval, plan or question card in whichever state. Pure."""

from __future__ import annotations

from typing import Any

from bridge.cards.approval import ApprovalView, GrantView, present_approval
from bridge.cards.decision import RequestState
from bridge.cards.question import QuestionView, is_question, parse_questions, present_question, read_answers
from bridge.hub.flavors import session_grant
from bridge.relay.follow.requests import Request
from bridge.relay.follow.subject import Subject
from bridge.store.records import Wish

WHO_MAY_DECIDE = "the owner"


def request_wish(subject: Subject, request: Request) -> Wish:
    """The card of a request as it stands. It rings when it first appears; afterwards it is only edited."""
    session = subject.session
    state: RequestState = request.state
    facts: dict[str, Any] = {
        "session_id": request.session,
        "request_id": request.id,
        "tool": request.tool,
        "arguments": request.arguments,
        "argument_hash": request.argument_hash,
        "state": state,
        "session_title": session.title,
        "project": session.directory,
        "machine": session.machine,
        "flavor": session.flavor,
        "mode": session.mode,
        "who_may_decide": WHO_MAY_DECIDE,
        "decided_by": request.decided_by,
        "decided_where": request.decided_where,
        "decided_at_ms": request.decided_at_ms,
        "reason": request.reason,
        "note": request.note,
        "cut": request.cut,
    }
    if is_question(request.tool) and not request.cut:
        questions = parse_questions(request.tool, request.arguments)
        picks, free = tuple(tuple(picks) for picks in request.picks), tuple(request.free)
        if request.answers is not None:
            picks, free = read_answers(questions, request.answers)
        card = present_question(
            QuestionView(
                **facts,
                questions=questions,
                picks=picks,
                free=free,
                current=request.question,
            )
        )
    else:
        grant = session_grant(session.flavor, request.tool, request.arguments)
        card = present_approval(ApprovalView(**facts, grant=GrantView(grant.scope_words) if grant else None))
    return Wish(
        key=request.key,
        lineage=subject.lineage,
        session_id=request.session,
        kind="approval",
        urgency="approval",
        card=card,
        ring=True,
        final=not request.open,
    )

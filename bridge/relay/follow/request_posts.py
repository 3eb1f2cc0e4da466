"""From permission requests to wishes: the approval, plan or question card in whichever state. Pure."""

from __future__ import annotations

from typing import Any, Final

from bridge.cards.request.approval import ApprovalView, GrantView, ModeView, SureView, is_plan, present_approval
from bridge.cards.request.decision import RequestState
from bridge.cards.request.question import QuestionView, is_question, parse_questions, present_question, read_answers
from bridge.hub.flavors import Mode, mode_label, session_grant, switch_modes, tools_pattern
from bridge.language import tr
from bridge.relay.follow.requests import Request
from bridge.relay.follow.subject import Subject
from bridge.store.records import Wish

RECKLESS: Final = "danger"
"""The tone of modes in which nothing is asked any more."""


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
        "mode": mode_label(session.flavor, session.mode),
        "who_may_decide": _who(subject, request),
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
        card = present_approval(_approval(subject, request, facts))
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


def _who(subject: Subject, request: Request) -> str:
    """Who may decide, by their roles and by the rule that what is dangerous takes two people."""
    if not (request.danger and subject.second_approver):
        return tr("the owner and approvers") if subject.approvers else tr("the owner")
    if subject.approvers:
        return tr("the owner and approvers, two of them to allow it")
    return tr("the owner, to allow it with a second person: nobody is one yet")


def _approval(subject: Subject, request: Request, facts: dict[str, Any]) -> ApprovalView:
    """The view of what may be allowed, with the wider grants there are for it (invariant 10)."""
    session, planning = subject.session, is_plan(request.tool)
    grant = session_grant(session.flavor, request.tool, request.arguments)
    modes = switch_modes(session.flavor, session.mode, planning=planning)
    if grant is not None and "mode" in grant.approve:
        modes = tuple(mode for mode in modes if mode.mode != grant.approve["mode"])  # the same, under another name
    sure = request.sure
    switched = request.granted.get("mode")
    tools = request.granted.get("allowTools")
    return ApprovalView(
        **facts,
        grant=GrantView(grant.scope_words) if grant else None,
        danger=request.danger,
        modes=tuple(map(_mode, modes)),
        tools=tools_pattern(session.flavor, request.tool, request.arguments) or "",
        alike=request.alike,
        unfolded=request.unfolded,
        sure=SureView(sure["choice"], sure["data"], sure["name"], bool(sure["another"])) if sure else None,
        granted_mode=mode_label(session.flavor, switched) if isinstance(switched, str) else "",
        granted_tools=tuple(one for one in tools if isinstance(one, str)) if isinstance(tools, list) else (),
    )


def _mode(mode: Mode) -> ModeView:
    return ModeView(mode.mode, mode.label, reckless=mode.tone == RECKLESS)

"""``render FILE --to telegram|slack``: a messages page as the bridge would show it at level full, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bridge.cards.fingerprint import argument_hash
from bridge.cards.model import Act, Card
from bridge.cards.request.approval import ApprovalView, GrantView, ModeView, is_plan, present_approval
from bridge.cards.request.danger import danger
from bridge.cards.request.question import QuestionView, is_question, parse_questions, present_question
from bridge.cards.turn.answer import (
    present_answer,
    present_cli_output,
    present_image,
    present_reasoning,
    present_review,
    present_user_text,
)
from bridge.cards.turn.events import present_event
from bridge.cards.turn.special import look_of
from bridge.cards.turn.tools import present_tool
from bridge.cli.render import PLATFORMS, Call
from bridge.hub.flavors import session_grant, switch_modes, tools_pattern
from bridge.transcript.blocks import (
    ABSENT,
    AgentEvent,
    AgentReasoning,
    AgentText,
    Block,
    CliOutput,
    CodexReview,
    GeneratedImage,
    ToolCall,
    UserText,
)
from bridge.transcript.replay import fold_page

SESSION = "session"
"""Stands for the session's id, which a page does not carry."""


def render_page(page: Mapping[str, Any], to: str = "telegram") -> list[Call]:
    """The API calls of a platform for a page ``{"messages": […], "agentState": …}``, oldest block first.

    Every block stands for itself: what a running bridge gathers in a turn's activity post (reasoning, narration) is
    shown as messages of their own here, and so is every tool card. Total for any page.
    """
    calls: list[Call] = []
    blocks = fold_page(page).blocks
    for index, block in enumerate(blocks):
        for number, (card, may_ring) in enumerate(_cards(block)):
            rings = may_ring and (isinstance(block, ToolCall) or _closes_a_turn(blocks, index))
            for call in PLATFORMS[to].draw(f"render/{block.id}/{number}", card):
                if to == "telegram":
                    call["params"]["disable_notification"] = not rings
                calls.append(call)
    return calls


def _closes_a_turn(blocks: Sequence[Block], index: int) -> bool:
    """Whether no work of the agent follows before the next message of a user: only such a text rings."""
    for later in blocks[index + 1 :]:
        if isinstance(later, UserText):
            return True
        if isinstance(later, AgentText | AgentReasoning | ToolCall | CodexReview):
            return False
    return True


def _cards(block: Block) -> Iterator[tuple[Card, bool]]:
    """What a person is shown for one block, and whether it may ring; nothing for what is never shown."""
    match block:
        case UserText():
            yield present_user_text(block, block.sent_from or ""), False
        case AgentText():
            look = look_of(block)
            if look.notice is not None:
                yield look.notice.card, look.notice.ring
            elif look.kind == "answer":
                yield present_answer(look.text, Act(do="send_all", session=SESSION, data={"post": block.id})), True
        case AgentReasoning():
            yield present_reasoning(block.text), False
        case ToolCall():
            yield present_tool(block), False
            if block.tool.permission and block.tool.permission.status == "pending":
                yield _request(block, block.tool.permission.request_id or block.tool.id), True
        case AgentEvent():
            if notice := present_event(block):
                yield notice.card, notice.ring
        case CodexReview():
            yield present_review(block), True
        case GeneratedImage():
            yield present_image(block), False
        case CliOutput():
            yield present_cli_output(block), False


def _request(block: ToolCall, request: str) -> Card:
    """The card of an open permission request. The page names no flavor; without one, grants are Claude's."""
    tool = block.tool.name
    arguments = None if block.tool.input is ABSENT else block.tool.input
    facts: dict[str, Any] = {"session_id": SESSION, "request_id": request, "tool": tool, "arguments": arguments}
    facts["argument_hash"] = argument_hash(tool, arguments)
    if is_question(tool):
        return present_question(QuestionView(**facts, questions=parse_questions(tool, arguments)))
    grant = session_grant(None, tool, arguments)
    modes = switch_modes(None, "", planning=is_plan(tool))
    return present_approval(
        ApprovalView(
            **facts,
            grant=GrantView(grant.scope_words) if grant else None,
            danger=danger(tool, arguments),
            modes=tuple(ModeView(mode.mode, mode.label, mode.tone == "danger") for mode in modes),
            tools=tools_pattern(None, tool, arguments) or "",
        )
    )

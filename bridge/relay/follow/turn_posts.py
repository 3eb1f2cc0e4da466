"""From turns to wishes: which posts a turn has, what rings, what stays silent. Pure; the one place that decides it.

A turn is one activity post, edited in place, and its closing texts, each a message of its own. It rings once, with the
last of them; where it has nothing to say in the end, with a short note. Notices and other people's messages are silent.
"""

from __future__ import annotations

from dataclasses import replace

from bridge.cards.levels import Level
from bridge.cards.model import Act, Card
from bridge.cards.text import clean, utf16_len
from bridge.cards.turn.activity import (
    ActivityView,
    Narration,
    ReasoningNote,
    Step,
    TurnState,
    UsageView,
    present_activity,
)
from bridge.cards.turn.answer import (
    present_answer,
    present_cli_output,
    present_image,
    present_review,
    present_user_text,
)
from bridge.cards.turn.digest import present_digest
from bridge.cards.turn.events import Notice, present_event, present_turn_end
from bridge.cards.turn.special import look_of
from bridge.cards.turn.subagents import subagents, under_way, whole_work
from bridge.cards.turn.todos import keeps_todos, present_todos, progress_line
from bridge.cards.turn.tools import ToolLine, ToolState, present_tool, tool_line
from bridge.cards.turn.waiting import awaited
from bridge.language import tr
from bridge.relay.follow.subject import Subject
from bridge.relay.follow.turn_details import detail_wishes
from bridge.relay.follow.turns import Turn
from bridge.store.records import Urgency, Wish
from bridge.transcript.background import background_task
from bridge.transcript.blocks import (
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
from bridge.transcript.usage import Usage

QUIET_START_MS = 1500
"""A turn that is over sooner, and used no tools, needs no activity post."""
COARSE_MS = 15_000
"""Elapsed time of a running turn moves in steps, so that it alone costs few edits."""
KEEP_FROM = 1_000
"""UTF-16 units from which an answer's card is kept, since *Send all here* may be asked of it."""


def block_key(lineage: str, block: Block) -> str:
    """The post key of a block: by its stream where it has one, so that all snapshots are one post."""
    if block.stream_id:
        return str(clean(f"{lineage}/stream/{block.stream_id}"))
    return str(clean(f"{lineage}/message/{block.message_id}/{block.index}"))


def turn_wishes(subject: Subject, turn: Turn, now_ms: int) -> list[Wish]:
    """Everything the turn wants to be seen as now: activity, tool cards, and in the end its closing texts."""
    key = str(clean(f"{subject.lineage}/turn/{turn.id}"))
    wishes: list[Wish] = []
    closing = turn.closing_texts() if turn.outcome is not None else []
    if _has_activity(turn, closing, now_ms):
        turn.shown = True
        view = _activity(subject, turn, closing, now_ms)
        card = present_activity(view, "normal")
        final = turn.outcome is not None
        wishes.append(_wish(subject, key, "turn", "preview", card, final=final, min_level="normal"))
        wishes += detail_wishes(subject, turn, key, view)
    if any(keeps_todos(block) for block in turn.work.values()) and (todos := turn.todos()):
        final = turn.outcome is not None
        card = present_todos(todos)
        wishes.append(
            _wish(subject, f"{key}/todos", "todos", "preview", card, final=final, min_level="normal", under=key)
        )
    for block in turn.work.values():
        if isinstance(block, ToolCall) and turn.tools_drawn.get(block.id) != block.tool.state:
            turn.tools_drawn[block.id] = block.tool.state
            done = block.tool.state in ("completed", "error")
            tool_key = str(clean(f"{key}/tool/{block.id}"))
            card = present_tool(block)
            wishes.append(_wish(subject, tool_key, "tool", "notice", card, final=done, min_level="full", under=key))
    if turn.outcome is not None:
        wishes += _ending(subject, turn, key, closing)
    return wishes


def elapsed_ms(turn: Turn, now_ms: int) -> int:
    """How long a running turn is said to take so far: in steps of ``COARSE_MS``."""
    return max(0, now_ms - turn.started_ms) // COARSE_MS * COARSE_MS


def user_wish(subject: Subject, block: UserText) -> list[Wish]:
    """A person's message, shown silently. One written on a surface of ours is shown on the others alone."""
    own = block.local_id.split("-bot-")[0] if block.local_id and block.local_id.startswith(subject.own_origins) else ""
    card = present_user_text(block, f"{own}-bot" if own else block.sent_from or "")
    key = block_key(subject.lineage, block)
    if own:
        subject.echoes[key] = own
    return [_wish(subject, key, "user", "notice", card, final=True, min_level="normal")]


def block_wish(subject: Subject, block: Block) -> Wish | None:
    """The post of a block that stands for itself: an event, terminal output, an image. ``None`` if it is not shown."""
    key = block_key(subject.lineage, block)
    if isinstance(block, AgentText):
        notice = look_of(block).notice
        return notice_wish(subject, key, notice) if notice is not None else None
    if isinstance(block, AgentEvent):
        notice = present_event(block)
        return notice_wish(subject, key, notice) if notice is not None else None
    if isinstance(block, GeneratedImage):
        source = str(clean(f"{subject.lineage}/{block.image_id}"))
        return _wish(subject, key, "image", "notice", present_image(block, source), final=True)
    if isinstance(block, CliOutput):
        return _wish(subject, key, "cli", "notice", present_cli_output(block), final=True, min_level="normal")
    return None


def notice_wish(subject: Subject, key: str, notice: Notice) -> Wish:
    """A notice as a post of its own."""
    return Wish(
        key=key,
        lineage=subject.lineage,
        session_id=subject.session.id,
        kind="notice",
        urgency="notice",
        card=notice.card,
        ring=notice.ring,
        final=True,
        min_level=notice.min_level,
    )


def digest_wish(subject: Subject, missed: list[Wish], name: str) -> Wish:
    """One post in place of many texts that came while nobody could hear; it rings."""
    card = present_digest([wish.card for wish in missed])
    return _wish(subject, f"{subject.lineage}/digest/{name}", "answer", "answer", card, ring=True, final=True)


def _has_activity(turn: Turn, closing: list[AgentText | CodexReview], now_ms: int) -> bool:
    if turn.shown:
        return True
    silent = (AgentEvent, CliOutput, GeneratedImage)
    worth_showing = any(block not in closing and not isinstance(block, silent) for block in turn.work.values())
    if turn.outcome is not None:
        return worth_showing
    only_text = all(isinstance(block, AgentText | AgentEvent) for block in turn.work.values())
    return not only_text or now_ms - turn.opened_ms >= QUIET_START_MS


def _activity(subject: Subject, turn: Turn, closing: list[AgentText | CodexReview], now_ms: int) -> ActivityView:
    steps: list[Step] = []
    agents: list[ToolCall] = []
    for block in turn.work.values():
        if keeps_todos(block):
            continue
        if isinstance(block, ToolCall):
            steps.append(_tool_step(turn, block))
            if block.children:
                agents.append(block)
        elif isinstance(block, AgentReasoning):
            steps.append(ReasoningNote(block.text))
        elif isinstance(block, AgentText) and block not in closing:
            steps.append(Narration(look_of(block).text))
    return ActivityView(
        state=_state(subject, turn, steps),
        steps=steps,
        started_ms=turn.started_ms,
        now_ms=turn.ended_ms if turn.outcome is not None else turn.started_ms + elapsed_ms(turn, now_ms),
        usage=_usage(turn.usage) if turn.outcome is not None else None,
        todos=progress_line(turn.todos()) if any(map(keeps_todos, turn.work.values())) else (),
        agents=subagents(agents),
        stop=Act(do="stop", session=subject.session.id) if turn.outcome is None else None,
        reason=turn.reason,
    )


def _tool_step(turn: Turn, block: ToolCall) -> ToolLine:
    """A tool's line: stopped where its turn was; running on in the background until its end is told."""
    drawn = tool_line(block)
    if block.children and turn.outcome is not None:
        drawn = replace(drawn, inside=whole_work(block))
    if turn.outcome == "stopped" and drawn.state in ("running", "waiting"):
        return replace(drawn, state="canceled", note="stopped")
    task = background_task(block)
    if task is not None and drawn.state == "done":
        failed = turn.background_over.get(task)
        state: ToolState = "running" if failed is None else "failed" if failed else "done"
        return replace(drawn, state=state, note=tr("in the background"), background=True)
    if now := under_way(block):
        return replace(drawn, note=" · ".join(word for word in (drawn.note, now) if word))
    return drawn


def _state(subject: Subject, turn: Turn, steps: list[Step]) -> TurnState:
    if turn.outcome is not None:
        return turn.outcome
    if waiting := subject.requests.waiting():
        return awaited([request.tool for request in waiting])
    if any(isinstance(step, ToolLine) and step.state == "running" and not step.background for step in steps):
        return "tool"
    return "running" if turn.work else "waiting"


def _ending(subject: Subject, turn: Turn, key: str, closing: list[AgentText | CodexReview]) -> list[Wish]:
    """The closing texts, the last of which rings; a short note that rings where there is none to ring."""
    rings = turn.outcome != "stopped"
    wishes = []
    for block in closing:
        post = block_key(subject.lineage, block)
        if isinstance(block, CodexReview):
            card, keep = present_review(block), False
        else:
            text = look_of(block).text
            keep = utf16_len(text) >= KEEP_FROM
            card = present_answer(text, Act(do="send_all", data={"post": post}) if keep else None)
        ring = rings and block is closing[-1]
        wishes.append(_wish(subject, post, "answer", "answer", card, ring=ring, final=True, keep_card=keep))
    has_to_ring = turn.outcome == "failed" or (turn.worked and not turn.overtaken)
    if not closing and rings and has_to_ring:
        card = present_turn_end(turn.outcome or "done", turn.reason)
        wishes.append(_wish(subject, f"{key}/end", "answer", "answer", card, ring=True, final=True))
    return wishes


def _usage(usage: Usage | None) -> UsageView | None:
    if usage is None:
        return None
    context, window = usage.context_size, usage.context_window
    known = isinstance(context, int | float) and isinstance(window, int | float) and window > 0
    return UsageView(
        context_tokens=int(context) if isinstance(context, int | float) else None,
        share=context / window if known else None,
    )


def _wish(
    subject: Subject,
    key: str,
    kind: str,
    urgency: Urgency,
    card: Card,
    *,
    ring: bool = False,
    final: bool = False,
    min_level: Level = "quiet",
    keep_card: bool = False,
    under: str | None = None,
) -> Wish:
    return Wish(
        key=key,
        lineage=subject.lineage,
        session_id=subject.session.id,
        kind=kind,
        urgency=urgency,
        card=card,
        ring=ring,
        final=final,
        min_level=min_level,
        keep_card=keep_card,
        under=under,
    )

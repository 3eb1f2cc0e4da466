"""Turns: where one begins, what belongs to it, and when it is over. Pure; the only place that decides any of it.

The hub has no turn ids. A turn is known by the message that opened it: a user message that the agent took, or the
first agent row where nobody asked. It ends with the agent's ``ready``; else when the session ends, when a new user
message is taken, when it was stopped, or after ``settle_ms`` in which the agent neither thinks nor writes and nothing
waits for a person.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from bridge.cards.turn.special import look_of
from bridge.cards.turn.todos import LASTING_LISTS, Todo, keeps_todos, todos_after
from bridge.language import tr
from bridge.transcript.background import background_task
from bridge.transcript.blocks import (
    AgentEvent,
    AgentReasoning,
    AgentText,
    BackgroundEnd,
    Block,
    CliOutput,
    CodexReview,
    GeneratedImage,
    ToolCall,
    UserText,
)
from bridge.transcript.fold import Changes
from bridge.transcript.usage import Usage

Outcome = Literal["done", "failed", "stopped", "merged"]

OPENS_A_TURN = (AgentText, AgentReasoning, ToolCall, CodexReview, GeneratedImage)
FAILS_A_TURN = frozenset({"error"})
UNHEARD_MS = 60_000
"""How long a turn may have nothing to show while the agent does not think, until it is taken to be over."""
MOST_OPEN_CALLS = 50
KEPT_TURNS = 4
"""Closed turns that still take late results; older ones stay as they were last shown."""


@dataclass(slots=True)
class Turn:
    """One round: what the user asked, what the agent did, and how it ended. Blocks are live (see ``blocks``)."""

    id: str
    """Id of the wire message that opened it."""
    started_ms: int
    users: list[UserText] = field(default_factory=list)
    work: dict[str, Block] = field(default_factory=dict)
    """Agent blocks by id, in the order they came."""
    outcome: Outcome | None = None
    reason: str = ""
    ended_ms: int | None = None
    touched_ms: int = 0
    """When the last row came, by our own clock."""
    usage: Usage | None = None
    stop_asked: bool = False
    overtaken: bool = False
    """It ended because the agent took a new message, perhaps in the middle of its work."""
    opened_ms: int = 0
    """When it was opened, by our own clock."""
    shown: bool = False
    """Whether its activity post was wished for."""
    todos_before: tuple[Todo, ...] = ()
    """The agent's to-do list when it was opened."""
    background_over: dict[str, bool] = field(default_factory=dict)
    """Tasks that it put into the background and that have ended, with whether they failed."""
    tools_drawn: dict[str, str] = field(default_factory=dict)
    """The state in which each tool's own card was last drawn."""
    thoughts_drawn: dict[str, str] = field(default_factory=dict)
    """How far each piece of reasoning had come when its own card was last drawn."""

    def todos(self) -> tuple[Todo, ...]:
        """The agent's to-do list as it stands."""
        return todos_after(self.work.values(), self.todos_before)

    @property
    def worked(self) -> bool:
        """Whether the agent did anything: notices beside the work count as nothing."""
        return any(isinstance(block, OPENS_A_TURN) for block in self.work.values())

    def closing_texts(self) -> list[AgentText | CodexReview]:
        """The texts that no tool call follows: what the turn has to say in the end."""
        texts: list[AgentText | CodexReview] = []
        for block in reversed(self.work.values()):
            if isinstance(block, ToolCall):
                break
            if isinstance(block, AgentText | CodexReview):
                texts.append(block)
        reviews = [block for block in self.work.values() if isinstance(block, CodexReview) and block not in texts]
        return reviews + texts[::-1]

    def failure(self) -> str:
        """The error that no text or tool followed, in the agent's words, or that a limit was reached; else empty."""
        for block in reversed(self.work.values()):
            if isinstance(block, AgentEvent) and block.type == "limit-reached":
                return tr("usage limit reached")
            if isinstance(block, AgentEvent) and block.type in FAILS_A_TURN:
                message = block.event.get("message")
                return message if isinstance(message, str) and message else "error"
            if isinstance(block, AgentText | ToolCall):
                break
        return ""


@dataclass(slots=True)
class Step:
    """What a step of the tracker touched."""

    turns: list[Turn] = field(default_factory=list)
    """Turns to draw anew, oldest first."""
    users: list[UserText] = field(default_factory=list)
    """New user messages, in order."""
    notices: list[Block] = field(default_factory=list)
    """New or changed blocks that are posts of their own: events, terminal output, images."""

    def touch(self, turn: Turn) -> None:
        if turn not in self.turns:
            self.turns.append(turn)


class TurnTracker:
    """Cuts one session's blocks into turns."""

    def __init__(self, settle_ms: int = 3000) -> None:
        self.settle_ms = settle_ms
        self.current: Turn | None = None
        self.shown_before = ""
        """Id of the turn whose activity post was there before a restart: it must get its last form."""
        self._recent: list[Turn] = []
        self._home: dict[str, Turn] = {}
        self._retired: set[str] = set()
        self._quiet_since_ms: int | None = None
        self._todos: tuple[Todo, ...] = ()

    def feed(self, message_id: str | None, changes: Changes, usage: Usage | None, now_ms: int) -> Step:
        """Take what one message did to the blocks; ``message_id`` is ``None`` where no message did, but the state.

        Only messages add work: a card that the transcript makes up from a permission request alone joins its turn
        when its tool call arrives. ``now_ms`` is our own clock, for the settling rule.
        """
        step = Step()
        if message_id is not None:
            for block in changes.added:
                if block.id not in self._retired:
                    self._add(message_id, block, step, now_ms)
        for block in changes.changed:
            if message_id is not None and self.current is not None and keeps_todos(block):
                self._take_list(block)
            if message_id is not None and block.id not in self._home and block.id not in self._retired:
                self._add(message_id, block, step, now_ms)
            else:
                self._change(block, step)
        for block_id in changes.removed:
            self._remove(block_id, step)
        if self.current is not None and (changes.added or changes.changed):
            self.current.touched_ms = now_ms
            self.current.usage = usage or self.current.usage
        for signal in changes.signals:
            if signal.type == "ready" and self.current is not None:
                self._close(self.current, step, now_ms)
        return step

    def stop_asked(self, asked: bool = True) -> None:
        """Somebody pressed Stop: when the turn ends, it was stopped. ``False``: the hub did not take it."""
        if self.current is not None:
            self.current.stop_asked = asked

    def session_over(self, reason: str, now_ms: int) -> Step:
        """The session ended; a turn that still runs ends with it."""
        step = Step()
        if self.current is not None:
            outcome: Outcome | None = {"error": "failed", "terminated": "stopped"}.get(reason)  # type: ignore[assignment]
            self._close(self.current, step, now_ms, outcome, "" if reason == "completed" else reason)
        return step

    def tick(self, *, thinking: bool, waiting: bool, now_ms: int) -> Step:
        """Let time pass: a turn in which nothing moves any more is over.

        ``thinking`` is the hub's hint, ``waiting`` whether a request waits for a person.
        """
        step = Step()
        turn = self.current
        if turn is None or thinking or waiting:
            self._quiet_since_ms = None
            return step
        if self._quiet_since_ms is None:
            self._quiet_since_ms = now_ms
        quiet_ms = now_ms - max(self._quiet_since_ms, turn.touched_ms)
        if quiet_ms >= (self.settle_ms if turn.worked or turn.stop_asked else UNHEARD_MS):
            self._close(turn, step, now_ms)
        return step

    def open_calls(self) -> list[str]:
        """Tools of closed turns that have not ended yet: their results may still come."""
        closed = [turn for turn in self._recent if turn.outcome is not None]
        calls = [block for turn in closed for block in turn.work.values() if isinstance(block, ToolCall)]
        return [call.id for call in calls if call.tool.state in ("pending", "running")][-MOST_OPEN_CALLS:]

    def retire(self, block_ids: Iterable[str]) -> None:
        """These blocks belong to turns of the past: what still comes of them is no work of the current one."""
        self._retired.update(block_ids)

    def forget(self) -> None:
        """The transcript starts anew: blocks of the past don't come again, but for results of open calls."""
        self._retired = set(self.open_calls())

    def _add(self, message_id: str, block: Block, step: Step, now_ms: int) -> None:
        if isinstance(block, UserText):
            self._add_user(message_id, block, step, now_ms)
            return
        if isinstance(block, AgentText) and (look := look_of(block).kind) != "answer":
            if look == "notice":
                step.notices.append(block)
            return
        if isinstance(block, AgentEvent | CliOutput | GeneratedImage):
            step.notices.append(block)
        if isinstance(block, AgentEvent) and block.ended is not None:
            self._background_over(block.ended, step)
        if self.current is None:
            if not isinstance(block, OPENS_A_TURN):
                return
            self._open(message_id, block, now_ms)
        assert self.current is not None
        self.current.work[block.id] = block
        self._home[block.id] = self.current
        step.touch(self.current)

    def _take_list(self, block: Block) -> None:
        """A to-do list that is one and the same call for ever belongs to the turn that changes it."""
        home = self._home.get(block.id)
        if home is not self.current and block.id in LASTING_LISTS:
            if home is not None:
                home.work.pop(block.id, None)
                del self._home[block.id]
            self._retired.discard(block.id)

    def _background_over(self, ended: BackgroundEnd, step: Step) -> None:
        """A task in the background ended: the turn that began it shows that."""
        for turn in reversed(self._recent):
            calls = [block for block in turn.work.values() if isinstance(block, ToolCall)]
            if any(background_task(call) == ended.task for call in calls):
                turn.background_over[ended.task] = ended.failed
                step.touch(turn)
                return

    def _add_user(self, message_id: str, block: UserText, step: Step, now_ms: int) -> None:
        step.users.append(block)
        if self.current is not None and self.current.work:
            self.current.overtaken = True
            self._close(self.current, step, now_ms)
        if self.current is None:
            self._open(message_id, block, now_ms)
        assert self.current is not None
        at = block.invoked_at or block.created_at
        self.current.started_ms = at if isinstance(at, int) else self.current.started_ms
        self.current.users.append(block)
        self._home[block.id] = self.current
        step.touch(self.current)

    def _change(self, block: Block, step: Step) -> None:
        if isinstance(block, AgentEvent | CliOutput | GeneratedImage):
            step.notices.append(block)
        home = self._home.get(block.id)
        if home is None:
            return
        if block.id in home.work:
            home.work[block.id] = block
        step.touch(home)

    def _remove(self, block_id: str, step: Step) -> None:
        home = self._home.pop(block_id, None)
        if home is not None:
            home.work.pop(block_id, None)
            step.touch(home)

    def _open(self, message_id: str, block: Block, now_ms: int) -> None:
        at = block.invoked_at or block.created_at
        started = at if isinstance(at, int) else now_ms
        shown = message_id == self.shown_before
        self.current = Turn(id=message_id, started_ms=started, touched_ms=now_ms, opened_ms=now_ms, shown=shown)
        self.current.todos_before = self._todos
        self._quiet_since_ms = None
        self._recent.append(self.current)
        for old in self._recent[:-KEPT_TURNS]:
            for block_id in (*old.work, *(user.id for user in old.users)):
                self._home.pop(block_id, None)
                self._retired.add(block_id)
        self._recent = self._recent[-KEPT_TURNS:]

    def _close(self, turn: Turn, step: Step, now_ms: int, outcome: Outcome | None = None, reason: str = "") -> None:
        failure = turn.failure()
        if outcome is None:
            outcome = "stopped" if turn.stop_asked else "failed" if failure else "done"
        turn.outcome = outcome
        turn.reason = reason or failure
        last = next(reversed(turn.work.values())).created_at if turn.work else None
        turn.ended_ms = max(last, turn.started_ms) if isinstance(last, int) else now_ms
        self._todos = turn.todos()
        self.current = None
        step.touch(turn)

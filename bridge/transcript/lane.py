"""One lane of a conversation: the root, or what a sub-agent did under its Task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge.transcript.agent_runs import AGENT_RUNS, STATES
from bridge.transcript.background import background_end
from bridge.transcript.blocks import (
    AgentEvent,
    AgentReasoning,
    AgentText,
    Block,
    CliOutput,
    CodexReview,
    GeneratedImage,
    Origin,
    Tool,
    ToolCall,
    UserText,
)
from bridge.transcript.changes import Recorder
from bridge.transcript.cli_output import continues, is_cli_output
from bridge.transcript.event_rows import fold_event
from bridge.transcript.limits import limit_event
from bridge.transcript.parts import (
    CallPart,
    Entry,
    ImagePart,
    PromptPart,
    ReasoningPart,
    ResultPart,
    ReviewPart,
    SummaryPart,
    TextPart,
)
from bridge.transcript.permissions import Request
from bridge.transcript.sidechain import TASK_TOOLS
from bridge.transcript.task_notices import notice_event
from bridge.transcript.titles import TITLE_TOOLS, Titles
from bridge.transcript.tools import Card, Step, new_card


class Lane:
    """Blocks in order, and what is needed to go on with them at the same cost at any length."""

    def __init__(self, name: str, requests: dict[str, Request], titles: Titles, recorder: Recorder) -> None:
        self.name = name
        self.blocks: list[Block] = []
        self.cards: dict[str, Card] = {}
        self._requests = requests
        self._titles = titles
        self.recorder = recorder
        self._streams: dict[tuple[str, str], AgentText | AgentReasoning] = {}
        self._runs: dict[str, ToolCall] = {}

    def add(self, entry: Entry) -> list[ToolCall]:
        """Take an entry; answers the cards of the sub-agents it calls."""
        if entry.role == "user":
            self._add_user(entry)
        elif entry.role == "event":
            self._add_event(entry)
        else:
            return self._add_agent(entry)
        return []

    def refold(self, call_id: str) -> None:
        """Make a card anew after its permission changed, where the lane has one."""
        card = self.cards.get(call_id)
        if card is not None:
            card.refold(self._requests.get(call_id))
            self.recorder.changed(self.name, card.block)

    def push(self, block: Block) -> None:
        """Put a block at the end, folded into what stands there where the rules say so."""
        before = self.blocks[-1] if self.blocks else None
        if isinstance(block, AgentEvent):
            verdict = fold_event(before, block)
            if verdict == "drop":
                return
            if verdict == "replace" and before is not None:
                self.blocks.pop()
                self.recorder.removed(self.name, before)
        elif continues(before, block) and isinstance(before, CliOutput) and isinstance(block, CliOutput):
            before.text = f"{before.text}\n{block.text}"
            self.recorder.changed(self.name, before)
            return
        self.blocks.append(block)
        self.recorder.added(self.name, block)

    def _add_user(self, entry: Entry) -> None:
        origin = entry.origin
        if is_cli_output(entry.text, _sent_from(origin)):
            self.push(CliOutput(origin.message_id, origin.created_at, origin, text=entry.text, source="user"))
            return
        self.push(
            UserText(
                origin.message_id,
                origin.created_at,
                origin,
                text=entry.text,
                attachments=entry.attachments,
            )
        )

    def _add_event(self, entry: Entry) -> None:
        if entry.event["type"] in AGENT_RUNS:
            self._add_run(entry)
            return
        self.push(AgentEvent(entry.origin.message_id, entry.origin.created_at, entry.origin, event=entry.event))

    def _add_run(self, entry: Entry) -> None:
        event, origin = entry.event, entry.origin
        run = event["agentId"] or origin.message_id
        given = {key: event[key] for key in ("agentId", "agentStatus", "statusText", "summary")}
        state = STATES.get(event["agentStatus"].lower(), "running")
        block = self._runs.get(run)
        if block is not None:
            block.tool.input, block.tool.state = given, state
            self.recorder.changed(self.name, block)
            return
        block = ToolCall(run, origin.created_at, origin)
        block.tool = Tool(run, "CodexAgent", state, given)
        self._runs[run] = block
        self.push(block)

    def _add_agent(self, entry: Entry) -> list[ToolCall]:
        tasks: list[ToolCall] = []
        origin, parts = entry.origin, entry.parts
        for part in parts:
            if isinstance(part, TextPart):
                limit = limit_event(part.text)
                if limit is not None:
                    self.push(AgentEvent(origin.message_id, origin.created_at, origin, event=limit))
                    return tasks
        for index, part in enumerate(parts):
            if isinstance(part, CallPart | ResultPart):
                card = self._add_step(Step(part, origin, index))
                if card is not None and isinstance(part, CallPart) and part.name in TASK_TOOLS:
                    tasks.append(card)
            else:
                _MAKERS[part.kind](self, part, origin, index)
        return tasks

    def _add_step(self, step: Step) -> ToolCall | None:
        part, origin = step.part, step.origin
        title = self._titles.known.get(part.id)
        is_title_call = isinstance(part, CallPart) and part.name in TITLE_TOOLS
        if title is not None and (is_title_call or isinstance(part, ResultPart)):
            if self._titles.first_showing(part.id):
                self._push_event(origin, step.index, {"type": "title-changed", "title": title})
            return None
        if is_title_call:
            return None
        request = self._requests.get(part.id)
        card = self.cards.get(part.id)
        if card is None:
            card = self.cards[part.id] = new_card(step, request)
            self.push(card.block)
        else:
            card.add(step, request)
            self.recorder.changed(self.name, card.block)
        return card.block

    def _push_event(self, origin: Origin, index: int, event: dict[str, Any]) -> None:
        block_id = f"{origin.message_id}:{index}"
        self.push(AgentEvent(block_id, origin.created_at, origin, index, event=event))

    def _text(self, part: TextPart, origin: Origin, index: int) -> None:
        block_id = f"{origin.message_id}:{index}"
        if is_cli_output(part.text, _sent_from(origin)):
            self.push(CliOutput(block_id, origin.created_at, origin, index, text=part.text, source="assistant"))
            return
        if self._continues_stream("text", part):
            return
        block = AgentText(
            block_id, origin.created_at, origin, index, part.stream_id, text=part.text, model=part.model, role=part.role
        )
        self._remember_stream("text", part.stream_id, block)
        self.push(block)

    def _reasoning(self, part: ReasoningPart, origin: Origin, index: int) -> None:
        if self._continues_stream("reasoning", part):
            return
        block_id = f"{origin.message_id}:{index}"
        block = AgentReasoning(block_id, origin.created_at, origin, index, part.stream_id, text=part.text)
        self._remember_stream("reasoning", part.stream_id, block)
        self.push(block)

    def _continues_stream(self, kind: str, part: TextPart | ReasoningPart) -> bool:
        if not part.stream_id:
            return False
        block = self._streams.get((kind, part.stream_id))
        if block is None:
            return False
        if block.text != part.text:
            block.text = part.text
            self.recorder.changed(self.name, block)
        return True

    def _remember_stream(self, kind: str, stream_id: str | None, block: AgentText | AgentReasoning) -> None:
        if stream_id:
            self._streams[kind, stream_id] = block

    def _prompt(self, part: PromptPart, origin: Origin, index: int) -> None:
        event = notice_event(part.text)
        if event is not None:
            block_id = f"{origin.message_id}:{index}"
            ended = background_end(part.text)
            self.push(AgentEvent(block_id, origin.created_at, origin, index, event=event, ended=ended))

    def _summary(self, part: SummaryPart, origin: Origin, index: int) -> None:
        self._push_event(origin, index, {"type": "message", "message": part.text})

    def _review(self, part: ReviewPart, origin: Origin, index: int) -> None:
        block_id = f"{origin.message_id}:{index}"
        self.push(CodexReview(block_id, origin.created_at, origin, index, review=part.review))

    def _image(self, part: ImagePart, origin: Origin, index: int) -> None:
        self.push(
            GeneratedImage(
                f"{origin.message_id}:{index}",
                origin.created_at,
                origin,
                index,
                image_id=part.image_id,
                file_name=part.file_name,
                mime_type=part.mime_type,
            )
        )


_MAKERS: dict[str, Callable[[Lane, Any, Origin, int], None]] = {
    TextPart.kind: Lane._text,
    ReasoningPart.kind: Lane._reasoning,
    PromptPart.kind: Lane._prompt,
    SummaryPart.kind: Lane._summary,
    ReviewPart.kind: Lane._review,
    ImagePart.kind: Lane._image,
}


def _sent_from(origin: Origin) -> Any:
    return origin.meta.get("sentFrom") if isinstance(origin.meta, dict) else None

"""Tools: one line each in the activity post, and a card of their own at level full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bridge.cards.model import Button, Card, Panel, Section, Span, Text, Tone, plain
from bridge.cards.text import utf16_len
from bridge.cards.turn.tool_input import input_pieces
from bridge.cards.turn.tool_names import shown_name, telling_argument, telling_value
from bridge.cards.turn.tool_output import output_pieces, output_text
from bridge.cards.turn.waiting import awaited, waiting_words
from bridge.cards.words import brief, whole_number
from bridge.language import N_, tr, trn
from bridge.transcript.blocks import ABSENT, ToolCall

ToolState = Literal["running", "waiting", "done", "failed", "denied", "canceled"]
"""``waiting``: for a permission."""

MARKS: Final[dict[ToolState, str]] = {
    "running": "🟠",
    "waiting": "🟠",
    "done": "🟢",
    "failed": "🔴",
    "denied": "🔴",
    "canceled": "🔴",
}
_WORDS: Final[Mapping[ToolState, str]] = {
    "running": N_("running"),
    "done": N_("done"),
    "failed": N_("failed"),
    "denied": N_("denied"),
    "canceled": N_("canceled"),
}
_TONES: Final[dict[ToolState, Tone]] = {
    "running": "running",
    "waiting": "waiting",
    "done": "done",
    "failed": "failed",
    "denied": "failed",
    "canceled": "failed",
}
_CLIPBOARD: Final = 256
"""UTF-16 units that a copy button carries (Telegram's ``copy_text``)."""


@dataclass(frozen=True, slots=True)
class ToolLine:
    """What the activity post keeps of a tool call."""

    id: str
    """The block's id."""
    name: str
    state: ToolState
    argument: str = ""
    note: str = ""
    """A word on how it went: ``exit 1``, ``denied``, ``5 tools inside``."""
    background: bool = False
    """It goes on (or went on) beside the work."""
    inside: str = ""
    """What a sub-agent did and reported, whole: Markdown, for the turn's file."""

    @property
    def line(self) -> tuple[Span, ...]:
        """The line, with its mark."""
        spans = [Span(text=f"{MARKS[self.state]} "), Span(text=self.name, bold=True)]
        if self.argument:
            spans += [Span(text=" "), Span(text=self.argument, code=True)]
        if self.note:
            spans.append(Span(text=f" · {self.note}"))
        return tuple(spans)


def tool_line(block: ToolCall) -> ToolLine:
    """The line of a tool call: its state, its name, the one most telling argument. Total for any input and result."""
    tool = block.tool
    state = tool_state(block)
    name = shown_name(tool.name)
    argument = telling_argument(tool.name, tool.input) or brief(tool.description or tool.title, 120)
    notes = [_state_note(block, state), _inside(block)]
    return ToolLine(block.id, name, state, argument, " · ".join(note for note in notes if note))


def tool_state(block: ToolCall) -> ToolState:
    """A tool's state with its permission's: running, waiting for one, done, failed, denied, canceled."""
    permission = block.tool.permission
    status = permission.status if permission else ""
    if block.tool.state == "completed":
        return "done"
    if block.tool.state == "error":
        return "denied" if status == "denied" else "canceled" if status == "canceled" else "failed"
    return "waiting" if status == "pending" else "running"


def present_tool(block: ToolCall) -> Card:
    """The tool's card: input and output as sections of their own, long output folded, short texts to copy."""
    tool, state = block.tool, tool_state(block)
    line = tool_line(block)
    sections: list[Section] = []
    given = input_pieces(tool.name, tool.input if tool.input is not ABSENT else None)
    if given:
        sections.append(Section(label=tr("Input"), pieces=given))
    if block.children:
        sections.append(Section(label=tr("Inside"), pieces=(Text(lines=(plain(_inside(block)),)),)))
    came = output_pieces(tool.result) if tool.result is not ABSENT else ()
    if came:
        sections.append(Section(label=tr("Output"), pieces=came))
    how = waiting_words(awaited([tool.name])) if state == "waiting" else tr(_WORDS[state])
    title = [Span(text=line.name, bold=True), Span(text=f" · {how}")]
    panel = Panel(title=tuple(title), tone=_TONES[state], sections=tuple(sections))
    return Card(
        pieces=(panel,),
        buttons=_copies(block),
        summary=brief(f"{line.name} {line.argument}".strip(), 120),
        one_message=True,
        spill_now=state not in ("running", "waiting"),
    )


def _state_note(block: ToolCall, state: ToolState) -> str:
    if state == "waiting":
        return tr("waits for an answer") if awaited([block.tool.name]) == "answer" else tr("waits for approval")
    if state in ("denied", "canceled"):
        return tr(_WORDS[state])
    result = block.tool.result
    code = result.get("exit_code", result.get("exitCode")) if isinstance(result, dict) else None
    if isinstance(code, int) and not isinstance(code, bool) and code:
        return tr("exit {code}", code=whole_number(code))
    return ""


def _inside(block: ToolCall) -> str:
    """What ran under a sub-agent, as counts."""
    tools = texts = 0
    stack = list(block.children)
    while stack:
        child = stack.pop()
        if isinstance(child, ToolCall):
            tools += 1
            stack += child.children
        elif child.kind in ("agent-text", "agent-reasoning"):
            texts += 1
    if tools and texts:
        counts = {"tools": trn("{n} tool", "{n} tools", tools), "texts": trn("{n} text", "{n} texts", texts)}
        return tr("{tools} and {texts} inside", **counts)
    if tools:
        return trn("{n} tool inside", "{n} tools inside", tools)
    return trn("{n} text inside", "{n} texts inside", texts) if texts else ""


def _copies(block: ToolCall) -> tuple[tuple[Button, ...], ...]:
    """Copy buttons for what a clipboard button can carry: the telling argument, the output."""
    tool = block.tool
    buttons: list[Button] = []
    value = telling_value(tool.name, tool.input)
    if value and utf16_len(value) <= _CLIPBOARD:
        buttons.append(
            Button(label=tr("Copy command") if shown_name(tool.name) == "Bash" else tr("Copy input"), copies=value)
        )
    output = output_text(tool.result) if tool.result is not ABSENT else None
    if output and output.strip() and utf16_len(output) <= _CLIPBOARD:
        buttons.append(Button(label=tr("Copy output"), copies=output))
    return (tuple(buttons),) if buttons else ()

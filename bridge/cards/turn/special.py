"""Texts that are no answer: the second contract's payloads and foreign roles, each with a look of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bridge.cards.model import Card, Panel, Section, Span, Text, plain
from bridge.cards.turn.answer import present_reasoning
from bridge.cards.turn.events import Notice, folded, notice, trouble
from bridge.cards.turn.tool_output import output_pieces
from bridge.cards.turn.user_text import present_user_text
from bridge.cards.words import brief
from bridge.language import tr
from bridge.transcript.blocks import AgentText, UserText
from bridge.transcript.content import Content, ContentType, Role, classify


@dataclass(frozen=True, slots=True)
class Look:
    """How a text is to be shown.

    ``answer``: as the agent's words, `text`. ``notice``: as `notice`, beside the answers. ``hidden``: never.
    """

    kind: Literal["answer", "notice", "hidden"]
    text: str = ""
    notice: Notice | None = None


def look_of(block: AgentText) -> Look:
    """What a text block is, in the second contract's words, and how that looks. Total for any text."""
    content = classify(block)
    if content.is_hidden:
        return Look("hidden")
    if content.type is ContentType.MARKDOWN:
        return Look("answer", content.text)
    return Look("notice", content.text, _notice(block, content))


def _notice(block: AgentText, content: Content) -> Notice:
    text = content.text
    if content.type is ContentType.ERROR:
        return trouble(tr("Error"), text)
    if content.type is ContentType.SUMMARY:
        return notice(plain(tr("Context compacted")), more=folded(text, tr("Summary"), "summary.md"))
    if content.type is ContentType.THINKING:
        return Notice(present_reasoning(text))
    if content.type is ContentType.USER_MESSAGE:
        return Notice(present_user_text(UserText(origin=block.origin, text=block.text)))
    if content.role is Role.TOOL:
        return _tool(content)
    lines = tuple(plain(line) for line in text.split("\n"))
    return Notice(Card(pieces=(Text(lines=lines, spill="message.txt"),), summary=brief(text, 120), one_message=True))


def _tool(content: Content) -> Notice:
    """A tool's message without its call."""
    label = tr("Input") if content.type is ContentType.TOOLCALL_INPUT else tr("Output")
    sections = (Section(label=label, pieces=output_pieces(content.text)),)
    panel = Panel(title=(Span(text=tr("Tool"), bold=True),), sections=sections)
    return Notice(
        Card(pieces=(panel,), summary=brief(tr("Tool: {text}", text=content.text), 120), one_message=True), "full"
    )

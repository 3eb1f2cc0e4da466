"""A conversation read back: pages of it for a phone, and the whole of it as one Markdown file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bridge.cards.layout import lay_out
from bridge.cards.model import Act, Button, Card, Code, File, Fold, Line, Markdown, Panel, Piece, Span, Text, plain
from bridge.cards.own.bridge_notes import note_card
from bridge.cards.text import utf16_len
from bridge.cards.turn.answer import present_cli_output, present_image, present_review
from bridge.cards.turn.events import present_event
from bridge.cards.turn.special import look_of
from bridge.cards.turn.steps import excerpt
from bridge.cards.turn.tool_output import output_text
from bridge.cards.turn.tools import tool_line
from bridge.cards.turn.user_text import present_user_text
from bridge.cards.words import brief, cut, moment_ms
from bridge.language import tr
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

LONGEST: Final = 900
"""UTF-16 units of one text on a page."""
PAGE: Final = 2600
"""UTF-16 units of a page: one message on either platform."""
MOST: Final = 24
"""Entries of a page."""
LARGEST: Final = 8_000_000
"""Bytes of an exported file: both platforms take more, a phone opens no more."""


@dataclass(frozen=True, slots=True)
class Turned:
    """Where a page stands: the session, and what the buttons to its neighbours carry."""

    session: str
    title: str
    older: dict[str, Any] | None = None
    newer: dict[str, Any] | None = None
    said: str = ""


def fitting(blocks: Sequence[Block]) -> int:
    """How many of the newest blocks make a page; at least one, if there is any."""
    room, count = PAGE, 0
    for block in reversed(blocks):
        room -= sum(_units(piece) for piece in _pieces(block)) + 2
        if count and (room < 0 or count >= MOST):
            break
        count += 1
    return count


def present_history(turned: Turned, blocks: Sequence[Block]) -> Card:
    """A page: blocks oldest first, texts cut where they are long, visibly. The buttons turn it (act ``history``)."""
    head: list[Line] = [plain(turned.said)] if turned.said else []
    head.append((Span(text=tr("History of “{title}”", title=brief(turned.title, 60)), bold=True),))
    pieces: list[Piece] = [Text(lines=tuple(head))]
    for block in blocks:
        pieces += _pieces(block)
    if not blocks:
        pieces.append(Text(lines=(plain(tr("Nothing was said there.")),)))
    turns = []
    if turned.older is not None:
        turns.append(Button(label=tr("‹ Older"), act=_page(turned, turned.older)))
    if turned.newer is not None:
        turns.append(Button(label=tr("Newer ›"), act=_page(turned, turned.newer)))
    foot = (
        Button(label=tr("Export"), act=Act(do="export", session=turned.session)),
        Button(label=tr("Session"), act=Act(do="open", session=turned.session)),
    )
    return Card(
        pieces=tuple(pieces),
        buttons=(*((tuple(turns),) if turns else ()), foot),
        summary=tr("History of “{title}”", title=brief(turned.title, 60)),
        one_message=True,
        spill_now=False,
    )


def present_found(
    words: str,
    title: str,
    hits: Sequence[tuple[str, str, dict[str, Any]]],
    titles: Sequence[tuple[str, str]],
    said: str,
) -> Card:
    """What a search found: ``hits`` (session, excerpt, what its page's button carries), ``titles`` (session, title)."""
    lines: list[Line] = [(Span(text=tr("Found for “{words}”", words=brief(words, 60)), bold=True),)]
    buttons = []
    for number, (session, text, data) in enumerate(hits, 1):
        lines.append(plain(f"{number} · {cut(text, 160)}"))
        buttons.append(Button(label=str(number), act=Act(do="history", session=session, data=data)))
    rows = [tuple(buttons[at : at + 5]) for at in range(0, len(buttons), 5)]
    rows += [(Button(label=brief(name, 50), act=Act(do="open", session=id_)),) for id_, name in titles]
    if not hits and not titles:
        lines.append(plain(tr("Nothing.")))
    if title:
        lines.append(plain(tr("Looked in “{title}”. {how}", title=brief(title, 60), how=said)))
    return note_card(*lines, buttons=tuple(rows))


def present_export(title: str, file: File, missing: str) -> Card:
    """The conversation as a file; ``missing``: what is not in it, in words."""
    lines = [plain(tr("“{title}” as Markdown.", title=brief(title, 60)))]
    if missing:
        lines.append(plain(f"🟡 {missing}"))
    return Card(pieces=(Text(lines=tuple(lines)),), files=(file,), summary=tr("Export"), one_message=True)


def export_markdown(title: str, facts: Sequence[str], blocks: Iterable[Block], missing: str) -> tuple[str, bool]:
    """The whole conversation as Markdown, at most ``LARGEST`` bytes; and whether its oldest part had to go for that."""
    parts = [part for block in blocks if (part := _written(block))]
    room, kept = LARGEST, len(parts)
    while kept and room >= 0:
        room -= len(parts[kept - 1].encode()) + 2
        kept -= room >= 0
    head = [f"# {_one_line(title)}", *(f"- {_one_line(each)}" for each in facts if each)]
    if kept:
        missing = tr("The oldest part is left out: the file would be too large.")
    if missing:
        head.append(f"> {missing}")
    return "\n\n".join(["\n".join([*head[:1], "", *head[1:]]), *parts[kept:]]) + "\n", bool(kept)


def words_of(block: Block) -> str:
    """The words of a block that a search looks at."""
    match block:
        case UserText() | AgentText() | AgentReasoning() | CliOutput():
            return block.text
        case ToolCall():
            return tool_line(block).argument
        case _:
            return ""


def _pieces(block: Block) -> tuple[Piece, ...]:
    match block:
        case UserText():
            shown = present_user_text(replace(block, text=excerpt(block.text, LONGEST))).pieces
            when = moment_ms(block.invoked_at or block.created_at, date=True)
            return (Text(lines=((when,),)), *shown) if when is not None else shown
        case AgentText():
            look = look_of(block)
            if look.kind == "answer":
                return (Markdown(source=excerpt(look.text, LONGEST)),)
            return _short(look.notice.card.pieces) if look.notice is not None else ()
        case AgentReasoning():
            title = (Span(text=tr("Reasoning"), italic=True),)
            return (Fold(title=title, pieces=(Markdown(source=excerpt(block.text, LONGEST // 2)),)),)
        case ToolCall():
            return (Text(lines=(tool_line(block).line,)),)
        case AgentEvent():
            notice = present_event(block)
            return _short(notice.card.pieces) if notice is not None else ()
        case CliOutput():
            return _short(present_cli_output(block).pieces)
        case CodexReview():
            return _short(present_review(block).pieces)
        case GeneratedImage():
            return present_image(block).pieces
        case _:
            return ()


def _short(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Pieces with long texts cut, visibly."""
    cut_ones: list[Piece] = []
    for piece in pieces:
        match piece:
            case Markdown() | Code():
                cut_ones.append(piece.model_copy(update={"source": excerpt(piece.source, LONGEST), "spill": None}))
            case _:
                cut_ones.append(piece)
    return tuple(cut_ones)


def _units(piece: Piece) -> int:
    match piece:
        case Markdown() | Code():
            return utf16_len(piece.source) + 2
        case Text():
            return sum(utf16_len(span.text) for line in piece.lines for span in line) + len(piece.lines)
        case Fold():
            return sum(map(_units, piece.pieces)) + 20
        case Panel():
            return sum(_units(inner) for section in piece.sections for inner in section.pieces) + 40


def _page(turned: Turned, data: dict[str, Any]) -> Act:
    return Act(do="history", session=turned.session, data=data)


def _written(block: Block) -> str:
    """A block in the file: a heading that says who, then all of it."""
    match block:
        case UserText():
            attached = "".join(f"\n\n- {_one_line(each.filename)}" for each in block.attachments)
            return f"{_heading(tr('You'), block)}\n\n{_quoted(block.text)}{attached}"
        case AgentText():
            look = look_of(block)
            return "" if look.kind == "hidden" else f"{_heading(tr('Agent'), block)}\n\n{_whole(look.text)}"
        case AgentReasoning():
            return f"{_heading(tr('Reasoning'), block)}\n\n{_quoted(block.text)}"
        case ToolCall():
            return _tool(block)
        case CliOutput():
            return f"{_heading(tr('Terminal'), block)}\n\n{_fenced(block.text)}"
        case CodexReview():
            return f"{_heading(tr('Review'), block)}\n\n{_fenced(lay_out(block.review), 'json')}"
        case GeneratedImage():
            return f"*{tr('Generated image: {name}', name=_one_line(block.file_name or block.image_id))}*"
        case AgentEvent():
            notice = present_event(block)
            return f"*{_one_line(notice.card.summary)}*" if notice is not None and notice.card.summary else ""
        case _:
            return ""


def _tool(block: ToolCall) -> str:
    tool = block.tool
    parts = [_heading(tr("Tool: {name}", name=_one_line(tool.title or tool.name)), block)]
    if tool.input is not ABSENT and tool.input not in (None, {}, []):
        parts.append(_fenced(tool.input if isinstance(tool.input, str) else lay_out(tool.input), "json"))
    if tool.result is not ABSENT and tool.result not in (None, "", {}, []):
        text = output_text(tool.result)
        parts.append(_fenced(text if text is not None else lay_out(tool.result), "" if text is not None else "json"))
    parts += [part for child in block.children if (part := _written(child))]
    return "\n\n".join(parts)


def _heading(who: str, block: Block) -> str:
    when = moment_ms(block.invoked_at or block.created_at, date=True)
    return f"## {who}" + (f" · {when.text}" if when is not None else "")


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


_FENCE: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)


def _whole(markdown: str) -> str:
    """The agent's Markdown, with a fence that it left open closed: what follows is not its code."""
    fence = ""
    for found in _FENCE.findall(markdown):
        if not fence:
            fence = found
        elif found[0] == fence[0] and len(found) >= len(fence):
            fence = ""
    return f"{markdown}\n{fence}" if fence else markdown


def _fenced(text: str, language: str = "") -> str:
    """Text in a fence longer than any inside, so that nothing in it ends it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _one_line(text: str) -> str:
    return " ".join(text.split())

"""Pieces of a card as flows of blocks: what is shown, before it is shortened and cut into messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bridge.cards.model import Code, File, Fold, Markdown, Panel, Piece, Span
from bridge.cards.model import Line as SpanLine
from bridge.chat.slack.lines import CODE, PLAIN, Block, Box, Flow, Frame, Line, Run, Style, line, split_lines
from bridge.chat.slack.links import link_runs
from bridge.chat.slack.render_markdown import Tables, code_lines, markdown_blocks

HEADER_GROUP = -1
MARKS = {"neutral": "", "waiting": "🟡 ", "running": "🟠 ", "done": "🟢 ", "failed": "🔴 ", "warning": "⚠️ "}
COLORS = {
    "neutral": "#8d939e",
    "waiting": "#e8912d",
    "running": "#e8912d",
    "done": "#2eb67d",
    "failed": "#e01e5a",
    "warning": "#ecb22e",
}
_TITLE = Frame("heading", 3)


@dataclass(frozen=True, slots=True)
class TableRule:
    """What a card's tables may become: the weight of a ``table`` block, and whether large ones become files."""

    room: int
    as_files: bool


def flows_of(pieces: Iterable[Piece], tables: TableRule) -> Iterator[Flow]:
    """Flows of the pieces in order; folds and panels become a title and the flows of what is in them.

    Slack shows attachments below all blocks; so what follows a fold or a panel is an attachment too, and the order
    stays.
    """
    box: Box | None = None
    for piece in pieces:
        if isinstance(piece, Fold | Panel):
            yield from _boxed(piece, tables)
            box = Box()
        else:
            yield from _flows(piece, box, 0, tables)


def header_flow(header: SpanLine) -> Flow:
    """The line that names the session, in a Slack block of its own."""
    return Flow([Block(list(span_lines([header])), group=HEADER_GROUP, glue=True)] if header else [])


def span_lines(lines: Iterable[SpanLine]) -> Iterator[Line]:
    """Lines of spans, as written."""
    first = True
    for spans in lines:
        for runs in split_lines(_span_runs(spans)):
            yield line(runs, gap=first)
            first = False


def _boxed(piece: Fold | Panel, tables: TableRule) -> Iterator[Flow]:
    if isinstance(piece, Fold):
        box = Box()
        if piece.title:
            yield _title("", piece.title, box)
        for inner in piece.pieces:
            yield from _flows(inner, box, 0, tables)
    else:
        yield from _panel(piece, Box(COLORS[piece.tone]), tables)


def _panel(panel: Panel, box: Box, tables: TableRule) -> Iterator[Flow]:
    yield _title(MARKS[panel.tone], panel.title, box)
    for group, section in enumerate(panel.sections, 1):
        label = line([(section.label, Style(italic=True))], _TITLE, gap=True)
        yield Flow([Block([label], box=box, group=group, glue=True)])
        for piece in section.pieces:
            yield from _flows(piece, box, group, tables)


def _flows(piece: Piece, box: Box | None, group: int, tables: TableRule) -> Iterator[Flow]:
    """Attachments don't nest: a fold or panel inside one is simply a part of it."""
    if isinstance(piece, Fold):
        if piece.title:
            yield _title("", piece.title, box, group)
        for inner in piece.pieces:
            yield from _flows(inner, box, group, tables)
    elif isinstance(piece, Panel):
        yield from _panel(piece, box or Box(COLORS[piece.tone]), tables)
    elif isinstance(piece, Markdown):
        files: list[File] = []
        rule = Tables(tables.room, files if tables.as_files else None)
        yield Flow(list(markdown_blocks(piece.source, box, group, rule)), piece, files)
    elif isinstance(piece, Code):
        yield Flow([Block(code_lines(piece.source, piece.language), box=box, group=group)], piece)
    else:
        yield Flow([Block(list(span_lines(piece.lines)), box=box, group=group)], piece)


def _title(mark: str, spans: SpanLine, box: Box | None, group: int = 0) -> Flow:
    runs = [(text.replace("\n", " "), style) for text, style in _span_runs(spans)]
    return Flow([Block([line([(mark, PLAIN), *runs], _TITLE, gap=True)], box=box, group=group, glue=True)])


def _span_runs(spans: Iterable[Span]) -> Iterator[Run]:
    for span in spans:
        style = Style(span.bold, span.italic, span.strike, span.code)
        if span.link is not None:
            yield from link_runs([(span.text, style)], span.link)
        elif span.code:
            yield span.text, CODE
        else:
            yield span.text, style._replace(unix_s=span.unix_s)

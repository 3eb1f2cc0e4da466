"""Pieces of a card as flows of blocks: what is shown, before it is shortened and cut into messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bridge.cards.model import Code, File, Fold, Markdown, Panel, Piece
from bridge.cards.model import Line as SpanLine
from bridge.cards.spill import Leaf
from bridge.chat.telegram.entities import PLAIN, Box, Line, Style, line
from bridge.chat.telegram.render_markdown import markdown_blocks
from bridge.chat.telegram.render_runs import Boxes, code_block, span_runs, text_lines
from bridge.chat.telegram.split import Block

TONES = {"neutral": "", "waiting": "🟡 ", "running": "🟠 ", "done": "🟢 ", "failed": "🔴 ", "warning": "⚠️ "}


@dataclass(slots=True, eq=False)
class Flow:
    """What one piece became. Only a flow whose ``leaf`` has a ``spill`` may be shortened."""

    blocks: list[Block]
    leaf: Leaf | None = None
    files: list[File] = field(default_factory=list)
    """Files that stand for a part of the piece (a table too large to read in a chat)."""

    @property
    def lines(self) -> list[Line]:
        return [item for block in self.blocks for item in block.lines]


def flows_of(pieces: Iterable[Piece], boxes: Boxes = (), *, table_files: bool = True) -> Iterator[Flow]:
    """Flows of the pieces in order; folds and panels become a title and the flows of what is in them.

    Telegram's quotes don't nest, so what is folded inside a fold is simply a part of it.
    """
    for piece in pieces:
        if isinstance(piece, Fold):
            inside = boxes or (Box("expandable_blockquote"),)
            if piece.title:
                yield Flow([Block([_title("", piece.title, inside)], glue=True)])
            yield from flows_of(piece.pieces, inside, table_files=table_files)
        elif isinstance(piece, Panel):
            yield Flow([Block([_title(TONES[piece.tone], piece.title, boxes)], glue=True)])
            for section in piece.sections:
                label = line([(section.label, Style(italic=True, underline=True))], boxes, gap=2)
                yield Flow([Block([label], glue=True)])
                yield from flows_of(section.pieces, boxes, table_files=table_files)
        elif isinstance(piece, Markdown):
            files: list[File] = []
            yield Flow(list(markdown_blocks(piece.source, boxes, files if table_files else None)), piece, files)
        elif isinstance(piece, Code):
            yield Flow([code_block(piece.source, piece.language, boxes)], piece)
        else:
            yield Flow([Block(list(text_lines(piece.lines, boxes)))], piece)


def _title(mark: str, spans: SpanLine, boxes: Boxes) -> Line:
    runs = [
        (text.replace("\n", " "), style if style.code else style._replace(bold=True))
        for text, style in span_runs(spans)
    ]
    return line([(mark, PLAIN), *runs], boxes, gap=2)

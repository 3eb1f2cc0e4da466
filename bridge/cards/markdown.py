"""Markdown as agents write it, read to a document (``document.py``).

pulldown-cmark (through pyromark) finds the structure; :mod:`bridge.cards.markdown_source` keeps it from swallowing
text: nothing that is visible in the source disappears except the marks themselves. Total (invariant 5): any ``str``
gives a tree, in time linear in its length and with bounded depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyromark

from bridge.cards.document import (
    Block,
    CodeBlock,
    Heading,
    Item,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
    plain_text,
)
from bridge.cards.markdown_source import Source

MAX_DEPTH = 40
"""Lists and quotes nested deeper than this are drawn at this depth."""

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS


def parse(text: str) -> tuple[Block, ...]:
    """The document. Raises nothing, whatever the text."""
    source = Source.prepare(text)
    builder = _Builder(source)
    for event, place in pyromark.events_with_range(source.text, options=_OPTIONS, merge_text=True):
        builder.take(event, place["start"], place["end"])
    return builder.finish()


@dataclass(slots=True)
class _Frame:
    """A list, item or quote that is open."""

    kind: str
    blocks: list[Block]
    items: list[Item]
    start: int | None = None
    checked: bool | None = None


class _Builder:
    """Turns events into blocks with a stack of its own, so that depth costs no recursion."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.frames = [_Frame("root", [], [])]
        self.ignored = 0
        self.runs: list[Run] = []
        self.marks: list[tuple[str, str]] = []
        self.bold = self.italic = self.strike = 0
        self.links: list[str] = []
        self.level = 0
        self.code: tuple[str, str] | None = None
        self.pieces: list[str] = []
        self.html = False
        self.cells: list[Runs] = []
        self.cell_end = 0
        self.head: tuple[Runs, ...] = ()
        self.rows: list[tuple[Runs, ...]] = []
        self.aligns: tuple[str, ...] = ()

    def take(self, event: Any, start: int, end: int) -> None:
        if isinstance(event, str):
            if event == "Rule":
                self.flush()
                self.frames[-1].blocks.append(Rule())
            else:
                self.text("\n")
            return
        ((name, value),) = event.items()
        if name == "Start":
            self.start(value, start, end)
        elif name == "End":
            self.end(value if isinstance(value, str) else next(iter(value)), end)
        elif name == "TaskListMarker":
            self.task(bool(value))
        elif name == "Code":
            self.text(value, code=True)
        else:
            self.text(value)

    def task(self, checked: bool) -> None:
        if self.frames[-1].kind == "Item":
            self.frames[-1].checked = checked
        else:
            self.text("[x] " if checked else "[ ] ")

    def text(self, value: str, *, code: bool = False) -> None:
        """Append text in the present style, to what is open: a code block, or a run."""
        value = self.source.restore(value)
        if self.code is not None or self.html:
            self.pieces.append(value)
            return
        if not value:
            return
        link = self.links[-1] if self.links else None
        run = Run(value, self.bold > 0, self.italic > 0, self.strike > 0, code, link)
        if self.runs and self.runs[-1][1:] == run[1:]:
            self.pieces.append(value)
        else:
            self.join()
            self.runs.append(run)

    def join(self) -> None:
        """Give the last run the pieces that continue it (joined at once, so that many pieces stay cheap)."""
        if self.pieces and self.runs:
            last = self.runs[-1]
            self.runs[-1] = last._replace(text=last.text + "".join(self.pieces))
        self.pieces.clear()

    def take_runs(self) -> Runs:
        self.join()
        runs, self.runs = tuple(run for run in self.runs if run.text), []
        return runs

    def flush(self) -> None:
        """End the paragraph of a tight list item."""
        runs = self.take_runs()
        if plain_text(runs).strip():
            self.frames[-1].blocks.append(Paragraph(runs))

    def start(self, tag: Any, start: int, end: int) -> None:
        name: str
        value: Any
        name, value = (tag, None) if isinstance(tag, str) else next(iter(tag.items()))
        if name in ("Emphasis", "Strong", "Strikethrough"):
            self.open_mark(name, start, end)
        elif name in ("Link", "Image"):
            self.open_link(name, value)
        elif name in ("BlockQuote", "List", "Item"):
            self.flush()
            self.open_frame(name, value if name == "List" else None)
        elif name == "CodeBlock":
            self.flush()
            info = value["Fenced"] if isinstance(value, dict) else ""
            language, _, caption = self.source.restore(info).strip().partition(" ")
            self.code = (language, caption.strip())
        elif name == "HtmlBlock":
            self.flush()
            self.html = True
        elif name == "Table":
            self.flush()
            self.aligns, self.rows = tuple(value or ()), []
        elif name in ("TableHead", "TableRow"):
            self.cells, self.cell_end = [], start
        elif name == "Heading":
            self.flush()
            self.level = int(value["level"][1])
        elif name == "Paragraph":
            self.flush()

    def end(self, name: str, end: int) -> None:
        if name in ("Emphasis", "Strong", "Strikethrough"):
            self.close_mark()
        elif name in ("Link", "Image"):
            self.close_link()
        elif name in ("BlockQuote", "List", "Item"):
            self.flush()
            self.close_frame()
        elif name == "Paragraph":
            self.flush()
        elif name == "Heading":
            runs = self.take_runs()
            if plain_text(runs).strip():
                self.frames[-1].blocks.append(Heading(self.level, runs))
        elif name == "CodeBlock":
            language, caption = self.code or ("", "")
            self.frames[-1].blocks.append(CodeBlock("".join(self.pieces), language, caption))
            self.code = None
            self.pieces.clear()
        elif name == "HtmlBlock":
            body = "".join(self.pieces).rstrip("\n")
            self.pieces.clear()
            self.html = False
            if body.strip():
                self.frames[-1].blocks.append(Paragraph((Run(body),)))
        elif name == "TableCell":
            self.cells.append(self.take_runs())
            self.cell_end = end
        elif name == "TableHead":
            self.head = tuple(self.cells)
        elif name == "TableRow":
            surplus = tuple((Run(cell),) for cell in self.source.surplus_cells(self.cell_end, end))
            self.rows.append((*self.cells, *surplus))
        elif name == "Table":
            self.frames[-1].blocks.append(Table(self.head, tuple(self.rows), self.aligns))

    def open_mark(self, name: str, start: int, end: int) -> None:
        literal = self.source.literal_mark(name, start, end)
        if literal:
            self.text(literal)
        self.marks.append((name, literal))
        if not literal:
            self.count_mark(name, 1)

    def close_mark(self) -> None:
        name, literal = self.marks.pop() if self.marks else ("", "")
        if literal:
            self.text(literal)
        else:
            self.count_mark(name, -1)

    def count_mark(self, name: str, step: int) -> None:
        self.bold += step if name == "Strong" else 0
        self.italic += step if name == "Emphasis" else 0
        self.strike += step if name == "Strikethrough" else 0

    def open_link(self, name: str, value: Any) -> None:
        address = self.source.restore(value["dest_url"])
        if value["link_type"] == "Email":
            address = f"mailto:{address}"
        # An image inside a link leads where the link leads.
        self.links.append(self.links[-1] if name == "Image" and self.links else address)
        self.join()
        self.runs.append(Run("", link=self.links[-1]))

    def close_link(self) -> None:
        address = self.links.pop() if self.links else ""
        self.join()
        if self.runs and self.runs[-1] == Run("", link=address):
            self.runs.pop()
            if address:
                self.runs.append(Run(address, self.bold > 0, self.italic > 0, self.strike > 0, link=address))

    def open_frame(self, kind: str, start: Any) -> None:
        if self.ignored or (kind != "Item" and len(self.frames) > MAX_DEPTH):
            self.ignored += 1
            return
        self.frames.append(_Frame(kind, [], [], start))

    def close_frame(self) -> None:
        if self.ignored:
            self.ignored -= 1
            return
        frame = self.frames.pop()
        parent = self.frames[-1]
        if frame.kind == "Item":
            parent.items.append(Item(tuple(frame.blocks), frame.checked))
        elif frame.kind == "List":
            parent.blocks.append(ListBlock(tuple(frame.items), frame.start))
        elif frame.blocks:
            parent.blocks.append(Quote(tuple(frame.blocks)))

    def finish(self) -> tuple[Block, ...]:
        self.flush()
        return tuple(self.frames[0].blocks)

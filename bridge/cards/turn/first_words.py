"""The first words of a Markdown text, plain: for notifications and lists, which show marks as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridge.cards.document import Block, CodeBlock, Heading, ListBlock, Paragraph, Quote, Table, plain_text
from bridge.cards.markdown import parse
from bridge.cards.words import brief

_READ = 2_000
"""Characters in which the first words are looked for."""


def first_words(markdown: str, units: int) -> str:
    """The first line with words, without marks, in at most ``units`` UTF-16 units; empty where there is none."""
    lines = (line for text in _texts(parse(markdown[:_READ])) for line in text.splitlines())
    return next((words for line in lines if (words := brief(line, units))), "")


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph() | Heading():
                yield plain_text(block.runs)
            case CodeBlock():
                yield block.text
            case Quote():
                yield from _texts(block.blocks)
            case ListBlock():
                for item in block.items:
                    yield from _texts(item.blocks)
            case Table():
                yield " | ".join(plain_text(cell) for cell in block.head)

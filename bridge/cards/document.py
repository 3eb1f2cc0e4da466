"""A document as it is to be drawn: a small tree that knows neither the marks it was written with nor a platform."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Run(NamedTuple):
    """Text in one style. ``\\n`` is a line break. ``link`` is the address as written (unchecked)."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str | None = None


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    runs: Runs


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    runs: Runs


@dataclass(frozen=True, slots=True)
class CodeBlock:
    text: str
    language: str = ""
    caption: str = ""
    """What stood after the language on the fence."""


@dataclass(frozen=True, slots=True)
class Rule:
    pass


@dataclass(frozen=True, slots=True)
class Quote:
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Item:
    blocks: tuple[Block, ...]
    checked: bool | None = None
    """Whether a task is done; ``None`` for an ordinary item."""


@dataclass(frozen=True, slots=True)
class ListBlock:
    items: tuple[Item, ...]
    start: int | None = None
    """First number; ``None`` for bullets."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows may have more or fewer cells than the head."""

    head: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]
    aligns: tuple[str, ...]
    """``None``, ``Left``, ``Center`` or ``Right`` for each column of the head."""


Block = Paragraph | Heading | CodeBlock | Rule | Quote | ListBlock | Table


def plain_text(runs: Iterable[Run]) -> str:
    """The runs' text alone."""
    return "".join(run.text for run in runs)

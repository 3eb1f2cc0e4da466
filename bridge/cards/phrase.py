"""A sentence of which some words look different: the translator sees it whole, the styles stay."""

from __future__ import annotations

from string import Formatter

from bridge.cards.model import Line, Span


def phrase(text: str, **values: Span) -> Line:
    """The spans of a text (from ``tr("… {name} …")``, said without values) with ``{name}`` replaced by ``values``.

    Each value keeps its style, wherever a translation puts it; ``KeyError`` for a name that has none.
    """
    spans: list[Span] = []
    for written, name, _, _ in Formatter().parse(text):
        spans += [Span(text=written)] if written else []
        spans += [values[name]] if name is not None else []
    return tuple(spans)

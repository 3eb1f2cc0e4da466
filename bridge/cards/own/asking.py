"""The note that asks for words, where the platform has no forms: a reply to it is what would be written in one."""

from __future__ import annotations

from bridge.cards.model import Act, Card, Line, Reply, Span, Text
from bridge.cards.words import brief
from bridge.language import tr

_TITLE = 80
_LABEL = 500
_PLACEHOLDER = 64


def present_asking(title: str, label: str, hint: str, *, name: str, act: Act) -> Card:
    """What is asked, and that a reply to this message is the answer, which then carries out ``act``.

    ``name``: whom it asks, where others can read it; empty where nobody else can.
    """
    how = tr("{name}, reply to this message with it.", name=brief(name, 60)) if name else ""
    lines: list[Line] = [(Span(text=brief(title, _TITLE), bold=True),), (Span(text=brief(label, _LABEL)),)]
    if hint:
        lines.append((Span(text=brief(hint, _LABEL)),))
    lines.append((Span(text=how or tr("Reply to this message with it."), italic=True),))
    return Card(
        pieces=(Text(lines=tuple(lines), spill="asked.txt"),),
        summary=brief(tr("{name}: {words}", name=title, words=label), 120),
        one_message=True,
        wants_reply=Reply(placeholder=brief(label, _PLACEHOLDER), opens=not name, act=act),
    )

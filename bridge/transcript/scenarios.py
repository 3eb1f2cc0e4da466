"""Scenarios in the text of a message: ``<scenarios>`` before what the person wrote, a ``<scenario title="…">`` each.

The form is the second founding document's. :func:`with_scenarios` writes it, :func:`split_scenarios` reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape

from bridge.transcript.content import Scenario

_WHOLE = re.compile(r"\s*<scenarios>\n(.*?</scenario>)\n</scenarios>(?:\n\n(.*))?\Z", re.DOTALL)
_ONE = re.compile(
    r'<scenario title="([^"\n]*)" filepath="([^"\n]*)">\n(.*?)\n</scenario>(?=\n<scenario |\Z)', re.DOTALL
)


def with_scenarios(text: str, scenarios: Sequence[Scenario]) -> str:
    """A message as the agent gets it: the scenarios with their titles and contents, then the text."""
    if not scenarios:
        return text
    tags = "\n".join(
        f'<scenario title="{escape(each.title)}" filepath="{escape(each.filepath)}">\n{each.content}\n</scenario>'
        for each in scenarios
    )
    return f"<scenarios>\n{tags}\n</scenarios>\n\n{text}"


def split_scenarios(text: str) -> tuple[str, tuple[Scenario, ...]]:
    """What the person wrote, and the scenarios before it; any other text as it is, with none. Never raises."""
    found = _WHOLE.match(text) if "<scenarios>" in text[:200] else None
    if found is None:
        return text, ()
    scenarios = tuple(
        Scenario(filepath=unescape(one[2]), title=unescape(one[1]), content=one[3]) for one in _ONE.finditer(found[1])
    )
    return (found[2] or "", scenarios) if scenarios else (text, ())

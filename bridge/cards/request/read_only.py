"""Requests that only read: they get a small card. Pure.

The list is short on purpose: reading and listing files, and searching in them. Fetching an address or searching the web
is not on it: what is asked for leaves the computer. Nor is any tool of somebody else's (MCP), whatever its name.
"""

from __future__ import annotations

from typing import Any, Final

from bridge.cards.layout import lay_out, show
from bridge.cards.model import Line, Span
from bridge.cards.text import utf16_len
from bridge.cards.turn.tool_names import shown_name

READ_ONLY: Final = frozenset({"Read", "Grep", "Glob", "List"})
"""Tools that only read, by the names that cards show."""
ALIKE: Final = 3
"""After so many requests of one such tool in a session the card offers to allow it for the session."""
_MOST = 300


def is_read_only(tool: str) -> bool:
    """Whether a request of this tool changes nothing and sends nothing anywhere."""
    return shown_name(tool) in READ_ONLY


def argument_line(arguments: Any) -> Line | None:
    """All the arguments in one line, every character of them; ``None`` where they don't fit one."""
    if not isinstance(arguments, dict) or not arguments:
        return None
    spans: list[Span] = []
    for key, value in arguments.items():
        shown = show(value) if isinstance(value, str) else show(lay_out(value))
        if not isinstance(key, str) or "\n" in shown or shown != shown.strip() or not shown:
            return None
        spans += [Span(text=f"{' · ' if spans else ''}{show(key)}: "), Span(text=shown, code=True)]
    if "\n" in "".join(span.text for span in spans):
        return None
    return tuple(spans) if sum(utf16_len(span.text) for span in spans) <= _MOST else None

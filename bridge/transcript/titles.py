"""Session titles that the agent sets with a tool: an event row instead of a card."""

from __future__ import annotations

from bridge.transcript.parts import CallPart, Entry
from bridge.transcript.values import record, trimmed

TITLE_TOOLS = frozenset(("mcp__hapi__change_title", "hapi__change_title"))


class Titles:
    """Which calls set a title, and which of those have been shown."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self._shown: set[str] = set()

    def learn(self, entry: Entry) -> list[str]:
        """Take note of the titles an entry sets; answers the calls it tells something new about."""
        fresh: list[str] = []
        for part in entry.parts:
            if isinstance(part, CallPart) and part.name in TITLE_TOOLS:
                fields = record(part.input)
                title = fields.get("title") if fields is not None else None
                if isinstance(title, str) and trimmed(title) and self.known.get(part.id) != title:
                    self.known[part.id] = title
                    fresh.append(part.id)
        return fresh

    def first_showing(self, call_id: str) -> bool:
        """Whether the call's title is shown for the first time; from then on it counts as shown."""
        if call_id in self._shown:
            return False
        self._shown.add(call_id)
        return True

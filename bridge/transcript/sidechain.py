"""Which sub-agent a message belongs to: by its parent tool, by its prompt, or by the message it answers."""

from __future__ import annotations

from bridge.transcript.parts import CallPart, Entry, PromptPart
from bridge.transcript.values import record

ROOT = ""
"""The lane of the conversation itself; every other lane is named by its Task's call id."""

TASK_TOOLS = frozenset(("Task", "Agent"))


class Tracer:
    """Gives each entry its lane; an entry whose parent is not known yet waits for it."""

    def __init__(self) -> None:
        self._task_by_prompt: dict[str, str] = {}
        self._lane_by_uuid: dict[str, str] = {}
        self._waiting: dict[str, list[Entry]] = {}

    def place(self, entry: Entry) -> list[tuple[str, Entry]]:
        """The entries that can be shown now, each with its lane, in order."""
        if not entry.sidechain:
            self._remember_tasks(entry)
            return [(ROOT, entry)]
        lane = self._lane(entry)
        if lane is None:
            self._waiting.setdefault(entry.parent_uuid or "", []).append(entry)
            return []
        placed = [(lane, entry)]
        self._remember_tasks(entry)
        if entry.uuid is not None:
            placed.extend(self._follow(entry.uuid, lane))
        return placed

    def _lane(self, entry: Entry) -> str | None:
        if entry.parent_tool:
            return entry.parent_tool
        for part in entry.parts:
            if isinstance(part, PromptPart) and part.text in self._task_by_prompt:
                return self._task_by_prompt[part.text]
        if entry.parent_uuid is None:
            return ROOT
        return self._lane_by_uuid.get(entry.parent_uuid)

    def _follow(self, uuid: str, lane: str) -> list[tuple[str, Entry]]:
        released: list[tuple[str, Entry]] = []
        known = [uuid]
        while known:
            parent = known.pop()
            if parent in self._lane_by_uuid:
                continue
            self._lane_by_uuid[parent] = lane
            for entry in self._waiting.pop(parent, ()):
                released.append((lane, entry))
                self._remember_tasks(entry)
                if entry.uuid is not None:
                    known.append(entry.uuid)
        return released

    def _remember_tasks(self, entry: Entry) -> None:
        for part in entry.parts:
            if isinstance(part, CallPart) and part.name in TASK_TOOLS:
                fields = record(part.input)
                prompt = fields.get("prompt") if fields is not None else None
                if isinstance(prompt, str):
                    self._task_by_prompt[prompt] = part.id

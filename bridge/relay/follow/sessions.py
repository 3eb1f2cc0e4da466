"""The session cache: what the hub last said of every session, and how a session is called. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bridge.hub.patches import apply_patch, is_whole_session

Json = dict[str, Any]
TITLE_LENGTH = 60


class SessionView:
    """Reads one session's record; total for whatever is in it."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record

    @property
    def id(self) -> str:
        return _text(self.record.get("id"))

    @property
    def active(self) -> bool:
        return self.record.get("active") is True

    @property
    def thinking(self) -> bool:
        return self.record.get("thinking") is True

    @property
    def flavor(self) -> str:
        return _text(self._metadata.get("flavor")) or "claude"

    @property
    def directory(self) -> str:
        return _text(self._metadata.get("path"))

    @property
    def machine(self) -> str:
        """The machine as people call it: its display name, its host, else its id."""
        return _text(self._metadata.get("host")) or _text(self._metadata.get("machineId"))

    @property
    def machines(self) -> list[str]:
        """All names the machine goes by, for filters."""
        return [name for name in map(_text, (self._metadata.get("host"), self._metadata.get("machineId"))) if name]

    @property
    def mode(self) -> str:
        return _text(self.record.get("permissionMode"))

    @property
    def superseded_by(self) -> str:
        """The session that goes on in place of this one, after a resume or reopen; empty if none."""
        return _text(self._metadata.get("supersededBySessionId"))

    @property
    def agent_state(self) -> Any:
        return self.record.get("agentState")

    @property
    def title(self) -> str:
        """A short name: the given name, else the agent's summary, else the directory's last part, else the id."""
        summary = self._metadata.get("summary")
        told = _text(summary.get("text")) if isinstance(summary, Mapping) else ""
        directory = self.directory.rstrip("/").rsplit("/", 1)[-1]
        name = _text(self._metadata.get("name")) or told or directory or self.id[:8]
        line = " ".join(name.split())
        return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1] + "…"

    @property
    def _metadata(self) -> Mapping[str, Any]:
        value = self.record.get("metadata")
        return value if isinstance(value, Mapping) else {}


class SessionCache:
    """All sessions by id."""

    def __init__(self) -> None:
        self._records: dict[str, Json] = {}

    def __iter__(self) -> Iterator[SessionView]:
        return (SessionView(record) for record in self._records.values())

    def get(self, session_id: str) -> SessionView | None:
        record = self._records.get(session_id)
        return SessionView(record) if record is not None else None

    def replace(self, record: Mapping[str, Any]) -> SessionView | None:
        """Take a whole session; ``None`` if it has no id."""
        view = SessionView(record)
        if not view.id:
            return None
        self._records[view.id] = dict(record)
        return view

    def patch(self, session_id: str, data: Any) -> bool:
        """Take what a ``session-added`` or ``session-updated`` event carried.

        False if the session must be fetched: unknown here, nothing carried, or a patch this code can't apply.
        """
        if is_whole_session(session_id, data):
            return self.replace(data) is not None
        known = self._records.get(session_id)
        if known is None:
            return False
        result = apply_patch(known, data)
        if result.outcome == "refetch":
            return False
        self._records[session_id] = result.session
        return True

    def remove(self, session_id: str) -> None:
        self._records.pop(session_id, None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

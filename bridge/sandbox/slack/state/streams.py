"""Messages that grow: what was streamed into them so far."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bridge.sandbox.slack.state.users import User

Json = dict[str, Any]
ICONS = {"pending": "🟠", "in_progress": "🟠", "complete": "🟢", "error": "🔴"}
"""What stands for the icon that Slack draws before a task, in a message's words."""


@dataclass(slots=True, eq=False)
class Task:
    """A task of a stream. ``title`` and ``status`` are the latest, ``details`` and ``output`` grow."""

    id: str
    title: str
    status: str
    details: str = ""
    output: str = ""
    sources: list[Json] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Stream:
    """How a streamed message stands. ``state`` is streaming, stopped, stopped_by_user or expired.

    ``mode`` is the shape it was opened with ("text" or "chunks") and must keep; ``text`` all Markdown so far;
    ``replaced`` tells that chat.update gave the message other content since.
    """

    started: float
    recipient: User | None
    mode: str | None = None
    display: str = "timeline"
    state: str = "streaming"
    text: str = ""
    plan: str = ""
    tasks: dict[str, Task] = field(default_factory=dict)
    blocks: list[Json] = field(default_factory=list)
    replaced: bool = False

    def texts(self) -> Iterator[str]:
        """What a person reads in it, from top to bottom."""
        tasks = (f"{ICONS[task.status]} {task.title}" for task in self.tasks.values())
        yield from filter(None, [self.plan, *tasks, self.text])

"""Work under way as what Slack streams: a plan with its tasks, and what the agent says, as chunks. Pure and total.

A stream only grows: titles and statuses of a plan and its tasks are replaced, everything else is appended. So a form is
a list of things that stay in order, and :func:`growth` says what to add to come from one to the next, if that can be.
(docs.slack.dev, chat.startStream and chat.appendStream; what is kept and what replaced is as measured by others.)
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field

from bridge.cards.model import Card, Markdown, Progress
from bridge.cards.words import cut, one_line
from bridge.chat.slack.blocks import compose
from bridge.chat.slack.lines import Json, sanitize
from bridge.chat.slack.mrkdwn import BROADCAST, JOINER
from bridge.chat.slack.render_blocks import TableRule, flows_of

MOST_TASKS = 50
"""A plan holds no more."""
MOST_BLOCKS = 40
"""A message has 50 blocks at most; the plan, the buttons and what stands between them take some."""
MOST_TEXT = 10_000
"""Characters in all, below the 12,000 of Markdown and about 13,200 in blocks that a message takes."""
TITLE = 150
"""UTF-16 units of a title, of which Slack takes 256."""
STATUSES = {"waiting": "pending", "running": "in_progress", "done": "complete", "failed": "error"}
_LINK = re.compile(r"://|www\.", re.IGNORECASE)
_CONTROL = re.compile(r"<(?=[@#!/\w])")


def live_form(card: Card, buttons: list[Json]) -> Json | None:
    """A card's form that grows, or ``None`` where it has none, or one too large for a stream.

    ``buttons``: the card's actions blocks; the first of them carries the mark by which the message is found again, so
    without buttons there is no stream.
    """
    progress = card.progress
    if progress is None or not buttons or len(progress.tasks) > MOST_TASKS:
        return None
    said = [piece for text in progress.texts for piece in _said(text)]
    tasks = _tasks(progress)
    size = sum(len(piece) if isinstance(piece, str) else len(json.dumps(piece)) for piece in said)
    if size + sum(len(task["title"]) for task in tasks) > MOST_TEXT:
        return None
    if sum(isinstance(piece, dict) for piece in said) > MOST_BLOCKS:
        return None
    return {"plan": title(progress.title), "buttons": buttons, "tasks": tasks, "said": said}


@dataclass(slots=True)
class Shown:
    """What a stream shows."""

    plan: str = ""
    tasks: dict[str, Json] = field(default_factory=dict)
    said: list[str | Json] = field(default_factory=list)

    def take(self, live: Json) -> None:
        """The stream shows this form now."""
        self.plan = live["plan"]
        self.tasks = {task["id"]: task for task in live["tasks"]}
        self.said = list(live["said"])


def opening(live: Json, mark: str) -> list[Json]:
    """The chunks a stream begins with. ``mark``: the id of its first block."""
    first, *rest = live["buttons"]
    buttons = {"type": "blocks", "blocks": [{**first, "block_id": mark}, *rest]}
    grown = growth(Shown(), live)
    assert grown is not None, "anything extends nothing"
    plan = [chunk for chunk in grown if chunk["type"] == "plan_update"]
    return [*plan, buttons, *(chunk for chunk in grown if chunk["type"] != "plan_update")]


def may_open(live: Json) -> bool:
    """Whether a stream may begin with this. Slack previews the links that a message has from the start, and a stream
    can't say no to that (invariant 6); what is appended or changed later is not looked at."""
    return not _LINK.search(str(live))


def growth(shown: Shown, live: Json) -> list[Json] | None:
    """The chunks that make what is shown into a form; none if it is so already; ``None`` if they can't, since the form
    takes back or rewrites what was streamed."""
    tasks = {task["id"]: task for task in live["tasks"]}
    if shown.tasks.keys() - tasks.keys():
        return None
    added = _added(shown.said, live["said"])
    if added is None:
        return None
    chunks: list[Json] = []
    if live["plan"] != shown.plan:
        chunks.append({"type": "plan_update", "title": live["plan"]})
    for id, task in tasks.items():
        if shown.tasks.get(id) != task:
            chunks.append({"type": "task_update", **task})
    return [*chunks, *added]


def title(text: str) -> str:
    """One line in which nothing is live, whether Slack reads it as plain text or as mrkdwn (invariant 6)."""
    calm = _CONTROL.sub(f"<{JOINER}", BROADCAST.sub(f"@{JOINER}", sanitize(text)))
    return cut(one_line(calm), TITLE) or "…"


def _tasks(progress: Progress) -> list[Json]:
    tasks: dict[str, Json] = {}
    for task in progress.tasks:
        id = hashlib.sha256(task.id.encode("utf-8", "replace")).hexdigest()[:24]
        tasks[id] = {"id": id, "title": title(task.title), "status": STATUSES[task.state]}
    return list(tasks.values())


def _said(source: str) -> list[str | Json]:
    """A text as Markdown where that shows exactly what was said, else as blocks."""
    flows = flows_of((Markdown(source=source),), TableRule(room=0, as_files=False))
    blocks = [block for flow in flows for block in flow.blocks if block.lines]
    drawn = compose(blocks)[0] if blocks else []
    return [str(block["text"]) if block["type"] == "markdown" else block for block in drawn]


def _added(before: list[str | Json], now: list[str | Json]) -> list[Json] | None:
    """Chunks for what comes after ``before``: its last text may have become longer, all else must be as it was."""
    if len(now) < len(before):
        return None
    chunks: list[Json] = []
    if before:
        last, grown = before[-1], now[len(before) - 1]
        if now[: len(before) - 1] != before[:-1]:
            return None
        if grown != last:
            if not (isinstance(last, str) and isinstance(grown, str) and grown.startswith(last)):
                return None
            chunks.append({"type": "markdown_text", "text": grown[len(last) :]})
    for number, piece in enumerate(now[len(before) :], len(before)):
        if isinstance(piece, str):
            chunks.append({"type": "markdown_text", "text": f"\n\n{piece}" if number else piece})
        else:
            chunks.append({"type": "blocks", "blocks": [piece]})
    return chunks

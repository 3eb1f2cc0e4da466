"""Reading what the hub sends: JSON of any shape and depth, message positions and message pages.

Everything here is total: garbage gives an empty or dull value or the one exception named, never a crash.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypeGuard

from bridge.hub.counts import HubCounts
from bridge.hub.errors import MalformedAnswer
from bridge.language import N_

#: A JSON object as decoded. Keys and values are whatever came; readers must expect anything.
Json = dict[str, Any]

#: Deeper subtrees become ``TOO_DEEP``. Real messages stay far below; ``json.loads`` gives up near 1,000 levels and
#: pydantic near 250, and what is passed on is walked by recursive code.
MAX_DEPTH = 100
TOO_DEEP = "[nested too deeply to show]"

_SAFE = 2**53

# Possessive, so that an unterminated string costs one pass; it then counts as a string up to the end.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)


class Undecodable(ValueError):
    """The text is not JSON."""


def decode(text: str | bytes, counts: HubCounts) -> Any:
    """JSON text to Python values, with subtrees below ``MAX_DEPTH`` levels replaced by ``TOO_DEEP`` and counted.

    Bytes are taken as UTF-8, broken ones replaced. Raises ``Undecodable`` for anything that is not JSON (``NaN`` and
    ``Infinity``, which Python would take, included).
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    if text.count("[") + text.count("{") > MAX_DEPTH:
        text, dulled = _dull_deep(text)
        counts.dulled_values += dulled
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Undecodable(type(error).__name__) from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _dull_deep(text: str) -> tuple[str, int]:
    """Cut subtrees below ``MAX_DEPTH`` without parsing, so that one deep value in a page does not cost the page."""
    kept: list[str] = []
    depth = done = cut_from = dulled = 0
    for token in _TOKEN.finditer(text):
        mark = text[token.start()]
        if mark in "[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                cut_from = token.start()
        elif mark in "]}":
            if depth == MAX_DEPTH + 1:
                kept += text[done:cut_from], json.dumps(TOO_DEEP)
                done = token.end()
                dulled += 1
            depth -= 1
    kept.append(text[done:])
    return "".join(kept), dulled


def is_number(value: Any) -> TypeGuard[int | float]:
    """A finite JSON number (``True`` is none)."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def whole(value: Any) -> int | None:
    """A JSON number as an integer, anything else as ``None``; also beyond 2**53, where the hub can't count either."""
    return int(value) if is_number(value) and abs(value) <= _SAFE else None


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where a message stands in its session: by time (ms, ``invokedAt ?? createdAt``), then by ``seq``."""

    at: int
    seq: int


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request for messages: none of the positions = the latest page plus all queued rows.

    ``before`` and ``after`` exclude each other; ``until`` and ``epoch`` go with ``after`` only.
    """

    limit: int = 200
    before: Position | None = None
    after: Position | None = None
    until: Position | None = None
    epoch: int | None = None

    def query(self) -> dict[str, int]:
        """The query parameters the hub takes."""
        query = {"limit": self.limit}
        for word, position in (("before", self.before), ("after", self.after), ("until", self.until)):
            if position is not None:
                query |= {f"{word}Seq": position.seq, f"{word}At": position.at}
        if self.epoch is not None and self.after is not None:
            query["epoch"] = self.epoch
        return query


@dataclass(frozen=True, slots=True)
class Page:
    """One answer to a ``PageRequest``; ``messages`` are in display order, each a dict with a string ``id``."""

    messages: tuple[Json, ...]
    direction: Literal["latest", "before", "after"]
    epoch: int | None
    reset: bool
    has_more: bool
    next_before: Position | None
    next_after: Position | None
    snapshot_head: Position | None
    skipped: int = 0
    """Elements left out because they were no message or had no id."""


def read_page(body: Any) -> Page:
    """The hub's answer as a ``Page``; raises ``MalformedAnswer`` if it has no list of messages or no page record."""
    if (
        not isinstance(body, dict)
        or not isinstance(body.get("messages"), list)
        or not isinstance(body.get("page"), dict)
    ):
        raise MalformedAnswer(N_("The hub sent a page of messages that can't be read."), status=200)
    page = body["page"]
    direction = page.get("direction")
    messages = tuple(item for item in body["messages"] if is_message(item))
    return Page(
        messages=messages,
        direction=direction if direction in ("before", "after") else "latest",
        epoch=whole(page.get("epoch")),
        reset=page.get("reset") is True,
        has_more=page.get("hasMore") is True,
        next_before=_position(page, "nextBefore"),
        next_after=_position(page, "nextAfter"),
        snapshot_head=_position(page, "snapshotHead"),
        skipped=len(body["messages"]) - len(messages),
    )


def is_message(value: Any) -> TypeGuard[Json]:
    """A dict with a non-empty string ``id``: the least a message needs to be kept apart from others."""
    return isinstance(value, dict) and isinstance(value.get("id"), str) and bool(value["id"])


def position_of(message: Mapping[str, Any]) -> Position:
    """``(invokedAt ?? createdAt, seq)``; a missing or broken part counts as 0."""
    at = whole(message.get("invokedAt"))
    if at is None:
        at = whole(message.get("createdAt")) or 0
    return Position(at, whole(message.get("seq")) or 0)


def _position(page: Mapping[str, Any], name: str) -> Position | None:
    at, seq = whole(page.get(f"{name}At")), whole(page.get(f"{name}Seq"))
    return None if at is None or seq is None else Position(at, seq)

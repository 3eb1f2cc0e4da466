"""Message pages of the sandbox hub: the cursor rules of HAPI's pagination contract, over plain rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Json = dict[str, Any]
Position = tuple[int, int]

MOST_ROWS = 200


class BadQuery(Exception):
    """A query the hub refuses with 400; ``fields`` maps a parameter to what is wrong with it."""

    def __init__(self, **fields: str) -> None:
        super().__init__("Invalid query")
        self.fields = fields


def position(row: Mapping[str, Any]) -> Position:
    """Where a row stands: ``(invokedAt ?? createdAt, seq)``."""
    invoked = row["invokedAt"]
    return (row["createdAt"] if invoked is None else invoked, row["seq"])


def is_queued(row: Mapping[str, Any]) -> bool:
    """A user's message that the agent has not taken yet."""
    return row["invokedAt"] is None and row["content"].get("role") == "user"


def page(rows: Iterable[Json], query: Mapping[str, str], epoch: int) -> Json:
    """The answer to ``GET …/messages``: ``{messages, page}``. Raises `BadQuery`.

    Latest: the last ``limit`` rows by position and all queued ones. ``after`` with another epoch: ``reset`` and these.
    """
    limit = _number(query, "limit", most=MOST_ROWS, default=50)
    before, after, until = (_cursor(query, name) for name in ("before", "after", "until"))
    if before and after:
        raise BadQuery(afterAt="before and after cursors are mutually exclusive")
    if "epoch" in query and not after:
        raise BadQuery(epoch="epoch requires an after cursor")
    known_epoch = _number(query, "epoch", least=0) if "epoch" in query else epoch
    ordered = sorted(rows, key=position)
    if after and known_epoch == epoch:
        return _after(ordered, limit, after, until, epoch)
    if before:
        older = [row for row in ordered if position(row) < before]
        return _answer("before", older[-limit:], limit, epoch, _head(ordered), more=len(older) > limit)
    kept = ordered[-limit:]
    answer = _answer("latest", kept, limit, epoch, _head(ordered), more=len(ordered) > limit, reset=bool(after))
    answer["messages"] = [row for row in ordered[:-limit] if is_queued(row)] + kept
    return answer


def _after(ordered: list[Json], limit: int, after: Position, until: Position | None, epoch: int) -> Json:
    head = _head(ordered) if until is None else until
    newer = [row for row in ordered if position(row) > after and (until is None or position(row) <= until)]
    kept = newer[:limit]
    answer = _answer("after", kept, limit, epoch, head, more=len(newer) > limit)
    next_at, next_seq = position(kept[-1]) if kept else after
    answer["page"] |= {"nextBeforeSeq": None, "nextBeforeAt": None, "nextAfterSeq": next_seq, "nextAfterAt": next_at}
    return answer


def _answer(
    direction: str, rows: list[Json], limit: int, epoch: int, head: Position | None, *, more: bool, reset: bool = False
) -> Json:
    first_at, first_seq = position(rows[0]) if rows else (None, None)
    head_at, head_seq = head or (None, None)
    about = {"direction": direction, "limit": limit, "epoch": epoch, "reset": reset}
    about |= {"nextBeforeSeq": first_seq, "nextBeforeAt": first_at, "nextAfterSeq": None, "nextAfterAt": None}
    about |= {"snapshotHeadSeq": head_seq, "snapshotHeadAt": head_at, "hasMore": more}
    return {"messages": rows, "page": about}


def _head(ordered: list[Json]) -> Position | None:
    return position(ordered[-1]) if ordered else None


def _cursor(query: Mapping[str, str], name: str) -> Position | None:
    at, seq = f"{name}At", f"{name}Seq"
    if at not in query and seq not in query:
        return None
    if at not in query or seq not in query:
        missing = at if at not in query else seq
        raise BadQuery(**{missing: f"{at} and {seq} must be provided together"})
    return (_number(query, at, least=0), _number(query, seq))


def _number(
    query: Mapping[str, str], name: str, *, least: int = 1, most: int | None = None, default: int | None = None
) -> int:
    if name not in query and default is not None:
        return default
    text = query.get(name, "")
    if not text.isascii() or not text.isdigit():
        raise BadQuery(**{name: "Invalid input: expected number, received NaN"})
    value = int(text[:20])
    if value < least:
        raise BadQuery(**{name: f"Too small: expected number to be >={least}"})
    if most is not None and value > most:
        raise BadQuery(**{name: f"Too big: expected number to be <={most}"})
    return value

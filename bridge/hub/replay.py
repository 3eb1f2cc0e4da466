"""Runs HAPI's golden documents against our patches, window and tables. Total: a broken document is a difference.

Each ``run_…`` takes one decoded document and returns the differences in words, none if it passes.
"""

import json
from collections.abc import Generator, Mapping
from typing import Any, TypeVar

from bridge.hub.errors import HubError
from bridge.hub.flavors import CODEX_COLLABORATION_MODES, PERMISSION_MODES
from bridge.hub.patches import apply_patch, same
from bridge.hub.rows import is_optimistic, is_queued
from bridge.hub.tail import Older, fetch_older, tail_sync
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Json, Page, PageRequest, Position, read_page

_Outcome = TypeVar("_Outcome")

_SHOWN = 200


def run_sse(document: Mapping[str, Any]) -> list[str]:
    """``initialSession`` + ``patches`` against ``expectedPatchResults`` and ``expectedSession``."""
    session, patches = document.get("initialSession"), document.get("patches")
    expected = document.get("expectedPatchResults")
    if not isinstance(session, dict) or not isinstance(patches, list) or not isinstance(expected, list):
        return ["the document lacks initialSession, patches or expectedPatchResults"]
    outcomes: list[str] = []
    for patch in patches:
        result = apply_patch(session, patch)
        outcomes.append(result.outcome)
        session = result.session
    differences = [] if same(outcomes, expected) else [f"patch results: expected {expected}, got {outcomes}"]
    return differences + differing("session", document.get("expectedSession"), session)


def run_catalogs(document: Mapping[str, Any]) -> list[str]:
    """The permission modes by flavor and Codex's collaboration modes."""
    ours = {
        "permissionModesByFlavor": {
            flavor: [{"mode": mode.mode, "label": mode.label, "tone": mode.tone} for mode in modes]
            for flavor, modes in PERMISSION_MODES.items()
        },
        "codexCollaborationModes": [{"mode": mode, "label": label} for mode, label in CODEX_COLLABORATION_MODES],
    }
    known = [key for key in ours if key in document]
    if not known:
        return ["the document has no catalog this bridge knows"]
    return [line for key in known for line in differing(key, document[key], ours[key])]


def run_pagination(document: Mapping[str, Any]) -> list[str]:
    """``ops`` on one message window, with recorded pages for its requests, against ``expectedState``."""
    ops = document.get("ops")
    if not isinstance(ops, list):
        return ["the document has no ops"]
    window = MessageWindow()
    differences: list[str] = []
    for number, op in enumerate(ops):
        if not isinstance(op, dict):
            differences.append(f"op {number}: not an object")
            continue
        differences += [f"op {number} ({op.get('op')}): {line}" for line in _apply(window, op)]
    expected = document.get("expectedState")
    return differences + differing("state", _without_null_times(expected), _without_null_times(_state(window)))


def _apply(window: MessageWindow, op: Json) -> list[str]:
    match op.get("op"):
        case "sync-tail":
            return _drive(tail_sync(window), op)[1]
        case "fetch-older":
            outcome, differences = _drive(fetch_older(window), op)
            if "expectedOutcome" in op:
                differences += differing("outcome", op["expectedOutcome"], _outcome(outcome))
            return differences
        case "sse-messages":
            window.ingest(_items(op, "messages"))
        case "append-optimistic":
            window.append_optimistic(op.get("message"))
        case "update-status":
            window.set_status(str(op.get("localId")), str(op.get("status")))
        case "messages-consumed":
            window.consumed(_items(op, "localIds"), op.get("invokedAt"))
        case "messages-indeterminate":
            window.indeterminate(_items(op, "localIds"))
        case "messages-requeued":
            window.requeued(_items(op, "localIds"))
        case "messages-invalidated":
            window.invalidate()
        case "message-cancelled":
            window.cancelled(op.get("messageId"), op.get("localId"))
        case "cancel-invoked":
            window.cancel_came_late(op.get("message"))
        case "queued-state":
            asked = window.queued_local_ids()
            window.apply_queued_state(asked, {**op, "invokedLocalMessages": _items(op, "invoked")})
            return differing("candidates", op.get("expectedCandidates", asked), asked)
        case _:
            return ["this bridge does not know this operation"]
    return []


def _drive(loop: Generator[PageRequest, Page, _Outcome], op: Json) -> tuple[_Outcome | None, list[str]]:
    """Run a page loop on the recorded answers; differences in what it asked for."""
    answers = iter(_items(op, "responses"))
    asked: list[Json] = []
    failed: list[str] = []
    outcome = None
    try:
        request = next(loop)
        while True:
            asked.append(_golden_request(request))
            answer = next(answers, None)
            if answer is None:
                failed.append("asked for more pages than were recorded")
                break
            request = loop.send(read_page(answer))
    except StopIteration as end:
        outcome = end.value
    except HubError as error:
        failed.append(str(error))
    return outcome, failed + differing("requests", op.get("expectedRequests", asked), asked)


def _golden_request(request: PageRequest) -> Json:
    query: Json = dict(request.query())
    return query if request.after is None else {"untilAt": None, "untilSeq": None} | query


def _outcome(outcome: Older | None) -> Json | None:
    if outcome is None:
        return None
    if outcome.kind == "stopped":
        return {"kind": "stopped", "reason": outcome.reason}
    return {"kind": "applied", "addedRenderableCount": outcome.added, "hasMore": outcome.has_more}


def _state(window: MessageWindow) -> Json:
    return {
        "epoch": window.epoch,
        "hasMore": window.has_more,
        "messages": [_projected(row) for row in window.messages],
        "newestCursor": _cursor(window.newest),
        "olderCursor": _cursor(window.older),
        "viewMode": "tail",
    }


def _projected(row: Json) -> Json:
    shown = {key: row.get(key) for key in ("id", "localId", "seq", "createdAt", "invokedAt")}
    shown |= {"optimistic": is_optimistic(row), "queued": is_queued(row)}
    return shown | ({"status": row["status"]} if "status" in row else {})


def _without_null_times(state: Any) -> Any:
    """Recorded rows leave an absent ``invokedAt`` out or say null; ``queued`` tells the two apart."""
    if not isinstance(state, dict) or not isinstance(state.get("messages"), list):
        return state
    rows = [
        {key: value for key, value in row.items() if key != "invokedAt" or value is not None}
        if isinstance(row, dict)
        else row
        for row in state["messages"]
    ]
    return {**state, "messages": rows}


def _cursor(position: Position | None) -> Json | None:
    return None if position is None else {"at": position.at, "seq": position.seq}


def _items(op: Json, key: str) -> list[Any]:
    items = op.get(key)
    return items if isinstance(items, list) else []


def differing(where: str, expected: Any, got: Any) -> list[str]:
    """Where two JSON values differ, by path; the key order of objects does not count."""
    if isinstance(expected, dict) and isinstance(got, dict):
        found: list[str] = []
        for key in [*expected, *(key for key in got if key not in expected)]:
            if key not in got:
                found.append(f"{where}.{key}: missing, expected {_show(expected[key])}")
            elif key not in expected:
                found.append(f"{where}.{key}: not expected, got {_show(got[key])}")
            else:
                found += differing(f"{where}.{key}", expected[key], got[key])
        return found
    if isinstance(expected, list) and isinstance(got, list):
        found = [] if len(expected) == len(got) else [f"{where}: expected {len(expected)} items, got {len(got)}"]
        for index, (one, other) in enumerate(zip(expected, got, strict=False)):
            found += differing(f"{where}[{index}]", one, other)
        return found
    return [] if same(expected, got) else [f"{where}: expected {_show(expected)}, got {_show(got)}"]


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"

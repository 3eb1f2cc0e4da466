"""Session patches: how ``session-updated`` changes the session we hold. Pure and total.

Rules (hub contract, Session patches): flat fields are last write wins; ``updatedAt`` only moves forward; ``metadata``,
``agentState``, ``todos`` and ``teamState`` come as ``{version, value}`` and apply only if strictly newer; a patch that
only moves ``activeAt`` by less than a minute changes nothing; anything the strict shape does not know means refetch.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bridge.hub.wire import Json, is_number

Outcome = Literal["applied", "unchanged", "refetch"]

#: Less than this is the CLI's keep-alive and not worth a change (ms).
_ACTIVE_AT_STEP = 60_000


@dataclass(frozen=True, slots=True)
class PatchResult:
    """``session`` is a new object if ``applied``, else the one given. ``refetch``: GET the session instead.

    ``scratchlist``: the patch said that the scratchlist should be fetched again.
    """

    outcome: Outcome
    session: Json
    scratchlist: bool = False


def is_whole_session(session_id: str, data: Any) -> bool:
    """Whether ``session-updated`` data is a whole session (replace ours with it) rather than a patch."""
    return (
        isinstance(data, dict) and data.get("id") == session_id and is_number(data.get("seq")) and "createdAt" in data
    )


def apply_patch(session: Json, patch: Any) -> PatchResult:
    """The session after the patch. Neither argument is changed; values are taken over, not copied."""
    if not isinstance(patch, dict) or not patch or not all(_fits(key, value) for key, value in patch.items()):
        return PatchResult("refetch", session)
    changes: Json = {}
    removed: list[str] = []
    for key, value in patch.items():
        if key in _FLAT:
            if key not in session or not same(session[key], value):
                changes[key] = value
        elif key == "updatedAt":
            if value > _number(session.get(key)):
                changes[key] = value
        elif key in _VERSIONED and value["version"] > _number(session.get(_VERSIONED[key])):
            changes[_VERSIONED[key]] = value["version"]
            if key == "teamState" and value["value"] is None:
                removed.append(key)  # null means the team is gone; its version stays, so that no late patch revives it
            else:
                changes[key] = value["value"]
    scratchlist = "scratchlistUpdatedAt" in patch
    if not changes or _is_keep_alive(session, patch):
        return PatchResult("unchanged", session, scratchlist)
    after = {key: value for key, value in session.items() if key not in removed}
    return PatchResult("applied", after | changes, scratchlist)


def same(one: Any, other: Any) -> bool:
    """JSON equality: ``1`` equals ``1.0`` but not ``true``. For values no deeper than ``wire.MAX_DEPTH``."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def _is_keep_alive(session: Mapping[str, Any], patch: Json) -> bool:
    """``activeAt`` moves by less than a minute and nothing else is said anew.

    A versioned field, a refetch trigger or another ``updatedAt`` counts as something said, even where it then changes
    nothing itself: that is how HAPI's own client decides (seen in its recorded answers).
    """
    cached = session.get("activeAt")
    if "activeAt" not in patch or not is_number(cached) or abs(patch["activeAt"] - cached) >= _ACTIVE_AT_STEP:
        return False
    return all(key in session and same(session[key], value) for key, value in patch.items() if key != "activeAt")


def _number(value: Any) -> float:
    return value if is_number(value) else 0


def _fits(key: Any, value: Any) -> bool:
    shape = _SHAPES.get(key)
    return shape is not None and shape(value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _word(value: Any) -> bool:
    return isinstance(value, str)


def _word_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _number_or_null(value: Any) -> bool:
    return value is None or is_number(value)


def _wrapped(inner: type, *, null: bool) -> Callable[[Any], bool]:
    def shape(value: Any) -> bool:
        if not isinstance(value, dict) or "value" not in value or not is_number(value.get("version")):
            return False
        return isinstance(value["value"], inner) or (null and value["value"] is None)

    return shape


_FLAT: dict[str, Callable[[Any], bool]] = {
    "active": _flag,
    "thinking": _flag,
    "activeAt": is_number,
    "model": _word_or_null,
    "modelReasoningEffort": _word_or_null,
    "effort": _word_or_null,
    "serviceTier": _word_or_null,
    "permissionMode": _word,
    "collaborationMode": _word,
    "copilotAgentMode": _word,
    "backgroundTaskCount": is_number,
}

_VERSIONED = {
    "metadata": "metadataVersion",
    "agentState": "agentStateVersion",
    "todos": "todosUpdatedAt",
    "teamState": "teamStateUpdatedAt",
}

_SHAPES: dict[str, Callable[[Any], bool]] = {
    **_FLAT,
    "updatedAt": is_number,
    "activeTurnStartedAt": _number_or_null,  # known, and deliberately taken from whole sessions only
    "scratchlistUpdatedAt": is_number,
    "metadata": _wrapped(dict, null=True),
    "agentState": _wrapped(dict, null=True),
    "todos": _wrapped(list, null=False),
    "teamState": _wrapped(dict, null=True),
}

"""Runs HAPI's golden documents against our patches, window and tables. Total: a broken document is a difference.

Each ``run_…`` takes one decoded document and returns the differences in words, none if it passes.
"""

import json
from collections.abc import Mapping
from typing import Any

from bridge.hub.flavors import CODEX_COLLABORATION_MODES, PERMISSION_MODES
from bridge.hub.patches import apply_patch, same

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

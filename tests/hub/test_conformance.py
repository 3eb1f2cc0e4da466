"""HAPI's golden documents and our own corpus, where they are at hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.hub.replay import run_catalogs, run_pagination, run_sse
from tests.hub.conftest import CONFORMANCE

GOLDEN = CONFORMANCE / "golden"
OWN = Path(__file__).resolve().parents[2] / "fixtures" / "conformance" / "session-patch.jsonl"


def documents(folder: str) -> list[Any]:
    found = sorted((GOLDEN / folder).glob("*.json"))
    if not found:
        reason = "HAPI's golden fixtures are not here (they are AGPL and no part of this project)"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(json.loads(path.read_text()), id=path.stem) for path in found]


@pytest.mark.parametrize("document", documents("sse"))
def test_session_patches_end_as_in_hapis_own_client(document: dict[str, Any]) -> None:
    assert run_sse(document) == []


@pytest.mark.parametrize("document", documents("pagination"))
def test_message_windows_end_as_in_hapis_own_client(document: dict[str, Any]) -> None:
    assert run_pagination(document) == []


@pytest.mark.parametrize("document", documents("catalogs"))
def test_permission_modes_are_the_ones_of_the_hub(document: dict[str, Any]) -> None:
    assert run_catalogs(document) == []


def test_generated_session_patches_end_as_recorded() -> None:
    lines = OWN.read_text().splitlines()
    assert len(lines) == 100
    for line in lines:
        assert run_sse(json.loads(line)) == []


def test_a_difference_is_told_in_words() -> None:
    document = {
        "initialSession": {"id": "s", "thinking": False},
        "patches": [{"thinking": True}],
        "expectedPatchResults": ["unchanged"],
        "expectedSession": {"id": "s", "thinking": False, "model": None},
    }
    assert run_sse(document) == [
        "patch results: expected ['unchanged'], got ['applied']",
        "session.thinking: expected false, got true",
        "session.model: missing, expected null",
    ]


@pytest.mark.parametrize("document", [{}, {"ops": 5}, {"patches": []}, {"ops": [5, {"op": "x"}, {"op": []}]}])
def test_a_broken_document_is_a_difference_not_a_crash(document: dict[str, Any]) -> None:
    assert run_sse(document)
    assert run_pagination(document)
    assert run_catalogs(document)

"""The decoder against the reference's answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bridge.transcript.replay import render_blocks, run_chat

Cases = list[dict[str, Any]]


def _failures(cases: Cases) -> dict[int, list[str]]:
    outcomes = {number: run_chat(case) for number, case in enumerate(cases)}
    return {number: found[:3] for number, found in outcomes.items() if found}


def test_our_own_cases_decode_as_the_reference_does(own_cases: Cases) -> None:
    assert len(own_cases) == 300
    assert _failures(own_cases) == {}


def test_the_golden_cases_decode_as_the_reference_does(golden_cases: Cases) -> None:
    assert len(golden_cases) >= 48
    assert _failures(golden_cases) == {}


def test_the_mutated_cases_decode_as_the_reference_does(mutated_cases: Cases) -> None:
    assert len(mutated_cases) == 300
    assert _failures(mutated_cases) == {}


def test_rendering_a_page_gives_the_blocks_of_its_case(own_cases: Cases) -> None:
    case = own_cases[7]
    page = {key: case["input"][key] for key in ("messages", "agentState")}
    assert render_blocks(page) == case["expected"]["blocks"]


def test_a_changed_expectation_is_a_difference_in_words(own_cases: Cases) -> None:
    case = own_cases[0]
    wrong = {**case, "expected": {**case["expected"], "hasReadyEvent": True}}
    assert run_chat(wrong) == ["hasReadyEvent: expected True, got False"]


def test_no_module_of_the_transcript_is_over_300_lines() -> None:
    folder = Path(__file__).resolve().parents[2] / "bridge" / "transcript"
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in folder.glob("*.py")}
    assert {name: length for name, length in lengths.items() if length > 300} == {}

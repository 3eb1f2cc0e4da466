"""Chat cases and message builders that the transcript's tests share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "fixtures" / "conformance" / "chat.jsonl"
SHARED = ROOT.parent / "shared" / "conformance"

Message = dict[str, Any]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture(scope="session")
def own_cases() -> list[dict[str, Any]]:
    """Our own 300 generated cases."""
    return _lines(OWN)


@pytest.fixture(scope="session")
def golden_cases() -> list[dict[str, Any]]:
    """HAPI's golden chat cases, where they lie beside the project."""
    folder = SHARED / "golden" / "chat"
    if not folder.is_dir():
        pytest.skip("HAPI's golden fixtures are not beside this checkout (../shared/conformance/golden)")
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


@pytest.fixture(scope="session")
def mutated_cases() -> list[dict[str, Any]]:
    """300 mutations of the golden cases, where they lie beside the project."""
    path = SHARED / "mutated-chat.jsonl"
    if not path.is_file():
        pytest.skip("the mutated cases are not beside this checkout (../shared/conformance/mutated-chat.jsonl)")
    return _lines(path)


@pytest.fixture
def wire() -> Callable[..., Message]:
    """Builds wire messages: `wire("m1", content, at=5)`."""

    def build(message_id: str, content: Any, *, at: int = 1_000, **more: Any) -> Message:
        return {"id": message_id, "seq": 1, "localId": None, "createdAt": at, "content": content, **more}

    return build


@pytest.fixture
def codex(wire: Callable[..., Message]) -> Callable[..., Message]:
    """Builds messages of the generic family: `codex("m1", type="message", message="hi")`."""

    def build(message_id: str, *, at: int = 1_000, **data: Any) -> Message:
        return wire(message_id, {"role": "agent", "content": {"type": "codex", "data": data}}, at=at)

    return build


@pytest.fixture
def claude(wire: Callable[..., Message]) -> Callable[..., Message]:
    """Builds Claude's log entries: `claude("m1", "assistant", [blocks], isSidechain=True)`."""

    def build(message_id: str, kind: str, content: Any, *, at: int = 1_000, **data: Any) -> Message:
        entry = {"type": kind, "message": {"content": content}, **data}
        return wire(message_id, {"role": "agent", "content": {"type": "output", "data": entry}}, at=at)

    return build


@pytest.fixture
def event(wire: Callable[..., Message]) -> Callable[..., Message]:
    """Builds event rows: `event("m1", type="ready")`."""

    def build(message_id: str, *, at: int = 1_000, **data: Any) -> Message:
        return wire(message_id, {"role": "agent", "content": {"type": "event", "data": data}}, at=at)

    return build


@pytest.fixture
def user(wire: Callable[..., Message]) -> Callable[..., Message]:
    """Builds user messages: `user("m1", "hello")`."""

    def build(message_id: str, words: Any, *, at: int = 1_000, meta: Any = None, **more: Any) -> Message:
        return wire(message_id, {"role": "user", "content": words, "meta": meta}, at=at, **more)

    return build

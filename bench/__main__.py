"""Figures for the transcript: `python -m bench` (or `make bench`).

A session of 10,000 messages in the mix of HAPI's golden fixtures, where they lie beside the project, else of our
own, is parsed first and then fed one message at a time.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bridge.transcript.fold import Transcript

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT.parent / "shared" / "conformance" / "golden" / "chat"
OWN = ROOT / "fixtures" / "conformance" / "chat.jsonl"

MESSAGES = 10_000
SLICE = 1_000
RUNS = 5

_IDS = frozenset(("id", "callId", "tool_use_id", "parentToolUseId", "uuid", "parentUuid", "toolUseId", "messageId"))


def documents() -> list[dict[str, Any]]:
    """The chat cases to make the session from."""
    if GOLDEN.is_dir():
        return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(GOLDEN.glob("*.json"))]
    return [json.loads(line) for line in OWN.read_text(encoding="utf-8").split("\n") if line]


def session(count: int) -> list[dict[str, Any]]:
    """`count` messages: the cases over and over, each round with ids and times of its own."""
    cases = documents()
    made: list[dict[str, Any]] = []
    for number, message in enumerate(_rounds(cases)):
        if number == count:
            break
        made.append({**message, "createdAt": 1_755_000_000_000 + number * 1_000, "seq": number + 1})
    return made


def _rounds(cases: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    lap = 0
    while True:
        for case, document in enumerate(cases):
            for message in document["input"]["messages"]:
                yield _renamed(message, f"~{lap}.{case}")
        lap += 1


def _renamed(value: Any, suffix: str) -> Any:
    if isinstance(value, dict):
        return {
            key: each + suffix if key in _IDS and isinstance(each, str) else _renamed(each, suffix)
            for key, each in value.items()
        }
    return [_renamed(each, suffix) for each in value] if isinstance(value, list) else value


def rate(messages: list[dict[str, Any]]) -> float:
    """Messages per second of one core's time, fed one at a time; what else the machine does is not counted."""
    transcript = Transcript()
    feed = transcript.feed
    started = time.process_time()
    for message in messages:
        feed(message)
    return len(messages) / (time.process_time() - started)


def costs(messages: list[dict[str, Any]]) -> list[int]:
    """Nanoseconds that each message took."""
    transcript = Transcript()
    taken: list[int] = []
    for message in messages:
        started = time.perf_counter_ns()
        transcript.feed(message)
        taken.append(time.perf_counter_ns() - started)
    return taken


def main() -> int:
    """Print the figures; 1 if one of them is worse than what the project promises."""
    messages = session(MESSAGES)
    per_second = max(rate(messages) for _ in range(RUNS))
    ratios = []
    for _ in range(RUNS):
        taken = costs(messages)
        ratios.append(statistics.median(taken[-SLICE:]) / statistics.median(taken[:SLICE]))
    ratio = min(ratios)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    print(f"messages                 {MESSAGES:>10,}  ({'golden' if GOLDEN.is_dir() else 'own'} mix)")
    print(f"messages per second      {per_second:>10,.0f}  (at least 30,000)")
    print(f"last against first 1,000 {ratio:>10.2f}  (median cost, at most 1.3)")
    print(f"peak memory              {peak:>10,.0f}  MiB, with the parsed messages and Python itself")
    return 0 if per_second >= 30_000 and ratio <= 1.3 else 1


if __name__ == "__main__":
    sys.exit(main())

"""`hapi-bridge conformance PATH…`: HAPI's golden fixtures and our corpora against what the bridge makes of them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bridge.hub.replay import run_catalogs, run_pagination, run_sse
from bridge.transcript.replay import run_chat

FIXTURE_VERSION = 1
"""The newest `fixtureVersion` whose rules this bridge follows."""

SHOWN_DOCUMENTS = 20
SHOWN_DIFFERENCES = 5

Runner = Callable[[Mapping[str, Any]], list[str]]

_SUITES: dict[str, Runner] = {
    "chat": run_chat,
    "sse": run_sse,
    "pagination": run_pagination,
    "catalogs": run_catalogs,
}
_SKIPPED = frozenset(("node_modules", "__pycache__"))


@dataclass(slots=True)
class Tally:
    """One suite's outcome: how many documents, how many passed, and where the others differ."""

    total: int = 0
    passed: int = 0
    failures: list[tuple[str, list[str]]] = field(default_factory=list)

    def take(self, where: str, differences: list[str]) -> None:
        """Count one document."""
        self.total += 1
        if differences:
            self.failures.append((where, differences))
        else:
            self.passed += 1


def conformance(paths: list[Path], verbose: bool) -> int:
    """Run every document under `paths`; prints `SUITE passed/total` per suite found.

    `verbose` adds the first differences. Answers the exit code: 0 only if something was found and all passed.
    A `fixtureVersion` newer than ours, and a file that can't be read, fail, and say so without being asked.
    """
    tallies = {suite: Tally() for suite in _SUITES}
    complaints = [f"{path}: there is no such file or folder" for path in paths if not path.exists()]
    named = {os.path.realpath(path) for path in paths}
    for file in _files(paths):
        if file.name == "VERSION":
            complaints.extend(_newer_folder(file))
            continue
        documents = []
        content, unreadable = _content(file)
        # What is no text is no fixture, and passed over, unless it was asked for by name.
        if unreadable and (content is None or os.path.realpath(file) in named):
            complaints.append(f"{file}: {unreadable}")
        for where, document in _documents(file, content or ""):
            version = document.get("fixtureVersion") if isinstance(document, dict) else None
            if version is not None and _is_newer(version):
                complaints.append(
                    f"{where}: fixtureVersion {version} is newer than {FIXTURE_VERSION}, which this bridge follows"
                )
                suite = _suite(document)
                if suite is not None:
                    tallies[suite].take(where, [f"fixtureVersion {version} is not known"])
            else:
                documents.append((where, document))
        if all(_suite(document) is None for _, document in documents):
            continue
        for where, document in documents:
            suite = _suite(document)
            if suite is None:
                complaints.append(f"{where}: not a document of any suite, though others in this file are")
                continue
            tallies[suite].take(_named(where, document), _SUITES[suite](document))
    return _report(tallies, complaints, verbose)


def _report(tallies: dict[str, Tally], complaints: list[str], verbose: bool) -> int:
    for suite, tally in tallies.items():
        if tally.total:
            print(f"{suite} {tally.passed}/{tally.total}")
        if not verbose:
            continue
        for where, differences in tally.failures[:SHOWN_DOCUMENTS]:
            print(f"  {where}")
            for difference in differences[:SHOWN_DIFFERENCES]:
                print(f"    {_printable(difference)}")
            if len(differences) > SHOWN_DIFFERENCES:
                print(f"    and {len(differences) - SHOWN_DIFFERENCES} more")
        if len(tally.failures) > SHOWN_DOCUMENTS:
            print(f"  and {len(tally.failures) - SHOWN_DOCUMENTS} more documents")
    for complaint in complaints:
        print(_printable(complaint), file=sys.stderr)
    found = any(tally.total for tally in tallies.values())
    if not found:
        print("no fixture of any suite was found", file=sys.stderr)
    return 0 if found and not complaints and all(t.passed == t.total for t in tallies.values()) else 1


def _files(paths: list[Path]) -> Iterator[Path]:
    seen: set[str] = set()
    for path in paths:
        for file in sorted(_under(path)):
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                yield file


def _under(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for folder, names, files in os.walk(path):
        names[:] = [name for name in names if not name.startswith(".") and name not in _SKIPPED]
        for name in files:
            if name.endswith((".json", ".jsonl")) or name == "VERSION":
                yield Path(folder, name)


def _content(file: Path) -> tuple[str | None, str]:
    """The file's text, and what is wrong with it: `None` where it can't be read, empty where it is no text."""
    try:
        return file.read_text(encoding="utf-8-sig"), ""
    except OSError as error:
        return None, f"can't be read ({error.strerror or error})"
    except UnicodeDecodeError:
        return "", "is not UTF-8 text"


def _documents(file: Path, content: str) -> Iterator[tuple[str, Any]]:
    if file.suffix != ".jsonl":
        yield str(file), _parsed(content)
        return
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            yield f"{file}:{number}", _parsed(line)


def _parsed(content: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _suite(document: Any) -> str | None:
    if not isinstance(document, dict):
        return None
    given = document.get("input")
    if isinstance(given, dict) and "messages" in given and "expected" in document:
        return "chat"
    if "initialSession" in document and "patches" in document:
        return "sse"
    if "ops" in document and "expectedState" in document:
        return "pagination"
    return "catalogs" if "permissionModesByFlavor" in document else None


def _named(where: str, document: Mapping[str, Any]) -> str:
    name = document.get("name")
    return f"{where} ({name})" if isinstance(name, str) else where


def _newer_folder(file: Path) -> list[str]:
    try:
        version = int(file.read_text(encoding="utf-8").strip())
    except (OSError, ValueError):
        return []
    if version <= FIXTURE_VERSION:
        return []
    return [f"{file}: fixture version {version} is newer than {FIXTURE_VERSION}, which this bridge follows"]


def _is_newer(version: Any) -> bool:
    return isinstance(version, bool) or not isinstance(version, int | float) or version > FIXTURE_VERSION


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

"""`hapi-bridge conformance`: what it finds, counts and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.conformance import conformance

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT.parent / "shared" / "conformance" / "golden"


def _case(text: str = "hi", **more: Any) -> dict[str, Any]:
    message = {"id": "m", "seq": 1, "localId": None, "createdAt": 1, "content": {"role": "user", "content": "hi"}}
    block = {"kind": "user-text", "id": "m", "createdAt": 1, "localId": None, "text": text}
    expected = {"blocks": [block], "visibleBlocks": [block], "hasReadyEvent": False, "latestUsage": None}
    return {"input": {"messages": [message], "agentState": None}, "expected": expected, **more}


def _write(path: Path, *documents: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(document) for document in documents), encoding="utf-8")
    return path


def test_our_own_corpora_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert conformance([ROOT / "fixtures" / "conformance"], verbose=False) == 0
    assert capsys.readouterr().out == "chat 300/300\nsse 100/100\n"


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="HAPI's golden fixtures are not beside this checkout")
def test_the_golden_fixtures_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert conformance([GOLDEN], verbose=True) == 0
    assert capsys.readouterr().out == "chat 48/48\nsse 12/12\npagination 12/12\ncatalogs 1/1\n"


def test_suites_are_counted_over_all_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = _write(tmp_path / "a" / "deep" / "one.json", _case())
    lines = _write(tmp_path / "b" / "many.jsonl", _case(), _case())
    assert conformance([one.parent.parent, lines, one], verbose=False) == 0
    assert capsys.readouterr().out == "chat 3/3\n"


def test_a_difference_fails_and_is_told_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _write(tmp_path / "c.jsonl", _case(), _case("ho", name="greeting"))
    assert conformance([path], verbose=False) == 1
    assert capsys.readouterr().out == "chat 1/2\n"
    assert conformance([path], verbose=True) == 1
    shown = capsys.readouterr().out
    assert f"{path}:2 (greeting)" in shown
    assert "blocks[0].text: expected 'ho', got 'hi'" in shown


def test_files_of_no_suite_are_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(tmp_path / "package.json", {"name": "x"})
    (tmp_path / "broken.json").write_text("{// a comment", encoding="utf-8")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (tmp_path / "notes.md").write_text("chat", encoding="utf-8")
    _write(tmp_path / "case.json", _case())
    assert conformance([tmp_path], verbose=False) == 0
    assert capsys.readouterr().out == "chat 1/1\n"


def test_nothing_found_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(tmp_path / "package.json", {"name": "x"})
    assert conformance([tmp_path], verbose=False) == 1
    assert "no fixture of any suite was found" in capsys.readouterr().err


def test_a_path_that_is_not_there_fails_though_others_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = _write(tmp_path / "case.json", _case())
    assert conformance([case, tmp_path / "gone"], verbose=False) == 1
    assert "there is no such file or folder" in capsys.readouterr().err


@pytest.mark.parametrize("version", [2, 1.5, "2", None, True])
def test_a_newer_fixture_version_fails_loudly(tmp_path: Path, capsys: pytest.CaptureFixture[str], version: Any) -> None:
    path = _write(tmp_path / "new.json", _case(fixtureVersion=version))
    known = _write(tmp_path / "known.json", _case(fixtureVersion=1))
    assert conformance([path, known], verbose=False) == (0 if version is None else 1)
    told = capsys.readouterr()
    if version is not None:
        assert "chat 1/2" in told.out
        assert f"fixtureVersion {version} is newer than 1" in told.err


def test_a_newer_document_of_another_shape_is_not_taken_for_no_fixture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path / "case.json", _case())
    _write(tmp_path / "new.json", {"fixtureVersion": 2, "somethingNew": []})
    assert conformance([tmp_path], verbose=False) == 1
    assert "fixtureVersion 2 is newer" in capsys.readouterr().err


def test_a_newer_version_file_fails_loudly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(tmp_path / "case.json", _case())
    (tmp_path / "VERSION").write_text("2\n", encoding="utf-8")
    assert conformance([tmp_path], verbose=False) == 1
    assert "version 2 is newer" in capsys.readouterr().err


def test_a_broken_line_in_a_corpus_is_not_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _write(tmp_path / "c.jsonl", _case())
    path.write_text(path.read_text(encoding="utf-8") + "\n{broken", encoding="utf-8")
    assert conformance([path], verbose=False) == 1
    assert f"{path}:2: not a document of any suite" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_named_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(tmp_path / "case.json", _case())
    locked = tmp_path / "locked.json"
    locked.symlink_to("locked.json")  # a loop: nobody can read it, root neither
    assert conformance([tmp_path], verbose=False) == 1
    told = capsys.readouterr()
    assert told.out == "chat 1/1\n"
    assert told.err.startswith(f"{locked}: can't be read (")


def test_bytes_asked_for_by_name_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = tmp_path / "odd.json"
    odd.write_bytes(b"\xff\xfe")
    assert conformance([odd], verbose=False) == 1
    assert f"{odd}: is not UTF-8 text" in capsys.readouterr().err


def test_a_byte_order_mark_does_not_hide_a_fixture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (_write(tmp_path / "case.json", _case()), _write(tmp_path / "many.jsonl", _case(), _case())):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert conformance([tmp_path], verbose=False) == 0
    assert capsys.readouterr().out == "chat 3/3\n"

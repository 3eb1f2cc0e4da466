"""`render`: pages and Markdown as JSON; one clear line for a file that can't be used."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cli.render_page import render_page
from bridge.cli.rendering import render

PAGE: dict[str, Any] = {
    "messages": [
        {
            "id": "m1",
            "seq": 1,
            "localId": None,
            "createdAt": 1_796_000_000_000,
            "content": {"role": "user", "content": {"type": "text", "text": "hello"}, "meta": {"sentFrom": "webapp"}},
        },
        {
            "id": "m2",
            "seq": 2,
            "localId": None,
            "createdAt": 1_796_000_001_000,
            "content": {"role": "agent", "content": {"type": "codex", "data": {"type": "reasoning", "message": "hm"}}},
        },
        {
            "id": "m3",
            "seq": 3,
            "localId": None,
            "createdAt": 1_796_000_002_000,
            "content": {
                "role": "agent",
                "content": {"type": "codex", "data": {"type": "message", "message": "**hi**"}},
            },
        },
    ],
    "agentState": {"requests": {"r1": {"tool": "Bash", "arguments": {"command": "ls"}, "createdAt": 1}}},
}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.json"
    path.write_text(json.dumps(PAGE), encoding="utf-8")
    return path


def test_blocks_are_the_projection_of_the_golden_fixtures(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render(page, "blocks", markdown=False) == 0
    blocks = json.loads(capsys.readouterr().out)
    assert sorted(block["kind"] for block in blocks) == ["agent-reasoning", "agent-text", "tool-call", "user-text"]


def test_telegram_calls_are_what_the_bridge_would_send(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render(page, "telegram", markdown=False) == 0
    calls = json.loads(capsys.readouterr().out)
    assert {call["method"] for call in calls} == {"sendMessage"}
    by_text = {call["params"]["text"].splitlines()[0]: call["params"] for call in calls}
    assert by_text["hi"]["entities"] == [{"type": "bold", "offset": 0, "length": 2}]
    assert by_text["hi"]["disable_notification"] is True, "a tool follows, so it is narration"
    assert by_text["You · web: hello"]["disable_notification"] is True
    approval = next(call["params"] for call in calls if "Approval needed" in call["params"]["text"])
    assert "ls" in approval["text"]
    assert approval["disable_notification"] is False
    assert not any("parse_mode" in call["params"] for call in calls), "invariant 6: entities, never markup"


def test_slack_calls_are_what_the_bridge_would_send(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Invariant 6: no call mentions or unfurls."""
    assert render(page, "slack", markdown=False) == 0
    calls = json.loads(capsys.readouterr().out)
    assert {call["method"] for call in calls} == {"chat.postMessage"}
    assert all(call["params"]["unfurl_links"] is False for call in calls)
    assert {"type": "markdown", "text": "**hi**"} in [block for call in calls for block in call["params"]["blocks"]]
    approval = next(call["params"] for call in calls if "Approval needed" in call["params"]["text"])
    labels = [each["text"]["text"] for each in approval["blocks"][-3]["elements"]]
    assert labels[:2] == ["Allow", "Deny"]


def test_slack_uploads_what_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"|row {n}|{'y' * 60}|\n" for n in range(500))
    path = tmp_path / "answer.md"
    path.write_text("|n|v|\n|-|-|\n" + rows, encoding="utf-8")
    assert render(path, "slack", markdown=True) == 0
    post, begin, end = json.loads(capsys.readouterr().out)
    assert (post["method"], end["method"]) == ("chat.postMessage", "files.completeUploadExternal")
    assert begin["params"] == {"filename": "table-1.csv", "length": len(begin["files"]["table-1.csv"])}


def test_only_the_text_that_closes_a_turn_rings() -> None:
    texts = [{**PAGE["messages"][2], "id": f"t{n}", "content": {**PAGE["messages"][2]["content"]}} for n in range(2)]
    calls = render_page({"messages": [*texts, {**PAGE["messages"][0], "id": "u"}, {**texts[0], "id": "t9"}]})
    assert [call["params"]["disable_notification"] for call in calls] == [True, False, True, False]


def test_markdown_is_shown_as_an_answer_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.md"
    path.write_text("# Title\n\nSome `code`.\n", encoding="utf-8")
    assert render(path, "telegram", markdown=True) == 0
    (call,) = json.loads(capsys.readouterr().out)
    assert call["method"] == "sendMessage"
    assert call["params"]["text"].startswith("Title")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b'{"messages": NaN}', "is not JSON"),
        (b"[" * 100_000, "is not"),
        (b"[]", "is not a messages page"),
        (b'{"messages": {}}', "is not a messages page"),
        (b"5", "is not a messages page"),
        (b"1" * 10_000, "is not"),
    ],
)
def test_a_file_that_is_no_page_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    for to in ("blocks", "telegram"):
        assert render(path, to, markdown=False) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert len(told.err.splitlines()) == 1
        assert told.err.startswith(f"{path}: {words}")


def test_other_wishes_that_cannot_be_served_are_one_line(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file, to, markdown in (
        (page, "blocks", True),
        (tmp_path / "missing.json", "blocks", False),
        (tmp_path, "telegram", True),
    ):
        assert render(file, to, markdown=markdown) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_markdown_taken_for_a_page_is_told_the_option_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answer.md"
    path.write_text("# Done\n", encoding="utf-8")
    assert render(path, "telegram", markdown=False) == 2
    assert capsys.readouterr().err == f"{path}: is not JSON; if it is Markdown, add --markdown\n"


def test_deep_values_become_dull_and_the_rest_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Invariant 5."""
    deep = '{"messages": [{"id": "m", "content": ' + '{"role": "agent", "content": ' + "[" * 5000 + "]" * 5000 + "}}]}"
    path = tmp_path / "deep.json"
    path.write_text(deep)
    for to in ("blocks", "telegram"):
        assert render(path, to, markdown=False) == 0
        assert "nested too deeply" in capsys.readouterr().out


def test_lone_surrogates_do_not_break_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"messages": [{"id": "m", "content": {"role": "user", "content": "a\\ud800b"}}]}')
    assert render(path, "blocks", markdown=False) == 0
    assert json.loads(capsys.readouterr().out)[0]["text"].startswith("a")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
KEYS = st.sampled_from(["id", "seq", "content", "role", "type", "data", "message", "name", "input", "callId", "output"])
MESSAGES = st.lists(st.dictionaries(KEYS, JSON, max_size=6) | JSON, max_size=4)


@settings(max_examples=60, deadline=None)
@given(messages=MESSAGES, state=JSON)
def test_any_page_renders(messages: list[Any], state: Any) -> None:
    """Invariant 5: decoding and rendering never raise."""
    json.dumps(render_page({"messages": messages, "agentState": state}))


def test_a_dangerous_request_is_marked_and_offers_nothing_wider_here_either() -> None:
    """Invariant 10."""
    asked = {"tool": "Bash", "arguments": {"command": "rm -rf build"}, "createdAt": 1}
    call = render_page({"messages": [], "agentState": {"requests": {"r1": asked}}}, "telegram")[-1]
    assert "Careful: Deletes for good (rm -rf)" in call["params"]["text"]
    labels = [button["text"] for row in call["params"]["reply_markup"]["inline_keyboard"] for button in row]
    assert labels == ["Allow", "Deny", "Deny…", "Stop the turn", "⚠️ Allow needs a second tap, here"]

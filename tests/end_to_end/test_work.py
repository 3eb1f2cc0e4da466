"""What a person looks at in a session's directory, with HAPI's own CLI, a real git, and the platforms' own clients."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Stage
from tests.end_to_end.slack_stage import SlackStage, words
from tests.rig.real_cli import RealCli

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]


def repository(path: Path) -> Path:
    """A working tree with a change, a staged file, a new one and a binary."""
    path.mkdir()

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *who, *arguments], cwd=path, check=True, capture_output=True)

    git("init")
    (path / ".gitignore").write_text("logs/\nruntime/\n*.log\ncli.out\nsettings.json*\nsessions/\n")
    (path / "parser.py").write_text("one\ntwo\n")
    git("add", ".")
    git("commit", "-m", "first")
    (path / "parser.py").write_text("one\nTWO\nthree\n")
    (path / "staged.py").write_text("x = 1\n")
    git("add", "staged.py")
    (path / "new.bin").write_bytes(b"\x00\x01\xff" * 100)
    return path


@pytest.fixture
async def at_work(stage: Stage, tmp_path: Path) -> AsyncIterator[Stage]:
    async with RealCli(stage.hub, repository(tmp_path / "work")):
        await stage.see_hub_session()
        await stage.start()
        yield stage


async def ask(stage: Stage, text: str) -> None:
    """Say a command as a reply to nothing in particular: there is only one session."""
    stage.telegram.say(stage.chat, stage.ada, text)


async def test_what_changed_is_listed_and_each_diff_is_a_tap_away(at_work: Stage) -> None:
    stage = at_work
    await ask(stage, "/git")
    card = await stage.message("On main")
    assert "M parser.py +2 −1" in card.text
    assert "A staged.py +1 −0" in card.text
    assert "? new.bin" in card.text
    await stage.press(card, "parser.py")
    diff = await stage.message("-two")
    assert "+TWO\n+three" in diff.text
    assert "parser.py · not staged" in diff.text
    assert "index " not in diff.text, "what only git reads is left out"
    await stage.press(card, "staged.py")
    assert "staged.py · staged" in (await stage.message("+x = 1")).text


async def test_a_file_is_found_shown_and_downloaded(at_work: Stage) -> None:
    stage = at_work
    await ask(stage, "/find parser")
    found = await stage.message("parser.py · 14 B")
    await stage.press(found, "parser.py")
    shown = await stage.message("TWO\nthree")
    assert "parser.py · 14 B" in shown.text
    await ask(stage, "/file new.bin")
    sent = await stage.see(lambda: next((one for one in stage.chat.from_bot if one.file), None), "the download")
    assert (sent.file.name, sent.file.data) == ("new.bin", b"\x00\x01\xff" * 100)


async def test_a_large_text_comes_as_a_file_alone(at_work: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invariant 2: all of it, as it is; only nothing lays out megabytes while others wait."""
    stage = at_work
    monkeypatch.setattr("bridge.relay.people.work.looking.MOST_SHOWN", 10)
    await ask(stage, "/file parser.py")
    sent = await stage.see(lambda: next((one for one in stage.chat.from_bot if one.file), None), "the file")
    assert (sent.file.name, sent.file.data) == ("parser.py", b"one\nTWO\nthree\n")
    await ask(stage, "/git parser.py")
    files = await stage.see(
        lambda: len(both := [one.file for one in stage.chat.from_bot if one.file]) == 2 and both, "the diff"
    )
    assert files[1].name == "parser.py.diff"
    assert b"-two\n+TWO" in files[1].data


async def test_what_can_not_be_shown_is_said_in_words(at_work: Stage) -> None:
    stage = at_work
    await ask(stage, "/file ../../etc/passwd")
    assert "outside the working directory" in (await stage.message("The computer says")).text
    await ask(stage, "/find no-such-file")
    await stage.message("No file is called like “no-such-file”.")
    await ask(stage, "/file")
    await stage.message("Write which file after it")


async def test_on_slack_a_diff_is_a_tap_away_too(own_slack: SlackStage, tmp_path: Path) -> None:
    stage = own_slack
    async with RealCli(stage.hub, repository(tmp_path / "work")):
        await stage.see_hub_session()
        await stage.start()
        stage.say("/git")
        card = await stage.message("On main")
        await stage.press(card, "parser.py")
        diff = await stage.message("+TWO")
        assert "not staged" in words(diff)

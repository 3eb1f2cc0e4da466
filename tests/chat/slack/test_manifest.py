"""The manifest as the command prints it, and the page that explains it."""

import json
import re
from pathlib import Path

import pytest

from bridge.chat.slack.manifest import SCOPES, slack_manifest
from bridge.cli.slack_manifest import slack_manifest as command

PAGE = Path(__file__).resolve().parents[3] / "docs" / "slack.md"


def test_the_command_prints_the_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 0
    assert json.loads(capsys.readouterr().out) == slack_manifest()
    assert command("https://bridge.example.org") == 0
    assert json.loads(capsys.readouterr().out) == slack_manifest("https://bridge.example.org")


@pytest.mark.parametrize(
    "url", ["http://bridge.example.org", "bridge.example.org", "https://", "https://x?y=1", "://["]
)
def test_an_address_slack_does_not_take_is_refused_in_words(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(url) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "https://bridge.example.org" in printed.err


def test_every_scope_is_explained_on_the_page_in_the_same_words_and_no_other_is() -> None:
    rows = dict(re.findall(r"^\| `([a-z_:]+)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE))
    explained = {scope: re.sub(r"[`*]", "", words) for scope, words in rows.items()}
    assert explained == SCOPES


def test_names_keep_slacks_limits() -> None:
    features = slack_manifest()["features"]
    assert all(len(shortcut["name"]) <= 24 for shortcut in features["shortcuts"])
    assert all(len(shortcut["description"]) <= 150 for shortcut in features["shortcuts"])
    assert len(slack_manifest()["display_information"]["description"]) <= 140

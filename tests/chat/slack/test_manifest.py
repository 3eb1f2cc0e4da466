"""The manifest as the command prints it, and the page that explains it."""

import json
import re
from pathlib import Path

import pytest

from bridge.chat.slack.manifest import AGENT_SCOPES, CHANNEL_SCOPES, EVENTS, SCOPES, slack_manifest
from bridge.cli.slack_manifest import slack_manifest as command

PAGE = Path(__file__).resolve().parents[3] / "docs" / "slack.md"


def test_the_command_prints_the_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 0
    assert json.loads(capsys.readouterr().out) == slack_manifest()
    assert sorted(slack_manifest()["oauth_config"]["scopes"]["bot"]) == sorted(SCOPES | AGENT_SCOPES)
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
    rows = dict(re.findall(r"^\| `([a-z_:]+)` \| (.*) \|$", PAGE.read_text().split("| event |")[0], re.MULTILINE))
    explained = {scope: re.sub(r"[`*]", "", words) for scope, words in rows.items()}
    assert explained == SCOPES | AGENT_SCOPES | CHANNEL_SCOPES


def test_every_event_is_explained_on_the_page_and_no_other_is() -> None:
    rows = re.findall(
        r"^\| (`[a-z_.]+`(?:, `[a-z_.]+`)*) \| [^|]+ \|$", PAGE.read_text().split("| event |")[1], re.MULTILINE
    )
    assert sorted(event for row in rows for event in re.findall(r"`([a-z_.]+)`", row)) == sorted(EVENTS)


def test_an_app_that_is_no_agent_asks_for_nothing_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(agent=False) == 0
    manifest = json.loads(capsys.readouterr().out)
    assert sorted(manifest["oauth_config"]["scopes"]["bot"]) == sorted(SCOPES)
    assert "agent_session_stopped" not in manifest["settings"]["event_subscriptions"]["bot_events"]
    assert "agent_view" not in manifest["features"]


def test_only_the_channel_layout_asks_for_more() -> None:
    """Exactly what is used."""
    usual, more = (slack_manifest(channels=channels)["oauth_config"]["scopes"]["bot"] for channels in (False, True))
    assert set(more) - set(usual) == set(CHANNEL_SCOPES)
    assert set(usual) == SCOPES.keys() | AGENT_SCOPES.keys()


def test_names_keep_slacks_limits() -> None:
    features = slack_manifest()["features"]
    assert all(len(shortcut["name"]) <= 24 for shortcut in features["shortcuts"])
    assert all(len(shortcut["description"]) <= 150 for shortcut in features["shortcuts"])
    assert len(slack_manifest()["display_information"]["description"]) <= 140

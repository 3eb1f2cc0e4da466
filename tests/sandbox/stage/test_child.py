"""The bridge as a child: what it can't work with is told in its own words, and what it was given is all it knows."""

from pathlib import Path

import pytest

from bridge.sandbox.stage.child import BridgeFailed, BridgeProcess
from bridge.sandbox.stage.stage import surroundings
from bridge.settings import FALLBACKS, VARIABLES


async def test_a_bridge_that_cannot_start_is_not_tried_again(tmp_path: Path) -> None:
    states: list[str] = []
    config, environ = surroundings([*VARIABLES, *FALLBACKS], tmp_path, {}, "[hub]\nurl = 5\n")
    bridge = BridgeProcess(config, environ, reached=lambda: True, changed=lambda: states.append(bridge.state))
    with pytest.raises(BridgeFailed) as failed:
        await bridge.run()
    assert failed.value.code == 2
    assert any(line.startswith("hub.url in ") for line in failed.value.lines)
    assert (states, bridge.restarts) == (["starting"], 0)


def test_nothing_of_the_users_own_reaches_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *FALLBACKS, "BRIDGE_CONFIG"):
        monkeypatch.setenv(name, "theirs")
    monkeypatch.setenv("UNRELATED", "kept")
    known = [*VARIABLES, *FALLBACKS, "BRIDGE_CONFIG"]
    config, environ = surroundings(known, tmp_path, {"HAPI_HUB_URL": "http://127.0.0.1:1"})
    assert "theirs" not in environ.values()
    assert (environ["HAPI_HUB_URL"], environ["UNRELATED"]) == ("http://127.0.0.1:1", "kept")
    assert environ["BRIDGE_DATA_DIR"] == str(tmp_path / "data")
    assert config.read_text() == ""
    assert config.stat().st_mode & 0o077 == 0

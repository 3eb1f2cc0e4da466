"""`sandbox`: the chats and the page alone, or with a hub of the user's own; nothing of the user's is touched."""

import asyncio
import os
import signal
from pathlib import Path

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.hub_scenario import load
from bridge.sandbox.player import Player
from tests.cli.conftest import Run, RunBeside
from tests.cli.showing import gone, showing, telegram


async def test_alone_it_says_how_a_bridge_finds_it(tmp_path: Path) -> None:
    async with showing(tmp_path, "sandbox") as show:
        for name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_API_BASE_URL", "SLACK_APP_TOKEN", "SLACK_API_BASE_URL"):
            await show.line(f"  {name}=")
        state = await show.state()
        assert (state["mode"], state["bridge"]["state"], state["hub"]["sessions"]) == ("sandbox", "outside", None)
        assert not {"kill-bridge", "hub-restart"} & state["faults"].keys()
        answer = await show.client.post("/api/scenario/play", json={"name": "plan"})
        assert answer.json() == {"error": "scenarios need the demo's own hub"}
        assert await show.end(signal.SIGINT) == 0


async def test_with_a_hub_it_shows_its_sessions_and_touches_nothing_else(tmp_path: Path) -> None:
    """Neither the user's configuration, nor their store, nor their bot."""
    config = tmp_path / "config" / "bridge.toml"
    config.parent.mkdir()
    config.write_text("this is no configuration")
    theirs = {
        "BRIDGE_DATA_DIR": str(tmp_path / "data"),
        "BRIDGE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/theirs",
        "BRIDGE_CONFIG": str(config),
        "TELEGRAM_BOT_TOKEN": "1:their-token",
        "SLACK_BOT_TOKEN": "xoxb-theirs",
    }
    async with SandboxHub() as hub:
        with_hub = ("sandbox", "--hub", hub.url)
        async with showing(tmp_path, *with_hub, HAPI_ACCESS_TOKEN=hub.access_token, **theirs) as show:
            await show.line("These are your own sessions")
            await show.until(lambda state: state["bridge"]["state"] == "running")
            playing = asyncio.create_task(Player(hub.state, load("plan"), speed=20).play())
            await show.until(lambda state: [m for m in telegram(state) if "Plan to approve" in m.get("text", "")])
            await show.until(lambda state: state["hub"]["sessions"])
            state = await show.state()
            assert (state["hub"]["url"], state["hub"]["trouble"]) == (hub.url, "")
            assert [each["title"] for each in state["hub"]["sessions"]] == ["Move sessions to Redis"]
            assert "hub-restart" not in state["faults"]
            assert await show.end(signal.SIGTERM) == 0
            assert await gone(state["bridge"]["pid"])
            playing.cancel()
    assert os.listdir(tmp_path) == ["config"]


async def test_a_hub_that_refuses_the_token_is_told_in_words(bridge_beside: RunBeside) -> None:
    async with SandboxHub() as hub:
        done = await bridge_beside("sandbox", "--hub", hub.url, "--token", "wrong")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"the hub at {hub.url} refuses the access token: copy it again\n"


def test_a_hub_that_does_not_answer_is_told_in_words(bridge: Run) -> None:
    done = bridge("sandbox", "--hub", "http://127.0.0.1:1", env={"HAPI_ACCESS_TOKEN": "x"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "no answer from http://127.0.0.1:1: start the hub (hapi hub), or correct the address\n"


def test_without_a_token_or_with_an_address_that_is_none_it_says_so(bridge: Run) -> None:
    done = bridge("sandbox", "--hub", "http://127.0.0.1:1")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "the hub's access token is missing: give HAPI_ACCESS_TOKEN or --token; it is cliApiToken"
    )
    done = bridge("sandbox", "--hub", "my hub", "--token", "x")
    assert done.returncode == 2
    assert done.stderr.startswith("--hub: expects an address such as http://127.0.0.1:3006")


async def test_a_taken_port_is_told(bridge_process: Run) -> None:
    async with SandboxHub() as taken:
        for command in ("demo", "sandbox"):
            more = ["--page"] if command == "demo" else []
            done = await asyncio.to_thread(bridge_process, command, "--no-open", "--port", str(taken.port), *more)
            assert done.returncode == 2, command
            assert done.stderr.startswith(f"the {command} can't start: "), command
            assert "in use" in done.stderr

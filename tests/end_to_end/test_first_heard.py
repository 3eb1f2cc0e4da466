"""The hub is gone again the moment it was first heard: what is said from then on is shown all the same."""

import asyncio
from contextlib import suppress
from pathlib import Path

from bridge import app
from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.telegram import TelegramServer
from bridge.settings import load


async def test_what_is_said_while_the_hub_is_away_for_the_first_time_is_shown(tmp_path: Path) -> None:
    """The first look at the hub counts as having heard it, also where the stream breaks at once (invariant 2)."""
    async with SandboxHub() as hub, TelegramServer() as telegram:
        chat = telegram.private_chat(telegram.add_user(4242, "Ada"))
        gone = asyncio.Event()

        def leave() -> None:
            """The hub dies when the bridge first says that it hears it."""
            if not gone.is_set():
                hub.break_streams()
                hub.state.restart()
                gone.set()

        environ = {
            "HAPI_HUB_URL": hub.url,
            "HAPI_ACCESS_TOKEN": hub.access_token,
            "BRIDGE_DATA_DIR": str(tmp_path / "data"),
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "TELEGRAM_OWNER_ID": "4242",
            "TELEGRAM_API_BASE_URL": telegram.base_url,
        }
        config = tmp_path / "bridge.toml"
        config.touch()
        running = asyncio.create_task(app.run(load(config, environ), ready=leave))
        try:
            async with asyncio.timeout(20):
                await gone.wait()
            session = hub.state.add_session(flavor="codex", directory="/home/ada/parser", machine="laptop")
            hub.state.user_typed(session, "make the tests pass")
            hub.state.say(session, "codex", {"type": "message", "message": "All green.", "id": "1"})
            hub.state.say(session, "event", {"type": "ready"})
            await telegram.wait_for(lambda: chat.find("All green."), 20, "the answer")
            assert chat.find("make the tests pass") is not None
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

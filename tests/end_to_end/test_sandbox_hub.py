"""`hapi-bridge sandbox --hub` with a real hub: a session of the user's on the page, allowed from there."""

from pathlib import Path

import pytest

from tests.cli.showing import Json, showing, telegram
from tests.rig.fake_cli import FakeCli
from tests.rig.hapi_peer import TOKEN, HubProc, take_out

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]


def _allow(state: Json) -> tuple[int, str] | None:
    """The newest button *Allow* in the Telegram chat: its message and data."""
    for message in reversed(telegram(state)):
        for row in message.get("reply_markup", {}).get("inline_keyboard", []):
            for button in row:
                if button["text"].endswith("Allow"):
                    return message["message_id"], button["callback_data"]
    return None


async def test_allow_on_the_page_is_allow_on_the_users_own_hub(worker_hub: HubProc, tmp_path: Path) -> None:
    with_hub = ("sandbox", "--hub", worker_hub.url)
    async with showing(tmp_path, *with_hub, HAPI_ACCESS_TOKEN=TOKEN) as show:
        await show.until(lambda state: state["bridge"]["state"] == "running")
        cli = await FakeCli(worker_hub.url, TOKEN, flavor="claude", path="/home/ada/parser").start()
        try:
            await cli.ask("r1", "Bash", {"command": "make test"})
            message, data = await show.until(_allow)
            await show.quiet()
            chat = (await show.state())["telegram"]["chats"][0]["id"]
            await show.post("telegram/press", chat=chat, message=message, data=data)
            await show.until(lambda s: any("Allowed: Bash" in one.get("text", "") for one in telegram(s)))
        finally:
            await take_out(worker_hub.url, cli)

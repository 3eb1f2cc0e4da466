"""`demo` with its page: the visitor presses in one chat, the other follows; nothing is left behind, however it ends."""

import re
import signal
from pathlib import Path

from tests.cli.showing import Json, gone, showing, slack, telegram

PLAN = ("demo", "--page", "--speed", "20", "--scenario", "plan")


def _approve(state: Json) -> tuple[Json, Json] | None:
    """The card with *Approve* in Slack, and the button."""
    for message in slack(state):
        blocks = [
            *message.get("blocks", []),
            *(b for one in message.get("attachments", []) for b in one.get("blocks", [])),
        ]
        for block in blocks:
            for element in block.get("elements", []) if block["type"] == "actions" else []:
                if element.get("text", {}).get("text", "").endswith("Approve"):
                    return message, {"block_id": block["block_id"], "action_id": element["action_id"]}
    return None


async def test_a_press_in_slack_after_a_kill_of_the_bridge_is_seen_in_telegram(tmp_path: Path) -> None:
    """``kill -9`` is real, another bridge takes over, and all ends complete and undoubled (invariant 3)."""
    async with showing(tmp_path, *PLAN) as show:
        await show.line("Ready after")
        card, button = await show.until(_approve)
        await show.quiet()  # a send to Telegram under way at the kill may come twice: Telegram can't be asked
        first = (await show.state())["bridge"]
        assert (first["state"], first["restarts"]) == ("running", 0)
        await show.post("fault", name="kill-bridge", on=True)
        second = await show.until(lambda state: state["bridge"]["restarts"] == 1 and state["bridge"])
        assert second["pid"] != first["pid"]
        await show.until(lambda state: not state["faults"]["kill-bridge"]["on"])
        assert (await show.state())["bridge"]["state"] == "running"
        dm = next(each for each in (await show.state())["slack"]["channels"] if each["kind"] == "im")["id"]
        await show.post("slack/press", channel=dm, message_ts=card["ts"], **button)
        ended = await show.until(lambda s: [m for m in telegram(s) if "Step 1 is in" in m.get("text", "")] and s)
        assert sum("Step 1 is in" in each.get("text", "") for each in telegram(ended)) == 1
        assert sum("a Redis side" in each.get("text", "") for each in telegram(ended)) == 1
        await show.until(lambda s: sum("Step 1 is in" in str(each) for each in slack(s)) == 1)
        pid = (await show.state())["bridge"]["pid"]
        assert await show.end(signal.SIGTERM) == 0
        assert await gone(pid)


async def test_nothing_is_left_when_the_demo_is_killed(tmp_path: Path) -> None:
    """No bridge, and no folder: the bridge takes it along when nobody else can."""
    folders = tmp_path / "folders"
    folders.mkdir()
    async with showing(tmp_path, *PLAN, TMPDIR=str(folders)) as show:
        pid = await show.until(lambda state: state["bridge"]["state"] == "running" and state["bridge"]["pid"])
        assert list(folders.iterdir())
        await show.end(signal.SIGKILL)
        assert await gone(pid)
        assert not list(folders.iterdir())


async def test_ctrl_c_ends_it_before_the_bridge_is_there(tmp_path: Path) -> None:
    async with showing(tmp_path, *PLAN) as show:
        pid = (await show.state())["bridge"]["pid"]
        assert await show.end(signal.SIGINT) == 0
        assert await gone(pid)
        assert show.process.stderr is not None
        assert await show.process.stderr.read() == b""


async def test_the_page_that_is_shipped_is_served_with_all_it_loads(tmp_path: Path) -> None:
    """Nothing inline, nothing from outside: what the strict policy would keep the browser from loading."""
    async with showing(tmp_path, *PLAN) as show:
        page = (await show.client.get("/")).text
        loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert any(path.endswith(".js") for path in loaded)
        for path in loaded:
            if not path.startswith("data:"):
                answer = await show.client.get(str(show.client.base_url.join(path)))
                assert (answer.status_code, answer.headers["X-Content-Type-Options"]) == (200, "nosniff"), path
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
        assert await show.end(signal.SIGTERM) == 0

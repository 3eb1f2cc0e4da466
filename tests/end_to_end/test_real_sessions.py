"""Sessions steered against the real hub and HAPI's own CLI: started by its runner, worked with, stopped, put away."""

import asyncio
from pathlib import Path

import pytest

from bridge.sandbox.telegram import Message
from tests.end_to_end.conftest import Stage
from tests.rig.hapi_peer import HubClient
from tests.rig.real_cli import RealRunner

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(150)]


async def test_a_session_is_started_worked_with_stopped_and_put_away(stage: Stage, tmp_path: Path) -> None:
    shop = tmp_path / "work" / "shop"
    shop.mkdir(parents=True)
    async with RealRunner(stage.hub, tmp_path / "work") as runner:
        async with HubClient(stage.hub.url, stage.hub.token) as client:
            await runner.machine(client)
        await stage.start()
        stage.telegram.say(stage.chat, stage.ada, f"/new {shop}")
        plan = await stage.message("New session", 30)
        await stage.see(lambda: plan.find_button("Start"), "the plan: this computer has one agent alone")
        assert plan.find_button("Mode…") is None, "which has no modes"
        await stage.press(plan, "Worktree…")
        await stage.see(lambda: plan.find_button("Yes, called…"), "the question")
        await stage.press(plan, "Yes")
        await stage.see(lambda: "In a new worktree" in plan.text, "the plan")
        await stage.press(plan, "Start")
        await stage.see(lambda: "not a Git repository" in plan.text, "the computer's reason", 60)
        await stage.press(plan, "Worktree…")
        await stage.see(lambda: plan.find_button("No"), "the question")
        await stage.press(plan, "No")
        await stage.see(lambda: plan.find_button("Start"), "the plan")
        await stage.press(plan, "Start")
        place = await stage.message("“shop” is shown here.", 60)
        await stage.see(lambda: "“shop” runs." in plan.text, "it runs", 30)
        stage.telegram.say(stage.chat, stage.ada, "say all is well", thread=place.thread)
        assert (await stage.answer("all is well", 60)).thread == place.thread
        await stopped(stage, place)
        await opened(stage, plan)
        await stage.press(plan, "Archive")
        await stage.see(lambda: "was ended and put away" in plan.text, "put away", 30)
        refused = await stage.press(plan, "Resume")
        assert refused.startswith("Its agent left nothing to go on from."), "the scripted agent can't be resumed"
        await stage.press(plan, "Delete…")
        await stage.see(lambda: "for good?" in plan.text, "the question")
        await stage.press(plan, "Delete it for good")
        await stage.message("“shop” was deleted.", 30)
        async with HubClient(stage.hub.url, stage.hub.token) as client:
            _, body = await client.call("GET", "/api/sessions")
        assert body["sessions"] == []


async def opened(stage: Stage, card: Message) -> None:
    """Open the session's card in place of the plan."""
    await stage.press(card, "Open")
    await stage.see(lambda: card.find_button("Archive"), "its card")


async def stopped(stage: Stage, place: Message) -> None:
    """Stop a turn that runs by the command, which says so where nothing runs."""
    stage.telegram.say(stage.chat, stage.ada, "tool Bash sleepy\nsleep 60\nsay never", thread=place.thread)
    activity = await stage.message("Bash sleepy", 60)
    stage.telegram.say(stage.chat, stage.ada, "/stop", thread=place.thread)
    await stage.message("Stopping… (shop)", 30)
    await stage.see(lambda: "Stopped" in activity.text, "stopped", 30)
    await at_rest(stage)
    stage.telegram.say(stage.chat, stage.ada, "/stop", thread=place.thread)
    await stage.message("Nothing runs in “shop”", 30)


async def at_rest(stage: Stage) -> None:
    """Wait until the hub says that nobody thinks: a moment after the turn was stopped."""
    async with HubClient(stage.hub.url, stage.hub.token) as client, asyncio.timeout(30):
        while any(one["thinking"] for one in (await client.call("GET", "/api/sessions"))[1]["sessions"]):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    await asyncio.sleep(0.5)

"""Somebody who read nothing but what the chat shows: from the bot's first post to a session, its approval and its stop.

No command is written, only buttons are pressed and plain words said, against the real hub and HAPI's own CLI.
"""

from pathlib import Path

import pytest

from tests.end_to_end.conftest import Stage
from tests.end_to_end.slack_stage import SlackStage, has, words
from tests.rig.hapi_peer import HubClient
from tests.rig.real_cli import RealRunner

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(150)]


async def test_new_approve_stop_list_and_open_are_found_with_a_thumb(stage: Stage, tmp_path: Path) -> None:
    stage.manners["home_post"] = True
    shop = tmp_path / "work" / "shop"
    shop.mkdir(parents=True)
    async with RealRunner(stage.hub, tmp_path / "work") as runner:
        async with HubClient(stage.hub.url, stage.hub.token) as client:
            await runner.machine(client)
        await stage.start()
        home = await stage.message("Start one below", 30)
        await stage.see(lambda: home.id in stage.chat.pinned, "it is pinned")

        await stage.press(home, "New session")
        card = await stage.message("in which directory?", 30)
        await stage.press(card, "Another one…")
        note = await stage.message("Reply to this message with it.")
        stage.telegram.say(stage.chat, stage.ada, str(shop), reply_to=note.id)
        await stage.see(lambda: card.find_button("Start"), "the plan: this computer has one agent alone", 30)
        await stage.press(card, "Start")
        place = await stage.message("“shop” is shown here.", 60)

        script = "ask Bash make build\ntool Bash sleepy\nsleep 60\nsay never"
        stage.telegram.say(stage.chat, stage.ada, script, thread=place.thread)
        request = await stage.message("Approval needed: Bash", 60)
        assert request.thread == place.thread
        await stage.see(lambda: "1 waits for you" in home.text and home.find_button("What waits"), "it is told", 15)
        await stage.press(request, "Allow")
        await stage.see(lambda: "Allowed by Ada" in request.text, "allowed", 30)
        activity = await stage.message("Bash sleepy", 60)
        await stage.press(activity, "Stop")
        await stage.see(lambda: "Stopped" in activity.text, "stopped", 30)

        await stage.press(home, "Sessions")
        listed = await stage.message("1 session", 30)
        await stage.press(listed, "🟢 shop")
        await stage.see(lambda: listed.find_button("Archive"), "its card", 30)


async def test_on_slack_as_well(own_slack: SlackStage, tmp_path: Path) -> None:
    stage = own_slack
    stage.manners["home_post"] = True
    shop = tmp_path / "work" / "shop"
    shop.mkdir(parents=True)
    async with RealRunner(stage.hub, tmp_path / "work") as runner:
        async with HubClient(stage.hub.url, stage.hub.token) as client:
            await runner.machine(client)
        await stage.start()
        home = await stage.message("Start one below", 30)

        await stage.press(home, "New session")
        card = await stage.message("in which directory?", 30)
        await stage.press(card, "Another one…")
        await stage.slack.wait_for(lambda: stage.slack.modal(stage.ada) is not None, 15, "the form")
        form = stage.slack.modal(stage.ada)
        assert form is not None
        await stage.slack.answered(stage.slack.submit_view(form, {"text": str(shop)}, stage.ada))
        await stage.see(lambda: has(card, "Start"), "the plan: this computer has one agent alone", 30)
        await stage.press(card, "Start")
        place = await stage.message("“shop” is shown here.", 60)

        stage.say("ask Bash make build\ntool Bash sleepy\nsleep 60\nsay never", place)
        request = await stage.message("Approval needed: Bash", 60)
        assert request.thread_ts == place.thread_ts
        await stage.see(lambda: "1 waits for you" in words(home) and has(home, "What waits"), "it is told", 15)
        await stage.press(request, "Allow")
        await stage.see(lambda: "Allowed by ada" in words(request), "allowed", 30)
        activity = await stage.message("Bash sleepy", 60)
        await stage.press(activity, "Stop")
        await stage.see(lambda: "Stopped" in words(activity), "stopped", 30)

        await stage.press(home, "Sessions")
        listed = await stage.message("1 session", 30)
        await stage.press(listed, next(one.label for one in listed.buttons if one.label.endswith(" shop")))
        await stage.see(lambda: has(listed, "Archive"), "its card", 30)

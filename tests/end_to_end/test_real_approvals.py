"""Modes, plans, reasons, second taps and Stop against HAPI's own CLI, with a scripted agent in place of a model."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.sandbox.telegram import Message
from tests.end_to_end.conftest import Stage
from tests.rig.hapi_peer import HubClient
from tests.rig.real_cli import RealOpenCode

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]


@pytest.fixture
async def coding(stage: Stage, tmp_path: Path) -> AsyncIterator[Stage]:
    """The bridge runs, and a real CLI whose flavor has permission modes."""
    await stage.start()
    async with RealOpenCode(stage.hub, tmp_path / "work"):
        await stage.see_hub_session()
        yield stage


def say(stage: Stage, script: str, reply_to: Message | None = None) -> None:
    stage.telegram.say(stage.chat, stage.ada, script, reply_to=reply_to)


async def mode_becomes(stage: Stage, mode: str) -> None:
    """Wait until the hub has the session in a mode."""
    async with HubClient(stage.hub.url) as client, asyncio.timeout(20):
        await client.auth()
        _, body = await client.call("GET", "/api/sessions")
        url = f"/api/sessions/{body['sessions'][0]['id']}"
        while (await client.call("GET", url))[1]["session"]["permissionMode"] != mode:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.05)


async def test_a_mode_is_switched_with_the_permission_and_the_reckless_one_needs_a_second_tap(coding: Stage) -> None:
    stage = coding
    say(stage, "ask Bash make build\nsay and on")
    card = await stage.message("make build", 30)
    assert "opencode · mode Default" in card.text
    await stage.press(card, "More…")
    await stage.see(lambda: card.find_button("⚠️ Allow, then Yolo"), "the wider grants")
    await stage.press(card, "⚠️ Allow, then Yolo")
    await stage.see(lambda: card.find_button("⚠️ Yes"), "the question")
    assert await stage.press(card, "⚠️ Yes: Nothing is asked any more in mode Yolo") == "Sending…"
    await stage.see(lambda: "Allowed by Ada" in card.text, "the outcome", 30)
    await stage.message("tool Bash allowed via once. and on", 30)
    await mode_becomes(stage, "yolo")


async def test_what_is_dangerous_runs_after_two_taps_and_not_after_one(coding: Stage, tmp_path: Path) -> None:
    stage = coding
    say(stage, "ask Bash rm -rf build\nsay and on")
    card = await stage.message("⚠️ Careful: Deletes for good (rm -rf)", 30)
    await stage.press(card, "Allow")
    await stage.see(lambda: card.find_button("⚠️ Yes"), "the question")
    log = tmp_path / "work" / "acp.log"
    assert "optionId" not in "".join(line for line in log.read_text().splitlines() if line.startswith("< "))
    await stage.press(card, "⚠️ Yes")
    await stage.message("tool Bash allowed via once. and on", 30)


async def test_a_denial_goes_first_and_its_reason_reaches_the_agent_as_a_message(coding: Stage) -> None:
    stage = coding
    say(stage, "ask Bash make deploy")
    card = await stage.message("make deploy", 30)
    await stage.press(card, "Deny…")
    say(stage, "Not on a Friday", await stage.message("Why not?"))
    await stage.see(lambda: "Denied by Ada" in card.text, "the denial", 30)
    await stage.message("echo: Not on a Friday", 30)


async def test_a_plan_is_kept_with_a_comment_then_approved_into_a_mode(coding: Stage) -> None:
    stage = coding
    say(stage, f"ask ExitPlanMode {json.dumps({'plan': '# First plan'})}")
    first = await stage.message("Plan to approve", 30)
    await stage.press(first, "Keep planning…")
    comment = f"ask ExitPlanMode {json.dumps({'plan': '# Second plan'})}"
    say(stage, comment, await stage.message("What should change?"))
    await stage.see(lambda: "keeps planning by Ada" in first.text, "the first plan is not approved", 30)

    def shown() -> list[Message]:
        return [one for one in stage.chat.from_bot if "Second plan" in one.text and one.find_button("Approve")]

    await stage.see(shown, "the second plan", 30)
    second = shown()[0]
    await stage.press(second, "⚠️ Approve, then Yolo")
    await stage.see(lambda: second.find_button("⚠️ Yes"), "the question")
    await stage.press(second, "⚠️ Yes")
    await stage.see(lambda: "Approved by Ada" in second.text, "the second plan is approved", 30)
    await stage.message("tool ExitPlanMode allowed via once", 30)
    await mode_becomes(stage, "yolo")


async def test_stop_on_the_card_denies_and_ends_the_turn(coding: Stage) -> None:
    stage = coding
    say(stage, "ask Bash make build\nsleep 60\nsay never")
    card = await stage.message("make build", 30)
    await stage.press(card, "Stop the turn")
    await stage.see(lambda: card.buttons and not card.find_button("Allow"), "the card is decided", 30)
    await stage.see(lambda: any("Stopped" in one.text for one in stage.chat.from_bot), "stopped", 30)
    assert not [one for one in stage.chat.from_bot if "never" in one.text]

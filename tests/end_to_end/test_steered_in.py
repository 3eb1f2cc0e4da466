"""A message that waits while the agent works is pushed into the running turn, where the agent can take it in: Pi."""

from typing import Any

import pytest

from tests.end_to_end.bridge_stage import answers
from tests.end_to_end.conftest import Stage
from tests.end_to_end.slack_stage import SlackStage
from tests.rig.fake_cli import FakeCli

pytestmark = pytest.mark.real_hub


async def pi(stage: Stage | SlackStage, *, steers: bool = True) -> FakeCli:
    """A session of Pi's, whose CLI takes a queued message in, or says that it can't."""
    cli: FakeCli = await stage.session(flavor="pi", path="/home/ada/parser")
    cli.auto_consume = False

    async def steered(params: dict[str, Any]) -> dict[str, Any]:
        if not steers:
            return {"steered": False, "error": "no turn"}
        await cli.consume([params["localId"]])
        return {"steered": True}

    await cli.learn("steer-queued-message", steered)
    await answers(cli, "ready for you")
    return cli


def steered_in(cli: FakeCli) -> list[str]:
    return [params["localId"] for method, params in cli.rpc_log if method == "steer-queued-message"]


async def test_on_telegram_the_queue_steers_a_message_in_once(stage: Stage) -> None:
    await stage.start()
    cli = await pi(stage)
    thread = (await stage.message("ready for you")).thread
    said = stage.telegram.say(stage.chat, stage.ada, "use tabs", thread=thread)
    await stage.see(lambda: "👀" in str(said.reactions), "queued")
    stage.telegram.say(stage.chat, stage.ada, "/queue", thread=thread)
    card = await stage.message("1 message waits")
    assert await stage.press(card, "Steer 1 in now") == "Steered in."
    await stage.see(lambda: "👌" in str(said.reactions), "taken")
    assert await stage.press(card, "Steer 1 in now") == "This message does not wait any more."
    assert len(steered_in(cli)) == 1


async def test_what_the_agent_can_not_take_in_stays_in_the_queue_and_that_is_said(stage: Stage) -> None:
    await stage.start()
    cli = await pi(stage, steers=False)
    thread = (await stage.message("ready for you")).thread
    said = stage.telegram.say(stage.chat, stage.ada, "use tabs", thread=thread)
    await stage.see(lambda: "👀" in str(said.reactions), "queued")
    stage.telegram.say(stage.chat, stage.ada, "/queue", thread=thread)
    card = await stage.message("1 message waits")
    refused = await stage.press(card, "Steer 1 in now")
    assert refused == "This agent could not take it in now. It stays in the queue."
    assert "👀" in str(said.reactions)
    await cli.consume(steered_in(cli))
    await stage.see(lambda: "👌" in str(said.reactions), "taken when its turn came")


async def test_other_agents_offer_no_steering(stage: Stage) -> None:
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    cli.auto_consume = False
    await answers(cli, "ready for you")
    thread = (await stage.message("ready for you")).thread
    stage.telegram.say(stage.chat, stage.ada, "use tabs", thread=thread)
    stage.telegram.say(stage.chat, stage.ada, "/queue", thread=thread)
    card = await stage.message("1 message waits")
    assert [one.text for one in card.buttons] == ["Cancel 1"]


async def test_on_slack_the_queue_steers_a_message_in(slack: SlackStage) -> None:
    await slack.start()
    cli = await pi(slack)
    root = await slack.message("ready for you")
    said = slack.say("use tabs", root)
    await slack.see(lambda: slack.reactions(said) == {"eyes"}, "queued")
    slack.say(f"{slack.slack.mention()} queue", root)
    card = await slack.message("1 message waits")
    await slack.press(card, "Steer 1 in now")
    await slack.see(lambda: slack.reactions(said) == {"ok_hand"}, "taken")
    assert len(steered_in(cli)) == 1

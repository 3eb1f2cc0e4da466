"""A session that goes on as another one keeps its place in Slack: its thread, or its channel."""

import pytest

from bridge.sandbox.hub_session import Session
from bridge.sandbox.slack import Message
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.slack_stage import words
from tests.end_to_end.steering import Steered

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(params=["thread", "channel"])
def placed(steered: Steered, request: pytest.FixtureRequest) -> Steered:
    """Each layout in turn; the bridge is not started yet."""
    steered.extra = f'layout = "{request.param}"\n'
    return steered


async def shown(stage: Steered, text: str) -> Message:
    """Wait for a message of the bot that holds a text, wherever that is in Slack."""

    def find() -> Message | None:
        places = stage.slack.channels.values()
        return next((one for place in places for one in reversed(place.from_bot) if text in words(one)), None)

    await stage.slack.wait_for(find, 15, f"{text!r} somewhere")
    found = find()
    assert found is not None
    return found


def where(message: Message) -> tuple[str, str | None]:
    return message.channel.id, message.thread_ts


async def begun(stage: Steered) -> tuple[Session, Message]:
    """A session that has said something, and that goes on as another one when it is resumed."""
    await stage.start()
    session = stage.played("parser")
    stage.says(session, "hello there")
    session.resumes = "anew"
    return session, await shown(stage, "hello there")


async def test_resumed_by_a_command_it_goes_on_in_its_place(placed: Steered) -> None:
    stage = placed
    session, hello = await begun(stage)
    stage.state.end(session)
    stage.slack.say(hello.channel, stage.ada, f"{stage.slack.mention()} resume", thread_ts=hello.thread_ts)
    await shown(stage, "“parser” goes on.")
    (fresh,) = [one for one in stage.state.sessions.values() if one.record["active"]]
    assert fresh.id != session.id
    stage.says(fresh, "as another one")
    assert where(await shown(stage, "as another one")) == where(hello)
    stage.slack.say(hello.channel, stage.ada, "go on", thread_ts=hello.thread_ts)
    await until(lambda: any("go on" in str(row) for row in fresh.rows), "a text for the session that goes on")


async def test_resumed_on_the_hubs_own_page_it_goes_on_in_its_place(placed: Steered) -> None:
    stage = placed
    session, hello = await begun(stage)
    stage.state.end(session)
    fresh = stage.state.resume(session)
    stage.says(fresh, "as another one")
    assert where(await shown(stage, "as another one")) == where(hello)


@pytest.mark.parametrize("ended", ["before", "meanwhile"])
async def test_resumed_while_the_bridge_was_away_it_goes_on_in_its_place(placed: Steered, ended: str) -> None:
    """Also where the hub lists the new session first, and the old one slept since it was last looked at."""
    stage = placed
    session, hello = await begun(stage)
    if ended == "before":
        stage.state.end(session)
        await shown(stage, "ended")
    await stage.stop()
    if ended == "meanwhile":
        stage.state.end(session)
    fresh = stage.state.resume(session)
    stage.says(fresh, "as another one")
    await stage.start()
    assert where(await shown(stage, "as another one")) == where(hello)
    await stage.stop()
    stage.says(fresh, "after another start")
    await stage.start()
    assert where(await shown(stage, "after another start")) == where(hello)

"""A session is started from the chat, on one card, once for each press of Start. On both platforms."""

from collections.abc import Mapping
from typing import Any

import pytest

from bridge.hub.errors import HubUnreachable
from bridge.hub.rest import HubApi
from bridge.relay.people.sessions.carrying_on import up
from bridge.sandbox.hub_session import Session
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Card, Chatting


async def planned(chatting: Chatting, *, directory: str = "/home/ada/shop", agent: str = "claude") -> Card:
    """Go as far as the plan."""
    chatting.type(f"/new {directory}")
    card = await chatting.see("New session: which agent?")
    await chatting.press(card, agent)
    await until(lambda: "Start" in str(chatting.labels(card)), "the plan")
    return card


def active(chatting: Chatting) -> list[Session]:
    return [one for one in chatting.stage.state.sessions.values() if one.record["active"]]


async def test_from_the_computer_to_the_start_on_one_card(chatting: Chatting) -> None:
    stage = chatting.stage
    other = stage.state.add_machine("desktop")
    stage.computer.agents = ("claude", "codex")
    stage.state.end(stage.played("before", directory="/srv/api"))
    chatting.type("/new")
    card = await chatting.see("New session: on which computer?")
    assert "desktop" in str(chatting.labels(card))
    await chatting.press(card, "laptop")
    await until(lambda: "in which directory?" in chatting.text(card), "the directories")
    assert "/srv/api" in str(chatting.labels(card)), "where a session was before"
    await chatting.press(card, "/srv/api")
    await until(lambda: "which agent?" in chatting.text(card), "the agents")
    await chatting.press(card, "codex")
    await until(lambda: "Start" in str(chatting.labels(card)), "the plan")
    stage.computer.models["codex"] = [{"modelId": "gpt-9", "name": "GPT 9"}]
    await chatting.press(card, "Model…")
    await until(lambda: "Which model?" in chatting.text(card), "the models")
    await chatting.press(card, "GPT 9")
    await until(lambda: "GPT 9" in chatting.text(card) and "Start" in str(chatting.labels(card)), "the plan again")
    await chatting.press(card, "Mode…")
    await until(lambda: "Which permission mode?" in chatting.text(card), "the modes")
    assert "Plan Mode" not in str(chatting.labels(card)), "only what this agent has"
    await chatting.press(card, "Read Only")
    await until(lambda: "Read Only" in chatting.text(card) and "Start" in str(chatting.labels(card)), "the plan")
    await chatting.press(card, "Start")
    await until(lambda: "“api” runs." in chatting.text(card), "it runs")
    (session,) = active(chatting)
    record = session.record
    assert (record["metadata"]["path"], record["metadata"]["flavor"]) == ("/srv/api", "codex")
    assert (record["model"], record["permissionMode"]) == ("gpt-9", "read-only")
    place = await chatting.see("“api” is shown here.", "/srv/api")
    chatting.type("hello", at=place)
    await until(lambda: any("hello" in str(row) for row in session.rows), "a text for it")
    assert other


async def test_a_path_is_typed_looked_for_and_made_if_wanted(chatting: Chatting) -> None:
    stage = chatting.stage
    stage.computer.agents = ("claude",)
    chatting.type("/new")
    card = await chatting.see("in which directory?")
    await chatting.fill(card, "Another one…", "~/site")
    await until(lambda: "/home/ada/site" in chatting.text(card) and "Start" in str(chatting.labels(card)), "the plan")
    await chatting.press(card, "Cancel")
    await until(lambda: "Nothing was started." in chatting.text(card), "the end of it")
    chatting.type("/new brand-new")
    card = await chatting.see("/home/ada/brand-new", "is not there on laptop.")
    await chatting.press(card, "Make it")
    await until(lambda: "Start" in str(chatting.labels(card)), "the plan")
    await chatting.press(card, "Start")
    await until(lambda: "runs." in chatting.text(card), "it runs")
    assert "/home/ada/brand-new" in stage.computer.directories


async def test_a_worktree_is_made_under_the_name_given(chatting: Chatting) -> None:
    card = await planned(chatting)
    await chatting.press(card, "Worktree…")
    await until(lambda: "worktree of its own?" in chatting.text(card), "the question")
    await chatting.fill(card, "Yes, called…", "fix login")
    await until(lambda: "Worktree: fix-login" in chatting.text(card), "it on the plan")
    await chatting.press(card, "Start")
    await until(lambda: "runs." in chatting.text(card), "it runs")
    (session,) = active(chatting)
    assert session.record["metadata"]["worktree"]["name"] == "fix-login"


async def test_why_nothing_was_started_is_said_and_the_plan_can_be_mended(chatting: Chatting) -> None:
    card = await planned(chatting, directory="/home/ada/site")
    await chatting.press(card, "Worktree…")
    await until(lambda: "worktree of its own?" in chatting.text(card), "the question")
    await chatting.press(card, "Yes")
    await until(lambda: "In a new worktree" in chatting.text(card), "it on the plan")
    await chatting.press(card, "Start")
    await until(lambda: "Path is not a Git repository" in chatting.text(card), "the reason")
    await chatting.press(card, "Worktree…")
    await until(lambda: "worktree of its own?" in chatting.text(card), "the question")
    await chatting.press(card, "No")
    await until(lambda: "Start" in str(chatting.labels(card)), "the plan")
    await chatting.press(card, "Start")
    await until(lambda: "“site” runs." in chatting.text(card), "it runs")
    assert len(active(chatting)) == 1


async def test_a_lost_answer_starts_nothing_twice(chatting: Chatting) -> None:
    """The session is looked for among those there are; the hub is asked once."""
    stage = chatting.stage
    card = await planned(chatting)
    stage.sandbox.faults.lose_answer("/spawn")
    await chatting.press(card, "Start")
    await until(lambda: "“shop” runs." in chatting.text(card), "the session that was started")
    assert len(active(chatting)) == 1
    assert stage.calls("POST", "/spawn") == 1


async def test_a_session_that_was_found_is_shown_also_when_the_hub_goes_away_right_then(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs is never said to have failed."""
    stage = chatting.stage
    card = await planned(chatting)
    monkeypatch.setattr("bridge.relay.people.sessions.starter.LATER_S", 0.2)
    fails = [HubUnreachable("away"), HubUnreachable("still away")]

    async def away_at_first(api: HubApi, session_id: str) -> Mapping[str, Any]:
        if fails:
            raise fails.pop()
        return await up(api, session_id)

    monkeypatch.setattr("bridge.relay.people.sessions.starter.up", away_at_first)
    stage.sandbox.faults.lose_answer("/spawn")
    await chatting.press(card, "Start")
    await until(lambda: "“shop” runs." in chatting.text(card), "the session that was started")
    assert not fails
    assert len(active(chatting)) == 1


async def test_a_call_that_never_arrived_is_not_made_again_by_itself(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = chatting.stage
    card = await planned(chatting)
    stage.starter(look_for_ms=500, monkeypatch=monkeypatch)
    stage.sandbox.faults.drop("/spawn")
    await chatting.press(card, "Start")
    await until(lambda: "no new session has appeared" in chatting.text(card), "the words")
    assert active(chatting) == []
    await chatting.press(card, "Start")
    await until(lambda: "“shop” runs." in chatting.text(card), "what a person asked for anew")
    assert stage.calls("POST", "/spawn") == 2


async def test_a_bridge_that_ends_between_press_and_answer_finds_what_it_started(chatting: Chatting) -> None:
    stage = chatting.stage
    card = await planned(chatting)
    stage.computer.answers_after_s = 3.0
    await chatting.press(card, "Start")
    await until(lambda: len(active(chatting)) == 1, "the session, of which the bridge has not heard")
    await stage.stop()
    await stage.start()
    await until(lambda: "“shop” runs." in chatting.text(card), "the session that was started")
    assert len(active(chatting)) == 1, "nothing was started again"


async def test_a_computer_that_went_off_line_is_named(chatting: Chatting) -> None:
    stage = chatting.stage
    card = await planned(chatting)
    stage.state.machines[stage.machine]["active"] = False
    await chatting.press(card, "Start")
    await until(lambda: "off line" in chatting.text(card), "the reason")
    chatting.type("/new")
    await chatting.see("No computer is on line.")


async def test_in_a_channel_it_is_shown_where_it_was_asked_for(chatting: Chatting) -> None:
    stage = chatting.stage
    if chatting.name != "slack":
        pytest.skip("channels are Slack's; groups are tried with the people who are in them")
    work = stage.slack.add_channel("work", stage.ada)
    stage.computer.agents = ("claude",)
    opened = stage.slack.say(work, stage.ada, f"{stage.slack.mention()} new /srv/api")
    await stage.slack.wait_for(lambda: work.from_bot and work.from_bot[-1].buttons, 15, "the plan")
    card = work.from_bot[-1]
    await chatting.press(card, "Start")
    await stage.slack.wait_for(lambda: any("is shown here" in one.words for one in work.from_bot), 15, "its place")
    shown = next(one for one in work.from_bot if "is shown here" in one.words)
    assert shown.thread_ts == opened.ts


async def test_it_is_not_said_to_run_before_it_takes_messages(chatting: Chatting) -> None:
    """HAPI answers a start before the session's CLI has spoken up, and takes no message for it until then."""
    chatting.stage.computer.wakes_after_s = 2.0
    card = await planned(chatting)
    await chatting.press(card, "Start")
    place = await chatting.see("“shop” is shown here.")
    chatting.type("hello", at=place)
    (session,) = active(chatting)
    await until(lambda: any("hello" in str(row) for row in session.rows), "the text for it")
    assert "“shop” runs." in chatting.text(card)

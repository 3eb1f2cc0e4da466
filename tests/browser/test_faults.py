"""Every switch on the page, switched on in the middle of a session: it ends complete and undoubled all the same."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from bridge.sandbox.hub_session import Session
from tests.browser.visit import SIDES, Visit, until

pytestmark = pytest.mark.timeout(150)


async def play_with(visit: Visit, fault: str) -> Session:
    """A release whose question waits when the fault begins, played through to its end."""
    session = await visit.begin("deploy")
    for side in SIDES:
        await visit.button(side, "staging").wait_for()
    await visit.fault(fault)
    await visit.play_through("deploy", session)
    await visit.over(session)
    return session


@pytest.mark.parametrize(
    "fault", ["flood", "lost-answers", "hub-restart", "duplicate-events", "slow-network", "expired-stream"]
)
async def test_a_session_ends_complete_and_undoubled(visit: Visit, fault: str) -> None:
    """Invariants 2 and 3, against the hub's own record."""
    session = await play_with(visit, fault)
    for side in SIDES:
        await visit.check(session, side)


async def test_a_killed_bridge_starts_again_and_misses_nothing(visit: Visit) -> None:
    """Invariants 1 and 3: where Telegram can't be asked, at most one message is there twice."""
    before = visit.demo.bridge.restarts
    session = await play_with(visit, "kill-bridge")
    await visit.check(session, "telegram", doubles=1)
    await visit.check(session, "slack")
    assert visit.demo.bridge.restarts == before + 1
    await expect(visit.page.locator("#bridge")).to_have_attribute("data-state", "running")


async def test_a_deleted_topic_is_made_anew_and_goes_on(visit: Visit) -> None:
    session = await visit.begin("deploy")
    await visit.button("telegram", "staging").wait_for()
    title = session.record["metadata"]["name"]
    topics = visit.demo.stage.chat.topics
    before = max(topics)
    await visit.fault("deleted-topic")
    assert topics[before].deleted
    await visit.demo.turns.get()
    await visit.press("slack", "staging")
    await until(lambda: max(topics) > before, "another topic")
    await visit.telegram.get_by_role("tab", name=title).last.click()
    await visit.play_through("deploy", session)
    await visit.over(session)
    await visit.check(session, "slack")
    said = [line.text for line in await visit.lines("telegram")]
    assert len([text for text in said if "Nothing went to production" in text]) == 1, said


async def test_a_switch_says_that_it_is_on_and_what_it_does(visit: Visit) -> None:
    await visit.panel.get_by_role("tab", name="Faults").click()
    switch = visit.panel.get_by_role("switch", name="Slow network")
    await expect(switch).to_have_attribute("aria-checked", "false")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "true")
    await switch.press("Space")
    await expect(switch).to_have_attribute("aria-checked", "false")


async def test_refused_calls_are_listed_as_such(visit: Visit) -> None:
    await visit.fault("flood")
    await visit.panel.get_by_role("tab", name="Scenarios").click()
    await visit.begin_unseen("plan")
    refused = visit.panel.locator(".call.bad", has_text="429")
    await expect(refused.first).to_contain_text("fault: flood", timeout=15_000)

"""Each scenario in the browser: a visitor reads both chats, presses and writes in either, and the other one follows."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from bridge.sandbox import hub_scenario
from tests.browser.visit import SIDES, Visit

pytestmark = pytest.mark.timeout(150)


@pytest.mark.parametrize("name", hub_scenario.names())
async def test_a_visitor_goes_through_a_scenario(visit: Visit, name: str) -> None:
    """Invariants 2 and 3: in the end both chats are complete and undoubled."""
    session = await visit.begin(name)
    await visit.play_through(name, session)
    await visit.over(session)
    for side in SIDES:
        await visit.check(session, side)


async def test_allowing_in_one_chat_shows_in_the_other(visit: Visit) -> None:
    """Invariant 4."""
    await visit.begin("bugfix")
    await visit.press("telegram", "Allow")
    await visit.see("telegram", "Allowed by Ada · Telegram")
    await visit.see("slack", "Allowed by Ada · Telegram")
    await visit.see("slack", "Approval needed: Edit")
    await visit.press("slack", "Allow")
    await visit.see("slack", "· Slack")
    card = await visit.see("telegram", "Allowed: Edit")
    await expect(card).to_contain_text("· Slack")
    assert await card.locator(".tg-keyboard button").all_inner_texts() == ["🟢 Allowed"], "nothing else to press there"


async def test_denying_ends_the_turn_on_both(visit: Visit) -> None:
    """Invariant 4."""
    session = await visit.begin("bugfix")
    await visit.press("slack", "Deny")
    for side in SIDES:
        await visit.see(side, "Denied: Bash")
    (request,) = session.completed.values()
    assert request["status"] == "denied"


async def test_denying_with_words_goes_through_a_form(visit: Visit) -> None:
    session = await visit.begin("bugfix")
    await visit.press("slack", "Deny…")
    form = visit.page.get_by_role("dialog", name="Deny")
    await expect(form.get_by_role("textbox")).to_be_focused()
    await visit.page.keyboard.type("Use the fast tests.")
    await form.get_by_role("button", name="Deny").click()
    await expect(form).to_be_hidden()
    await visit.see("telegram", "Denied: Bash")
    (request,) = session.completed.values()
    assert request["status"] == "denied"


async def test_reasoning_unfolds_and_stays_so(visit: Visit) -> None:
    await visit.begin("bugfix")
    await visit.unfold("telegram", "and then at cart.py")
    await visit.press("telegram", "Deny")
    for side in SIDES:
        await visit.see(side, "Denied by Ada")
    await expect(visit.box("telegram").locator(".fold-toggle").last).to_have_attribute("aria-expanded", "true")
    await visit.unfold("slack", "and then at cart.py")


async def test_what_is_written_in_one_chat_is_shown_in_the_other(visit: Visit) -> None:
    await visit.begin("limit")
    while (await visit.demo.turns.get()).what != "reply":
        pass
    await visit.write("slack", "Go on, <b>please</b>.")
    own = visit.slack.locator(".sl-thread .sl-message:not(:has(.badge))")
    await expect(own).to_contain_text("Go on, <b>please</b>.")
    told = await visit.see("telegram", "Go on, <b>please</b>.")
    assert "You · Slack" in await told.inner_text()
    await expect(own.locator(".reaction")).to_contain_text("👌")


async def test_free_text_never_approves(visit: Visit) -> None:
    """Invariant 10: what is written while an approval waits is asked about first."""
    session = await visit.begin("bugfix")
    await visit.button("slack", "Allow").wait_for()
    await visit.write("slack", "Yes, go on")
    await visit.press("slack", "Keep queued")
    own = visit.slack.locator(".sl-thread .sl-message:not(:has(.badge))")
    await expect(own.locator(".reaction")).to_contain_text("👀")
    assert [row["content"]["content"]["text"] for row in session.queued] == ["Yes, go on"]
    assert session.requests
    assert not session.completed


async def test_the_hubs_own_list_stands_beside_the_chats(visit: Visit) -> None:
    session = await visit.begin("bugfix")
    await visit.panel.get_by_role("tab", name="Hub").click()
    row = visit.panel.locator(".hub-session:not(.over)", has_text=session.record["metadata"]["name"])
    await expect(row).to_contain_text("waits for a decision")
    visit.demo.hub.state.end(session)
    await expect(row).to_have_count(0)

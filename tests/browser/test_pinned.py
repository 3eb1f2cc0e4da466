"""What the bot pinned stands above the chat, as on a phone: who scrolled far finds what waits, and how to begin."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Open
from tests.browser.demo import Demo
from tests.browser.visit import Visit

pytestmark = pytest.mark.timeout(120)


async def test_a_tap_on_the_pinned_post_leads_to_it(demo: Demo, open_page: Open) -> None:
    visit = Visit(demo, await open_page(demo.page.address, phone=True))
    await visit.page.get_by_role("button", name="Backstage").click()
    session = await visit.begin_unseen("bugfix")
    await visit.page.get_by_role("button", name="Telegram").click()
    bar = visit.telegram.locator(".tg-pinned button")
    await expect(bar).to_contain_text("waits for you")
    home = visit.messages("telegram").filter(has=visit.page.get_by_role("button", name="Help")).first
    await visit.button("telegram", "Allow").wait_for()
    await bar.click()
    await expect(home.get_by_role("button", name="What waits")).to_be_in_viewport()
    await visit.open_topic(session)
    await expect(bar).to_be_hidden()
